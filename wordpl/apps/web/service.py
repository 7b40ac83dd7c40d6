"""The game logic of the server, independent of HTTP: starting, joining and playing games.

A `GameService` is used by one thread at a time, so that every method is atomic.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from hashlib import blake2b, sha256
from statistics import NormalDist, mean
from typing import Any

from wordpl import games
from wordpl.apps.web.config import WebConfig
from wordpl.apps.web.guard import networks_of
from wordpl.apps.web.store import GameStore, Mode, WebPlayer, WebPuzzle
from wordpl.contest.referee import secret_of
from wordpl.contest.session import Session
from wordpl.core import seeds
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.moves import Move, Verdict, total_epsilon
from wordpl.core.offers import RefusedError
from wordpl.games import Game, IllegalMoveError

TOKEN_BYTES = 18
"""144 random bits, so that tokens cannot be guessed."""
GAME_S = 7 * 24 * 3600.0
"""The time limit of a game without friends."""
KEPT_S = 7 * 24 * 3600.0
"""How long a game is kept after its deadline."""
MAX_HOURS = 168.0
MAX_PLAYERS = 8
MAX_NAME = 24
MIN_OTHERS = 10
"""The fewest costs of other puzzles with which the difficulty of a puzzle is compared."""
LARGEST_COMPARED = 1e100
"""Means of costs are not compared if one is larger, as their squares overflow."""
GIVEN_UP = "given up"
DIGEST_SIZE = 12
"""The bytes of the keyed digest of a network."""


class GameService:
    """The games of one server."""

    def __init__(self, config: WebConfig, store: GameStore):
        self._config = config
        self._store = store
        self._key = store.key
        self._lists = blake2b("".join(sorted(config.lists.puzzle_sha256.values())).encode(), digest_size=16).hexdigest()
        self._game = cache(lambda game_id: games.make_game(game_id, config.lists))

    def game(self, game_id: str) -> Game:
        """Return the game of this name. Raises RefusedError if there is none."""
        if game_id not in games.names():
            raise RefusedError(404, f"there is no game called {game_id[:40]!r}.")
        game: Game = self._game(game_id)
        return game

    def today(self) -> date:
        """Return the current day in UTC, the day of the newest puzzle."""
        return datetime.fromtimestamp(self._config.now(), UTC).date()

    def start(self, game_id: str, owner: str) -> tuple[str, WebPlayer, WebPuzzle]:
        """Start a game alone; return the player's token, the player and the puzzle."""
        puzzle = self._new_puzzle(self.game(game_id), Mode.SOLO, 1, GAME_S)
        return self._enter(puzzle, "", owner)

    def invite(
        self, game_id: str, n_players: int, hours: float, name: str, owner: str
    ) -> tuple[str, WebPlayer, WebPuzzle]:
        """Start a game with friends; the first player is called `name`."""
        game = self.game(game_id)
        if not game.facts.has_secret:
            raise RefusedError(422, f"{game_id} has no fixed secret, so it cannot be played with friends.")
        if not 2 <= n_players <= MAX_PLAYERS:
            raise RefusedError(422, f"a game with friends must have 2 to {MAX_PLAYERS} players, not {n_players}.")
        if not 0 < hours <= MAX_HOURS:
            raise RefusedError(422, f"a game with friends must end within {MAX_HOURS:g} hours, not {hours:g}.")
        puzzle = self._new_puzzle(game, Mode.FRIENDS, n_players, hours * 3600)
        return self._enter(puzzle, name, owner)

    def join(self, invitation: str, name: str, owner: str) -> tuple[str, WebPlayer, WebPuzzle]:
        """Join a game with friends. Raises RefusedError if the game is full or its deadline has passed."""
        puzzle = self.invitation(invitation)
        if len(self._store.players(puzzle)) >= puzzle.n_players:
            raise RefusedError(409, "this game is full.")
        if self._config.now() >= puzzle.deadline:
            raise RefusedError(410, "the deadline of this game has passed.")
        return self._enter(puzzle, name, owner)

    def daily(self, game_id: str, day: str, owner: str, name: str = "") -> tuple[str, WebPlayer, WebPuzzle]:
        """Start the daily puzzle of today or of an earlier day; in a ranked one, the player is called `name`."""
        when = self.day(day)
        if when > self.today():
            raise RefusedError(422, f"the puzzle of {when} is not available before that day (UTC).")
        return self._enter(self.daily_puzzle(game_id, when), name, owner)

    def day(self, text: str) -> date:
        """Return the day of a daily puzzle, by default today. Raises RefusedError if the text is no day."""
        try:
            return self.today() if text in ("", "today") else date.fromisoformat(text)
        except ValueError:
            raise RefusedError(422, f"the day must look like 2026-11-22, not {text[:20]!r}.") from None

    def daily_puzzle(self, game_id: str, day: date) -> WebPuzzle:
        """Return the puzzle of a day, which is stored when somebody plays it."""
        game = self.game(game_id)
        if not game.facts.has_secret:
            raise RefusedError(422, f"{game_id} has no fixed secret, so it has no daily puzzle.")
        return self._store.daily(game_id, day.isoformat(), self._lists) or self._daily_puzzle(game, day)

    def is_ranked(self, puzzle: WebPuzzle) -> bool:
        """Return whether this is today's noisy puzzle: nobody sees its secret before the day has ended."""
        has_budget = self.game(puzzle.game).facts.has_epsilon
        return puzzle.mode == Mode.DAILY and has_budget and self._config.now() < end_of(puzzle.day)

    def invitation(self, puzzle_id: str) -> WebPuzzle:
        """Return the puzzle of an invitation. Raises RefusedError if it does not exist."""
        puzzle = self._store.puzzle(puzzle_id)
        if puzzle is None or puzzle.mode != Mode.FRIENDS:
            raise RefusedError(404, "this invitation does not exist or has expired.")
        return puzzle

    def find(self, token: str) -> tuple[WebPlayer, WebPuzzle]:
        """Return the player with this token, and the puzzle. Raises RefusedError if there is none."""
        player_and_puzzle = self._store.player(digest_of(token))
        if player_and_puzzle is None:
            raise RefusedError(404, "this game does not exist or has expired.")
        return player_and_puzzle

    def players(self, puzzle: WebPuzzle) -> list[WebPlayer]:
        """Return all players of the puzzle."""
        return self._store.players(puzzle)

    def move(self, token: str, round_: int, proposal: Any) -> tuple[WebPlayer, WebPuzzle]:
        """Make a move. Idempotent: repeating the same move of the same round changes nothing.

        Args:
            round_: The number of the move, counted from 1.
            proposal: The move in the form that the game expects.
        """
        player, puzzle = self._open_game(token)
        if round_ == len(player.moves) and _is_same_move(player.moves[-1], proposal):
            return player, puzzle
        if not self.is_open(player):
            raise RefusedError(410, "this game has ended.")
        if round_ != len(player.moves) + 1:
            raise RefusedError(
                409, f"the next move is {len(player.moves) + 1}, not {round_}: the page was out of date."
            )
        session = self.session(player, puzzle)
        try:
            session.play(proposal)
        except IllegalMoveError as error:
            raise RefusedError(422, str(error)) from None
        verdict = session.verdict.value if session.verdict else None
        player = replace(player, moves=tuple(session.moves), verdict=verdict)
        self._store.save(player)
        return player, puzzle

    def give_up(self, token: str) -> tuple[WebPlayer, WebPuzzle]:
        """Give up an unfinished game; a finished one does not change."""
        player, puzzle = self._open_game(token)
        if self.is_open(player):
            player = replace(player, verdict=GIVEN_UP)
            self._store.save(player)
        return player, puzzle

    def session(self, player: WebPlayer, puzzle: WebPuzzle) -> Session:
        """Return the player's game as a session."""
        game = self.game(puzzle.game)
        verdict = Verdict(player.verdict) if player.verdict in set(Verdict) else None
        return Session.stored(game, puzzle.seed, 0, puzzle.secret, player.moves, verdict)

    def is_open(self, player: WebPlayer) -> bool:
        """Return whether the player can still make moves."""
        return player.verdict is None and self._config.now() < player.deadline

    def is_revealed(self, player: WebPlayer, puzzle: WebPuzzle, players: Sequence[WebPlayer]) -> bool:
        """Return whether this player may see the secret; with friends only after all players have finished."""
        if puzzle.mode != Mode.FRIENDS:
            return not self.is_open(player) and not self.is_ranked(puzzle)
        all_ended = len(players) == puzzle.n_players and all(member.verdict is not None for member in players)
        return all_ended or self._config.now() >= puzzle.deadline

    def difficulty(self, puzzle: WebPuzzle) -> dict[str, Any]:
        """Return how the finished games of a puzzle went, and those of other recent puzzles of the same game.

        Both have the numbers of games and of games won, and the mean cost; None without costs. A lost game counts as
        much as in a run, or not at all if the game leaves that to the host. `gap` is the difference of the means with
        half the width of its 95% interval; None with fewer than MIN_OTHERS costs of other puzzles.
        """
        facts = self.game(puzzle.game).facts
        costs: tuple[list[float], list[float]] = [], []
        n_games, n_won = [0, 0], [0, 0]
        for puzzle_id, verdict, moves in self._store.finished(puzzle.game, puzzle.id):
            at, is_won = int(puzzle_id != puzzle.id), verdict == Verdict.WON
            n_games[at] += 1
            n_won[at] += is_won
            cost = facts.loss_cost if not is_won else total_epsilon(moves) if facts.has_epsilon else float(len(moves))
            if cost is not None:
                costs[at].append(cost)
        found: dict[str, Any] = {
            name: {"n": n_games[at], "n_won": n_won[at], "mean": mean(costs[at]) if costs[at] else None}
            for at, name in enumerate(("here", "others"))
        }
        is_compared = costs[0] and len(costs[1]) >= MIN_OTHERS and max(map(max, costs)) < LARGEST_COMPARED
        return found | {"gap": _gap(*costs) if is_compared else None}

    def owner_of(self, address: str) -> str:
        """Return keyed digests of an address's networks, the largest first; the database has them in its place."""
        digests = [blake2b(text.encode(), key=self._key, digest_size=DIGEST_SIZE) for text in networks_of(address)]
        return "".join(digest.hexdigest() for digest in reversed(digests))

    def expire(self) -> int:
        """Delete games whose deadline is long past; return their number."""
        return self._store.expire(self._config.now() - KEPT_S)

    def _open_game(self, token: str) -> tuple[WebPlayer, WebPuzzle]:
        player, puzzle = self.find(token)
        if puzzle.lists != self._lists:
            raise RefusedError(410, "the server's word lists have changed since this game was started.")
        return player, puzzle

    def _new_puzzle(self, game: Game, mode: Mode, n_players: int, lasts_s: float) -> WebPuzzle:
        seed = seeds.new_official_seed()
        secret = secret_of(game, 0, seeds.Draws.of(seed))
        deadline = self._config.now() + lasts_s
        return WebPuzzle(_new_id(), game.facts.id, mode, "", seed, secret, self._lists, n_players, deadline)

    def _daily_puzzle(self, game: Game, day: date) -> WebPuzzle:
        text = f"{game.facts.id} {day.isoformat()} {self._lists}".encode()
        seed = blake2b(text, key=self._key, digest_size=32).hexdigest()
        secret = secret_of(game, 0, seeds.Draws.of(seed))
        if self._config.daily and not game.facts.has_epsilon:  # the secret of a ranked puzzle follows from its seed
            listed_secret = self._config.daily.secret_on(day)
            if listed_secret is None:
                raise RefusedError(404, f"there is no daily puzzle for {day}.")
            if listed_secret not in game.lists.answer_set:
                raise RefusedError(404, f"the puzzle of {day} is not in this server's list of answers.")
            secret = listed_secret
        deadline = self._config.now() + GAME_S
        return WebPuzzle(_new_id(), game.facts.id, Mode.DAILY, day.isoformat(), seed, secret, self._lists, 0, deadline)

    def _enter(self, puzzle: WebPuzzle, name: str, owner: str) -> tuple[str, WebPlayer, WebPuzzle]:
        if self._store.n_open() >= self._config.max_open_games:
            raise RefusedError(503, "too many unfinished games on this server: try again later.", 600)
        networks = [owner[:end] for end in range(len(owner), 0, -2 * DIGEST_SIZE)]
        if any(self._store.n_open(own) >= self._config.max_open_per_address * 2**i for i, own in enumerate(networks)):
            raise RefusedError(429, "too many unfinished games from your address: finish some of them.", 600)
        token, started = secrets.token_urlsafe(TOKEN_BYTES), self._config.now()
        is_ranked = self.is_ranked(puzzle)
        deadline = puzzle.deadline if puzzle.mode == Mode.FRIENDS else started + GAME_S
        if is_ranked:
            deadline = end_of(puzzle.day)
        if is_ranked or puzzle.mode == Mode.FRIENDS:
            name = _unique_name(name, [player.name for player in self._store.players(puzzle)])
        player = WebPlayer(digest_of(token), puzzle.id, owner, name, started, deadline)
        self._store.add(puzzle, player)
        return token, player, puzzle


