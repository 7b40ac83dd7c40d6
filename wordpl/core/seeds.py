"""Reproducible random draws: the seed of a run determines the secret and the noise of each game.

The draws form a tree. The seed gives the key of the run; the key of the run gives each game a key of its own, and
decides what belongs to no game, such as the order of play. All draws of a game follow from the game's key. Each step is
a keyed BLAKE2b hash of (purpose, game, round), which cannot be inverted: from a draw, or from the key of a game, nobody
can compute another draw of the run. A draw depends on nothing else: not on the entry, the order of games, the number of
workers, the machine or the language.

The generator behind the functions of `random` is seeded lazily: every game reseeds it, but most games never draw from
it, and seeding takes longer than the rest of a player's work for a game.
"""

import random
import re
import secrets
from array import array
from base64 import b32encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b, sha256
from pathlib import Path
from struct import Struct
from typing import Any, ClassVar, Self

import msgspec

from wordpl.core import bounded
from wordpl.core.messages import UserError

SEED_BYTES = 16
MANY_GAMES = 1 << 17
_DRAWN = re.compile("[a-z2-7]{26}")


def new_seed() -> str:
    """Return a new seed of 128 bits, which no search finds, as 26 letters and digits that can be copied."""
    return b32encode(secrets.token_bytes(SEED_BYTES)).decode().rstrip("=").lower()


def is_drawn(seed: str) -> bool:
    """Return whether a seed has the form of those that `new_seed` returns."""
    return _DRAWN.fullmatch(seed) is not None


def new_official_seed() -> str:
    """Return a new seed of 256 bits in hexadecimal."""
    return secrets.token_hex(32)


def run_key(seed: str | int) -> bytes:
    """Return the key of a run with this seed; the seed may be any text."""
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


class GameDraws(msgspec.Struct, frozen=True):
    """All draws of one game: whoever has them can play this game, and knows nothing about the others.

    Attributes:
        number: The number of the game.
        key: The key of its draws.
        answer: The index of its secret, if the run plays each answer once; None: the secret is drawn.
        common_seed: The seed for the entry's own draws, if all games of the run have the same; None: it is drawn.
    """

    number: int
    key: bytes
    answer: int | None = None
    common_seed: int | None = None

    def secret_index(self, n_answers: int) -> int:
        """Return the index of the secret among the answers, uniform to within 2^-100."""
        if self.answer is not None:
            return self.answer
        return int.from_bytes(draw(self.key, b"secret", self.number)[:16], "big") % n_answers

    def decoy_index(self, n_words: int) -> int:
        """Return the index of the word, of `n_words`, that stands for the secret when the game is replayed."""
        return int.from_bytes(draw(self.key, b"decoy", self.number)[:16], "big") % n_words

    def noise(self, round_: int, length: int) -> tuple[int, ...]:
        """Return the `length` integers below 2^32 that randomize the clue of this round; see `clues.noisy`."""
        return _numbers(length).unpack_from(draw(self.key, b"noise", self.number, round_))

    @staticmethod
    def noise_of(games: Iterable["GameDraws"], round_: int, length: int) -> bytes:
        """Return the `noise` of one round of many games, as unsigned integers of 4 bytes, the most significant first.

        Each game has its own key, so that hashing all at once is faster than to keep the state of each.
        """
        return b"".join(
            [blake2b(b"noise/%d/%d" % (game.number, round_), key=game.key).digest()[: 4 * length] for game in games]
        )

    @property
    def strategy_seed(self) -> int:
        """The seed for the entry's own draws, below 2^53 so that all JSON parsers read it exactly."""
        if self.common_seed is not None:
            return self.common_seed
        return _strategy_seed(self.key, self.number)


@cache
def _numbers(length: int) -> Struct:
    return Struct(f">{length}I")  # a draw holds 16 of them, more than the longest words need


def _strategy_seed(key: bytes, game: int) -> int:
    return int.from_bytes(draw(key, b"strategy", game)[:8], "big") >> 11


