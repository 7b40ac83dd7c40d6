"""Transcripts: every request to a model and its reply, as lines of JSON; no line is ever written twice.

While a run is played, the lines of an entry are in transcripts/ENTRY.jsonl, in the order in which replies came. When it
has ended, they are sorted by game and compressed. A record has the digest of the lines of its game, without the times.
"""

import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path

import msgspec

from wordpl.core import bounded
from wordpl.core.bounded import GZIP_WINDOW
from wordpl.core.files import Appender, make_folders, truncate_torn_tail, write_atomically
from wordpl.core.messages import UserError
from wordpl.run.folder import TRANSCRIPTS, Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import LEVEL, Asked, Talk, compressed_path

MAX_LINES_PER_GAME = 4000
"""The most requests of a game that a reader expects."""


class Exchange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request and its reply.

    Attributes:
        game: The number of the game.
        move: The number of the move that was asked for, from 1.
        ask: How often it had been asked for, this time included.
        asked: The last message of the request; the others are those of earlier exchanges.
        request: The digest of the whole request.
        reply: The text of the reply; if it is the call of a function, its arguments.
        finish: Why the reply ended, as the endpoint says.
        seconds: The wall time until the reply was there.
        called: Whether the reply is the call of a function.
        tokens_in, tokens_out: How many tokens the endpoint counted; None if it did not.
    """

    game: int
    move: int
    ask: int
    asked: str
    request: str
    reply: str
    finish: str
    seconds: float = 0.0
    called: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Exchange).decode


def path_of(run: Run, entry: EntryInfo) -> Path:
    """Return the path of an entry's transcripts while the run is played."""
    return run.folder / TRANSCRIPTS / f"{entry.slug}.jsonl"


def exists(run: Run, entry: EntryInfo) -> bool:
    """Return whether the run's folder has the transcripts of an entry."""
    path = path_of(run, entry)
    return os.path.lexists(path) or os.path.lexists(compressed_path(path))


def talk_of(exchanges: Sequence[Exchange]) -> Talk:
    """Return what a record says of these exchanges, which are those of one game in order."""
    lines = sha256()
    for exchange in exchanges:
        lines.update(_encode(msgspec.structs.replace(exchange, seconds=0.0)) + b"\n")
    moves = [_asked(list(same)) for _, same in groupby(exchanges, attrgetter("move"))]
    return Talk(moves, lines.hexdigest())


def _asked(exchanges: Sequence[Exchange]) -> Asked:
    totals = []
    for name in ("tokens_in", "tokens_out"):
        counts = [getattr(exchange, name) for exchange in exchanges]
        totals.append(None if None in counts else sum(counts))
    return Asked(len(exchanges), *totals)


def read(run: Run, entry: EntryInfo) -> Iterator[Exchange]:
    """Yield the exchanges of an entry in the order of the file; an incomplete last line is omitted.

    Raises:
        UserError: The file is damaged, or a line is no exchange of a game of the run.
    """
    path, most = path_of(run, entry), MAX_LINES_PER_GAME * run.info.config.n_games
    if os.path.lexists(path):
        parts = bounded.read_parts(bounded.TRANSCRIPT, path, most)
    elif os.path.lexists(compressed_path(path)):
        parts = bounded.read_unpacked_parts(bounded.TRANSCRIPT, compressed_path(path), most)
    else:
        return
    torn, n_before = b"", 0
    for part in parts:
        *lines, torn = (torn + part).split(b"\n")
        for number, line in enumerate(lines, n_before + 1):
            try:
                exchange = _decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise UserError(f"line {number} of {path} is not an exchange: {error}") from None
            if not 0 <= exchange.game < run.info.config.n_games:
                raise UserError(f"line {number} of {path} is of game {exchange.game}, which the run does not have.")
            yield exchange
        n_before += len(lines)


def by_game(exchanges: Iterable[Exchange]) -> dict[int, list[Exchange]]:
    """Return the exchanges of each game in their order."""
    found: dict[int, list[Exchange]] = {}
    for exchange in exchanges:
        found.setdefault(exchange.game, []).append(exchange)
    return found


class Writer:
    """Appends exchanges to the transcripts of an entry; a line is on disk before anybody acts on it."""

    def __init__(self, run: Run, entry: EntryInfo):
        """Open the file, without an incomplete last line.

        Raises:
            UserError: The transcripts have their final form.
        """
        path = path_of(run, entry)
        if compressed_path(path).exists():
            raise UserError(f"{compressed_path(path)} has its final form: no game can be added.")
        make_folders(path.parent, 0o700)
        if path.exists():
            truncate_torn_tail(path)
        self._log = Appender(path)

    def add(self, exchange: Exchange) -> None:
        """Append an exchange."""
        self._log.add(_encode(exchange) + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._log.close()


def finish(run: Run, entry: EntryInfo) -> None:
    """Sort an entry's transcripts by game and compress them, without games that the run does not have."""
    path = path_of(run, entry)
    if not path.exists():
        return
    found, numbers = by_game(read(run, entry)), run.info.numbers(entry)
    lines = (_encode(exchange) + b"\n" for exchange in chain.from_iterable(found.get(game, ()) for game in numbers))
    write_atomically(compressed_path(path), _compressed(lines))
    path.unlink()


def _compressed(lines: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    for line in lines:
        yield compressor.compress(line)
    yield compressor.flush()
