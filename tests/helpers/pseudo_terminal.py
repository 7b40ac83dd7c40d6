"""A program in a pseudo-terminal, and the text on its screen."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pexpect
import pyte

LONGEST_S = 120.0
CHUNK = 65_536


class Terminal:
    """A program and the screen it writes to."""

    def __init__(self, command: str, arguments: list[str], size: tuple[int, int], environment: dict[str, str]) -> None:
        columns, lines = size
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self.process = pexpect.spawn(
            command, arguments, dimensions=(lines, columns), env=_inherited() | {"TERM": "xterm-256color"} | environment
        )

    def type(self, keys: str) -> None:
        """Type these keys."""
        self.process.send(keys)

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the terminal."""
        self.process.setwinsize(lines, columns)
        self.screen.resize(lines, columns)

    def text(self) -> str:
        """Return the text of the screen now, without trailing spaces."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait_for(self, condition: Callable[[str], object]) -> str:
        """Wait until the condition on the screen's text is true and return the text; fail after LONGEST_S."""
        deadline = time.monotonic() + LONGEST_S
        while not condition(self.text()):
            assert time.monotonic() < deadline, self.text()
            try:
                self._stream.feed(self.process.read_nonblocking(CHUNK, timeout=0.2))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                raise AssertionError(f"the program has ended:\n{self.text()}") from None
        return self.text()

    def wait_for_end(self) -> int:
        """Wait for the end of the program and return its exit code; fail after LONGEST_S."""
        self.process.expect(pexpect.EOF, timeout=LONGEST_S)
        self.rest = self.process.before.decode(errors="replace")
        self.process.close()
        return self.process.exitstatus if self.process.exitstatus is not None else -self.process.signalstatus


def _inherited() -> dict[str, str]:
    """Return the environment without the size that pytest-xdist sets, which programs prefer to the terminal's."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}


@contextmanager
def terminal(
    command: str, arguments: list[str], size: tuple[int, int], environment: dict[str, str]
) -> Iterator[Terminal]:
    """Run a program in a terminal of this size, and end it."""
    program = Terminal(command, arguments, size, environment)
    try:
        yield program
    finally:
        program.process.close(force=True)