@dataclass(frozen=True)
class Draws:
    """All draws of a run.

    Attributes:
        key: The key of the run, see `run_key`.
        n_answers: The number of answers, if the run plays each of them once; 0 if secrets are drawn.
    """

    has_game_keys: ClassVar[bool] = True
    key: bytes = field(repr=False)
    n_answers: int = 0

    @classmethod
    def of(cls, seed: str | int, n_answers: int = 0) -> Self:
        """Return the draws of a run with this seed."""
        return cls(run_key(seed), n_answers)

    def game_key(self, number: int) -> bytes:
        """Return the key of a game."""
        return draw(self.key, b"game", number) if self.has_game_keys else self.key

    def game(self, number: int) -> GameDraws:
        """Return the draws of a game."""
        if not self.n_answers:
            return GameDraws(number, self.game_key(number))
        return GameDraws(
            number, self.game_key(number), _answer_order(self.key, self.n_answers)[number], _strategy_seed(self.key, 0)
        )

    def order(self, numbers: int | range) -> Sequence[int]:
        """Return numbers of games in the order of play, which is random so that it tells a player nothing.

        Args:
            numbers: The games; a number n stands for the games from 0 to n - 1.
        """
        return self._shuffled(b"order", range(numbers) if isinstance(numbers, int) else numbers)

    def repeat_order(self, n_games: int) -> Sequence[int]:
        """Return the numbers of all games in the order in which they are chosen to be repeated."""
        return self._shuffled(b"repeat", range(n_games))

    def generator_seed(self, purpose: bytes) -> int:
        """Return a seed for a generator that has nothing to do with games."""
        return int.from_bytes(draw(self.key, purpose, 0), "big")

    def _shuffled(self, purpose: bytes, numbers: range) -> Sequence[int]:
        """Return the numbers sorted by their draws."""
        if len(numbers) > MANY_GAMES:
            import numpy as np  # 16 bytes per game in place of 180

            draws = (int.from_bytes(draw(self.key, purpose, game)[:8], "big") for game in numbers)
            firsts = np.fromiter(draws, np.uint64, len(numbers))
            order = np.argsort(firsts, kind="stable")
            if (firsts[order[1:]] != firsts[order[:-1]]).all():
                return array("q", (order + numbers.start).tobytes())
        return sorted(numbers, key=lambda game: draw(self.key, purpose, game))


@dataclass(frozen=True)
class PartDraws(Draws):
    """The draws of some games of a run, for whoever plays these and has no key of the run.

    Attributes:
        file: The file with the draws of these games, in the order of play.
    """

    file: Path | None = None

    @staticmethod
    def encoded(draws: Draws, numbers: Iterable[int]) -> bytes:
        """Return the content of the file with the draws of these games of a run."""
        return msgspec.json.encode([draws.game(number) for number in numbers])

    @property
    def games(self) -> dict[int, GameDraws]:
        """The draws of each game by its number."""
        assert self.file is not None
        return _read_draws(self.file)

    def game(self, number: int) -> GameDraws:
        """Return the draws of a game.

        Raises:
            KeyError: It is not one of these games.
        """
        return self.games[number]

    def order(self, numbers: int | range) -> Sequence[int]:
        """Return those of these numbers that have draws, in the order of play."""
        wanted = range(numbers) if isinstance(numbers, int) else numbers
        return [number for number in self.games if number in wanted]


@lru_cache(maxsize=1)
def _read_draws(file: Path) -> dict[int, GameDraws]:
    try:
        found = msgspec.json.decode(bounded.read(bounded.DRAWS, file), type=list[GameDraws])
    except (OSError, msgspec.DecodeError) as error:
        raise UserError(f"the draws of the games in {file} cannot be read: {error}") from None
    return {draws.number: draws for draws in found}


class SingleKeyDraws(Draws):
    """The draws of a run in the format wordpl-run/2, in which the key of the run is that of each game."""

    has_game_keys: ClassVar[bool] = False


@cache
def _answer_order(key: bytes, n_answers: int) -> Sequence[int]:
    """Return the indices of all answers in the order of the games of a run that plays each answer once."""
    return sorted(range(n_answers), key=lambda answer: draw(key, b"answer", answer))


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
        for name, function in list(vars(random).items()):
            if getattr(function, "__self__", None) is old:
                setattr(random, name, getattr(shared, name))
        random._inst = shared
    shared.seed_later(seed)
