"""Lazy seeding of the generator behind the functions of `random`.

Every game reseeds it, but most games never draw from it, and seeding takes longer than the rest of a player's work for
a game. So the generator is only seeded when a game first draws from it.
"""

import random
from typing import Any


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
