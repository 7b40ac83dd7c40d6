"""Tournament rooms: people play for points against their time banks; the server keeps words, clocks and standings.

A player's page never receives what decides the words. It receives a word only as the player's own guess; all words and
the seed are shown when the tournament has ended.
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from wordpl.apps import tournament
from wordpl.apps.tournament.room import finished_file, is_token_of
from wordpl.contest.session import Session
from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.core.offers import Content, Endpoint, Offer, RefusedError
from wordpl.core.words import WordLists
from wordpl.games import Game, IllegalMoveError
from wordpl.reports.names import shown

MAX_PLAYERS = 200
CLOSED = {
    tournament.Phase.CREATED: "this tournament is not open yet.",
    tournament.Phase.PLAYING: "play has begun: nobody can join any more.",
    tournament.Phase.ENDED: "this tournament has ended.",
}
"""Why nobody can join in a phase."""
MAX_DIGITS = 6
STANDINGS_S = 1.0
"""The time for which standings are kept, in seconds, so that many pages that watch cost little."""


class JoinRoomRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Joins a tournament under a name."""

    name: str


class RoomGuess(msgspec.Struct, forbid_unknown_fields=True):
    """Makes a guess. The number of all guesses before it makes requests idempotent."""

    round: int
    puzzle: int
    number: int
    word: str


class RulingRequest(msgspec.Struct, forbid_unknown_fields=True):
    """A decision of the host; see `scoring.Ruling`."""

    kind: tournament.RulingKind
    reason: Annotated[str, Meta(min_length=1, max_length=300)]
    player: str = ""
    round_number: int = 0
    number: int = 0
    points: Annotated[float, Meta(ge=0, le=1e6)] = 0.0
    micro: Annotated[float, Meta(ge=0, le=1e6)] = 0.0


class NextPhase(msgspec.Struct, forbid_unknown_fields=True):
    """Opens, starts or ends a tournament."""

    phase: tournament.Phase


