"""A sampling profiler that runs inside a player, next to the strategy; it does nothing that the sandbox forbids.

While a move is made, a timer interrupts every millisecond, and the handler looks at the stack. Python runs handlers
between two of its instructions only, so a long call of compiled code is interrupted once, when it returns: a sample
counts for the time since the one before. What was found goes out over the channel of moves, as the answer to a last
move that no game makes. Only the main thread is looked at.

This module is imported by players: it must stay light.
"""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from wordpl.strategy import DEFAULT_RULES, Strategy

REPORT = "!profile"
"""In place of clues: asks for what was found."""
INTERVAL_S = 0.001
MAX_ROWS = 200
MAX_DEPTH = 200

Place = tuple[str, str, int]


def wrapped(make: str) -> str:
    """Return the expression that makes the strategy of another one, with the profiler around it."""
    module = f"__import__({__name__!r}, fromlist=['Profiled'])"
    return f"{module}.Profiled(lambda: {make}, __file__)"


class Samples:
    """What was seen in some games: seconds by place.

    Attributes:
        lines: By the innermost line of the author's own code.
        own: By function, while it ran itself.
        total: By function, while it or what it called ran.
        cpu_s: The CPU time of each game's moves.
        compiled: Names and seconds of what numba compiled.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.lines: dict[Place, float] = {}
        self.own: dict[Place, float] = {}
        self.total: dict[Place, float] = {}
        self.cpu_s: list[float] = []
        self.n_moves = 0
        self.n_samples = 0
        self.compiled: list[tuple[str, float]] = []

    def to_json(self) -> dict[str, Any]:
        """Return what was seen, the largest parts of it."""
        tables = {name: _largest(getattr(self, name)) for name in ("lines", "own", "total")}
        plain = {name: getattr(self, name) for name in ("cpu_s", "n_moves", "n_samples", "compiled")}
        return tables | plain


class Profiled(Strategy):
    """A strategy that plays as the one inside does, and is looked at meanwhile."""

    def __init__(self, make: Callable[[], Any], file: str):
        """Make the strategy; file: of its author, whose folder is looked at line by line."""
        self._memory_kib = [_memory_kib()]
        self._inner = make()
        self._start_cpu_s = time.process_time()
        self._folder = os.path.dirname(os.path.abspath(file)) + os.sep  # noqa: PTH100, PTH120 - light
        self._games = [Samples(), Samples()]  # the warm-up, and all other games
        self._n_games = 0
        self._now, self._last = self._games[0], 0.0
        self._listens = False
        self.game = getattr(self._inner, "game", DEFAULT_RULES)
        signal.signal(signal.SIGALRM, self._sample)

    def __repr__(self) -> str:
        """Return the name of the strategy inside."""
        return repr(self._inner)

    def first_move(self) -> Any:
        """Begin a game with the strategy inside."""
        inner = self._inner
        if isinstance(inner, Strategy):
            inner._seed, inner._rng = self._seed, None
            inner.rules = self.rules
        self._n_games += 1
        if self._n_games == 2:
            self._now = self._games[1]
            self._memory_kib.append(_memory_kib())
        self._now.cpu_s.append(0.0)
        return self._looked_at(inner.first_move)

    def next_move(self, *told: Any) -> Any:
        """Go on with the game; asked for the report, return it."""
        if told[-1] == REPORT:
            return self._report()
        return self._looked_at(self._inner.next_move, *told)

    def _looked_at(self, ask: Callable[..., Any], *told: Any) -> Any:
        self._listen()
        began = time.process_time()
        self._last = time.perf_counter()
        # The first interruption comes at any moment of the interval: moves may be shorter than that.
        signal.setitimer(signal.ITIMER_REAL, INTERVAL_S * (time.perf_counter_ns() % 997 + 1) / 998, INTERVAL_S)
        try:
            return ask(*told)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._now.cpu_s[-1] += time.process_time() - began
            self._now.n_moves += 1

    def _sample(self, number: int, frame: FrameType | None) -> None:
        now = time.perf_counter()
        weight, self._last = max(INTERVAL_S, now - self._last), now
        samples = self._now
        samples.n_samples += 1
        is_leaf, has_line, seen = True, False, set()
        while frame is not None and frame.f_code is _SAMPLE:  # interrupted while it looked
            frame = frame.f_back
        for _ in range(MAX_DEPTH):
            if frame is None or frame.f_code is _LOOKED_AT:
                break
            code = frame.f_code
            place = code.co_filename, code.co_qualname, code.co_firstlineno
            if is_leaf:
                samples.own[place] = samples.own.get(place, 0.0) + weight
                is_leaf = False
            if place not in seen:
                seen.add(place)
                samples.total[place] = samples.total.get(place, 0.0) + weight
            if not has_line and code.co_filename.startswith(self._folder):
                line = code.co_filename, code.co_qualname, frame.f_lineno
                samples.lines[line] = samples.lines.get(line, 0.0) + weight
                has_line = True
            frame = frame.f_back

    def _listen(self) -> None:
        """Have numba tell what it compiles, once it is loaded."""
        if self._listens or "numba" not in sys.modules:
            return
        from numba.core import event

        profiled, self._listens = self, True

        class Compiled(event.Listener):
            def __init__(self) -> None:
                self.began: list[float] = []

            def on_start(self, event: Any) -> None:
                self.began.append(time.perf_counter())

            def on_end(self, event: Any) -> None:
                seconds = time.perf_counter() - self.began.pop()
                if not self.began:  # else another one waits for it, whose time includes this
                    function = event.data["dispatcher"].py_func
                    profiled._now.compiled.append((f"{function.__module__}.{function.__qualname__}", seconds))

        register: Any = event.register  # it has no types
        register("numba:compile", Compiled())

    def _report(self) -> dict[str, Any]:
        self._memory_kib.append(_memory_kib())
        warm_up, games = (one.to_json() for one in self._games)
        facts = {"start_cpu_s": self._start_cpu_s, "memory_kib": self._memory_kib}
        return facts | {"warm_up": warm_up, "games": games}


_LOOKED_AT = Profiled._looked_at.__code__
_SAMPLE = Profiled._sample.__code__


def _largest(found: dict[Place, float]) -> list[list[Any]]:
    ranked = sorted(found.items(), key=lambda item: -item[1])[:MAX_ROWS]
    return [[*place, round(seconds, 6)] for place, seconds in ranked]


def _memory_kib() -> int:
    """Return the most memory that this process has had, KiB; on macOS getrusage tells bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most
