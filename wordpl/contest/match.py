"""One game between the rules and a player, and the record of it."""

import logging
from dataclasses import dataclass

from wordpl.core import seeds
from wordpl.core.moves import Move
from wordpl.core.records import Record, Verdict
from wordpl.core.run_config import RunConfig
from wordpl.games import Game, IllegalMoveError
from wordpl.players import clock
from wordpl.players.base import Player, PlayerError, TimeLimits

_LOGGER = logging.getLogger(__name__)
MAX_BEGINNINGS = 3
_WARM_UP_KEY = seeds.run_key("the warm-up, whose games do not count")


@dataclass(frozen=True)
class Deal:
    """What the key of a run gives to one game: its secret, and the seed for the strategy's own numbers."""

    number: int
    secret: str
    strategy_seed: int

    @classmethod
    def of(cls, game: Game, number: int, key: bytes, config: RunConfig, *, is_again: bool = False) -> "Deal":
        """Return the deal of game `number`.

        Args:
            game: The rules.
            number: The number of the game.
            key: The key of the run.
            config: The terms of the run. Where every answer is played once, all games have one seed for the strategy.
            is_again: The game is played again; where every answer is played once, under another seed.
        """
        if not config.every_answer:
            return cls(number, secret_of(game, number, key), seeds.strategy_seed(key, number))
        answers = game.lists.answers
        secret = answers[seeds.answer_order(key, len(answers))[number]]
        return cls(number, secret, seeds.strategy_seed(key, number + 1 if is_again else 0))


def play(game: Game, player: Player, number: int, key: bytes, config: RunConfig) -> Record:
    """Play game `number` of the run with this key, see `play_deal`."""
    return play_deal(game, player, Deal.of(game, number, key, config), key, config)


def play_deal(game: Game, player: Player, deal: Deal, key: bytes, config: RunConfig) -> Record:
    """Play a game of the run with this key. Whatever the player does, it ends this game at most.

    It is played once: who meets the same secret and noise twice can use the second time what the first one showed. Only
    a game whose player was ended from outside before it saw a clue begins again.
    """
    is_logged = _LOGGER.isEnabledFor(logging.DEBUG)
    if is_logged:
        player.name_game(deal.number)
    for _ in range(MAX_BEGINNINGS):
        record = _begin(game, player, deal, key, config)
        if record.verdict != Verdict.FAULT or record.moves:
            break
    if is_logged:
        _LOGGER.debug("game %d ends: %s %s", deal.number, record.verdict, record.message)
    return record


def _begin(game: Game, player: Player, deal: Deal, key: bytes, config: RunConfig) -> Record:
    number, secret = deal.number, deal.secret
    moves: list[Move] = []
    try:
        if player.prepare():
            warm_up(game, player, config.warmup_s)
        return _play(game, player, (deal, moves), key, clock.allowance(config))
    except IllegalMoveError as error:
        return Record(number, secret, moves, Verdict.ILLEGAL, str(error))
    except PlayerError as error:
        return Record(number, secret, moves, error.verdict, error.message)


def secret_of(game: Game, number: int, key: bytes) -> str:
    """Return the secret of game `number` of the run with this key; empty where the rules draw none."""
    if not game.has_secret:
        return ""
    return game.lists.answers[seeds.secret_index(key, number, len(game.lists.answers))]


def warm_up(game: Game, player: Player, limit_s: float) -> None:
    """Have a player that has just been started play a game that does not count, then be ready for one that does.

    It is where imports end and compilers run, which no game's clock should see. A player that fails here is started
    again and will fail on the record. Raises PlayerError when it does not even start.
    """
    if failure_in_warm_up(game, player, limit_s) is not None:
        player.prepare()


def failure_in_warm_up(game: Game, player: Player, limit_s: float) -> IllegalMoveError | PlayerError | None:
    """Have a player that has just been started play a game that does not count; return how it failed, if it did."""
    deal = Deal(0, secret_of(game, 0, _WARM_UP_KEY), seeds.strategy_seed(_WARM_UP_KEY, 0))
    try:
        _play(game, player, (deal, []), _WARM_UP_KEY, TimeLimits(limit_s, limit_s))
    except (IllegalMoveError, PlayerError) as failure:
        return failure
    return None


def _play(game: Game, player: Player, begun: tuple[Deal, list[Move]], key: bytes, allowance: TimeLimits) -> Record:
    deal, moves = begun
    number, secret = deal.number, deal.secret
    length = game.lists.length

    def draws() -> tuple[int, ...]:
        return seeds.noise(key, number, len(moves) + 1, length)

    proposal = player.first_move(deal.strategy_seed, allowance)
    while True:
        move = game.check(proposal)
        reply = game.reply(secret, moves, move, draws)
        move = move.with_clues(reply.clues)
        moves.append(move)
        if reply.verdict is not None:
            return Record(number, secret, moves, reply.verdict, reply.message)
        proposal = player.next_move(move)
