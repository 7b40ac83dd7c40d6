"""Where a player's Python code was when it was stopped: the stack that it writes on a signal.

The player writes the stack to its pipe for replies, which is closed afterwards. As the text comes from the player, it
may be anything, and it only becomes part of a message.
"""

import faulthandler
import os
import re
import select
import signal
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

SIGNAL = signal.SIGUSR1
"""The signal on which a player writes its stack."""
FATAL = b"Fatal Python error: "
"""How a stack begins that Python writes when a signal such as SIGSEGV ends the process."""
WAIT_S = 0.5
MAX_BYTES = 1 << 16
MAX_CALLS = 4
_FRAME = re.compile(r'^  File "([^"\n]+)", line (\d+) in (\S+)', re.MULTILINE)
_HARNESS = str(Path(__file__).resolve().parent.parent) + os.sep


def write_on_signal(replies: int) -> None:
    """Let this process write its stack to the pipe for replies on SIGNAL, and when a fatal signal ends it."""
    with suppress(OSError, RuntimeError, ValueError):  # for example, memory is short: there is no stack then
        faulthandler.enable(replies, all_threads=False)
        faulthandler.register(SIGNAL, replies, all_threads=False)


def sample(pid: int, replies: int) -> str:
    """Return where a running player is, in words; "" if it does not tell.

    Args:
        pid: Its process id.
        replies: The read end of its pipe for replies, which does not block.
    """
    if pid <= 0:
        return ""
    try:
        os.kill(pid, SIGNAL)
    except OSError:
        return ""
    return in_words(read(replies))


def read(replies: int, received: bytes = b"") -> bytes:
    """Return the stack that a player writes to its pipe, after what was received before."""
    until = time.monotonic() + WAIT_S
    while len(received) < MAX_BYTES and (left_s := until - time.monotonic()) > 0:
        poll = select.poll()
        poll.register(replies, select.POLLIN)
        if not poll.poll(1000 * left_s):
            break
        try:
            part = os.read(replies, MAX_BYTES)
        except OSError:
            break
        received += part
        if not part or _is_complete(received):
            break
    return received


def _is_complete(received: bytes) -> bool:
    """Return whether a stack ends with the outermost call, which is that of the fork server."""
    last = received.rstrip(b"\n").rpartition(b"\n")[2]
    return received.endswith(b"\n") and last.startswith(b'  File "<string>"') and last.endswith(b" in <module>")


def in_words(stack: bytes) -> str:
    """Return the calls of a stack outside of the harness, outermost first, as a sentence; "" if there are none.

    >>> in_words(b'  File "/tmp/x/my_bot.py", line 9 in search\\n  File "/tmp/x/my_bot.py", line 4 in next_move\\n')
    'It was in next_move (my_bot.py, line 4), search (my_bot.py, line 9)'
    """
    frames = _FRAME.findall(stack.decode(errors="replace"))
    return _sentence([(file, int(line), name) for file, line, name in reversed(frames)])


def of_error(error: BaseException) -> str:
    """Return where an exception was raised, as a sentence; "" if that is unknown."""
    try:
        frames = [(f.f_code.co_filename, line, f.f_code.co_name) for f, line in traceback.walk_tb(error.__traceback__)]
        return _sentence(frames)
    except MemoryError:
        return ""


def _sentence(frames: Sequence[tuple[str, int, str]]) -> str:
    calls = [
        f"{'the file itself' if name == '<module>' else name} ({Path(file).name}, line {line})"
        for file, line, name in frames
        if not file.startswith(("<", _HARNESS))
    ]
    if len(calls) > MAX_CALLS:
        calls = [*calls[:1], "...", *calls[1 - MAX_CALLS :]]
    return f"It was in {', '.join(calls)}" if calls else ""
