"""What an entry prints while its game is replayed, shown so that it does nothing to the terminal or to a log."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import click

from wordpl.cli._status_line import LINE
from wordpl.core.untrusted_text import sanitize_untrusted_text

LINE_CHARACTERS = 2000
MAX_BYTES = 200_000
LEAVING_S = 2.0


@contextmanager
def shown() -> Iterator[int]:
    """Give an open file; what is written to it comes out on standard error, without end only in the writer's mind."""
    theirs, ours = os.pipe()
    reader = Thread(target=_show, args=(theirs,), daemon=True)
    reader.start()
    try:
        yield ours
    finally:
        os.close(ours)
        reader.join(LEAVING_S)  # a process that escaped might hold the other end


def _show(file: int) -> None:
    left = MAX_BYTES
    with os.fdopen(file, "rb") as printed:
        while line := printed.readline(LINE_CHARACTERS):
            LINE.erase()
            if left > 0:
                click.echo(harmless(line), err=True)
            elif left > -len(line):
                click.echo(f"(What it prints after {MAX_BYTES:,} bytes is not shown.)", err=True)
            left -= len(line)


def harmless(line: bytes) -> str:
    """Return the line as a terminal would leave it, after its last return to the start, without control characters.

    >>> harmless(b" 10%\\r 20%\\x1b[31m \\n")
    ' 20%?[31m'
    """
    text = line.decode(errors="replace").rstrip()
    return sanitize_untrusted_text(text[text.rfind("\r") + 1 :], LINE_CHARACTERS, keep="\t")
