"""Reproducible random draws: the seed of a run determines the secret and the noise of each game.

A draw is the keyed BLAKE2b hash of (purpose, game, round) and depends on nothing else: not on the entry, the order of
games, the number of workers, the machine or the language. Games and strategies draw for different purposes, so that no
strategy can replay the draw that chose its secret.

The generator behind the functions of `random` is seeded lazily: every game reseeds it, but most games never draw from
it, and seeding takes longer than the rest of a player's work for a game.
"""

import random
import secrets
from functools import cache, lru_cache
from hashlib import blake2b, sha256
from struct import Struct
from typing import Any


def new_seed() -> str:
    """Return a new seed from the operating system's entropy, short enough to type."""
    return str(secrets.randbelow(10**12))


def new_official_seed() -> str:
    """Return a new seed of 256 bits in hexadecimal, too long to be found by brute force."""
    return secrets.token_hex(32)


def run_key(seed: str | int) -> bytes:
    """Return the key of all draws in a run with this seed; the seed may be any text."""
    return sha256(f"wordpl/{seed}".encode()).digest()


def draw(key: bytes, purpose: bytes, game: int, round_: int = 0) -> bytes:
    """Return 64 random bytes that depend only on these four arguments."""
    state = _keyed(key).copy()  # hashing the key anew takes a third of the time
    state.update(b"%b/%d/%d" % (purpose, game, round_))
    digest: bytes = state.digest()
    return digest


@lru_cache(maxsize=8)
def _keyed(key: bytes) -> Any:
    return blake2b(key=key)


def order(key: bytes, n_games: int) -> list[int]:
    """Return the numbers of all games in the order of play, which is random so that it reveals nothing to a player."""
    return sorted(range(n_games), key=lambda game: draw(key, b"order", game))


def secret_index(key: bytes, game: int, n_answers: int) -> int:
    """Return the index of this game's secret among the answers, uniform to within 2^-100."""
    return int.from_bytes(draw(key, b"secret", game)[:16], "big") % n_answers


def decoy_index(key: bytes, game: int, n_words: int) -> int:
    """Return the index of the word, of `n_words`, that stands for this game's secret when it is replayed."""
    return int.from_bytes(draw(key, b"decoy", game)[:16], "big") % n_words


@cache
def answer_order(key: bytes, n_answers: int) -> tuple[int, ...]:
    """Return the indices of all answers in the order of the games of a run that plays each answer once."""
    return tuple(sorted(range(n_answers), key=lambda answer: draw(key, b"answer", answer)))


def noise(key: bytes, game: int, round_: int, length: int) -> tuple[int, ...]:
    """Return the `length` integers below 2^32 that randomize the clue of this round; see `clues.noisy`."""
    return _numbers(length).unpack_from(draw(key, b"noise", game, round_))


@cache
def _numbers(length: int) -> Struct:
    return Struct(f">{length}I")  # a draw holds 16 of them, more than the longest words need


def strategy_seed(key: bytes, game: int) -> int:
    """Return the seed for the entry's own draws in this game, below 2^53 so that all JSON parsers read it exactly."""
    return int.from_bytes(draw(key, b"strategy", game)[:8], "big") >> 11


class LazyRandom(random.Random):
    """A generator with the same draws as `random.Random(seed)`, where `seed` is that of the last `seed_later` call."""

    _pending_seed: int | None = None

    def seed_later(self, seed: int) -> None:
        """Set the seed, to be applied at the next draw."""
        self._pending_seed = seed
        self.gauss_next = None  # the second value of a pair that `gauss` drew

    def _apply_pending_seed(self) -> None:
        seed, self._pending_seed = self._pending_seed, None
        super().seed(seed)

    def random(self) -> float:
        """Return the next number in [0, 1)."""
        if self._pending_seed is not None:
            self._apply_pending_seed()
        return super().random()

    def getrandbits(self, k: int) -> int:
        """Return an integer with k random bits."""
        if self._pending_seed is not None:
            self._apply_pending_seed()
        return super().getrandbits(k)

    def seed(self, *seed: Any, **version: Any) -> None:
        """Seed at once, when a strategy calls `random.seed`."""
        self._pending_seed = None
        super().seed(*seed, **version)

    def getstate(self) -> tuple[Any, ...]:
        """Return the current state, for `setstate`."""
        if self._pending_seed is not None:
            self._apply_pending_seed()
        return super().getstate()

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Restore a state returned by `getstate`."""
        self._pending_seed = None
        super().setstate(state)


def seed_random_module(seed: int) -> None:
    """Seed the functions of the module `random` for the whole process; the work is deferred until the first draw.

    Functions that were imported from the module before the first call keep using the old generator.
    """
    shared = getattr(random, "_inst", None)  # private: Python may rename it
    if shared is None:
        random.seed(seed)
        return
    if not isinstance(shared, LazyRandom):
        old, shared = shared, LazyRandom()
        _replace(old, shared)
    shared.seed_later(seed)


def _replace(old: random.Random, new: LazyRandom) -> None:
    for name, function in list(vars(random).items()):
        if getattr(function, "__self__", None) is old:
            setattr(random, name, getattr(new, name))
    random._inst = new
