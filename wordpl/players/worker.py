"""The player's side of the protocol: serves a contestant's strategy over two pipes, a line of JSON per message.

This code runs in the player's process together with untrusted code; docs/protocol.md describes the messages. On a
signal, the player writes its stack to the pipe, which is closed afterwards: untrusted text for a message.
"""

import faulthandler
import json
import os
import re
import select
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from wordpl import strategy as contract
from wordpl.players import diagnosis


def serve(strategies: Sequence[Any], requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests for moves until the pipe is closed.

    Args:
        strategies: The strategy; while a file is being loaded, all strategies that it declares, which take turns.
    """
    strategy = strategies[0]
    for line in requests:
        request = _decode(line)
        if "choose" in request:
            strategy = strategies[request["choose"]]
            if isinstance(strategy, contract.Strategy):
                strategy.rules = request["game"]
        else:
            replies.write(answer(_move, strategy, request))


def _move(strategy: Any, request: dict[str, Any]) -> Any:
    if "new_game" in request:
        contract.begin_game(strategy, request["new_game"]["seed"])
        return strategy.first_move()
    return strategy.next_move(*request["move"], request["clues"])


def answer(ask: Callable[..., Any], *arguments: Any, key: bytes = b"move") -> bytes:
    """Return the reply with the result of `ask` as the value of `key`, or with the fault that it raised."""
    try:
        return to_line(ask(*arguments), key)
    except MemoryError as error:
        return b'{"fault":"out of memory","message":%b}\n' % _encode(stack_of_error(error)).encode()
    except BaseException as error:  # untrusted code may raise any BaseException
        return fault_line(diagnosis.explain(error), diagnosis.denied(error))


def fault_line(message: str, denied: str = "") -> bytes:
    """Return the reply that reports a fault.

    Args:
        message: What happened.
        denied: What the entry tried, a value of `diagnosis.Denied`.
    """
    tried = b',"denied":%b' % _encode(denied).encode() if denied else b""
    return b'{"fault":"crashed","message":%b%b}\n' % (_encode(message).encode(), tried)


def to_line(value: Any, key: bytes = b"move") -> bytes:
    """Return the reply with this value as ASCII JSON; values that JSON cannot represent are sent as their repr."""
    return b'{"%b":%b}\n' % (key, _encode_plain(value) if is_plain(value) else _encode(value).encode())


def is_plain(proposal: Any) -> bool:
    """Return whether the proposal has a usual form: an ASCII string, or a tuple of one and a finite number."""
    if type(proposal) is not tuple:
        return type(proposal) is str and proposal.isascii()
    if len(proposal) != 2:
        return False
    word, number = proposal
    if type(word) is not str or not word.isascii():
        return False
    return type(number) is int or (type(number) is float and -inf < number < inf)


def plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python object, and any other value as {"repr": text}."""
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()
    return {"repr": diagnosis.tidy(repr(value))[:200]}


_decode = msgspec.json.Decoder().decode
_encode_plain = msgspec.json.Encoder().encode
_encode = json.JSONEncoder(default=plain, skipkeys=True, separators=(",", ":")).encode


STACK_SIGNAL = signal.SIGUSR1
"""The signal on which a player writes its stack."""
FATAL = b"Fatal Python error: "
"""How a stack begins that Python writes when a signal such as SIGSEGV ends the process."""
STACK_WAIT_S = 0.5
MAX_STACK_BYTES = 1 << 16
MAX_CALLS = 4
_FRAME = re.compile(r'^  File "([^"\n]+)", line (\d+) in (\S+)', re.MULTILINE)
_HARNESS = str(Path(__file__).resolve().parent.parent) + os.sep


def write_stack_on_signal(replies: int) -> None:
    """Let this process write its stack to the pipe for replies on SIGNAL, and when a fatal signal ends it."""
    with suppress(OSError, RuntimeError, ValueError):  # for example, memory is short: there is no stack then
        faulthandler.enable(replies, all_threads=False)
        faulthandler.register(STACK_SIGNAL, replies, all_threads=False)


def sample_stack(pid: int, replies: int) -> str:
    """Return where a running player is, in words; "" if it does not tell.

    Args:
        pid: Its process id.
        replies: The read end of its pipe for replies, which does not block.
    """
    if pid <= 0:
        return ""
    try:
        os.kill(pid, STACK_SIGNAL)
    except OSError:
        return ""
    return stack_in_words(read_stack(replies))


def read_stack(replies: int, received: bytes = b"") -> bytes:
    """Return the stack that a player writes to its pipe, after what was received before."""
    until = time.monotonic() + STACK_WAIT_S
    while len(received) < MAX_STACK_BYTES and (left_s := until - time.monotonic()) > 0:
        poll = select.poll()
        poll.register(replies, select.POLLIN)
        if not poll.poll(1000 * left_s):
            break
        try:
            part = os.read(replies, MAX_STACK_BYTES)
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


def stack_in_words(stack: bytes) -> str:
    """Return the calls of a stack outside of the harness, outermost first, as a sentence; "" if there are none.

    >>> stack_in_words(b'  File "/x/my_bot.py", line 9 in search\\n  File "/x/my_bot.py", line 4 in next_move\\n')
    'It was in next_move (my_bot.py, line 4), search (my_bot.py, line 9)'
    """
    frames = _FRAME.findall(stack.decode(errors="replace"))
    return _sentence([(file, int(line), name) for file, line, name in reversed(frames)])


def stack_of_error(error: BaseException) -> str:
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
