"""One game between the rules and a player, and the record of it."""

from typing import Protocol

from wordpl import seeds
from wordpl.games import Game, IllegalMove
from wordpl.players.base import Player, PlayerFault
from wordpl.records import Record, Verdict

_WARM_UP_KEY = seeds.run_key("the warm-up, whose games do not count")


class Clocks(Protocol):
    """The seconds a player has for a game, and for the warm-up of a fresh process."""

    timeout_s: float
    warmup_s: float


def play(game: Game, player: Player, number: int, key: bytes, clocks: Clocks) -> Record:
    """Play game `number` of the run with this key. Whatever the player does, it ends this game at most."""
    secret = secret_of(game, number, key)
    moves: list[tuple] = []
    try:
        if player.prepare():
            warm_up(game, player, clocks.warmup_s)
        return _play(game, player, (number, secret, moves), key, clocks.timeout_s)
    except IllegalMove as fault:
        return Record(number, secret, moves, Verdict.ILLEGAL, str(fault))
    except PlayerFault as fault:
        return Record(number, secret, moves, fault.verdict, fault.message)


def secret_of(game: Game, number: int, key: bytes) -> str:
    """Return the secret of game `number` of the run with this key."""
    return game.lists.answers[seeds.secret_index(key, number, len(game.lists.answers))]


def warm_up(game: Game, player: Player, limit_s: float) -> None:
    """Have a player that has just been started play a game that does not count, then be ready for one that does.

    It is where imports end and compilers run, which no game's clock should see. A player that fails here is started
    again and will fail on the record. Raises PlayerFault when it does not even start.
    """
    try:
        _play(game, player, (0, secret_of(game, 0, _WARM_UP_KEY), []), _WARM_UP_KEY, limit_s)
    except (IllegalMove, PlayerFault):
        player.prepare()


def _play(game: Game, player: Player, begun: tuple[int, str, list], key: bytes, limit_s: float) -> Record:
    number, secret, moves = begun
    length = game.lists.length

    def draws() -> tuple[int, ...]:
        return seeds.noise(key, number, len(moves) + 1, length)

    proposal = player.first_move(seeds.strategy_seed(key, number), limit_s)
    while True:
        move = game.check(proposal)
        reply = game.reply(secret, moves, move, draws)
        moves.append((*move, reply.clues))
        if reply.verdict is not None:
            return Record(number, secret, moves, reply.verdict, reply.message)
        proposal = player.next_move(move, reply.clues)
