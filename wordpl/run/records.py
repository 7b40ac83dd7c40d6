"""The records of games and their files: lines of JSON, and the duration of each game in a table of its own.

A finished run has `records/ENTRY.jsonl.gz` in place of a large `records/ENTRY.jsonl`, and the same for durations.
Functions take the path of the plain file and read the compressed one if the plain file does not exist. Digests always
cover the decompressed bytes. The gzip header contains no time stamp, so that equal games give equal files.
"""

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import chain
from math import inf
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from wordpl.core import bounded
from wordpl.core.bounded import GZIP_WINDOW
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.core.moves import LARGEST_BUDGET, ClassicMove, GameFacts, Move, MoveForm, NoisyMove, Verdict, total_epsilon

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SUFFIX = ".gz"
MIN_COMPRESSED_BYTES = 1 << 20
"""The size from which files are compressed; small files are more convenient uncompressed."""
LEVEL = 5
"""The compression level; level 6 takes twice as long and saves 4 %."""
MAX_RECORDS = 10_000_000
"""The maximum number of records in a compressed file whose run.json is unknown."""
SPARE_LINES = 1000
"""The number of lines that a file may have more than games, as those of an interrupted run may be torn."""
WALL_SHARE = 0.5
"""The share of a game's wall time that counts at least towards an entry's limit for all games, so that nobody waits for
an entry that sleeps; a busy machine doubles the wall time of an honest one at most."""
DURATIONS_HEADER = "game;cpu_s;wall_s;machine;start_s"
MAX_LINES_PER_GAME = 4
"""A game that was replayed has several lines of durations."""


class Replay(StrEnum):
    """What differed from the run when a game was repeated."""

    SECRET = "another secret"  # with the clues of the run
    SECRET_AND_SEED = "another secret and strategy seed"  # the same, in runs of the format wordpl-run/2
    DRAWS = "other noise and strategy seed"  # both from the fresh seed `RunInfo.repeats_seed`


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened in one game.

    Attributes:
        game: The number of the game.
        secret: The secret word; empty in games without one.
        moves: The moves with their clues, see `wordpl.core.moves`; in a noisy game the last one is the answer.
        verdict: How the game ended.
        message: What went wrong, if something did.
        replay: What differed, if the game was repeated; None in the run, and in repetitions where nothing differed.
    """

    game: int
    secret: str
    moves: Sequence[Move]
    verdict: Verdict
    message: str = ""
    replay: Replay | None = None


class UncheckedRecord(Record, frozen=True, omit_defaults=True):
    """A record from an untrusted source: its moves may be any JSON values."""

    moves: list[Any]


class _NoisyLine(Record, frozen=True, omit_defaults=True):
    moves: list[NoisyMove]


class _ClassicLine(Record, frozen=True, omit_defaults=True):
    moves: list[ClassicMove]


class Summary(msgspec.Struct, frozen=True):
    """The number of a game and how it ended, which is faster to decode than the whole record."""

    game: int
    verdict: Verdict


class Duration(msgspec.Struct, frozen=True):
    """The time that an entry took for one game.

    Attributes:
        game: The number of the game.
        cpu_s: CPU time; None if the system does not report it.
        wall_s: Wall time.
        machine: The name of the worker that played the game, as in run.json; "" for the host's own machine.
        start_s: CPU time of starting and warming up a process, or a share of its wall time if that is longer, if the
            game needed a new one because the previous process had failed; 0 otherwise.
    """

    game: int
    cpu_s: float | None
    wall_s: float
    machine: str = ""
    start_s: float = 0.0

    @property
    def charged_s(self) -> float:
        """The time in seconds that counts towards the entry's limit for all games: of waiting, a share does."""
        return self.start_s + max(self.game_s, WALL_SHARE * self.wall_s)

    @property
    def game_s(self) -> float:
        """The CPU time of the game in seconds, or its wall time if the system does not report CPU times."""
        return self.wall_s if self.cpu_s is None else self.cpu_s


