"""The web application, and the server that runs it with a time limit for the headers of a request."""

import asyncio
import logging
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from wordpl.apps.web import noisy_daily, worker_process
from wordpl.apps.web.api import Api
from wordpl.apps.web.config import WebConfig
from wordpl.apps.web.guard import Guard, networks_of
from wordpl.apps.web.guests import Guests
from wordpl.apps.web.noisy_daily import NoisyDaily
from wordpl.apps.web.pages import RunPages
from wordpl.apps.web.service import GameService
from wordpl.apps.web.store import GameStore
from wordpl.apps.web.worker_process import WorkerProcess
from wordpl.core import paths
from wordpl.core.messages import UserError

STATIC = "apps/web/static"
MEDIA_TYPES = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
EXPIRE_EVERY_S = 3600.0
REPORT_TIMEOUT_S = 300.0
"""The time limit for making the report of a run."""
logger = logging.getLogger(__name__)
HEADERS_TIMEOUT_S = 10.0
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nContent-Type: text/plain\r\nContent-Length: 33\r\n"
    b"Connection: close\r\n\r\nthe request was sent too slowly.\n"
)
_TOO_MANY = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\nContent-Length: 40\r\n"
    b"Connection: close\r\n\r\ntoo many connections from your address.\n"
)
MAX_CONNECTIONS = 1000
MAX_CONNECTIONS_OF_ADDRESS = 100
"""The most connections of one address, where clients connect themselves and not through a proxy."""
KEEP_ALIVE_S = 20
SHUTDOWN_S = 5


def create_app(config: WebConfig) -> ASGIApp:
    """Return the application: the page on which people play, its API, and the pages of runs. Its database is open.

    Raises:
        UserError: The database cannot be used.
    """
    store, guests = GameStore(config.database), Guests(config)
    limits = (worker_process.TIMEOUT_S, noisy_daily.TIMEOUT_S, REPORT_TIMEOUT_S)
    advisor, referee, reporter = processes = [WorkerProcess(limit_s, config.lists) for limit_s in limits]
    service = GameService(config, store)
    api = Api(config, service, advisor, reporter)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        expiring = asyncio.create_task(_expire(api))
        try:
            yield
        finally:
            expiring.cancel()
            with suppress(asyncio.CancelledError):
                await expiring
            for process in processes:
                process.close()
            api.close()
            store.close()
            guests.close()

    asset = _assets({**_page_files(), **guests.scripts})
    routes = [
        Route("/", asset, methods=["GET"]),
        *api.routes(),
        *NoisyDaily(config, service, store, referee).routes(api),
        *RunPages(config.results, reporter, config.max_games).routes(),
        *guests.routes,
        Route("/static/{name}", asset, methods=["GET"]),
    ]
    handlers = {404: _not_found, 405: _not_found, 500: _failed}
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), config)


def _page_files() -> dict[str, str]:
    """Return the files of the page; reports and the page draw the review of a game by the same script and style."""
    files, shared = paths.asset_texts(STATIC), paths.asset_texts("reports/html/assets")
    files["style.css"] += shared["review.css"]
    script = "".join(shared[name] for name in ("dom.js", "tiles.js", "review.js"))
    return {**files, "game_review.js": f"{script}\nexport {{ GameReviewPanel }};\n"}


async def _expire(api: Api) -> None:
    while True:
        await api.expire()
        await asyncio.sleep(EXPIRE_EVERY_S)


def _assets(texts: Mapping[str, str]) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler that sends these files of the page, or status 304 if the browser has one."""

    async def asset(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        text = texts.get(name)
        if text is None:
            raise HTTPException(404)
        headers = {"Cache-Control": "no-cache", "ETag": f'"{sha256(text.encode()).hexdigest()[:24]}"'}
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(text, media_type=MEDIA_TYPES[Path(name).suffix], headers=headers)

    return asset


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return JSONResponse({"error": f"there is no page at {request.url.path[:100]}."}, status)


async def _failed(request: Request, error: Exception) -> Response:
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": "the server failed. Your game is saved; try again."}, 500)


class TimedProtocol(H11Protocol):
    """uvicorn's protocol with a time limit for headers, for which uvicorn itself waits forever.

    It also limits the connections of one address, so that one client cannot use up all of them.
    """

    headers_timeout_s = HEADERS_TIMEOUT_S
    max_of_address: int | None = MAX_CONNECTIONS_OF_ADDRESS
    networks: Sequence[str] = ()
    _headers_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the base
        """Open a connection, and start the timer for its first request."""
        super().connection_made(transport)
        self.networks = networks_of(self.client[0]) if self.client else ["unknown"]
        if self._is_crowded():
            transport.write(_TOO_MANY)
            transport.close()
            return
        self._headers_timer = self.loop.call_later(self.headers_timeout_s, self._refuse_slow)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request. The timer for its headers starts with the first byte."""
        if self._headers_timer is None and self._is_idle():
            self._headers_timer = self.loop.call_later(self.headers_timeout_s, self._refuse_slow)
        super().data_received(data)
        if not self._is_idle():
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def _is_crowded(self) -> bool:
        """Return whether a network of this connection has more open connections than it may have."""
        if self.max_of_address is None:
            return False
        n_open = Counter(network for other in self.connections for network in getattr(other, "networks", ()))
        return any(n_open[network] > self.max_of_address * 2**i for i, network in enumerate(self.networks))

    def _is_idle(self) -> bool:
        """Return whether no request with complete headers is being handled."""
        return self.cycle is None or self.cycle.response_complete

    def _stop_timer(self) -> None:
        if self._headers_timer is not None:
            self._headers_timer.cancel()
            self._headers_timer = None

    def _refuse_slow(self) -> None:
        self._headers_timer = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()


class _ProxiedProtocol(TimedProtocol):
    """The same for connections that all come from one address, that of a proxy."""

    max_of_address = None


def serve(config: WebConfig, ready: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Args:
        ready: Called with the server's address when it accepts requests.

    Raises:
        UserError: The server cannot listen on the address, or cannot use the database.
    """
    listening = _listen(config)
    app = create_app(config)
    options = uvicorn.Config(
        app,
        http=_ProxiedProtocol if config.is_behind_proxy else TimedProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    host, port = listening.getsockname()[:2]
    ready(config.public_url or f"http://{f'[{host}]' if ':' in host else host}:{port}{config.prefix}/")
    server = uvicorn.Server(options)
    with suppress(KeyboardInterrupt):  # uvicorn raises it again after it has finished all requests
        asyncio.run(server.serve(sockets=[listening]))


def _listen(config: WebConfig) -> socket.socket:
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is given; otherwise a body waits for the ACK of its headers.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
    except OSError as error:
        listening.close()
        raise UserError(f"cannot listen on {config.host}, port {config.port}: {error.strerror}. Try --port.") from None
    listening.listen(256)
    return listening
