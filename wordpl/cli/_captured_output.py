"""Shows what an entry prints during a replay, with control characters and workflow commands removed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import click

from wordpl.cli._status_line import LINE
from wordpl.core.messages import sanitize_untrusted_text

LINE_CHARACTERS = 2000
MAX_BYTES = 200_000
MAX_JOIN_S = 2.0


@contextmanager
def forward_output() -> Iterator[int]:
    """Yield a file descriptor whose output is shown on standard error.

    Only the first MAX_BYTES bytes are shown, so that an entry cannot flood the terminal.
    """
    read_end, write_end = os.pipe()
    reader = Thread(target=_show, args=(read_end,), daemon=True)
    reader.start()
    try:
        yield write_end
    finally:
        os.close(write_end)
        reader.join(MAX_JOIN_S)  # a process that escaped the sandbox may still hold the write end


def _show(file: int) -> None:
    n_left = MAX_BYTES
    with os.fdopen(file, "rb") as output:
        while line := output.readline(LINE_CHARACTERS):
            LINE.erase()
            if n_left > 0:
                click.echo(sanitize_line(line), err=True)
            elif n_left > -len(line):
                click.echo(f"(Output after the first {MAX_BYTES:,} bytes is not shown.)", err=True)
            n_left -= len(line)


def sanitize_line(line: bytes) -> str:
    """Return the line as a terminal shows it in the end: the text after its last carriage return, sanitized.

    >>> sanitize_line(b" 10%\\r 20%\\x1b[31m \\n")
    ' 20%?[31m'
    """
    text = line.decode(errors="replace").rstrip()
    return sanitize_untrusted_text(text[text.rfind("\r") + 1 :], LINE_CHARACTERS, keep="\t")
