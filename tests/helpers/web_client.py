"""The web application without a network, and a clock that tests move."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx

from wordpl.apps.web.config import WebConfig
from wordpl.apps.web.server import create_app
from wordpl.core import words

URL = "http://127.0.0.1:8000"


class MovableClock:
    """A clock that moves only when a test sets it."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


class AsgiClient:
    """Requests to an ASGI application, which runs as long as the context."""

    def __init__(self, app: Any):
        self._app = app
        self._runner = asyncio.Runner()
        self._events: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self._replies: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 50_000))
        self._http = httpx.AsyncClient(transport=transport, base_url=URL)

    def __enter__(self) -> "AsgiClient":
        self._runner.run(self._begin())
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._end())
        self._runner.close()

    async def _begin(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}}
        self._lifespan = asyncio.create_task(self._app(scope, self._events.get, self._replies.put))
        await self._events.put({"type": "lifespan.startup"})
        assert (await self._replies.get())["type"] == "lifespan.startup.complete"

    async def _end(self) -> None:
        await self._events.put({"type": "lifespan.shutdown"})
        await self._lifespan
        await self._http.aclose()

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Send a GET."""
        return self._runner.run(self._http.get(path, **options))

    def post(self, path: str, **options: Any) -> httpx.Response:
        """Send a POST."""
        return self._runner.run(self._http.post(path, **options))


class Client:
    """Requests of a browser, and the text of every reply."""

    def __init__(self, http: AsgiClient):
        self.http = http
        self.texts: list[str] = []

    def send(self, path: str, body: dict[str, Any] | None = None, token: str = "", **headers: str) -> Any:
        """Send a GET, or a POST with this body; returns the reply."""
        if token:
            headers["Authorization"] = f"Bearer {token}"
        reply = (
            self.http.get(path, headers=headers) if body is None else self.http.post(path, json=body, headers=headers)
        )
        self.texts.append(reply.text)
        return reply

    def start(self, game: str = "wordle/1", path: str = "/api/games", **fields: Any) -> tuple[str, dict[str, Any]]:
        """Start a game; returns its token and state."""
        reply = self.send(path, {"game": game, **fields})
        assert reply.status_code == 200, reply.text
        return reply.json()["token"], reply.json()["state"]

    def move(self, token: str, round_: int, word: str, epsilon: float | None = None) -> Any:
        """Make a move; returns the reply."""
        price = {} if epsilon is None else {"epsilon": epsilon}
        return self.send("/api/game/moves", {"round": round_, "word": word, **price}, token)


@contextmanager
def web_client(folder: Path, **settings: Any) -> Iterator[Client]:
    """Yield a client of the application with its database in this folder."""
    lists = settings.pop("lists", None) or words.load()
    config = WebConfig(lists, folder / "games.sqlite", **{"rate": 0, "results": None} | settings)
    with AsgiClient(create_app(config)) as http:
        yield Client(http)


@asynccontextmanager
async def listening(app: Any, protocol: Any, host: str = "127.0.0.1", **options: Any) -> AsyncIterator[int]:
    """Yield the port on which this process serves an application."""
    import uvicorn

    with socket.socket() as listener:
        listener.bind((host, 0))
        server = uvicorn.Server(uvicorn.Config(app, http=protocol, log_config=None, **options))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            while not server.started:
                await asyncio.sleep(0.01)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await serving
