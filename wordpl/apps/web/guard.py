"""Checks each request and its rate before it reaches the application, and adds security headers to each reply."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from time import monotonic
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordpl.apps.web.config import WebConfig
from wordpl.core.offers import RefusedError

MAX_ADDRESSES = 10_000
BURST_S = 3.0
"""The size of a token bucket, as the time in which it fills up."""
START_PRICE = 4.0
HINT_PRICE = 4.0
"""The price of expensive requests in tokens; other requests cost 1."""
STARTS = ("/api/games", "/api/daily", "/api/invitations/")
IPV6_PREFIXES = (64, 56, 48)
"""The networks of an IPv6 address that limits count: a household has a /64 at least, a customer up to a /48."""

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def networks_of(address: str) -> list[str]:
    """Return the networks of an address that limits count, the smallest first; the one at index i may use 2**i shares.

    An IPv4 address is its own network, also where it is written as an IPv6 address. The smallest network of an IPv6
    address is its /64, within which a client can choose any address; the larger ones keep a customer with thousands
    of such networks from using a share for each.

    >>> networks_of("::ffff:192.0.2.7")
    ['192.0.2.7']
    >>> networks_of("2001:db8:1:203:4::5")
    ['2001:db8:1:203::/64', '2001:db8:1:200::/56', '2001:db8:1::/48']
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return [address]
    if not isinstance(parsed, IPv6Address):
        return [str(parsed)]
    if parsed.ipv4_mapped:
        return [str(parsed.ipv4_mapped)]
    return [str(ip_network((int(parsed), prefix), strict=False)) for prefix in IPV6_PREFIXES]


class RateLimit:
    """Token buckets by network. If there are too many of them, the least recently used bucket is dropped."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]):
        """Create the rate limit.

        Args:
            rate: The tokens that the bucket of a client gains per second; 0 for no limit.
            burst: The tokens in a full bucket.
            clock: Returns the time in seconds.
        """
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, address: str, price: float = 1.0) -> int:
        """Take `price` tokens from each network of the address and return 0, or return the seconds until all have them.

        >>> limit = RateLimit(1, 2, lambda: 0.0)
        >>> [limit.wait_s("here") for _ in range(3)]
        [0, 0, 1]
        """
        if self._rate <= 0:
            return 0
        now, wait_s, filled = self._clock(), 0.0, {}
        for i, network in enumerate(networks_of(address)):
            rate, burst = self._rate * 2**i, self._burst * 2**i
            tokens, last_time = self._buckets.pop(network, (burst, now))
            filled[network] = min(burst, tokens + (now - last_time) * rate)
            wait_s = max(wait_s, (price - filled[network]) / rate)
        taken = 0.0 if wait_s else price
        self._buckets.update((network, (tokens - taken, now)) for network, tokens in filled.items())
        while len(self._buckets) > MAX_ADDRESSES:
            self._buckets.popitem(last=False)
        return ceil(wait_s)


class Guard:
    """Middleware that refuses requests from other sites, limits the rate, strips the path prefix, and adds headers."""

    def __init__(self, app: ASGIApp, config: WebConfig):
        self._app, self._config = app, config
        self._limit = RateLimit(config.rate, BURST_S * config.rate, monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request to the application, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=[*message["headers"]])
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                message = {**message, "headers": headers.raw}
            await send(message)

        scope = self._without_prefix(scope)
        request = Request(scope)
        try:
            self._check(request)
        except RefusedError as error:
            await refusal(error)(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)

    def _without_prefix(self, scope: Scope) -> Scope:
        """Return the scope without the path prefix, which only some proxies remove."""
        prefix, path = self._config.prefix, scope["path"]
        if prefix and (path == prefix or path.startswith(f"{prefix}/")):
            return {**scope, "path": path[len(prefix) :] or "/", "raw_path": None}
        return scope

    def _check(self, request: Request) -> None:
        self._check_host(request.headers)
        if request.method not in ("GET", "HEAD", "POST"):
            raise RefusedError(405, f"the method {request.method[:20]} is not allowed.")
        if request.method == "POST":
            self._check_origin(request.headers)
        wait_s = self._limit.wait_s(client_address(request, self._config), _price(request))
        if wait_s:
            raise RefusedError(429, "too many requests from your address: wait a moment.", wait_s)

    def _check_host(self, headers: Mapping[str, str]) -> None:
        """Refuse unknown host names, to prevent DNS rebinding."""
        if self._config.takes_any_host:
            return
        host = re.sub(r":\d+$", "", headers.get("host", "").lower())
        if host not in self._config.hosts:
            raise RefusedError(
                421, f"unknown host {host[:60]!r}: to use this name, start the server with --public-url."
            )

    def _check_origin(self, headers: Mapping[str, str]) -> None:
        """Refuse requests from pages of other sites, to prevent cross-site request forgery."""
        site = headers.get("sec-fetch-site", "same-origin")
        origin = headers.get("origin")
        own = {headers.get("host", "").lower(), self._config.public_host} - {""}  # "null" has no host
        is_foreign = origin is not None and urlsplit(origin).netloc.lower() not in own
        if site not in ("same-origin", "none") or is_foreign:
            raise RefusedError(403, "this request came from a page of another site.")


def client_address(request: Request, config: WebConfig) -> str:
    """Return the network address of the client, which a proxy appends to X-Forwarded-For, maybe with its port."""
    forwarded = ",".join(request.headers.getlist("x-forwarded-for")) if config.is_behind_proxy else ""
    if forwarded:
        last = forwarded.rpartition(",")[2].strip()[:60]
        with_port = re.fullmatch(r"\[(.*)\](?::\d+)?|([\d.]+):\d+", last)
        return last if with_port is None else with_port[1] or with_port[2]
    return request.client.host if request.client else "unknown"


def refusal(error: RefusedError) -> JSONResponse:
    """Return the reply to a refused request."""
    headers = {"Cache-Control": "no-store"}
    if error.retry_after_s:
        headers["Retry-After"] = str(error.retry_after_s)
    return JSONResponse({"error": error.message}, error.status, headers)


def _price(request: Request) -> float:
    if request.url.path.endswith("/hint"):
        return HINT_PRICE
    return START_PRICE if request.method == "POST" and request.url.path.startswith(STARTS) else 1.0