START = b'{"game":'
"""How the line of a record begins as the host writes it."""
MAX_DIGITS = 20
"""The number of digits of a game that are read; Python refuses to read thousands."""
MARKS = frozenset(".ic")
TOO_DEEP = "it is nested too deep"
_encoder = msgspec.json.Encoder()
_decode_summary = msgspec.json.Decoder(Summary).decode
_decode_summaries = msgspec.json.Decoder(list[Summary]).decode
_decode_line = {
    MoveForm.NOISY: msgspec.json.Decoder(_NoisyLine).decode,
    MoveForm.CLASSIC: msgspec.json.Decoder(_ClassicLine).decode,
}
_decode_lines: dict[MoveForm, Callable[[bytes], Sequence[Record]]] = {
    MoveForm.NOISY: msgspec.json.Decoder(list[_NoisyLine]).decode,
    MoveForm.CLASSIC: msgspec.json.Decoder(list[_ClassicLine]).decode,
}
_FIELDS = attrgetter(*Record.__struct_fields__)


def encode(record: Record) -> bytes:
    """Return the line of the file for a record."""
    return _encoder.encode(record) + b"\n"


def decode(line: bytes, form: MoveForm) -> Record:
    """Return the record on a line of a file.

    Args:
        line: The line.
        form: The form of the game's moves.

    Raises:
        msgspec.DecodeError, UnicodeDecodeError: The line is not the record of such a game.
    """
    try:
        return plain(_decode_line[form](line))
    except RecursionError:
        raise msgspec.DecodeError(TOO_DEEP) from None


def summarize(line: bytes) -> Summary:
    """Return the summary of the record on a line.

    Raises:
        msgspec.DecodeError, UnicodeDecodeError: The line is not a record.
    """
    try:
        return _decode_summary(line)
    except RecursionError:
        raise msgspec.DecodeError(TOO_DEEP) from None


def summarize_together(lines: Sequence[bytes]) -> list[Summary]:
    """Return the summaries of the records on these lines; none if there is a line without a record.

    This takes a third of the time of `summarize` for each line.
    """
    try:
        summaries = _decode_summaries(b"[%b]" % b",".join(lines))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    return summaries if len(summaries) == len(lines) else []


def game_of(line: bytes) -> int:
    """Return the number of the game of a line, -1 if it is torn or no record; other faults of it are not noticed."""
    number = line[len(START) : line.find(b",")]
    if line.startswith(START) and line.endswith(b"}\n") and number.isdigit() and len(number) <= MAX_DIGITS:
        return int(number)
    try:
        return summarize(line).game
    except (msgspec.DecodeError, UnicodeDecodeError):
        return -1


def cost(record: Record, game: GameFacts) -> float:
    """Return the cost of a won game, the sum of its epsilons or its number of guesses; infinity if it was not won."""
    if record.verdict != Verdict.WON:
        return inf
    return min(total_epsilon(record.moves), LARGEST_BUDGET) if game.has_epsilon else len(record.moves)


