"""The JSON API of the web page: reads requests, and answers without the secret until it may be shown."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from inspect import getdoc
from typing import Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from wordpl import games
from wordpl.apps.web.config import WebConfig
from wordpl.apps.web.guard import client_address, refusal
from wordpl.apps.web.service import GameService
from wordpl.apps.web.store import Mode, WebPlayer, WebPuzzle
from wordpl.apps.web.worker_process import WorkerProcess
from wordpl.core.clues import RandomizedResponse
from wordpl.core.moves import Move, NoisyMove, Verdict, total_epsilon
from wordpl.core.offers import RefusedError
from wordpl.games import Game


def games_view(service: GameService) -> dict[str, Any]:
    """Return all games of the server, and the day of the current daily puzzle."""
    game_views = [_game_view(service.game(name)) for name in games.names()]
    return {"games": game_views, "day": service.today().isoformat()}


@lru_cache(64)
def _game_view(game: Game) -> dict[str, Any]:
    """Return the description of a game, which does not depend on the player."""
    return {
        "game": game.facts.id,
        "title": game.title or game.facts.id,
        "about": (getdoc(type(game)) or "").partition("\n")[0],
        "rules": getdoc(type(game)) or "",
        "has_epsilon": game.facts.has_epsilon,
        "is_exact": game.is_exact,
        "is_randomized": isinstance(game.channel, RandomizedResponse),
        "unit": game.facts.unit,
        "bins": game.facts.bins,
        "length": game.lists.length,
        "limit": game.facts.limit,
        "has_secret": game.facts.has_secret,
    }


def invitation_view(service: GameService, invitation: str) -> dict[str, Any]:
    """Return the description of an invitation."""
    puzzle = service.invitation(invitation)
    return {
        **_game_view(service.game(puzzle.game)),
        "n_players": puzzle.n_players,
        "n_joined": len(service.players(puzzle)),
        "deadline": _moment(puzzle.deadline),
    }


def state_view(service: GameService, player: WebPlayer, puzzle: WebPuzzle) -> dict[str, Any]:
    """Return the complete state of a player's game."""
    game = service.game(puzzle.game)
    players = service.players(puzzle) if puzzle.mode == Mode.FRIENDS else [player]
    is_open, is_won = service.is_open(player), player.verdict == Verdict.WON
    is_revealed = service.is_revealed(player, puzzle, players)
    return {
        **_game_view(game),
        "mode": puzzle.mode.value,
        "day": puzzle.day,
        "round": len(player.moves) + 1,
        "rows": [_row(game, move, is_won and move is player.moves[-1]) for move in player.moves],
        "spent": round(total_epsilon(player.moves), 9),
        "verdict": player.verdict,
        "is_open": is_open,
        "is_ranked": service.is_ranked(puzzle),
        "deadline": _moment(player.deadline),
        "invitation": puzzle.id if puzzle.mode == Mode.FRIENDS else None,
        "n_players": puzzle.n_players,
        "players": [_player_view(member, player) for member in players],
        "review": _review(service, player, puzzle) if is_revealed else None,
        "share": None if is_open else service.session(player, puzzle).share_text(puzzle.day),
    }


@lru_cache(4096)
def _row(game: Game, move: Move, is_last: bool) -> dict[str, Any]:
    """Return a move with the probability that a mark of its clues is true; those of a guess that wins are."""
    row: dict[str, Any] = {"guess": move.guess, "clues": move.clues}
    if isinstance(move, NoisyMove):
        row["epsilon"] = move.epsilon
    if move.clues and not game.is_exact and not is_last:
        row["kept"] = round(game.channel.kept(move.clues, move), 4)
    return row


def _player_view(player: WebPlayer, own: WebPlayer) -> dict[str, Any]:
    """Return a player's progress, without letters."""
    return {
        "name": player.name,
        "is_you": player.digest == own.digest,
        "rows": [move.clues for move in player.moves if move.clues],
        "spent": round(total_epsilon(player.moves), 9),
        "verdict": player.verdict,
    }


def _review(service: GameService, player: WebPlayer, puzzle: WebPuzzle) -> dict[str, Any]:
    """Return the secret and the true clues."""
    game = service.game(puzzle.game)
    session = service.session(player, puzzle)
    secret, n_left = puzzle.secret, 1
    if not game.facts.has_secret:
        candidates = session.candidates()
        secret, n_left = (candidates[0] if len(candidates) == 1 else ""), len(candidates)
    truth = [move.clues if game.is_exact else game.clue(move.guess, secret) for move in session.moves_with_clues]
    difficulty = None if puzzle.mode == Mode.SOLO else service.difficulty(puzzle)
    return {"secret": secret, "truth": truth, "n_left": n_left, "difficulty": difficulty}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


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

    def __init__(self, config: WebConfig, service: GameService, worker: WorkerProcess, reviewer: WorkerProcess):
        self._config, self._service, self._worker, self._reviewer = config, service, worker, reviewer
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
            Route("/api/game/review", answer_json(self.review), methods=["GET"]),
        ]

    async def list_games(self, request: Request) -> dict[str, Any]:
        """Return the available games and the current day."""
        return await self.run(games_view, self._service)

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
        return await self.run(invitation_view, self._service, request.path_params["id"])

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
        hint_view: dict[str, Any] = await self._worker.run("wordpl.apps.web.worker_process:hint", game_id, rows)
        return hint_view

    async def review(self, request: Request) -> dict[str, Any]:
        """Return what each move of a game was worth, once the player may see the secret."""
        game = await self.run(self._review_arguments, token_of(request))
        found: dict[str, Any] = await self._reviewer.run("wordpl.apps.web.worker_process:review", *game)
        return found

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
        return {"token": token, "state": state_view(self._service, player, puzzle)}

    def _state_after(self, change: Callable[..., tuple[WebPlayer, WebPuzzle]], *arguments: Any) -> dict[str, Any]:
        return state_view(self._service, *change(*arguments))

    def _hint_arguments(self, token: str) -> tuple[str, list[list[Any]]]:
        player, puzzle = self._service.find(token)
        if not self._service.is_open(player):
            raise RefusedError(410, "this game has ended.")
        return puzzle.game, msgspec.to_builtins(player.moves)

    def _review_arguments(self, token: str) -> tuple[str, list[list[Any]], str, bool]:
        player, puzzle = self._service.find(token)
        players = self._service.players(puzzle) if puzzle.mode == Mode.FRIENDS else [player]
        if not self._service.is_revealed(player, puzzle, players):
            raise RefusedError(409, "this game is reviewed once its secret may be shown.")
        return puzzle.game, msgspec.to_builtins(player.moves), puzzle.secret, player.verdict == Verdict.WON

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
        return json_response(request, reply)

    return respond


def json_response(request: Request, reply: dict[str, Any]) -> Response:
    """Return a reply as JSON, or status 304 if it has not changed."""
    data = msgspec.json.encode(reply)
    version = blake2b(data, digest_size=12).hexdigest()
    if request.headers.get("if-none-match") == version:
        return Response(status_code=304, headers={"ETag": version})
    versioned = b'%b,"version":"%b"}' % (data[:-1], version.encode())  # avoids encoding the reply twice
    return Response(versioned, media_type="application/json", headers={"Cache-Control": "no-store"})