class RoomService:
    """The tournaments of one server, independent of HTTP; one thread uses it at a time."""

    def __init__(self, lists: WordLists, store: tournament.RoomStore, now: Callable[[], float]):
        self._lists, self._store, self._now = lists, store, now
        self._secrets = lru_cache(32)(self._drawn)
        self._reviews = lru_cache(1024)(self._reviewed)
        self._standings: dict[str, tuple[float, tournament.Phase, list[dict[str, Any]]]] = {}

    def view(self, room_id: str, token: str) -> dict[str, Any]:
        """Return what the holder of this token may see; "" is a visitor."""
        room, player = self._entered(room_id, token)
        return self._view(room, player, bool(token) and is_token_of(token, room.host))

    def join(self, room_id: str, token: str, body: JoinRoomRequest) -> dict[str, Any]:
        """Add a player; return the player's token and view."""
        room, now_s = self._room(room_id), self._now()
        phase = room.phase(now_s)
        if phase != tournament.Phase.OPEN:
            raise RefusedError(409, CLOSED[phase])
        if self._store.is_by_invitation(room):
            raise RefusedError(403, "this tournament is by invitation: open the personal link that the host gave you.")
        if self._store.n_players(room) >= MAX_PLAYERS:
            raise RefusedError(409, "this tournament is full.")
        try:
            new_token = self._store.join(room, body.name, now_s)
        except UserError as error:
            raise RefusedError(409, error.message) from None
        self._standings.pop(room.id, None)
        return {"token": new_token, "state": self.view(room_id, new_token)}

    def guess(self, room_id: str, token: str, body: RoomGuess) -> dict[str, Any]:
        """Make a guess; the same guess sent twice is made once."""
        now_s = self._now()
        room, player = self._entered(room_id, token)
        if player is None:
            raise RefusedError(401, "only players make guesses: join the tournament first.")
        if body.number == len(player.guesses) - 1 and player.guesses[-1].word == body.word:
            return self._view(room, player, False)
        if room.phase(now_s) != tournament.Phase.PLAYING:
            raise RefusedError(410, "the tournament is not in progress.")
        game = self._game(room)
        # A clock that was set back must not make a guess earlier than the one before it.
        time_s = max([now_s, room.begin_s(player), *(made.time_s for made in player.guesses[-1:])])
        current = self._progress(room, player, time_s).current
        if current is None or (body.round, body.puzzle) != (current.round_number, current.number):
            raise RefusedError(410, "the time for this puzzle is over.")
        if body.number != len(player.guesses):
            raise RefusedError(409, "the page was out of date.")
        number = (body.round - 1) * room.terms.rules.puzzles + body.puzzle - 1
        word = self._legal(game, room, number, (*current.words, body.word))
        self._store.add_guess(player, tournament.PlayedGuess(word, time_s))
        return self.view(room_id, token)

    def enter(self, room_id: str, token: str, body: NextPhase) -> dict[str, Any]:
        """Let the next phase begin; only the host may."""
        room, now_s, phase = self._room(room_id), self._now(), body.phase
        if not is_token_of(token, room.host):
            raise RefusedError(403, "only the host can do this.")
        if room.phase(now_s) != phase:  # else the request was sent twice
            allowed = {
                tournament.Phase.CREATED: (tournament.Phase.OPEN,),
                tournament.Phase.OPEN: (tournament.Phase.PLAYING, tournament.Phase.ENDED),
                tournament.Phase.PLAYING: (tournament.Phase.ENDED,),
            }
            if phase not in allowed.get(room.phase(now_s), ()):
                raise RefusedError(409, f"the tournament is {room.phase(now_s)}.")
            if phase == tournament.Phase.PLAYING and room.started_s is not None:
                raise RefusedError(409, "the terms say when play begins.")
            self._store.enter(room, phase, now_s)
        self._standings.pop(room.id, None)
        return self.view(room_id, token)

    def rule(self, room_id: str, token: str, body: RulingRequest) -> dict[str, Any]:
        """Strike a player or a puzzle, or correct a result; only the host may."""
        room = self._room(room_id)
        if not is_token_of(token, room.host):
            raise RefusedError(403, "only the host can do this.")
        try:
            self._store.rule(room, tournament.Ruling(time_s=self._now(), **msgspec.structs.asdict(body)))
        except (UserError, ValueError) as error:
            raise RefusedError(422, str(error)) from None
        self._standings.pop(room.id, None)
        return self.view(room_id, token)

    def result(self, room_id: str, token: str) -> Content:
        """Return the file of a tournament that has ended."""
        room = self._room(room_id)
        if room.phase(self._now()) != tournament.Phase.ENDED:
            raise RefusedError(409, "the tournament has not ended.")
        file = finished_file(room, self._store.players(room), self._store.rulings(room))
        data = msgspec.json.format(msgspec.json.encode(file), indent=2)
        headers = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="tournament.json"'}
        return Content(data, "application/json", headers)

    def review(self, room_id: str, number: str, token: str) -> dict[str, Any]:
        """Return what a player's guesses in a puzzle were worth, after the end of the tournament.

        Args:
            room_id: The room.
            number: The number of the puzzle in the tournament, from 0.
            token: The player's token.
        """
        room, player = self._entered(room_id, token)
        if room.phase(self._now()) != tournament.Phase.ENDED:
            raise RefusedError(409, "games are reviewed after the end of the tournament.")
        if player is None or not number.isdecimal() or len(number) > MAX_DIGITS:
            raise RefusedError(404, "this player has no such puzzle.")
        words = self._progress(room, player, self._now()).words.get(int(number), ())
        if not words:
            raise RefusedError(404, "this player has no such puzzle.")
        return {"review": self._reviews(room.id, int(number), words)}

    def _reviewed(self, room_id: str, number: int, words: tuple[str, ...]) -> dict[str, Any] | None:
        from wordpl.reports import game_reviews  # pandas, which no room needs before its end

        room = self._room(room_id)
        session = self._session(self._game(room), room, number, words)
        found = game_reviews.review_of(session.game, session.moves, session.secret, session.verdict)
        return None if found is None else game_reviews.as_json(found)

    def _room(self, room_id: str) -> tournament.Room:
        room = self._store.room(room_id)
        if room is None:
            raise RefusedError(404, "there is no such tournament.")
        return room

    def _entered(self, room_id: str, token: str) -> tuple[tournament.Room, tournament.RoomPlayer | None]:
        """Return the room and the player with this token; None for a visitor or the host."""
        room = self._room(room_id)
        player = self._store.player(room, token) if token else None
        if token and player is None and not is_token_of(token, room.host):
            raise RefusedError(401, "this link does not belong to a player of the tournament.")
        return room, player

    def _game(self, room: tournament.Room) -> Game:
        try:
            return room.terms.game(self._lists)
        except UserError as error:
            raise RefusedError(410, error.message) from None

    def _drawn(self, room_id: str) -> list[str]:
        room = self._room(room_id)
        return room.terms.secrets(room.seed, self._game(room))

    def _progress(
        self, room: tournament.Room, player: tournament.RoomPlayer, now_s: float
    ) -> tournament.PlayerProgress:
        until_s = min(now_s, inf if room.ended_s is None else room.ended_s)
        secrets = self._secrets(room.id)
        return tournament.follow(room.terms.rules, secrets, room.begin_s(player), player.guesses, until_s)

    def _legal(self, game: Game, room: tournament.Room, number: int, words: tuple[str, ...]) -> str:
        """Return the last word; refuse it if the rules forbid it, without suggesting words that look like it."""
        word = words[-1]
        if len(word) == game.lists.length and word.isalpha() and word not in game.lists.guess_set:
            raise RefusedError(422, f"'{shown(word)}' is not in the word list.")
        try:
            return self._session(game, room, number, words).moves[-1].guess
        except IllegalMoveError as error:
            raise RefusedError(422, str(error)) from None

    def _session(self, game: Game, room: tournament.Room, number: int, words: tuple[str, ...]) -> Session:
        session = Session(game, room.seed, number, self._secrets(room.id)[number])
        for word in words:
            session.play(word)
        return session

    def _view(self, room: tournament.Room, player: tournament.RoomPlayer | None, is_host: bool) -> dict[str, Any]:
        now_s, rules, game = self._now(), room.terms.rules, self._game(room)
        phase = room.phase(now_s)
        secrets = self._secrets(room.id) if phase == tournament.Phase.ENDED else None
        return {
            "room": room.id,
            "title": rules.name,
            "game": game.facts.id,
            "length": game.lists.length,
            "limit": game.facts.limit,
            "phase": phase.value,
            "rounds": rules.rounds,
            "puzzles": rules.puzzles,
            "bank_s": rules.bank_s,
            "break_s": rules.break_s,
            "awards": [rules.points(n) for n in range(1, len(rules.times_base) + 1)],
            "starts_in_s": None if room.started_s is None else room.started_s - now_s,
            "ends_in_s": None if room.ended_s is None else room.ended_s - now_s,
            "commitment": room.terms.commitment(room.seed),
            "seed": room.seed if secrets else None,
            "secrets": secrets,
            "standings": self._ranked(room, now_s),
            "rulings": [ruling.in_words + f": {ruling.reason}" for ruling in self._store.rulings(room)],
            "by_invitation": self._store.is_by_invitation(room),
            "board": self._board(room) if secrets else None,
            "is_host": is_host,
            "you": player and self._own_view(room, player, game, now_s),
        }

    def _own_view(
        self, room: tournament.Room, player: tournament.RoomPlayer, game: Game, now_s: float
    ) -> dict[str, Any]:
        own: dict[str, Any] = {"name": player.name, "number": len(player.guesses), "finished": [], "current": None}
        phase = room.phase(now_s)
        if phase not in (tournament.Phase.PLAYING, tournament.Phase.ENDED) or room.started_s is None:
            return own
        progress = self._progress(room, player, now_s)
        own["finished"] = [_puzzle_view(puzzle) for puzzle in progress.finished]
        current = progress.current
        if current is None or phase == tournament.Phase.ENDED:
            return own
        number = (current.round_number - 1) * room.terms.rules.puzzles + current.number - 1
        moves = self._session(game, room, number, current.words).moves
        own["current"] = {
            "round": current.round_number,
            "puzzle": current.number,
            "clock_starts_in_s": current.starts_s - now_s,
            "bank_s": current.bank_s,
            "rows": [{"guess": move.guess, "clues": move.clues} for move in moves],
        }
        return own

    def _ranked(self, room: tournament.Room, now_s: float) -> list[dict[str, Any]]:
        """Return the standings; a puzzle counts when it has ended for its player."""
        phase = room.phase(now_s)
        cached_s, cached_phase, ranked = self._standings.get(room.id, (-inf, phase, []))
        if 0 <= now_s - cached_s < STANDINGS_S and cached_phase == phase:
            return ranked
        has_ended = phase == tournament.Phase.ENDED
        places, results = {}, []
        for player in self._store.players(room):
            if room.started_s is None or room.begin_s(player) > now_s:
                results.append(tournament.TournamentResult(player.name, ()))
                continue
            progress = self._progress(room, player, now_s)
            results.append(
                tournament.TournamentResult(player.name, progress.scored if has_ended else progress.finished)
            )
            if progress.current and not has_ended:
                places[player.name] = {
                    "round": progress.current.round_number,
                    "puzzle": progress.current.number,
                    "is_running": progress.current.starts_s <= now_s,
                }
        results = tournament.ruled(results, self._store.rulings(room))
        ranked = [asdict(line) | {"at": places.get(line.player)} for line in tournament.standings(results)]
        self._standings[room.id] = now_s, phase, ranked
        return ranked

    def _board(self, room: tournament.Room) -> list[dict[str, Any]]:
        """Return every player's puzzles of a tournament that has ended, struck players too, in order of joining."""
        rulings, ended_s = self._store.rulings(room), room.ended_s
        assert ended_s is not None
        struck = {ruling.player for ruling in rulings if ruling.kind == "strike player"}
        kept = [ruling for ruling in rulings if ruling.kind != "strike player"]
        results = [
            tournament.TournamentResult(player.name, self._progress(room, player, ended_s).scored)
            for player in self._store.players(room)
            if room.started_s is not None and room.begin_s(player) <= ended_s
        ]
        return [
            {
                "player": result.player,
                "is_struck": result.player in struck,
                "puzzles": [_puzzle_view(puzzle) for puzzle in result.puzzles],
            }
            for result in tournament.ruled(results, kept)
        ]


