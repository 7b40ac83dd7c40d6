"""One game between the referee and a player, and its comparison with a repetition."""

import logging
from enum import Enum
from typing import NamedTuple

from wordpl.core import seeds
from wordpl.core.moves import Move, Verdict
from wordpl.games import Game, IllegalMoveError, Reply
from wordpl.players import base
from wordpl.players.base import Player, PlayerError, TimeLimits
from wordpl.run.config import RunConfig
from wordpl.run.records import Record

_LOGGER = logging.getLogger(__name__)
MAX_ATTEMPTS = 3
_WARM_UP_KEY = seeds.run_key("the warm-up, whose games do not count")

CUT_SHORT = (Verdict.LATE, Verdict.MEMORY, Verdict.FAULT, Verdict.UNPLAYED)
"""Verdicts that depend on the machine; games that end with one are compared by the moves they have in common."""

ENDED_BY_REPLY = (Verdict.WON, Verdict.WRONG, Verdict.UNSOLVED)
"""Verdicts of games that the reply to a move ends."""


class GameSetup(NamedTuple):
    """The random choices for one game of a run.

    Attributes:
        number: The number of the game.
        secret: The secret; "" in games without one.
        strategy_seed: The seed for the strategy's own draws.
    """

    number: int
    secret: str
    strategy_seed: int

    @classmethod
    def of(cls, game: Game, number: int, key: bytes, config: RunConfig, *, is_repeat: bool = False) -> "GameSetup":
        """Return the setup of a game.

        Args:
            game: The rules.
            number: The number of the game.
            key: The key of all draws.
            config: The configuration of the run. If every answer is played once, all games have the same strategy seed.
            is_repeat: Whether the game is repeated. If every answer is played once, this changes the strategy seed.
        """
        if not config.every_answer:
            return cls(number, secret_of(game, number, key), seeds.strategy_seed(key, number))
        answers = game.lists.answers
        secret = answers[seeds.answer_order(key, len(answers))[number]]
        return cls(number, secret, seeds.strategy_seed(key, number + 1 if is_repeat else 0))


def play(game: Game, player: Player, number: int, key: bytes, config: RunConfig) -> Record:
    """Play game `number` of the run with this key; see `play_game`."""
    return play_game(game, player, GameSetup.of(game, number, key, config), key, config)


def play_game(
    game: Game, player: Player, setup: GameSetup, key: bytes, config: RunConfig, recorded: Record | None = None
) -> Record:
    """Play a game of the run with this key, and return its record. A failing player ends only this game.

    If the game has been played before, its record can be given. Then the referee holds another secret, and shows the
    recorded clues as long as the player makes the recorded moves. A player that knows only its clues makes all of them;
    one that finds out the secret from the referee does not. From the first other move on, the game goes on with its own
    secret, so that its record is that of a game of the run.

    A game is not retried after the player has seen a clue: the secret and the noise would be the same, and the player
    could use what it learned. Only a game whose player was killed from outside before the first clue is restarted.
    """
    is_logged = _LOGGER.isEnabledFor(logging.DEBUG)
    if is_logged:
        player.name_game(setup.number)
    for _ in range(MAX_ATTEMPTS):
        record = _attempt(game, player, setup, key, config, recorded)
        if record.verdict != Verdict.FAULT or record.moves:
            break
    if is_logged:
        _LOGGER.debug("game %d ends: %s %s", setup.number, record.verdict, record.message)
    return record


def _attempt(
    game: Game, player: Player, setup: GameSetup, key: bytes, config: RunConfig, recorded: Record | None
) -> Record:
    number, secret = setup.number, setup.secret
    moves: list[Move] = []
    try:
        if player.prepare():
            warm_up(game, player, config.warmup_s)
        return _play(game, player, (setup, moves), key, base.allowance(config), recorded)
    except IllegalMoveError as error:
        return Record(number, secret, moves, Verdict.ILLEGAL, str(error))
    except PlayerError as error:
        return Record(number, secret, moves, error.verdict, error.message)


def secret_of(game: Game, number: int, key: bytes) -> str:
    """Return the secret of game `number` of the run with this key; "" in games without one."""
    if not game.facts.has_secret:
        return ""
    return game.lists.answers[seeds.secret_index(key, number, len(game.lists.answers))]


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
    setup = GameSetup(0, secret_of(game, 0, _WARM_UP_KEY), seeds.strategy_seed(_WARM_UP_KEY, 0))
    try:
        _play(game, player, (setup, []), _WARM_UP_KEY, TimeLimits(limit_s, limit_s))
    except (IllegalMoveError, PlayerError) as failure:
        return failure
    return None


def decoy_of(game: Game, setup: GameSetup, key: bytes) -> str:
    """Return the secret that the referee holds when a game is replayed with its clues: never the game's own."""
    answers = game.lists.answers
    if not setup.secret or len(answers) < 2:
        return ""
    step = 1 + seeds.decoy_index(key, setup.number, len(answers) - 1)
    return answers[(answers.index(setup.secret) + step) % len(answers)]


def _recorded_reply(recorded: Record, number: int) -> Reply:
    """Return the reply to the move with this number in a recorded game."""
    is_last = number == len(recorded.moves) - 1
    verdict = recorded.verdict if is_last and recorded.verdict in ENDED_BY_REPLY else None
    return Reply(recorded.moves[number].clues, verdict, recorded.message if verdict else "")


def _play(
    game: Game,
    player: Player,
    begun: tuple[GameSetup, list[Move]],
    key: bytes,
    allowance: TimeLimits,
    recorded: Record | None = None,
) -> Record:
    setup, moves = begun
    number, secret = setup.number, setup.secret
    length = game.lists.length
    if recorded is not None:
        secret = decoy_of(game, setup, key)

    def draws() -> tuple[int, ...]:
        return seeds.noise(key, number, len(moves) + 1, length)

    proposal = player.first_move(setup.strategy_seed, allowance)
    while True:
        move = game.check(proposal)
        if recorded is not None and (move,) != tuple(made.with_clues("") for made in recorded.moves[len(moves) :][:1]):
            secret, recorded = setup.secret, None  # nothing is left to be compared
        reply = game.reply(secret, moves, move, draws)
        if recorded is not None:
            reply = _recorded_reply(recorded, len(moves))
        move = move.with_clues(reply.clues)
        moves.append(move)
        if reply.verdict is not None:
            return Record(number, setup.secret, moves, reply.verdict, reply.message)
        proposal = player.next_move(move)


def is_reseeded(number: int, config: RunConfig) -> bool:
    """Return whether the first repetition of game `number` gives the strategy another seed for its own draws.

    If the moves are the same nevertheless, the entry draws nothing. If every answer is played once, all repetitions
    have another seed, see `GameSetup.of`.
    """
    return number % 2 == 1 and not config.every_answer


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