def _gap(here: list[float], others: list[float]) -> tuple[float, float]:
    """Return the difference of the means, and half the width of its 95% interval by Student's t with equal variances.

    The quantile of t is expanded in 1/df: Abramowitz and Stegun, 26.7.5.
    """
    df, z = len(here) + len(others) - 2, NormalDist().inv_cdf(0.975)
    t = z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
    squares = sum((cost - mean(own)) ** 2 for own in (here, others) for cost in own)
    return mean(here) - mean(others), t * (squares / df * (1 / len(here) + 1 / len(others))) ** 0.5


def end_of(day: str) -> float:
    """Return the end of a day in UTC, in seconds since the epoch."""
    return (datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=1)).timestamp()


def _new_id() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


def digest_of(token: str) -> str:
    """Return the digest of a token, which is what the database stores."""
    return sha256(token.encode()).hexdigest()


def _is_same_move(move: Move, proposal: Any) -> bool:
    return move.proposal == (proposal if isinstance(proposal, tuple) else (proposal,))


def _unique_name(name: str, other_names: Sequence[str]) -> str:
    """Return the sanitized name, with a number if another player has the same name."""
    short = " ".join(sanitize_untrusted_text(name, MAX_NAME).split()) or "Somebody"
    number = 2
    unique_name = short
    while unique_name in other_names:
        unique_name, number = f"{short} {number}", number + 1
    return unique_name
