"""A rate limit with a token bucket for each address."""

from collections import OrderedDict
from collections.abc import Callable
from math import ceil

MAX_ADDRESSES = 10_000


class RateLimit:
    """Token buckets by address. If there are too many addresses, the least recently used bucket is dropped."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]):
        """Create the rate limit.

        Args:
            rate: The tokens that a bucket gains per second; 0 for no limit.
            burst: The tokens in a full bucket.
            clock: Returns the time in seconds.
        """
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, address: str, price: float = 1.0) -> int:
        """Take `price` tokens and return 0, or return the number of seconds until they are available.

        >>> limit = RateLimit(1, 2, lambda: 0.0)
        >>> [limit.wait_s("here") for _ in range(3)]
        [0, 0, 1]
        """
        if self._rate <= 0:
            return 0
        now = self._clock()
        tokens, seen = self._buckets.pop(address, (self._burst, now))
        tokens = min(self._burst, tokens + (now - seen) * self._rate)
        is_enough = tokens >= price
        self._buckets[address] = (tokens - price if is_enough else tokens, now)
        while len(self._buckets) > MAX_ADDRESSES:
            self._buckets.popitem(last=False)
        return 0 if is_enough else max(1, ceil((price - tokens) / self._rate))
