"""The JSON API of the web page."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from wordpl.web import views
from wordpl.web.config import WebConfig
from wordpl.web.errors import RefusedError
from wordpl.web.guard import client_address, refusal
from wordpl.web.service import GameService
from wordpl.web.store import WebPlayer, WebPuzzle
from wordpl.web.worker_process import WorkerProcess

MAX_BODY = 4096
BODY_TIMEOUT_S = 10.0
Body = TypeVar("Body")


class StartRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Starts a game: alone, or with friends if there are several players."""

    game: str
    players: int = 1
    hours: float = 24.0
    name: str = ""


class DailyRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Starts a daily puzzle; today's if no day is given."""

    game: str
    day: str = ""
    name: str = ""


class JoinRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Joins a game under a name."""

    name: str


class MoveRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Makes a move. In noisy games, `epsilon` 0 is the answer. The round number makes requests idempotent."""

    round: int
    word: str
    epsilon: float | None = None


class EndRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Gives up a game."""


class Api:
    """The request handlers. A single thread changes games, one request after the other."""

    def __init__(self, config: WebConfig, service: GameService, worker: WorkerProcess):
        self._config, self._service, self._worker = config, service, worker
        self._thread = ThreadPoolExecutor(1, "games")

    def routes(self) -> list[Route]:
        """Return the routes of the API."""
        return [
            Route("/api/games", answer_json(self.list_games), methods=["GET"]),
            Route("/api/games", answer_json(self.start), methods=["POST"]),
            Route("/api/daily", answer_json(self.daily), methods=["POST"]),
            Route("/api/invitations/{id}", answer_json(self.invitation), methods=["GET"]),
            Route("/api/invitations/{id}", answer_json(self.join), methods=["POST"]),
            Route("/api/game", answer_json(self.state), methods=["GET"]),
            Route("/api/game/moves", answer_json(self.move), methods=["POST"]),
            Route("/api/game/end", answer_json(self.end), methods=["POST"]),
            Route("/api/game/hint", answer_json(self.hint), methods=["GET"]),
        ]

    async def list_games(self, request: Request) -> dict[str, Any]:
        """Return the available games and the current day."""
        return await self.run(views.games_view, self._service)

    async def start(self, request: Request) -> dict[str, Any]:
        """Start a game alone or with friends."""
        body = await read(request, StartRequest)
        owner = self._owner(request)
        if body.players == 1:
            return await self.run(self._entered_state, self._service.start, body.game, owner)
        invitation = (body.game, body.players, body.hours, body.name, owner)
        return await self.run(self._entered_state, self._service.invite, *invitation)

    async def daily(self, request: Request) -> dict[str, Any]:
        """Start a daily puzzle."""
        body = await read(request, DailyRequest)
        daily = (body.game, body.day, self._owner(request), body.name)
        return await self.run(self._entered_state, self._service.daily, *daily)

    async def invitation(self, request: Request) -> dict[str, Any]:
        """Return what an invitation is for."""
        return await self.run(views.invitation_view, self._service, request.path_params["id"])

    async def join(self, request: Request) -> dict[str, Any]:
        """Join a game with friends."""
        body = await read(request, JoinRequest)
        invitation = request.path_params["id"]
        return await self.run(self._entered_state, self._service.join, invitation, body.name, self._owner(request))

    async def state(self, request: Request) -> dict[str, Any]:
        """Return the state of the player's game."""
        return await self.run(self._state_after, self._service.find, token_of(request))

    async def move(self, request: Request) -> dict[str, Any]:
        """Make a move."""
        body = await read(request, MoveRequest)
        proposal = body.word if body.epsilon is None else (body.word, body.epsilon or 0)
        return await self.run(self._state_after, self._service.move, token_of(request), body.round, proposal)

    async def end(self, request: Request) -> dict[str, Any]:
        """Give up."""
        await read(request, EndRequest)
        return await self.run(self._state_after, self._service.give_up, token_of(request))

    async def hint(self, request: Request) -> dict[str, Any]:
        """Return a hint for the player's game."""
        game_id, rows = await self.run(self._hint_arguments, token_of(request))
        hint_view: dict[str, Any] = await self._worker.run("wordpl.web.hints:hint", game_id, rows)
        return hint_view

    async def expire(self) -> None:
        """Delete games whose deadline is long past."""
        await self.run(self._service.expire)

    def close(self) -> None:
        """Wait for the current request, and stop the thread."""
        self._thread.shutdown(wait=True)

    async def run(self, function: Callable[..., Body], *arguments: Any) -> Body:
        """Call a function in the thread that changes games."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    def _entered_state(self, enter: Callable[..., tuple[str, WebPlayer, WebPuzzle]], *arguments: Any) -> dict[str, Any]:
        token, player, puzzle = enter(*arguments)
        return {"token": token, "state": views.state_view(self._service, player, puzzle)}

    def _state_after(self, change: Callable[..., tuple[WebPlayer, WebPuzzle]], *arguments: Any) -> dict[str, Any]:
        return views.state_view(self._service, *change(*arguments))

    def _hint_arguments(self, token: str) -> tuple[str, list[list[Any]]]:
        player, puzzle = self._service.find(token)
        if not self._service.is_open(player):
            raise RefusedError(410, "this game has ended.")
        return puzzle.game, msgspec.to_builtins(player.moves)

    def _owner(self, request: Request) -> str:
        return self._service.owner_of(client_address(request, self._config))


def token_in(request: Request) -> str:
    """Return the token of the request, or ""."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else ""


def token_of(request: Request) -> str:
    """Return the player's token. Raises RefusedError if the request has none."""
    if token := token_in(request):
        return token
    raise RefusedError(401, "this request needs the token of a game.")


async def read(request: Request, kind: type[Body]) -> Body:
    """Return the request's body. Raises RefusedError if it is too large, too slow, or not of this kind."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusedError(415, "the body must be JSON, with the content type application/json.")
    data = b""
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            async for part in request.stream():
                data += part
                if len(data) > MAX_BODY:
                    raise RefusedError(413, f"the body is larger than {MAX_BODY} bytes.")
    except TimeoutError:
        raise RefusedError(408, "the request was sent too slowly.") from None
    except ClientDisconnect:
        raise RefusedError(400, "the request was incomplete.") from None
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError(400, f"invalid body: {error}") from None


def answer_json(handler: Callable[[Request], Awaitable[dict[str, Any]]]) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler with its reply sent as JSON, or as status 304 if it has not changed."""

    async def respond(request: Request) -> Response:
        try:
            reply = await handler(request)
        except RefusedError as error:
            return refusal(error)
        data = msgspec.json.encode(reply)
        version = blake2b(data, digest_size=12).hexdigest()
        if request.headers.get("if-none-match") == version:
            return Response(status_code=304, headers={"ETag": version})
        versioned = b'%b,"version":"%b"}' % (data[:-1], version.encode())  # avoids encoding the reply twice
        return Response(versioned, media_type="application/json", headers={"Cache-Control": "no-store"})

    return respond
