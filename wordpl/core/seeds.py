"""Chance that anybody can compute again: a run's seed decides each game's secret and noise.

Draws are keyed BLAKE2b of (purpose, game, round), so they depend on nothing else: not on the entry that plays, the
order of games, the number of workers, the machine or the language. Game and strategy draw under different purposes, so
that no strategy can replay the draw that chose its secret.
"""

import secrets
from functools import cache
from hashlib import blake2b, sha256
from struct import Struct


def new_seed() -> str:
    """Return a fresh seed from the operating system's entropy, short enough to be typed again."""
    return str(secrets.randbelow(10**12))


def new_official_seed() -> str:
    """Return 256 fresh bits in hexadecimal, which nobody can try through."""
    return secrets.token_hex(32)


def run_key(seed: str | int) -> bytes:
    """Return the key of all draws of the run with this seed, which may be any text."""
    return sha256(f"wordpl/{seed}".encode()).digest()


def draw(key: bytes, purpose: bytes, game: int, round_: int = 0) -> bytes:
    """Return 64 random bytes that depend on these four things alone."""
    return blake2b(b"%b/%d/%d" % (purpose, game, round_), key=key).digest()


def order(key: bytes, n_games: int) -> list[int]:
    """Return the numbers of all games in the order in which they are played, which tells a player nothing."""
    return sorted(range(n_games), key=lambda game: draw(key, b"order", game))


def secret_index(key: bytes, game: int, n_answers: int) -> int:
    """Return which answer is the secret of this game; each is as likely, to within 2^-100."""
    return int.from_bytes(draw(key, b"secret", game)[:16], "big") % n_answers


@cache
def answer_order(key: bytes, n_answers: int) -> tuple[int, ...]:
    """Return all answers in the order in which a run that plays each once meets them, game by game."""
    return tuple(sorted(range(n_answers), key=lambda answer: draw(key, b"answer", answer)))


def noise(key: bytes, game: int, round_: int, length: int) -> tuple[int, ...]:
    """Return the `length` whole numbers below 2^32 that randomise the clue of this round."""
    return _numbers(length).unpack_from(draw(key, b"noise", game, round_))


@cache
def _numbers(length: int) -> Struct:
    return Struct(f">{length}I")  # at most 16 fit into a draw, more than the longest words need


def strategy_seed(key: bytes, game: int) -> int:
    """Return the seed an entry may use in this game: below 2^53, so that every JSON reader keeps all its digits."""
    return int.from_bytes(draw(key, b"strategy", game)[:8], "big") >> 11
