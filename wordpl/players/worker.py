"""The player's side: serves a contestant's strategy over two files, a line of JSON a message.

This runs in the player's process, next to code nobody trusts; docs/protocol.md describes the messages.
"""

import importlib
import json
import os
import re
import sys
import traceback
from bdb import BdbQuit
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from wordpl import strategy as contract
from wordpl.core.errors import WordplError

TRACEBACK_CHARACTERS = 2500
NO_DEBUGGER = (
    "a debugger needs a terminal, and an entry in its sandbox has none. To debug a game, play it again in this "
    "process: wordpl evaluate ENTRY --seed SEED --replay NUMBER --trust"
)
"""What comes of breakpoint() and pdb.set_trace() in a player."""
_NOT_THEIRS = (str(Path(__file__).resolve().parent.parent), importlib.__path__[0], "<frozen importlib")


def serve(strategy: Any, requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests for moves until there are no more."""
    for line in requests:
        replies.write(answer(_move, strategy, _decode(line)))


def _move(strategy: Any, request: dict[str, Any]) -> Any:
    if "new_game" in request:
        contract.begin_game(strategy, request["new_game"]["seed"])
        return strategy.first_move()
    return strategy.next_move(*request["move"], request["clues"])


def answer(ask: Callable[..., Any], *arguments: Any, key: bytes = b"move") -> bytes:
    """Return the line that carries, under `key`, what `ask` gives, or the fault that it raises."""
    try:
        return to_line(ask(*arguments), key)
    except MemoryError:
        return b'{"fault":"out of memory"}\n'
    except BaseException as error:  # a contestant may raise anything, its own BaseException too
        return fault_line(explain(error))


def fault_line(message: str) -> bytes:
    """Return the line that says that and why there is no answer."""
    return b'{"fault":"crashed","message":%b}\n' % _encode(message).encode()


def to_line(value: Any, key: bytes = b"move") -> bytes:
    """Return the line that carries the value, ASCII JSON; what JSON has no form for travels as its repr."""
    return b'{"%b":%b}\n' % (key, _encode_plain(value) if is_plain(value) else _encode(value).encode())


def is_plain(proposal: Any) -> bool:
    """Return whether the proposal is what most are, an ASCII text or a tuple of one and a finite number."""
    if type(proposal) is not tuple:
        return type(proposal) is str and proposal.isascii()
    match proposal:
        case (word, number) if type(word) is str and word.isascii():
            return type(number) is int or (type(number) is float and -inf < number < inf)
    return False


def plain(value: Any) -> Any:
    """Return a NumPy scalar as the number or text it holds, anything else as its repr."""
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()
    return {"repr": tidy(repr(value))[:200]}


def explain(error: BaseException) -> str:
    """Return the traceback of a contestant's error, without the frames of harness and import, its end if it is long.

    Of an error that wordpl raises on purpose, the message is enough.
    """
    if isinstance(error, BdbQuit):
        return NO_DEBUGGER
    if isinstance(error, WordplError):
        return str(error)
    try:
        summary = traceback.TracebackException.from_exception(error)
        frames = [frame for frame in summary.stack if not frame.filename.startswith(_NOT_THEIRS)]
        summary.stack = traceback.StackSummary.from_list(frames)
        text = "".join(summary.format()).strip()
    except BaseException:  # an error whose own text raises
        text = f"{type(error).__name__} (its message could not be read)"
    return tidy(text)[-TRACEBACK_CHARACTERS:]


def tidy(text: str) -> str:
    """Return the text without what differs between runs: addresses in memory, and the folders that files lie in."""
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x...", text)
    for folder in map(Path, getattr(sys.modules.get("strategies"), "__path__", [])):
        text = text.replace(f"{folder.parent if folder.name == 'strategies' else folder}{os.sep}", "")
    return text


def quiet(standard: int) -> None:
    """Point standard input, output and error away from the referee's pipes; show the prints where `standard` is set."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    for stream in (1, 2):
        os.dup2(standard if standard >= 0 else nothing, stream)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(fd, mode, buffering=1) for fd, mode in ((0, "r"), (1, "w"), (2, "w"))
    )


_decode = msgspec.json.Decoder().decode
_encode_plain = msgspec.json.Encoder().encode
_encode = json.JSONEncoder(default=plain, skipkeys=True, separators=(",", ":")).encode
