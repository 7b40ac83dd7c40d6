"""Exports a run to one Parquet file, for analysis with DuckDB, pandas, Polars or R."""

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

from wordpl.core.files import draft_of, put_in_place
from wordpl.core.messages import UserError
from wordpl.core.moves import LARGEST_BUDGET
from wordpl.run.folder import Run
from wordpl.run.frame import Moves
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, cost

MISSING = 'a Parquet file needs pyarrow: pip install "wordpl[parquet]"'


def export(run: Run, path: Path, progress: Callable[[int], object] = lambda n_games: None) -> int:
    """Write the games of a run to a Parquet file in parts; return the number of games.

    The columns are those of `load_run` with `moves`, as a list of (guess, epsilon, clues) where epsilon is null in
    classic games, and also `wall_s` and `machine`, which are null if they are not known, as is `cpu_s`.

    Args:
        run: The run.
        path: The file, which is replaced if it exists.
        progress: Called with the number of games after each part.

    Raises:
        UserError: pyarrow is missing, or the file cannot be written.
    """
    if find_spec("pyarrow") is None:
        raise UserError(MISSING)
    run.require_as_sealed()
    import pyarrow
    from pyarrow import parquet

    draft, n_games = draft_of(path), 0
    try:
        with parquet.ParquetWriter(draft, _schema(pyarrow), compression="zstd") as writer:
            for entry in run.info.entries:
                for table in _tables(run, entry, pyarrow):
                    writer.write_table(table)
                    n_games += len(table)
                    progress(len(table))
        put_in_place(draft, path)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}.") from None
    finally:
        draft.unlink(missing_ok=True)
    return n_games


def _schema(pyarrow: Any) -> Any:
    text, number, integer = pyarrow.string(), pyarrow.float64(), pyarrow.int64()
    move = pyarrow.struct([("guess", text), ("epsilon", number), ("clues", text)])
    return pyarrow.schema(
        [
            *(("entry", text), ("rules", text), ("measure", text), ("game", integer), ("secret", text)),
            *(("verdict", text), ("cost", number), ("n_moves", integer), ("message", text)),
            *(("moves", pyarrow.list_(move)), ("cpu_s", number), ("wall_s", number), ("machine", text)),
        ]
    )


def _tables(run: Run, entry: EntryInfo, pyarrow: Any) -> Iterator[Any]:
    """Yield the games of an entry as tables, of several records of a game the first."""
    times = {duration.game: duration for duration in run.entry(entry).durations()}
    is_written = bytearray(run.info.config.n_games)
    for records in run.entry(entry).record_blocks():
        new = []
        for record in records:
            if not is_written[record.game]:
                new.append(record)
                is_written[record.game] = 1
        timed = [times.get(record.game) for record in new]
        columns = {
            "entry": [entry.name] * len(new),
            "rules": [entry.game.id] * len(new),
            "measure": [entry.game.unit] * len(new),
            "game": [record.game for record in new],
            "secret": [record.secret for record in new],
            "verdict": [str(record.verdict) for record in new],
            "cost": [
                inf if paid >= LARGEST_BUDGET else float(paid) for paid in (cost(record, entry.game) for record in new)
            ],
            "n_moves": [len(record.moves) for record in new],
            "message": [record.message for record in new],
            "moves": _moves(new, pyarrow),
            "cpu_s": [duration and duration.cpu_s for duration in timed],
            "wall_s": [duration and duration.wall_s for duration in timed],
            "machine": [(duration and duration.machine) or None for duration in timed],
        }
        yield pyarrow.table(columns, schema=_schema(pyarrow))


def _moves(records: Sequence[Record], pyarrow: Any) -> Any:
    """Return the moves of each game as a list of structures."""
    moves = Moves.of(records)
    guesses, clues = (pyarrow.array(texts, pyarrow.string()) for texts in (moves.guesses, moves.clues))
    epsilons = pyarrow.array(moves.epsilons, pyarrow.float64(), from_pandas=True)  # NaN becomes null
    arrays = [
        guesses.take(pyarrow.array(moves.guess_codes)),
        epsilons.take(pyarrow.array(moves.epsilon_codes)),
        clues.take(pyarrow.array(moves.clue_codes)),
    ]
    listed = pyarrow.StructArray.from_arrays(arrays, ["guess", "epsilon", "clues"])
    return pyarrow.ListArray.from_arrays(pyarrow.array(moves.starts, pyarrow.int32()), listed)
