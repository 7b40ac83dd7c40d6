"""Runs as pandas tables, built part by part, so that memory holds only the selected columns and a few records."""

from collections.abc import Collection, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from wordpl.core.errors import UserError
from wordpl.core.game_kinds import Measure
from wordpl.core.moves import total_epsilon
from wordpl.core.record import Record, Verdict
from wordpl.core.records import EntryInfo, Run

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves", "message", "moves")
"""The default columns of a table."""
EXTRA_COLUMNS = ("spent",)
"""Further columns: `spent`, the sum of a noisy game's epsilons whether or not it was won."""
MAX_CACHED_TOTALS = 10_000
_ENTRY_COLUMNS = ("entry", "rules", "measure")
_TYPES: dict[str, Any] = {"game": np.int64, "cost": float, "spent": float, "n_moves": np.int64, "verdict": np.int8}
_VERDICTS = {verdict: code for code, verdict in enumerate(Verdict)}


def load(run: Run, columns: Collection[str]) -> "pd.DataFrame":
    """Return a table of the games of a run with the selected columns, one row per game.

    Texts other than messages are categorical. A game takes about 10 bytes per column, so that millions of games fit
    into memory.

    Args:
        columns: Names from COLUMNS and EXTRA_COLUMNS.

    Raises:
        UserError: There is no such column.
    """
    if unknown := set(columns) - {*COLUMNS, *EXTRA_COLUMNS}:
        names = ", ".join([*COLUMNS, *EXTRA_COLUMNS])
        raise UserError(f"a run has no column {min(unknown)!r}; it has {names}.")
    tables = []
    for entry in run.entries:
        builder = EntryColumns(entry, [*columns, "game"])
        for records in run.record_blocks(entry):
            builder.add(records)
        tables.append(builder.table())
    return concatenate(tables, list(columns))


def concatenate(tables: "Sequence[pd.DataFrame]", columns: Sequence[str]) -> "pd.DataFrame":
    """Return one table with the rows of all tables and these columns; columns of categories stay categorical."""
    import pandas as pd
    from pandas.api.types import union_categoricals

    if not tables:
        return pd.DataFrame(columns=list(columns))
    merged_columns: dict[str, Any] = {}
    for name in columns:
        parts = [table[name] for table in tables]
        if isinstance(parts[0].dtype, pd.CategoricalDtype):
            merged_columns[name] = union_categoricals(parts)
        else:
            merged_columns[name] = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(merged_columns, columns=list(columns))


class EntryColumns:
    """Builds a table of one entry's games block by block."""

    def __init__(self, entry: EntryInfo, columns: Collection[str]):
        """Create an empty table.

        Args:
            columns: The names of the columns, which must include `game`.
        """
        self.entry, self.columns = entry, tuple(dict.fromkeys(columns))
        self._parts: dict[str, list[Any]] = {name: [] for name in self.columns if name not in _ENTRY_COLUMNS}
        self._codes: dict[str, int] = {}
        self._totals: dict[tuple[float, ...], float] = {}
        self._n = 0

    def add(self, records: Sequence[Record], **others: Any) -> None:
        """Append games.

        Args:
            records: The records of the games.
            others: Further columns: for each name, an array with one value per game.
        """
        self._n += len(records)
        is_noisy = self.entry.measure == Measure.BUDGET
        spent = None
        for name, parts in self._parts.items():
            if name in ("cost", "spent") and is_noisy:
                if spent is None:
                    spent = np.array([self._spent(record) for record in records], float)
                won = [record.verdict == Verdict.WON for record in records] if name == "cost" else True
                parts.append(np.where(won, spent, inf))
            elif name in others:
                parts.append(np.asarray(others[name]))
            else:
                parts.append(self._values(name, records))

    def _spent(self, record: Record) -> float:
        epsilons = tuple([move.epsilon for move in record.moves])  # type: ignore[union-attr]  # of a noisy game
        if epsilons not in self._totals:
            if len(self._totals) > MAX_CACHED_TOTALS:
                self._totals.clear()
            self._totals[epsilons] = total_epsilon(record.moves)
        return self._totals[epsilons]

    def _values(self, name: str, records: Sequence[Record]) -> Any:
        if name == "game":
            values: list[Any] = [record.game for record in records]
        elif name == "n_moves":
            values = [len(record.moves) for record in records]
        elif name in ("cost", "spent"):
            is_spent = name == "spent"
            values = [len(record.moves) if is_spent or record.verdict == Verdict.WON else inf for record in records]
        elif name == "verdict":
            values = [_VERDICTS[record.verdict] for record in records]
        elif name == "secret":
            values = [self._codes.setdefault(record.secret, len(self._codes)) for record in records]
        elif name == "message":
            return [record.message for record in records]
        else:
            return [msgspec.to_builtins(record.moves) for record in records]
        return np.array(values, _TYPES.get(name, np.int32))

    def table(self) -> "pd.DataFrame":
        """Return the table sorted by game, with one row per game."""
        import pandas as pd

        values: dict[str, Any] = {}
        for name in self.columns:
            values[name] = self._entry_column(name) if name in _ENTRY_COLUMNS else self._concatenated(name)
        table = pd.DataFrame(values, columns=list(self.columns), index=range(self._n))
        if table["game"].is_monotonic_increasing and table["game"].is_unique:
            return table
        return table.drop_duplicates("game").sort_values("game", ignore_index=True)

    def _entry_column(self, name: str) -> Any:
        import pandas as pd

        value = {"entry": self.entry.name, "rules": self.entry.game_id, "measure": str(self.entry.measure)}[name]
        return pd.Categorical.from_codes(np.zeros(self._n, np.int8), categories=pd.Index([value]))

    def _concatenated(self, name: str) -> Any:
        import pandas as pd

        parts = self._parts[name]
        if name in ("message", "moves"):
            return pd.Series([value for part in parts for value in part], dtype=object)
        values = np.concatenate(parts) if parts else np.zeros(0, _TYPES.get(name, np.int32))
        if name not in ("verdict", "secret"):
            return values
        texts = [str(verdict) for verdict in Verdict] if name == "verdict" else list(self._codes)
        return pd.Categorical.from_codes(values, categories=pd.Index(texts))
