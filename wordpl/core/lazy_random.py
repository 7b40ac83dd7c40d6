"""The generator behind the functions of `random`, seeded when a game first draws from it: most games never do.

Seeding takes longer than everything else that a game costs a player.
"""

import random
from typing import Any


class LazyRandom(random.Random):
    """Draws what `random.Random(seed)` draws, `seed` being the one planted last."""

    _planted: int | None = None

    def plant(self, seed: int) -> None:
        """Have the next draw be the first after this seed."""
        self._planted = seed
        self.gauss_next = None  # what `gauss` keeps from one call for the next

    def _grow(self) -> None:
        seed, self._planted = self._planted, None
        super().seed(seed)

    def random(self) -> float:
        """Return the next number in [0, 1)."""
        if self._planted is not None:
            self._grow()
        return super().random()

    def getrandbits(self, k: int) -> int:
        """Return a whole number of k random bits."""
        if self._planted is not None:
            self._grow()
        return super().getrandbits(k)

    def seed(self, *seed: Any, **version: Any) -> None:
        """Seed at once, as the strategy itself asks for."""
        self._planted = None
        super().seed(*seed, **version)

    def getstate(self) -> tuple[Any, ...]:
        """Return the state, for `setstate`."""
        if self._planted is not None:
            self._grow()
        return super().getstate()

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Return to a state."""
        self._planted = None
        super().setstate(state)


def plant(seed: int) -> None:
    """Seed the functions of `random`, whoever calls them in this process, without the work until they are called.

    Functions that were taken out of the module before the first call here go on with a generator of their own.
    """
    shared = getattr(random, "_inst", None)  # a name that Python does not promise
    if shared is None:
        random.seed(seed)
        return
    if not isinstance(shared, LazyRandom):
        old, shared = shared, LazyRandom()
        _replace(old, shared)
    shared.plant(seed)


def _replace(old: random.Random, new: LazyRandom) -> None:
    for name, function in list(vars(random).items()):
        if getattr(function, "__self__", None) is old:
            setattr(random, name, getattr(new, name))
    random._inst = new