def _puzzle_view(puzzle: tournament.ScoredPuzzle) -> dict[str, Any]:
    """Return a player's finished puzzle, without its secret."""
    return {name: value for name, value in asdict(puzzle).items() if name != "secret"}


def offer(lists: WordLists, database: Path, now: Callable[[], float]) -> Offer:
    """Return what tournaments add to the web server.

    Args:
        lists: The server's word lists.
        database: The SQLite file that stores all games.
        now: Returns the time in seconds since the epoch.

    Raises:
        UserError: The database cannot be used.
    """
    store = tournament.RoomStore(database)
    service, path = RoomService(lists, store, now), "/api/rooms/{room_id}"
    endpoints = [
        Endpoint("GET", path, service.view),
        Endpoint("POST", f"{path}/players", service.join, JoinRoomRequest),
        Endpoint("POST", f"{path}/guesses", service.guess, RoomGuess),
        Endpoint("POST", f"{path}/phase", service.enter, NextPhase),
        Endpoint("POST", f"{path}/rulings", service.rule, RulingRequest),
        Endpoint("GET", f"{path}/result", service.result),
        Endpoint("GET", f"{path}/reviews/{{number}}", service.review),
    ]
    return Offer(endpoints, store.close, paths.asset_texts("apps/tournament/static"))
