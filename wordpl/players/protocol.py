"""Parsing of a player's reply: untrusted bytes become a proposed move, or the fault that ends the game."""

import json
from typing import Any

import msgspec

from wordpl.core.records import Verdict
from wordpl.players.base import PlayerError

REPLY_BYTES = 4096
_decode = msgspec.json.Decoder().decode


def whole(received: bytes, most: int = REPLY_BYTES) -> bool:
    """Return whether there is nothing to wait for: a line has ended, or it has more than `most` bytes."""
    return b"\n" in received or len(received) > most


def parse(received: bytes, key: str, most: int = REPLY_BYTES) -> Any:
    """Return the value that the reply carries under `key`; it may be anything that JSON can say.

    received: a reply as it is `whole`. Raises PlayerError: ILLEGAL for what is no reply, else the fault that it tells.
    """
    if len(received) > most:
        raise PlayerError(Verdict.ILLEGAL, f"a reply is at most {most} bytes")
    if received.find(b"\n") != len(received) - 1:
        raise PlayerError(Verdict.ILLEGAL, "the player sent more than one line for one request")
    try:
        return _decode(received)[key]
    except (msgspec.DecodeError, ValueError, RecursionError, TypeError, KeyError):
        return _unusual(received, key)


def _unusual(line: bytes, key: str) -> Any:
    """Return the value in a reply that strict JSON refuses (NaN and its like), or raise the fault it tells."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if isinstance(reply, dict) and key in reply:
        return reply[key]
    if isinstance(reply, dict) and "fault" in reply:
        message = reply.get("message")
        verdict = Verdict.MEMORY if reply["fault"] == Verdict.MEMORY else Verdict.CRASHED
        raise PlayerError(verdict, message if isinstance(message, str) else "")
    raise PlayerError(Verdict.ILLEGAL, f'a reply is a line of JSON like {{"{key}": ...}}, got {line[:60]!r}')