def is_torn(line: bytes) -> bool:
    """Return whether the line is not valid JSON, because the process that wrote it was killed in between."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    except RecursionError:  # it is whole, but no record
        return False
    return False


def compressed_path(path: Path) -> Path:
    """Return the path of the compressed form of a file."""
    return path.with_name(f"{path.name}{SUFFIX}")


def parts(path: Path, max_lines: int) -> Iterator[bytes]:
    """Yield the uncompressed content of a file in parts of about a MiB, so that reading takes little memory.

    Args:
        path: The path of the plain file; the compressed file is read if there is no plain one.
        max_lines: The maximum number of lines according to run.json. Decompression stops when the content exceeds what
            so many lines can hold, which protects against decompression bombs.

    Raises:
        UserError: The compressed file is damaged or too large.
    """
    compressed = compressed_path(path)
    if os.path.lexists(path):
        yield from bounded.read_parts(bounded.RECORDS, path, max_lines + SPARE_LINES)
    elif os.path.lexists(compressed):
        yield from bounded.read_unpacked_parts(bounded.RECORDS, compressed, max_lines)


def blocks(path: Path, max_lines: int) -> Iterator[list[bytes]]:
    """Yield lists of lines of a file with their newlines; an incomplete last line is omitted.

    Arguments and errors are those of `parts`.
    """
    unfinished = b""
    for part in parts(path, max_lines):
        lines, newline, tail = part.rpartition(b"\n")
        if newline:
            yield (unfinished + lines + newline).splitlines(keepends=True)
            unfinished = tail
        else:
            unfinished += part


def compress(path: Path, min_bytes: int = MIN_COMPRESSED_BYTES) -> None:
    """Replace a file by its compressed form, if it has at least `min_bytes`."""
    if not path.exists() or path.stat().st_size < min_bytes:
        return
    write_atomically(compressed_path(path), _compressed_parts(path))
    path.unlink()


def _compressed_parts(path: Path) -> Iterator[bytes]:
    """Yield the gzip form of a file, with neither a name nor a time stamp in its header."""
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    for part in parts(path, MAX_RECORDS * MAX_LINES_PER_GAME * SPARE_LINES):
        yield compressor.compress(part)
    yield compressor.flush()


def read_records(path: Path, kind: MoveForm, max_lines: int = MAX_RECORDS) -> Iterator[Record]:
    """Yield the records of a file one by one; see `record_blocks`."""
    return map(plain, chain.from_iterable(record_blocks(path, kind, max_lines)))


def plain(record: Record) -> Record:
    """Return the same record as an instance of `Record` itself, which equals other such records."""
    return Record(*_FIELDS(record))


def record_blocks(path: Path, kind: MoveForm, max_lines: int = MAX_RECORDS) -> Iterator[Sequence[Record]]:
    """Yield lists of the records of a file in the order of its lines, without torn lines; none if there is no file.

    They are instances of a subclass, see `plain`.

    Args:
        path: The path of the plain file; the compressed file is read if there is no plain one.
        kind: The kind of the games.
        max_lines: The maximum number of records in a compressed file, see `parts`.

    Raises:
        UserError: A line is not a record.
    """
    n_before = 0
    for lines in blocks(path, max_lines):
        yield _decoded_together(lines, kind) or _decoded_singly(lines, kind, n_before, path)
        n_before += len(lines)


def _decoded_together(lines: Sequence[bytes], kind: MoveForm) -> Sequence[Record]:
    """Return the records on these lines; none if there is a line without a record."""
    try:
        decoded = _decode_lines[kind](b"[%b]" % b",".join(lines))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    return decoded if len(decoded) == len(lines) else []


def decode_written(lines: Sequence[bytes], form: MoveForm) -> Sequence[Record]:
    """Return the records on these lines; none if the host would not have written one of them like this."""
    found = _decoded_together(lines, form)
    return found if _encoder.encode_lines(found) == b"".join(lines) else []


def _decoded_singly(lines: Sequence[bytes], kind: MoveForm, n_before: int, path: Path) -> Sequence[Record]:
    """Return the records on these lines without those of torn lines.

    Raises:
        UserError: A line is not a record.
    """
    found = []
    for number, line in enumerate(lines, n_before + 1):
        try:
            found.append(decode(line, kind))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if not is_torn(line):
                raise UserError(f"line {number} of {path} is not a record: {error}") from None
    return found


def require_sound(found: Sequence[Record], n_games: int, path: Path) -> None:
    """Check that records have what every reader relies on: numbers of games, and moves with fitting values.

    Whether the moves follow from the seed and the rules is the task of `wordpl.verify`.

    Args:
        found: The records.
        n_games: The number of games of the run.
        path: Where they are, for the message.

    Raises:
        UserError: A record does not have it.
    """
    moves = list(chain.from_iterable(map(attrgetter("moves"), found)))
    clues, words = set(map(attrgetter("clues"), moves)), set(map(attrgetter("guess"), moves))
    epsilons = set(map(attrgetter("epsilon"), moves)) if moves and isinstance(moves[0], NoisyMove) else set()
    lengths = {*map(len, words), *map(len, clues - {""}), *map(len, {record.secret for record in found} - {""})}
    are_moves = len(lengths) <= 1 and MARKS.issuperset(chain.from_iterable(clues))
    if are_moves and all(0 <= epsilon < inf for epsilon in epsilons):
        found = [record for record in found if not 0 <= record.game < n_games]
    for record in found:
        if problem := _problem(record, n_games):
            raise UserError(f"{path}: {problem}.")


def _problem(record: Record, n_games: int) -> str:
    """Return what no reader can make sense of in a record, "" if there is nothing."""
    if not 0 <= record.game < n_games:
        return f"a record is of game {record.game}; the run has games 0 to {n_games - 1}"
    for number, move in enumerate(record.moves, 1):
        where, length = f"move {number} of game {record.game}", len(move.guess)
        if record.secret and length != len(record.secret):
            return f"{where} is {move.guess!r}, which has another length than the secret"
        if move.clues and (len(move.clues) != length or not MARKS.issuperset(move.clues)):
            return f"{where} has the clues {move.clues!r} in place of {length} marks, each '.', 'i' or 'c'"
        if isinstance(move, NoisyMove) and not 0 <= move.epsilon < inf:
            return f"{where} has the epsilon {move.epsilon:g} in place of a finite number of at least 0"
    return ""


def encode_duration(duration: Duration) -> bytes:
    """Return the line of the file for a duration."""
    cpu = "" if duration.cpu_s is None else f"{duration.cpu_s:.6f}"
    return f"{duration.game};{cpu};{duration.wall_s:.6f};{duration.machine};{duration.start_s:.6f}\n".encode()


def written_durations(path: Path, numbers: range) -> tuple[bytes, float]:
    """Return the lines of a file of durations without its header, and the time in seconds that counts.

    They are empty if a line is not as the host writes it, or is of a game that is not one of `numbers`.

    Args:
        path: The plain file.
        numbers: The numbers of the games.
    """
    text = b"".join(parts(path, 1 + MAX_LINES_PER_GAME * len(numbers))).removeprefix(f"{DURATIONS_HEADER}\n".encode())
    fields = text.replace(b"\n", b";").split(b";")
    try:
        times_s = zip(fields[1::5], fields[2::5], strict=True)
        charged_s = [max(float(cpu or wall), WALL_SHARE * float(wall)) for cpu, wall in times_s]
        charged_s += map(float, fields[4::5])
        is_sound = set(map(int, fields[:-1:5])) <= set(numbers) and len(fields) == 5 * text.count(b"\n") + 1
    except ValueError:
        return b"", 0.0
    is_sound &= not any(fields[3::5]) and all(0 <= time_s < inf for time_s in charged_s)
    return (text, sum(charged_s)) if is_sound else (b"", 0.0)


def read_durations(path: Path, n_games: int) -> Iterator[Duration]:
    """Yield the durations in a plain or compressed file, skipping invalid lines.

    Args:
        path: The plain file.
        n_games: The maximum number of games of the entry.
    """
    for line in chain.from_iterable(blocks(path, 1 + MAX_LINES_PER_GAME * n_games)):
        if (duration := _decode_duration(line)) is not None:
            yield duration


def cpu_times(path: Path, n_games: int) -> "NDArray[np.float64]":
    """Return the CPU time of each game in seconds, float[n_games], NaN if it is unknown.

    If a game has several lines, the last one counts. This takes a third of the time of `read_durations`.

    Args:
        path: As for `read_durations`.
        n_games: The number of games of the entry.
    """
    import numpy as np

    all_times = np.full(n_games, np.nan)
    for lines in blocks(path, 1 + MAX_LINES_PER_GAME * n_games):
        games, times = _columns(lines)
        is_known = (games >= 0) & (games < n_games) & ~np.isnan(times)
        all_times[games[is_known]] = times[is_known]
    return all_times


def _columns(lines: list[bytes]) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """Return the games and CPU times on these lines."""
    import numpy as np

    rows = lines[1:] if lines[0].startswith(b"game;") else lines
    fields = b"".join(rows).replace(b"\n", b";").split(b";")
    try:
        if len(fields) != 5 * len(rows) + 1:
            raise ValueError("a line ends too early")
        for wall, start in zip(fields[2::5], fields[4::5], strict=True):
            float(wall), float(start)
        games = np.array([*map(int, fields[:-1:5])], np.int64)
        return games, np.array([float(cpu or "nan") for cpu in fields[1::5]])
    except (ValueError, OverflowError):  # a torn line, or no line
        durations = [duration for row in rows if (duration := _decode_duration(row)) is not None]
        timed = [duration for duration in durations if duration.cpu_s is not None]
        games = np.array([duration.game for duration in timed], np.int64)
        return games, np.array([duration.cpu_s for duration in timed], float)


def _decode_duration(line: bytes) -> Duration | None:
    try:
        game, cpu, wall, machine, start = line.decode("utf-8", "replace").rstrip("\n").split(";")
        return Duration(int(game), float(cpu) if cpu else None, float(wall), machine, float(start))
    except ValueError:  # the header, or a torn line
        return None
