"""Sampling profiler that runs inside a player, next to the strategy, and needs nothing that the sandbox forbids.

During a move, a timer interrupts the main thread every millisecond, and the signal handler samples its stack. Python
runs signal handlers only between two of its instructions, so a long call of compiled code is interrupted once, when it
returns. Each sample is therefore weighted with the time since the previous one. At the end, the harness sends clues
that no game produces, and the profiler replies with its report instead of a move.

Players import this module, so it must not have heavy imports.
"""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from linecache import getline
from types import FrameType
from typing import Any

from wordpl.strategy import DEFAULT_RULES, Strategy

REPORT = "!profile"
"""Sent instead of clues to request the report."""
INTERVAL_S = 0.001
MAX_ROWS = 200
MAX_DEPTH = 200
MAX_TEXT = 100

Place = tuple[str, str, int]


def wrapped(make: str) -> str:
    """Return an expression that wraps the strategy of the expression `make` in the profiler."""
    module = f"__import__({__name__!r}, fromlist=['Profiled'])"
    return f"{module}.Profiled(lambda: {make}, __file__)"


class Samples:
    """Samples of some games: seconds by place in the code.

    Attributes:
        lines: Seconds by the innermost line in the author's folder.
        own: Seconds by function, without the functions that it calls.
        total: Seconds by function, including the functions that it calls.
        cpu_s: CPU time of the moves of each game.
        compiled: Functions compiled by numba, with the seconds it took.
    """

    def __init__(self) -> None:
        """Start without samples."""
        self.lines: dict[Place, float] = {}
        self.own: dict[Place, float] = {}
        self.total: dict[Place, float] = {}
        self.cpu_s: list[float] = []
        self.n_moves = 0
        self.n_samples = 0
        self.compiled: list[tuple[str, float]] = []

    def to_json(self) -> dict[str, Any]:
        """Return the samples as JSON, with the largest rows of each table, and the text of each line."""
        tables = {name: _largest(getattr(self, name)) for name in ("lines", "own", "total")}
        plain = {name: getattr(self, name) for name in ("cpu_s", "n_moves", "n_samples", "compiled")}
        tables["lines"] = [[*row, getline(row[0], row[2]).strip()[:MAX_TEXT]] for row in tables["lines"]]
        return tables | plain


class Profiled(Strategy):
    """Wraps a strategy and samples its stack while it plays."""

    def __init__(self, make: Callable[[], Any], file: str):
        """Create the strategy.

        Args:
            file: File of the entry. The code in its folder is profiled by line.
        """
        self._memory_kib = [_memory_kib()]
        self._inner = make()
        self._start_cpu_s = time.process_time()
        self._folder = os.path.dirname(os.path.abspath(file)) + os.sep  # noqa: PTH100, PTH120 - light
        self._games = [Samples(), Samples()]  # the warm-up, and all other games
        self._n_games = 0
        self._now, self._last = self._games[0], 0.0
        self._is_observing = False
        self.game = getattr(self._inner, "game", DEFAULT_RULES)
        signal.signal(signal.SIGALRM, self._sample)

    def __repr__(self) -> str:
        """Return the name of the wrapped strategy."""
        return repr(self._inner)

    def first_move(self) -> Any:
        """Start a game with the wrapped strategy."""
        inner = self._inner
        if isinstance(inner, Strategy):
            inner._seed, inner._rng = self._seed, None
            inner.rules = self.rules
        self._n_games += 1
        if self._n_games == 2:
            self._now = self._games[1]
            self._memory_kib.append(_memory_kib())
        self._now.cpu_s.append(0.0)
        return self._sampled(inner.first_move)

    def next_move(self, *reply: Any) -> Any:
        """Return the next move of the wrapped strategy, or the report if it is requested."""
        if reply[-1] == REPORT:
            return self._report()
        return self._sampled(self._inner.next_move, *reply)

    def _sampled(self, method: Callable[..., Any], *reply: Any) -> Any:
        self._observe_compilation()
        began = time.process_time()
        self._last = time.perf_counter()
        # The first interruption comes at a random moment of the interval, because moves may be shorter than it.
        signal.setitimer(signal.ITIMER_REAL, INTERVAL_S * (time.perf_counter_ns() % 997 + 1) / 998, INTERVAL_S)
        try:
            return method(*reply)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._now.cpu_s[-1] += time.process_time() - began
            self._now.n_moves += 1

    def _sample(self, number: int, frame: FrameType | None) -> None:
        now = time.perf_counter()
        weight, self._last = max(INTERVAL_S, now - self._last), now
        samples = self._now
        samples.n_samples += 1
        is_leaf, has_line, counted_places = True, False, set()
        while frame is not None and frame.f_code is _SAMPLE:  # the handler itself was interrupted
            frame = frame.f_back
        for _ in range(MAX_DEPTH):
            if frame is None or frame.f_code is _SAMPLED:
                break
            code = frame.f_code
            place = code.co_filename, code.co_qualname, code.co_firstlineno
            if is_leaf:
                samples.own[place] = samples.own.get(place, 0.0) + weight
                is_leaf = False
            if place not in counted_places:
                counted_places.add(place)
                samples.total[place] = samples.total.get(place, 0.0) + weight
            if not has_line and code.co_filename.startswith(self._folder):
                line = code.co_filename, code.co_qualname, frame.f_lineno
                samples.lines[line] = samples.lines.get(line, 0.0) + weight
                has_line = True
            frame = frame.f_back

    def _observe_compilation(self) -> None:
        """Register a listener for compilation events of numba, once it is loaded."""
        if self._is_observing or "numba" not in sys.modules:
            return
        from numba.core import event

        profiled, self._is_observing = self, True

        class Compiled(event.Listener):
            def __init__(self) -> None:
                self.began: list[float] = []

            def on_start(self, event: Any) -> None:
                self.began.append(time.perf_counter())

            def on_end(self, event: Any) -> None:
                seconds = time.perf_counter() - self.began.pop()
                if not self.began:  # otherwise the time is part of an outer compilation
                    function = event.data["dispatcher"].py_func
                    profiled._now.compiled.append((f"{function.__module__}.{function.__qualname__}", seconds))

        register: Any = event.register  # untyped
        register("numba:compile", Compiled())

    def _report(self) -> dict[str, Any]:
        self._memory_kib.append(_memory_kib())
        warm_up, games = (samples.to_json() for samples in self._games)
        facts = {"start_cpu_s": self._start_cpu_s, "memory_kib": self._memory_kib}
        return facts | {"warm_up": warm_up, "games": games}


_SAMPLED = Profiled._sampled.__code__
_SAMPLE = Profiled._sample.__code__


def _largest(seconds_by_place: dict[Place, float]) -> list[list[Any]]:
    ranked = sorted(seconds_by_place.items(), key=lambda item: -item[1])[:MAX_ROWS]
    return [[*place, round(seconds, 6)] for place, seconds in ranked]


def _memory_kib() -> int:
    """Return the peak memory of this process in KiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak  # bytes on macOS
