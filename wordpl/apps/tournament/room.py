"""Tournament rooms: what the host's server keeps of a tournament, in the database of its games.

A room holds the seed, which decides all puzzles, and each player's guesses with the time at which they arrived. The
puzzles, the clocks and the points follow from them (see `wordpl.apps.tournament.scoring`). Only digests of tokens are
stored. A killed process loses no completed transaction.
"""

import hmac
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from math import inf
from pathlib import Path

import msgspec

from wordpl.apps.tournament.scoring import PlayedGuess, Ruling
from wordpl.apps.tournament.tournament_file import PlayerGuesses, Terms, TournamentFile
from wordpl.core import seeds
from wordpl.core.messages import UserError, sanitize_untrusted_text

TOKEN_BYTES = 18
"""144 random bits, so that tokens cannot be guessed."""
ROOM_BYTES = 9
MAX_NAME = 24
_SCHEMA = """
CREATE TABLE IF NOT EXISTS rooms (
    id TEXT PRIMARY KEY, host TEXT NOT NULL, terms TEXT NOT NULL, seed TEXT NOT NULL, opened REAL, started REAL,
    ended REAL
);
CREATE TABLE IF NOT EXISTS room_players (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL, room TEXT NOT NULL REFERENCES rooms (id), name TEXT NOT NULL,
    joined REAL NOT NULL, UNIQUE (room, name), UNIQUE (digest)
);
CREATE TABLE IF NOT EXISTS room_guesses (
    player INTEGER NOT NULL REFERENCES room_players (id), number INTEGER NOT NULL, word TEXT NOT NULL,
    time REAL NOT NULL, PRIMARY KEY (player, number)
);
CREATE TABLE IF NOT EXISTS room_rulings (id INTEGER PRIMARY KEY, room TEXT NOT NULL, ruling TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS room_invitations (room TEXT PRIMARY KEY REFERENCES rooms (id));
"""


class Phase(StrEnum):
    """The phase of a tournament."""

    CREATED = "created"  # only the host can enter
    OPEN = "open"  # players can join
    PLAYING = "playing"
    ENDED = "ended"


@dataclass(frozen=True)
class Room:
    """A tournament on a server. Times are in seconds since 1970 (UTC); None: not known yet.

    Attributes:
        id: The public id.
        host: The SHA-256 of the host's token.
        terms: The terms.
        seed: The seed of the puzzles.
        opened_s: When players could join.
        started_s: When play begins.
        ended_s: When play ends.
    """

    id: str
    host: str
    terms: Terms
    seed: str
    opened_s: float | None
    started_s: float | None
    ended_s: float | None

    def phase(self, now_s: float) -> Phase:
        """Return the phase at this time."""
        if self.ended_s is not None and now_s >= self.ended_s:
            return Phase.ENDED
        if self.started_s is not None and now_s >= self.started_s:
            return Phase.PLAYING
        return Phase.CREATED if self.opened_s is None else Phase.OPEN

    def begin_s(self, player: "RoomPlayer") -> float:
        """Return when a player could begin."""
        return max(player.joined_s, inf if self.started_s is None else self.started_s)


@dataclass(frozen=True)
class RoomPlayer:
    """A player in a room.

    Attributes:
        id: The number of the player in the database.
        digest: The SHA-256 of the player's token.
        name: The name in the standings.
        joined_s: When the player joined, in seconds since 1970 (UTC).
        guesses: All guesses, with the time at which they arrived.
    """

    id: int
    digest: str
    name: str
    joined_s: float
    guesses: tuple[PlayedGuess, ...]


