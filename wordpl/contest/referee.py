"""One game between the referee and a player, and its comparison with a repetition."""

import logging
from enum import Enum
from typing import NamedTuple

from wordpl.core import seeds
from wordpl.core.moves import Move, Verdict
from wordpl.core.seeds import Draws, GameDraws
from wordpl.games import Game, IllegalMoveError, Reply
from wordpl.players import base
from wordpl.players.base import Player, PlayerError, RefereePausedError, TimeLimits
from wordpl.run.config import RunConfig
from wordpl.run.records import Record

_LOGGER = logging.getLogger(__name__)
MAX_ATTEMPTS = 3
MAX_PAUSES = 20
"""How often a game is played again because the referee paused, before it counts as lost from outside."""
_WARM_UP = seeds.Draws.of("the warm-up, whose games do not count")

CUT_SHORT = (Verdict.LATE, Verdict.MEMORY, Verdict.FAULT, Verdict.UNPLAYED)
"""Verdicts that depend on the machine; games that end with one are compared by the moves they have in common."""

ENDED_BY_REPLY = (Verdict.WON, Verdict.WRONG, Verdict.UNSOLVED)
"""Verdicts of games that the reply to a move ends."""


class GameSetup(NamedTuple):
    """The secret of a game, and the draws from which everything else follows that is random in it.

    Attributes:
        secret: The secret; "" in games without one.
        draws: The draws.
    """

    secret: str
    draws: GameDraws

    @classmethod
    def of(cls, game: Game, draws: GameDraws) -> "GameSetup":
        """Return the setup of a game with these draws."""
        answers = game.lists.answers
        return cls(answers[draws.secret_index(len(answers))] if game.facts.has_secret else "", draws)


def play(game: Game, player: Player, number: int, draws: Draws, config: RunConfig) -> Record:
    """Play game `number` of the run with these draws; see `play_game`."""
    return play_game(game, player, GameSetup.of(game, draws.game(number)), config)


def play_game(
    game: Game, player: Player, setup: GameSetup, config: RunConfig, recorded: Record | None = None
) -> Record:
    """Play a game of a run, and return its record. A failing player ends only this game.

    If the game has been played before, its record can be given. Then the referee holds another secret, and shows the
    recorded clues as long as the player makes the recorded moves. A player that knows only its clues makes all of them;
    one that finds out the secret from the referee does not. From the first other move on, the game goes on with its own
    secret, so that its record is that of a game of the run.

    A game is not retried after the player has seen a clue: the secret and the noise would be the same, and the player
    could use what it learned. Only a game whose player was killed from outside before the first clue is restarted, and
    one that is void because the referee paused; the player lists such games.
    """
    is_logged = _LOGGER.isEnabledFor(logging.DEBUG)
    number, secret = setup.draws.number, setup.secret
    if is_logged:
        player.name_game(number)
    n_void, n_faults = 0, 0
    while n_faults < MAX_ATTEMPTS:
        moves: list[Move] = []
        try:
            if player.prepare():
                warm_up(game, player, config.warmup_s)
            record = _play(game, player, setup, moves, base.allowance(config), recorded)
        except RefereePausedError as error:
            record = Record(number, secret, [], error.verdict, error.message)
            player.void_games.append(number)
            n_void += 1
            n_faults += n_void >= MAX_PAUSES
            continue
        except IllegalMoveError as error:
            record = Record(number, secret, moves, Verdict.ILLEGAL, str(error))
        except PlayerError as error:
            record = Record(number, secret, moves, error.verdict, error.message)
        if record.verdict != Verdict.FAULT or record.moves:
            break
        n_faults += 1
    if is_logged:
        _LOGGER.debug("game %d ends: %s %s", number, record.verdict, record.message)
    return record


def secret_of(game: Game, number: int, draws: Draws) -> str:
    """Return the secret of game `number` of the run with these draws; "" in games without one."""
    return GameSetup.of(game, draws.game(number)).secret


