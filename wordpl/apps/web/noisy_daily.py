"""The daily puzzle of a noisy game: the same secret and noise for everybody, ranked by budget, beside strategies.

The seed of each day is committed to before the day and shown after it, as in official runs (`wordpl.run.seal`). The
secret, too, is shown only after the day, also to those who have finished. Bundled strategies play the same game. A
process of its own is their referee: it has the seed, and starts each strategy in a sandboxed process, as a run does.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from math import inf
from pathlib import Path
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.routing import Route

from wordpl import games
from wordpl.apps.web.api import Api, answer_json, token_in
from wordpl.apps.web.config import WebConfig
from wordpl.apps.web.service import GameService, digest_of, end_of
from wordpl.apps.web.store import GameStore, WebPlayer, WebPuzzle
from wordpl.apps.web.worker_process import WorkerProcess, served_lists
from wordpl.core.moves import Move, Verdict, total_epsilon
from wordpl.core.offers import RefusedError
from wordpl.run import seal

STRATEGIES = ("n_guess.py", "schedule", "max_clue_entropy.py")
TIMEOUT_S = 300.0
"""The time limit for all strategies; the first ones have to compile kernels."""
MAX_DAYS_AHEAD = 7
MAX_ROWS = 100
"""The length of the ranking that a page receives."""


class NoisyDaily:
    """The days of noisy games on one server."""

    def __init__(self, config: WebConfig, service: GameService, store: GameStore, worker: WorkerProcess):
        self._config, self._service, self._store, self._worker = config, service, store, worker
        self._playing: dict[str, asyncio.Task[None]] = {}

    def routes(self, api: Api) -> list[Route]:
        """Return the route of a day's page, whose requests the thread of the API handles."""

        async def day(request: Request) -> dict[str, Any]:
            game, text = request.path_params["game"], request.path_params["day"]
            view: dict[str, Any] = await api.run(self.view, game, text, token_in(request))
            if view["is_waiting"]:
                task = self._playing.get(view["commitment"])
                if task is None:
                    play = self._play(api, game, text, view["commitment"])
                    task = self._playing[view["commitment"]] = asyncio.create_task(play)
                view["is_waiting"] = not task.done()  # strategies that failed are not waited for
            return view

        return [Route("/api/daily/{game:path}/{day}", answer_json(day), methods=["GET"])]

    def view(self, game_id: str, text: str, token: str) -> dict[str, Any]:
        """Return what may be known of a day: the ranking after it, or for a player who has finished."""
        day, today = self._service.day(text), self._service.today()
        if day > today + timedelta(days=MAX_DAYS_AHEAD):
            raise RefusedError(422, f"commitments are shown for at most {MAX_DAYS_AHEAD} days ahead.")
        puzzle = self._service.daily_puzzle(game_id, day)
        game = self._service.game(game_id)
        view: dict[str, Any] = {
            "game": game_id,
            "title": game.title or game_id,
            "day": day.isoformat(),
            "has_epsilon": game.facts.has_epsilon,
            "zone": "UTC",
            "is_over": day < today,
            "is_future": day > today,
        }
        if not game.facts.has_epsilon:
            return view | {"is_waiting": False}
        end_s, digest = end_of(view["day"]), digest_of(token)
        players = [player for player in self._store.players(puzzle) if player.started < end_s]
        ended = [player for player in players if not self._service.is_open(player)]
        is_shown = day < today or any(player.digest == digest for player in ended)
        commitment = self._commitment(puzzle)
        stored = self._store.setting(_name(commitment))
        return view | {
            "ends_in_s": end_s - self._config.now(),
            "commitment": commitment,
            "commitments": {
                coming.isoformat(): self._commitment(self._service.daily_puzzle(game_id, coming))
                for coming in (today + timedelta(days=ahead) for ahead in (1, 2))
            },
            "seed": puzzle.seed if day < today else None,
            "secret": puzzle.secret if day < today else None,
            "n_players": len(players),
            "n_open": len(players) - len(ended),
            "ranking": _ranking(ended, msgspec.json.decode(stored) if stored else [], digest) if is_shown else None,
            "is_waiting": is_shown and bool(ended) and stored is None,
        }

    def _commitment(self, puzzle: WebPuzzle) -> str:
        """Return the commitment to the seed of a day."""
        terms = {"game": puzzle.game, "day": puzzle.day, "zone": "UTC", "lists": self._config.lists.puzzle_sha256}
        return seal.commitment(puzzle.seed, seal.terms_digest(terms))

    async def _play(self, api: Api, game_id: str, text: str, commitment: str) -> None:
        """Let strategies play the game of a day, and store their results unless this fails."""
        puzzle = await api.run(lambda: self._service.daily_puzzle(game_id, self._service.day(text)))
        with suppress(RefusedError):
            results = await self._worker.run(f"{__name__}:play_strategies", game_id, puzzle.seed, puzzle.secret)
            await api.run(self._store.set, _name(commitment), msgspec.json.encode(results).decode())


def _name(commitment: str) -> str:
    return f"strategies {commitment}"


def _result(verdict: str | None, moves: Sequence[Move]) -> dict[str, Any]:
    """Return the result of a game, without its words."""
    n_guesses = sum(bool(move.clues) for move in moves)
    return {"verdict": verdict, "spent": round(total_epsilon(moves), 9), "n_guesses": n_guesses}


def _ranking(players: Sequence[WebPlayer], strategies: list[dict[str, Any]], own: str) -> list[dict[str, Any]]:
    """Return people and strategies by budget, those who did not win last, cut to the best and the player's own line."""
    lines = [
        {"name": player.name, "is_strategy": False, "is_you": player.digest == own}
        | _result(player.verdict, player.moves)
        for player in players
    ]
    lines += [line | {"is_strategy": True, "is_you": False} for line in strategies]
    costs = sorted(_cost(line) for line in lines)
    ranked = sorted(
        ({"place": 1 + costs.index(_cost(line))} | line for line in lines),
        key=lambda line: (line["place"], line["name"]),
    )
    return [line for number, line in enumerate(ranked) if number < MAX_ROWS or line["is_you"] or line["is_strategy"]]


def _cost(line: dict[str, Any]) -> float:
    return float(line["spent"]) if line["verdict"] == Verdict.WON else inf


def play_strategies(game_id: str, seed: str, secret: str) -> list[dict[str, Any]]:
    """Let the bundled strategies play the game of a seed with this secret; return the result of each."""
    from wordpl.contest.entries import load_all
    from wordpl.contest.referee import play
    from wordpl.contest.session import Session
    from wordpl.core import paths
    from wordpl.players import discovery
    from wordpl.players.pool import PlayerPool
    from wordpl.run.config import RunConfig

    lists, config = served_lists(), RunConfig(game_id=game_id)
    game, results = games.make_game(game_id, lists), []
    draws = Session.stored(game, seed, 0, secret).scheme.of(seed)
    with tempfile.TemporaryDirectory(prefix="wordpl-daily-") as folder, PlayerPool(lists, Path(folder)) as pool:
        bundled = paths.bundled() / "strategies"
        found = load_all([discovery.EntrySource(bundled / name) for name in STRATEGIES], pool, config)
        for entry in discovery.resolve_entries(discovery.entries_of(found), game_id):
            player = pool.isolated(entry, config)
            try:
                record = play(game, player, 0, draws, config)
            finally:
                player.close()
            results.append({"name": entry.name} | _result(record.verdict, record.moves))
    return results
