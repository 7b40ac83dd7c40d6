"""What tells a request that was sent just now from one that was kept and is sent again.

Ed25519 proves who wrote a request, and not when it was sent: whoever saw one could repeat it. A request is therefore
taken once, and only close to the time that is signed with it.
"""

import time
from collections.abc import Callable
from hashlib import blake2b

WINDOW_S = 300


class ReplayGuard:
    """Takes each request once. clock: tells the time in seconds since 1970."""

    def __init__(self, clock: Callable[[], float] = time.time):
        self._clock = clock
        self._started = int(clock())  # what was taken before is not known
        self._taken: dict[bytes, float] = {}

    def takes(self, timestamp: str, body: bytes) -> bool:
        """Return whether this request may be looked at; from then on it may not."""
        now = self._clock()
        for mark in [mark for mark, ends in self._taken.items() if ends < now]:
            del self._taken[mark]
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            return False
        sent = int(timestamp)
        mark = _mark(timestamp, body)
        if mark in self._taken or sent < self._started or abs(sent - now) > WINDOW_S:
            return False
        self._taken[mark] = sent + WINDOW_S
        return True

    def forget(self, timestamp: str, body: bytes) -> None:
        """Forget a request that turned out to be forged: the real one may still come, and memory is not for forgers."""
        self._taken.pop(_mark(timestamp, body), None)


def _mark(timestamp: str, body: bytes) -> bytes:
    return blake2b(timestamp.encode() + b"\0" + body, digest_size=16).digest()