def warm_up(game: Game, player: Player, limit_s: float) -> None:
    """Let a newly started player play a warm-up game, and prepare it for a game that counts.

    Imports and just-in-time compilation happen during the warm-up, so that they do not count towards a game's time. If
    the player fails here, it is restarted; the failure does not count unless it occurs again in the game.

    Raises:
        PlayerError: The player cannot be restarted.
    """
    if failure_in_warm_up(game, player, limit_s) is not None:
        player.prepare()


def failure_in_warm_up(game: Game, player: Player, limit_s: float) -> IllegalMoveError | PlayerError | None:
    """Let a newly started player play a warm-up game; return its failure, or None if it succeeded."""
    try:
        _play(game, player, GameSetup.of(game, _WARM_UP.game(0)), [], TimeLimits(limit_s, limit_s))
    except (IllegalMoveError, PlayerError) as failure:
        return failure
    return None


def decoy_of(game: Game, setup: GameSetup) -> str:
    """Return the secret that the referee holds when a game is replayed with its clues: never the game's own."""
    answers = game.lists.answers
    if not setup.secret or len(answers) < 2:
        return ""
    step = 1 + setup.draws.decoy_index(len(answers) - 1)
    return answers[(answers.index(setup.secret) + step) % len(answers)]


def _recorded_reply(recorded: Record, number: int) -> Reply:
    """Return the reply to the move with this number in a recorded game."""
    is_last = number == len(recorded.moves) - 1
    verdict = recorded.verdict if is_last and recorded.verdict in ENDED_BY_REPLY else None
    return Reply(recorded.moves[number].clues, verdict, recorded.message if verdict else "")


def _play(
    game: Game,
    player: Player,
    setup: GameSetup,
    moves: list[Move],
    allowance: TimeLimits,
    recorded: Record | None = None,
) -> Record:
    """Play one attempt of a game; its moves are appended to `moves`, which the caller keeps if the player fails."""
    secret, length = setup.secret, game.lists.length
    if recorded is not None:
        secret = decoy_of(game, setup)

    proposal = player.first_move(setup.draws.strategy_seed, allowance)
    while True:
        move = game.check(proposal)
        if recorded is not None and (move,) != tuple(made.with_clues("") for made in recorded.moves[len(moves) :][:1]):
            secret, recorded = setup.secret, None  # nothing is left to be compared
        reply = game.reply(secret, moves, move, lambda: setup.draws.noise(len(moves) + 1, length))
        if recorded is not None:
            reply = _recorded_reply(recorded, len(moves))
        move = move.with_clues(reply.clues)
        moves.append(move)
        if reply.verdict is not None:
            return Record(setup.draws.number, setup.secret, moves, reply.verdict, reply.message)
        proposal = player.next_move(move)


def is_played_anew(number: int, config: RunConfig) -> bool:
    """Return whether game `number`, if it is repeated, is also played with draws from a fresh seed.

    If every answer is played once, all repeated games are, to see whether the entry draws.
    """
    return number % 2 == 1 or config.every_answer


class GameComparison(Enum):
    """The result of comparing a game with its repetition in a new process."""

    SAME = "the same moves"
    CHANGED = "other moves"
    NOT_COMPARED = "cut short: nothing, or less than the game in the run, could be compared"


def compare(first: Record, again: Record) -> GameComparison:
    """Compare a game with its repetition; if either was cut short, compare the moves that both have.

    The result is NOT_COMPARED if the repetition was cut short before it had as many moves as the game, or if the game
    has no moves.
    """
    if not (first.verdict in CUT_SHORT or again.verdict in CUT_SHORT):
        is_same = first.moves == again.moves and first.verdict == again.verdict
        return GameComparison.SAME if is_same else GameComparison.CHANGED
    if any(a != b for a, b in zip(first.moves, again.moves, strict=False)):
        return GameComparison.CHANGED
    if len(again.moves) < len(first.moves) or not first.moves:
        return GameComparison.NOT_COMPARED
    return GameComparison.SAME


def agree(first: Record, again: Record) -> bool:
    """Return whether two records of a game agree as far as they can be compared."""
    return compare(first, again) != GameComparison.CHANGED
