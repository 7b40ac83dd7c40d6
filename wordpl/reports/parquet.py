"""Exports a run to one Parquet file, for analysis with DuckDB, pandas, Polars or R."""

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wordpl.core.messages import UserError
from wordpl.core.moves import NoisyMove
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Duration, Record, cost

MISSING = 'a Parquet file needs pyarrow: pip install "wordpl[parquet]"'


def export(run: Run, path: Path, progress: Callable[[int], object] = lambda n_games: None) -> int:
    """Write the games of a run to a Parquet file in parts; return the number of games.

    The columns are those of `load_run`, with `moves` as a list of (guess, epsilon, clues), where epsilon is null in
    classic games, and also `cpu_s`, `wall_s` and `machine`, which are null if they are not known.

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

    draft, n_games = path.with_name(f".{path.name}.new"), 0
    try:
        with parquet.ParquetWriter(draft, _schema(pyarrow), compression="zstd") as writer:
            for entry in run.info.entries:
                for rows in _parts(run, entry):
                    writer.write_table(pyarrow.Table.from_pylist(rows, schema=_schema(pyarrow)))
                    n_games += len(rows)
                    progress(len(rows))
        draft.replace(path)
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


def _parts(run: Run, entry: EntryInfo) -> Iterator[list[dict[str, Any]]]:
    times = {duration.game: duration for duration in run.entry(entry).durations()}
    is_written = bytearray(run.info.config.n_games)
    for records in run.entry(entry).record_blocks():
        new = []
        for record in records:
            if not is_written[record.game]:
                new.append(record)
                is_written[record.game] = 1
        yield [_row(entry, record, times.get(record.game)) for record in new]


def _row(entry: EntryInfo, record: Record, duration: Duration | None) -> dict[str, Any]:
    times = {} if duration is None else {"cpu_s": duration.cpu_s, "wall_s": duration.wall_s}
    return {
        "entry": entry.name,
        "rules": entry.game.id,
        "measure": entry.game.unit,
        "game": record.game,
        "secret": record.secret,
        "verdict": str(record.verdict),
        "cost": float(cost(record, entry.game)),
        "n_moves": len(record.moves),
        "message": record.message,
        "moves": _moves(record.moves),
        "machine": duration.machine if duration is not None and duration.machine else None,
        **times,
    }


def _moves(moves: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {"guess": move.guess, "epsilon": move.epsilon if isinstance(move, NoisyMove) else None, "clues": move.clues}
        for move in moves
    ]
