"""Protection against replayed requests.

An Ed25519 signature proves who wrote a request, but not when it was sent: anyone who has seen it could send it again.
Each request is therefore accepted only once, and only close to the time that is signed with it.
"""

import time
from collections.abc import Callable
from hashlib import blake2b

WINDOW_S = 300
"""Largest difference between the signed time and the clock, in seconds."""


class ReplayGuard:
    """Accepts each request at most once.

    Args:
        clock: Returns the time in seconds since 1970.
    """

    def __init__(self, clock: Callable[[], float] = time.time):
        self._clock = clock
        self._started = int(clock())  # earlier requests may have been accepted by an earlier process
        self._accepted: dict[bytes, float] = {}

    def accepts(self, timestamp: str, body: bytes) -> bool:
        """Return whether to accept this request; the same request is not accepted again."""
        now = self._clock()
        for fingerprint in [fingerprint for fingerprint, ends in self._accepted.items() if ends < now]:
            del self._accepted[fingerprint]
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            return False
        sent = int(timestamp)
        fingerprint = _fingerprint(timestamp, body)
        if fingerprint in self._accepted or sent < self._started or abs(sent - now) > WINDOW_S:
            return False
        self._accepted[fingerprint] = sent + WINDOW_S
        return True

    def forget(self, timestamp: str, body: bytes) -> None:
        """Forget a request that proved to be invalid, so that forgeries neither block a real one nor use memory."""
        self._accepted.pop(_fingerprint(timestamp, body), None)


def _fingerprint(timestamp: str, body: bytes) -> bytes:
    return blake2b(timestamp.encode() + b"\0" + body, digest_size=16).digest()
