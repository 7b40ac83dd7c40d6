"""Stores puzzles and their players in SQLite, so that games survive a restart.

A `GameStore` is used by one thread at a time. Each writing method is one transaction; a killed process or a power cut
loses no completed one, as nobody may take back a move whose clues he has seen.
"""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core.messages import UserError
from wordpl.core.moves import Move, from_json
from wordpl.games import game_class

MAX_COMPARED = 500
"""The maximum number of games of other puzzles with which a puzzle is compared."""
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
_PLAYER = "digest, puzzle, owner, name, started, deadline, moves, verdict"


class Mode(StrEnum):
    """How a puzzle is played."""

    SOLO = "solo"
    FRIENDS = "friends"
    DAILY = "daily"


@dataclass(frozen=True)
class WebPuzzle:
    """A puzzle with one secret, which one or several people play.

    Attributes:
        id: The unguessable id, which is also the invitation to a game with friends.
        day: The day of a daily puzzle, such as 2026-11-22; otherwise "".
        seed: The seed of the noise, as in a run; the number of the game is 0.
        secret: The secret; "" for games without a fixed secret.
        lists: The digest of the word lists.
        n_players: The maximum number of players; 0 for no limit.
        deadline: The end of the game, in seconds since the epoch.
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
class WebPlayer:
    """A player of a puzzle, with the moves so far.

    Attributes:
        digest: The SHA-256 of the player's secret token.
        owner: The keyed digests of the networks of the player's address, the largest first.
        name: The player's name in a game with friends.
        started: The start of the game, in seconds since the epoch.
        deadline: The end of the game for this player, in seconds since the epoch.
        verdict: A verdict of records, or "given up"; None during the game.
    """

    digest: str
    puzzle: str
    owner: str
    name: str
    started: float
    deadline: float
    moves: tuple[Move, ...] = field(default=())
    verdict: str | None = None


class GameStore:
    """The database of a server."""

    def __init__(self, path: Path):
        """Open or create the database. Raises UserError if the file is not a valid database."""
        try:
            path.touch(0o600)  # it holds secrets; an existing file keeps its mode
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA foreign_keys = ON")
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                self._create()
        except (sqlite3.Error, OSError) as error:
            raise UserError(f"cannot use the database {path}: {error}. Choose another file with --database.") from None
        if version not in (0, SCHEMA_VERSION):
            raise UserError(
                f"{path} has schema version {version}, but this version of wordpl needs {SCHEMA_VERSION}. "
                "Choose another file with --database."
            )

    def _create(self) -> None:
        key = f"INSERT INTO settings VALUES ('key', '{secrets.token_hex(32)}');"
        self._db.executescript(f"BEGIN; {_SCHEMA} {key} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    @property
    def key(self) -> bytes:
        """The secret key of the server, from which daily seeds and digests of addresses are derived."""
        return bytes.fromhex(self.setting("key") or "")

    def setting(self, name: str) -> str | None:
        """Return a value that the server has stored, or None."""
        row = self._db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def set(self, name: str, value: str) -> None:
        """Store a value."""
        self._db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))

    def add(self, puzzle: WebPuzzle, player: WebPlayer) -> None:
        """Add a player, and the puzzle if it is new."""
        with self._transaction():
            row = vars(puzzle)
            self._db.execute(f"INSERT OR IGNORE INTO puzzles VALUES (:{', :'.join(row)})", row)
            row = vars(player) | {"moves": _encode(player.moves)}
            self._db.execute(f"INSERT INTO players ({_PLAYER}) VALUES (:{', :'.join(row)})", row)

    def save(self, player: WebPlayer) -> None:
        """Update the moves and the verdict of a player."""
        with self._transaction():
            self._db.execute(
                "UPDATE players SET moves = ?, verdict = ? WHERE digest = ?",
                (_encode(player.moves), player.verdict, player.digest),
            )

    def puzzle(self, puzzle_id: str) -> WebPuzzle | None:
        """Return the puzzle with this id, or None."""
        return _puzzle(self._db.execute("SELECT * FROM puzzles WHERE id = ?", (puzzle_id,)).fetchone())

    def daily(self, game: str, day: str, lists: str) -> WebPuzzle | None:
        """Return the daily puzzle of this day, or None if nobody has played it yet."""
        query = "SELECT * FROM puzzles WHERE mode = 'daily' AND game = ? AND day = ? AND lists = ?"
        return _puzzle(self._db.execute(query, (game, day, lists)).fetchone())

    def player(self, digest: str) -> tuple[WebPlayer, WebPuzzle] | None:
        """Return the player with this digest of the token and the puzzle, or None."""
        row = self._db.execute(f"SELECT {_PLAYER} FROM players WHERE digest = ?", (digest,)).fetchone()
        puzzle = self.puzzle(row[1]) if row else None
        return (_player(row, puzzle), puzzle) if puzzle else None

    def players(self, puzzle: WebPuzzle) -> list[WebPlayer]:
        """Return all players of the puzzle, in the order in which they joined."""
        query = f"SELECT {_PLAYER} FROM players WHERE puzzle = ? ORDER BY started, rowid"
        return [_player(row, puzzle) for row in self._db.execute(query, (puzzle.id,))]

    def finished(self, game: str, puzzle_id: str) -> Iterator[tuple[str, str, tuple[Move, ...]]]:
        """Yield puzzle, verdict and moves of the finished games of a puzzle, and of new ones of the same game."""
        query = """SELECT puzzle, verdict, moves FROM players JOIN puzzles ON puzzles.id = puzzle
            WHERE verdict IS NOT NULL AND """
        here = self._db.execute(f"{query} puzzle = ?", (puzzle_id,)).fetchall()
        newest = f"{query} game = ? AND puzzle != ? ORDER BY started DESC LIMIT {MAX_COMPARED}"
        for found, verdict, moves in here + self._db.execute(newest, (game, puzzle_id)).fetchall():
            yield found, verdict, _decode(moves, game)

    def n_open(self, owner: str | None = None) -> int:
        """Return the number of unfinished games, in total or of the owners that begin like this one."""
        query = "SELECT count(*) FROM players WHERE verdict IS NULL"
        begin = () if owner is None else (owner, owner + "g")  # digests are hexadecimal
        return int(self._db.execute(f"{query} AND owner BETWEEN ? AND ?" if begin else query, begin).fetchone()[0])

    def expire(self, before: float) -> int:
        """Delete players with an earlier deadline, and puzzles without players; return the number of players."""
        with self._transaction():
            n_deleted = self._db.execute("DELETE FROM players WHERE deadline < ?", (before,)).rowcount
            unused = "deadline < ? AND NOT EXISTS (SELECT 1 FROM players WHERE puzzle = puzzles.id)"
            self._db.execute(f"DELETE FROM puzzles WHERE {unused}", (before,))
        return n_deleted

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def _puzzle(row: tuple[Any, ...] | None) -> WebPuzzle | None:
    if row is None:
        return None
    id, game, mode, *others = row
    return WebPuzzle(id, game, Mode(mode), *others)


def _encode(moves: tuple[Move, ...]) -> str:
    return msgspec.json.encode(moves).decode()


def _player(row: tuple[Any, ...], puzzle: WebPuzzle) -> WebPlayer:
    digest, _, owner, name, started, deadline, moves, verdict = row
    return WebPlayer(digest, puzzle.id, owner, name, started, deadline, _decode(moves, puzzle.game), verdict)


def _decode(moves: str, game: str) -> tuple[Move, ...]:
    form = game_class(game).facts.form
    return tuple(from_json(move, form) for move in msgspec.json.decode(moves))
