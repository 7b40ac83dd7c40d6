"""Several processes that share lists of work, and write lines into the same files."""

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

Work = TypeVar("Work")


class Team:
    """Some processes, each forked from this one, that do the same with different parts of the work."""

    def __init__(self, n: int):
        context = get_context("fork")
        self.n = n
        self._barrier = context.Barrier(n)
        self._taken = context.Value("q", 0)

    def run(self, work: Callable[[int], None]) -> bool:
        """Run it once in each process, with the number of the process; return whether all of them came to its end."""
        children = [self._start(work, number) for number in range(self.n)]
        ended = [os.waitpid(child, 0)[1] for child in children]
        return not any(ended)

    def _start(self, work: Callable[[int], None], number: int) -> int:
        sys.stdout.flush()
        child = os.fork()
        if child:
            return child
        code = 1
        try:
            work(number)
            code = 0
        except BaseException:
            traceback.print_exc()
            self._barrier.abort()
        finally:
            os._exit(code)

    def share(self, parts: Sequence[Work]) -> Iterator[Work]:
        """Yield those parts that none of the others has taken; all have to call this with the same parts."""
        if self._barrier.wait() == 0:
            self._taken.value = 0
        self._barrier.wait()
        while (at := self._next()) < len(parts):
            yield parts[at]
        self._barrier.wait()

    def _next(self) -> int:
        with self._taken.get_lock():
            self._taken.value += 1
            return int(self._taken.value) - 1


def append(file: Path, line: dict[str, Any]) -> None:
    """Write a line at the end of a file, at once, so that the lines of other processes do not get between."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab", buffering=0) as out:
        out.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
