"""Parsing a player's reply: untrusted bytes become a proposed move, or a fault that ends the game."""

import json
from typing import Any

import msgspec

from wordpl.core.records import Verdict
from wordpl.players.base import PlayerError

REPLY_BYTES = 4096
_decode = msgspec.json.Decoder().decode


def is_complete(received: bytes, most: int = REPLY_BYTES) -> bool:
    """Return whether a reply is complete: it has a newline, or more than `most` bytes."""
    return b"\n" in received or len(received) > most


def parse(received: bytes, key: str, most: int = REPLY_BYTES) -> Any:
    """Return the value of `key` in a reply; it may be any JSON value.

    Args:
        received: The complete reply, see `is_complete`.
        key: The name of the value.
        most: The maximum length of a reply in bytes.

    Raises:
        PlayerError: The reply reports a fault, or is not valid (verdict ILLEGAL).
    """
    if len(received) > most:
        raise PlayerError(Verdict.ILLEGAL, f"a reply must have at most {most} bytes")
    if received.find(b"\n") != len(received) - 1:
        raise PlayerError(Verdict.ILLEGAL, "the player sent more than one line for one request")
    try:
        return _decode(received)[key]
    except (msgspec.DecodeError, ValueError, RecursionError, TypeError, KeyError):
        return _parse_leniently(received, key)


def _parse_leniently(line: bytes, key: str) -> Any:
    """Return the value of `key` in a reply that is not strict JSON, such as NaN, or raise the fault that it reports."""
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
    raise PlayerError(Verdict.ILLEGAL, f'a reply must be a line of JSON like {{"{key}": ...}}, got {line[:60]!r}')