class RoomStore:
    """The rooms in a database, which several processes can use at a time."""

    def __init__(self, path: Path):
        """Open or create the database. Raises UserError if the file is not a database."""
        try:
            path.touch(0o600)  # it holds seeds; an existing file keeps its mode
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
            self._db.executescript(f"PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; {_SCHEMA}")
        except (sqlite3.Error, OSError) as error:
            raise UserError(f"cannot use the database {path}: {error}. Choose another file with --database.") from None

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def create(self, terms: Terms, now_s: float, seed: str = "") -> tuple[Room, str]:
        """Add a room; return it and the host's token. If the terms say when play begins, players can join at once.

        Raises:
            UserError: The tournament would end before now.
        """
        if terms.closes and terms.closes.timestamp() <= now_s:
            now = f"{datetime.fromtimestamp(now_s, UTC):%Y-%m-%dT%H:%M}"
            raise UserError(
                f"the end of play, {terms.closes:%Y-%m-%dT%H:%M}, is past; choose a time after {now} (UTC)."
            )
        token = secrets.token_urlsafe(TOKEN_BYTES)
        starts_s, ends_s = (moment.timestamp() if moment else None for moment in (terms.opens, terms.closes))
        room_id = secrets.token_hex(
            ROOM_BYTES
        )  # a command's argument: one that begins with a hyphen would be an option
        room = Room(room_id, digest_of(token), terms, seed or seeds.new_official_seed(),
                    now_s if starts_s else None, starts_s, ends_s)  # fmt: skip
        row = (room.id, room.host, msgspec.json.encode(terms).decode(), room.seed, room.opened_s, starts_s, ends_s)
        self._db.execute("INSERT INTO rooms VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return room, token

    def room(self, room_id: str) -> Room | None:
        """Return the room with this id, or None."""
        row = self._db.execute("SELECT * FROM rooms WHERE id = ?", (room_id,)).fetchone()
        if row is None:
            return None
        key, host, terms, seed, opened_s, started_s, ended_s = row
        return Room(key, host, msgspec.json.decode(terms, type=Terms), seed, opened_s, started_s, ended_s)

    def enter(self, room: Room, phase: Phase, now_s: float) -> None:
        """Let the next phase of the room begin now."""
        column = {Phase.OPEN: "opened", Phase.PLAYING: "started", Phase.ENDED: "ended"}[phase]
        self._db.execute(f"UPDATE rooms SET {column} = ? WHERE id = ?", (now_s, room.id))

    def invite(self, room: Room, names: Sequence[str], now_s: float) -> dict[str, str]:
        """Add the players that the host invites, and nobody else from now on; return the token of each.

        Raises:
            UserError: A name is taken, or play has begun.
        """
        if room.phase(now_s) in (Phase.PLAYING, Phase.ENDED):
            raise UserError("play has begun: nobody can join any more.")
        self._db.execute("INSERT OR IGNORE INTO room_invitations VALUES (?)", (room.id,))
        return {name: self.join(room, name, now_s) for name in names}

    def is_by_invitation(self, room: Room) -> bool:
        """Return whether only players whom the host has invited take part."""
        row = self._db.execute("SELECT count(*) FROM room_invitations WHERE room = ?", (room.id,)).fetchone()
        return bool(row[0])

    def rule(self, room: Room, ruling: Ruling) -> None:
        """Add a decision of the host. Raises UserError if there is no such player or puzzle."""
        ruling.check(room.terms.rules, [player.name for player in self.players(room)])
        row = (room.id, msgspec.json.encode(ruling).decode())
        self._db.execute("INSERT INTO room_rulings (room, ruling) VALUES (?, ?)", row)

    def rulings(self, room: Room) -> list[Ruling]:
        """Return the decisions of the host, in the order in which they were made."""
        rows = self._db.execute("SELECT ruling FROM room_rulings WHERE room = ? ORDER BY id", (room.id,))
        return [msgspec.json.decode(text, type=Ruling) for (text,) in rows]

    def join(self, room: Room, name: str, now_s: float) -> str:
        """Add a player; return the player's token. Raises UserError if the name is taken."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        clean = " ".join(sanitize_untrusted_text(name, MAX_NAME).split()) or "Somebody"
        try:
            self._db.execute(
                "INSERT INTO room_players (digest, room, name, joined) VALUES (?, ?, ?, ?)",
                (digest_of(token), room.id, clean, now_s),
            )
        except sqlite3.IntegrityError:
            raise UserError(f"there is already a player called {clean!r}: choose another name.") from None
        return token

    def player(self, room: Room, token: str) -> RoomPlayer | None:
        """Return the player of a room with this token, or None."""
        query = "SELECT id, digest, name, joined FROM room_players WHERE room = ? AND digest = ?"
        row = self._db.execute(query, (room.id, digest_of(token))).fetchone()
        if row is None or not is_token_of(token, row[1]):
            return None
        made = self._db.execute("SELECT word, time FROM room_guesses WHERE player = ? ORDER BY number", row[:1])
        return RoomPlayer(row[0], row[1], row[2], row[3], tuple(PlayedGuess(word, time_s) for word, time_s in made))

    def n_players(self, room: Room) -> int:
        """Return the number of players of a room."""
        return int(self._db.execute("SELECT count(*) FROM room_players WHERE room = ?", (room.id,)).fetchone()[0])

    def players(self, room: Room) -> list[RoomPlayer]:
        """Return all players of a room, in the order in which they joined."""
        made: dict[int, list[PlayedGuess]] = {}
        query = "SELECT player, word, time FROM room_guesses JOIN room_players ON player = id WHERE room = ?"
        for player, word, time_s in self._db.execute(f"{query} ORDER BY player, number", (room.id,)):
            made.setdefault(player, []).append(PlayedGuess(word, time_s))
        query = "SELECT id, digest, name, joined FROM room_players WHERE room = ? ORDER BY id"
        return [
            RoomPlayer(player, digest, name, joined_s, tuple(made.get(player, ())))
            for player, digest, name, joined_s in self._db.execute(query, (room.id,))
        ]

    def add_guess(self, player: RoomPlayer, guess: PlayedGuess) -> None:
        """Add a player's next guess."""
        row = (player.id, len(player.guesses), guess.word, guess.time_s)
        self._db.execute("INSERT INTO room_guesses VALUES (?, ?, ?, ?)", row)


def digest_of(token: str) -> str:
    """Return the digest of a token, which is what the database stores."""
    return sha256(token.encode()).hexdigest()


def is_token_of(token: str, digest: str) -> bool:
    """Return whether this is the digest of the token, in a time that does not depend on the digits."""
    return hmac.compare_digest(digest_of(token), digest)


def finished_file(room: Room, players: Sequence[RoomPlayer], rulings: Sequence[Ruling] = ()) -> TournamentFile:
    """Return the file of a tournament that has ended."""
    assert room.ended_s is not None
    return TournamentFile(
        terms=room.terms,
        seed=room.seed,
        commitment=room.terms.commitment(room.seed),
        started_s=min(room.ended_s, inf if room.started_s is None else room.started_s),
        ended_s=room.ended_s,
        players=[PlayerGuesses(player.name, player.joined_s, list(player.guesses)) for player in players],
        rulings=[*rulings],
    )
