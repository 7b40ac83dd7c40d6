"""Puzzles and their players in SQLite, so that a restart loses no game.

A `Store` is used by one thread at a time. Each method that writes is one transaction; with a write-ahead log a killed
process loses nothing that a method has returned from.
"""

import secrets
import sqlite3
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.moves import Move, from_json
from wordpl.games import game_class

SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE puzzles (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, mode TEXT NOT NULL, day TEXT NOT NULL, seed TEXT NOT NULL,
    secret TEXT NOT NULL, lists TEXT NOT NULL, n_players INTEGER NOT NULL, deadline REAL NOT NULL
);
CREATE UNIQUE INDEX daily ON puzzles (game, day, lists) WHERE mode = 'daily';
CREATE TABLE players (
    digest TEXT PRIMARY KEY, puzzle TEXT NOT NULL REFERENCES puzzles (id), owner TEXT NOT NULL, name TEXT NOT NULL,
    moves TEXT NOT NULL, verdict TEXT, started REAL NOT NULL, deadline REAL NOT NULL
);
CREATE INDEX players_by_puzzle ON players (puzzle);
CREATE INDEX players_by_owner ON players (owner) WHERE verdict IS NULL;
"""
_PLAYER = "digest, puzzle, owner, name, moves, verdict, started, deadline"


class Mode(StrEnum):
    """Who plays on a puzzle."""

    SOLO = "solo"
    FRIENDS = "friends"
    DAILY = "daily"


@dataclass(frozen=True)
class Puzzle:
    """A game on one secret.

    Attributes:
        id: unguessable; the invitation of a game with friends.
        day: of a daily puzzle, as 2026-11-22; else "".
        seed: decides the noise, as a run's seed does; the game's number is 0.
        secret: "" where the rules draw none.
        lists: the SHA-256 of the word lists it was made with.
        n_players: how many may play; 0 for any number.
        deadline: when nobody may join or move any more, in seconds since 1970.
    """

    id: str
    game: str
    mode: Mode
    day: str
    seed: str
    secret: str
    lists: str
    n_players: int
    deadline: float


@dataclass(frozen=True)
class Player:
    """A person's part in a puzzle.

    Attributes:
        digest: SHA-256 of the token that only this person has.
        owner: who started it, as a keyed digest of the network address.
        verdict: None while the game goes on; "given up" beside the verdicts of records.
    """

    digest: str
    puzzle: str
    owner: str
    name: str
    started: float
    deadline: float
    moves: tuple[Move, ...] = field(default=())
    verdict: str | None = None


class Store:
    """The database of one server."""

    def __init__(self, path: Path):
        """Open the file, or create it. Raises UserError for a file that is no such database."""
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA foreign_keys = ON")
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                self._create()
        except sqlite3.Error as error:
            raise UserError(f"cannot use {path} for the games: {error}. Name another file with --database.") from None
        if version not in (0, SCHEMA_VERSION):
            raise UserError(
                f"{path} has version {version}; this version of wordpl reads {SCHEMA_VERSION}. Name another --database."
            )

    def _create(self) -> None:
        self._db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
        self._db.execute("INSERT INTO settings VALUES ('key', ?)", (secrets.token_hex(32),))

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @property
    def key(self) -> bytes:
        """The server's own key, from which daily seeds and the digests of addresses are derived."""
        return bytes.fromhex(self._db.execute("SELECT value FROM settings WHERE name = 'key'").fetchone()[0])

    def add(self, puzzle: Puzzle, player: Player) -> None:
        """Keep a puzzle, unless it is there already, with another player."""
        with self._transaction():
            row = (*_values(puzzle),)
            self._db.execute(f"INSERT OR IGNORE INTO puzzles VALUES ({', '.join('?' * len(row))})", row)
            moves = _encode(player.moves)
            row = (player.digest, player.puzzle, player.owner, player.name, moves, player.verdict, player.started,
                   player.deadline)  # fmt: skip
            self._db.execute(f"INSERT INTO players ({_PLAYER}) VALUES ({', '.join('?' * len(row))})", row)

    def save(self, player: Player) -> None:
        """Keep what has happened in a player's game."""
        with self._transaction():
            self._db.execute(
                "UPDATE players SET moves = ?, verdict = ? WHERE digest = ?",
                (_encode(player.moves), player.verdict, player.digest),
            )

    def puzzle(self, puzzle_id: str) -> Puzzle | None:
        """Return the puzzle with this identifier."""
        return _puzzle(self._db.execute("SELECT * FROM puzzles WHERE id = ?", (puzzle_id,)).fetchone())

    def daily(self, game: str, day: str, lists: str) -> Puzzle | None:
        """Return the puzzle of this day, if anybody has played it."""
        query = "SELECT * FROM puzzles WHERE mode = 'daily' AND game = ? AND day = ? AND lists = ?"
        return _puzzle(self._db.execute(query, (game, day, lists)).fetchone())

    def player(self, digest: str) -> tuple[Player, Puzzle] | None:
        """Return the player with this token's digest, and the puzzle played."""
        row = self._db.execute(f"SELECT {_PLAYER} FROM players WHERE digest = ?", (digest,)).fetchone()
        puzzle = self.puzzle(row[1]) if row else None
        return (_player(row, puzzle), puzzle) if puzzle else None

    def players(self, puzzle: Puzzle) -> list[Player]:
        """Return everybody who plays on the puzzle, in the order in which they joined."""
        query = f"SELECT {_PLAYER} FROM players WHERE puzzle = ? ORDER BY started, rowid"
        return [_player(row, puzzle) for row in self._db.execute(query, (puzzle.id,))]

    def n_open(self, owner: str | None = None) -> int:
        """Return how many games go on, of all or of one owner."""
        query = "SELECT count(*) FROM players WHERE verdict IS NULL"
        if owner is None:
            return int(self._db.execute(query).fetchone()[0])
        return int(self._db.execute(f"{query} AND owner = ?", (owner,)).fetchone()[0])

    def expire(self, before: float) -> int:
        """Delete players whose deadline was before this time, and puzzles without players; returns how many players."""
        with self._transaction():
            n_deleted = self._db.execute("DELETE FROM players WHERE deadline < ?", (before,)).rowcount
            unused = "deadline < ? AND NOT EXISTS (SELECT 1 FROM players WHERE puzzle = puzzles.id)"
            self._db.execute(f"DELETE FROM puzzles WHERE {unused}", (before,))
        return n_deleted

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._db)


class _Transaction:
    """BEGIN IMMEDIATE ... COMMIT, or ROLLBACK where the block raised."""

    def __init__(self, db: sqlite3.Connection):
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._db.execute("ROLLBACK" if kind else "COMMIT")


def _values(puzzle: Puzzle) -> tuple[Any, ...]:
    return (puzzle.id, puzzle.game, puzzle.mode.value, puzzle.day, puzzle.seed, puzzle.secret, puzzle.lists,
            puzzle.n_players, puzzle.deadline)  # fmt: skip


def _puzzle(row: tuple[Any, ...] | None) -> Puzzle | None:
    if row is None:
        return None
    puzzle = Puzzle(*row)
    return replace(puzzle, mode=Mode(puzzle.mode))


def _encode(moves: tuple[Move, ...]) -> str:
    return msgspec.json.encode(moves).decode()


def _player(row: tuple[Any, ...], puzzle: Puzzle) -> Player:
    digest, puzzle_id, owner, name, moves, verdict, started, deadline = row
    kind = game_class(puzzle.game).kind
    decoded = tuple(from_json(move, kind) for move in msgspec.json.decode(moves))
    return Player(digest, puzzle_id, owner, name, started, deadline, decoded, verdict)
