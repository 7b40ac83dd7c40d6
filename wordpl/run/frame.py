"""Runs as pandas tables, built part by part, so that memory holds only the selected columns and a few records."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordpl.core.errors import UserError
from wordpl.core.memory import collector_paused, return_free_memory
from wordpl.core.moves import Verdict
from wordpl.core.numbering import Numbering
from wordpl.run.info import EntryInfo
from wordpl.run.moves_column import MovesBuilder, budgets
from wordpl.run.records import Record

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves", "message", "moves")
"""The default columns of a table."""
EXTRA_COLUMNS = ("spent", "facts")
"""Further columns: `spent`, the sum of a game's epsilons whether or not it was won; `facts`, the game's as JSON."""
_ENTRY_COLUMNS = ("entry", "rules", "measure", "facts")
_TYPES: dict[str, Any] = {
    "game": np.int64, "cost": float, "spent": float, "n_moves": np.int32, "verdict": np.int8,
}  # fmt: skip
_VERDICTS = {verdict: code for code, verdict in enumerate(Verdict)}


def default_columns(infos: Sequence[EntryInfo]) -> tuple[str, ...]:
    """Return the names of the default columns for these entries: with `facts` if one plays a host's own game."""
    return (*COLUMNS, "facts") if any(info.game.sha256 for info in infos) else COLUMNS


def load(entries: Iterable[tuple[EntryInfo, Iterable[Sequence[Record]]]], columns: Collection[str]) -> "pd.DataFrame":
    """Return a table of games with the selected columns, one row per game.

    Texts are categorical. A game takes about 10 bytes per column, so that millions of games fit
    into memory.

    Args:
        entries: Each entry with its records in parts.
        columns: Names from COLUMNS and EXTRA_COLUMNS.

    Raises:
        UserError: There is no such column.
    """
    if unknown := set(columns) - {*COLUMNS, *EXTRA_COLUMNS}:
        names = ", ".join([*COLUMNS, *EXTRA_COLUMNS])
        raise UserError(f"a run has no column {min(unknown)!r}; it has {names}.")
    tables = []
    with collector_paused():
        for info, blocks in entries:
            builder = EntryColumns(info, [*columns, "game"])
            for records in blocks:
                builder.add(records)
            tables.append(builder.columns_by_name())
        return concatenate(tables, list(columns))


def with_texts(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the table with texts in place of categories."""
    texts = {"entry", "rules", "measure", "facts", "secret", "verdict", "message"} & set(table.columns)
    return table.astype(dict.fromkeys(texts, str))


def rows_by(table: "pd.DataFrame", column: str) -> "dict[str, pd.DataFrame]":
    """Return the rows with each value of a column, in the order in which the values occur first.

    Rows are not copied if those of each value follow each other, as the games of an entry do.
    """
    import pandas as pd

    codes, values = pd.factorize(table[column])
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    if 0 < len(starts) == len(values):
        ends = [*starts[1:], len(table)]
        return {str(value): table.iloc[i:j] for value, i, j in zip(values, starts, ends, strict=True)}
    return {str(value): rows for value, rows in table.groupby(column, sort=False, observed=True)}


def concatenate(tables: Sequence[dict[str, Any]], columns: Sequence[str]) -> "pd.DataFrame":
    """Return one table with the rows of all tables and these columns; columns of categories stay categorical.

    Args:
        tables: The columns of each table by name, which are removed, so that memory holds one of them twice at most.
        columns: The names of the columns.
    """
    import pandas as pd

    if not tables:
        return pd.DataFrame(columns=list(columns))
    merged: dict[str, Any] = {}
    for name in dict.fromkeys(columns):
        merged[name] = _concatenated([table.pop(name) for table in tables])
        return_free_memory()
    return pd.DataFrame(merged, columns=list(columns), copy=False)


def _concatenated(parts: list[Any]) -> Any:
    import pandas as pd
    from pandas.api.types import union_categoricals

    if isinstance(parts[0], pd.Categorical):
        return union_categoricals(parts)
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return parts[0]._concat_same_type(parts)


class EntryColumns:
    """Builds a table of one entry's games block by block."""

    def __init__(self, entry: EntryInfo, columns: Collection[str]):
        """Create an empty table.

        Args:
            columns: The names of the columns, which must include `game`.
        """
        self.entry, self.names = entry, tuple(dict.fromkeys(columns))
        self._parts: dict[str, list[Any]] = {name: [] for name in self.names if name not in (*_ENTRY_COLUMNS, "moves")}
        self._moves = MovesBuilder() if "moves" in self.names else None
        self._texts: dict[str, Numbering[str]] = {"secret": Numbering(), "message": Numbering()}
        self._n = 0

    def add(self, records: Sequence[Record]) -> None:
        """Append the games with these records."""
        self._n += len(records)
        if self._moves is not None:
            self._moves.add(records)
        spent = self._spent(records) if {"cost", "spent"} & self._parts.keys() else np.zeros(0)
        for name, parts in self._parts.items():
            parts.append(spent if name == "spent" else self._values(name, records, spent))

    def _values(self, name: str, records: Sequence[Record], spent: NDArray[np.float64]) -> NDArray[Any]:
        """Return a column of these records, one value per game."""
        if name == "cost":
            won = [verdict == Verdict.WON for verdict in map(attrgetter("verdict"), records)]
            return np.where(won, spent, inf)
        if name == "n_moves":
            values: list[Any] = list(map(len, map(attrgetter("moves"), records)))
        elif name == "verdict":
            values = list(map(_VERDICTS.__getitem__, map(attrgetter("verdict"), records)))
        elif name in self._texts:
            values = list(map(self._texts[name].__getitem__, map(attrgetter(name), records)))
        else:
            values = list(map(attrgetter(name), records))
        return np.array(values, _TYPES.get(name, np.int32))

    def _spent(self, records: Sequence[Record]) -> NDArray[np.float64]:
        """Return the sum of each game's epsilons or, in a game without them, its number of guesses."""
        lengths = np.array(list(map(len, map(attrgetter("moves"), records))), np.int64)
        if not self.entry.game.has_epsilon:
            return lengths.astype(float)
        prices: Numbering[float] = Numbering()
        moves = chain.from_iterable(map(attrgetter("moves"), records))
        numbers = prices.numbers_of(map(attrgetter("epsilon"), moves), int(lengths.sum()))
        return budgets(numbers, np.cumsum(lengths) - lengths, lengths, list(prices))

    def columns_by_name(self) -> dict[str, Any]:
        """Return the columns, sorted by game, with one row per game; of several records of a game, the first counts."""
        values = {name: self._column(name) for name in self.names}
        return_free_memory()
        games, first = np.unique(values["game"], return_index=True)
        if len(games) == self._n and bool((first[1:] > first[:-1]).all()):
            return values
        return {name: column.take(first) for name, column in values.items()}

    def _column(self, name: str) -> Any:
        if name in _ENTRY_COLUMNS:
            return self._entry_column(name)
        if name == "moves" and self._moves is not None:
            return self._moves.column()
        return self._concatenated(name)

    def _entry_column(self, name: str) -> Any:
        import pandas as pd

        entry = self.entry
        facts = entry.game.as_text()
        value = {"entry": entry.name, "rules": entry.game.id, "measure": entry.game.unit, "facts": facts}[name]
        return pd.Categorical.from_codes(np.zeros(self._n, np.int8), categories=pd.Index([value]))

    def _concatenated(self, name: str) -> Any:
        import pandas as pd

        parts = self._parts.pop(name)
        values = np.concatenate(parts) if parts else np.zeros(0, _TYPES.get(name, np.int32))
        if name not in ("verdict", *self._texts):
            return values
        texts = [str(verdict) for verdict in Verdict] if name == "verdict" else list(self._texts[name])
        categories = pd.Index(texts) if texts else pd.Index([""])[:0]  # of texts, too, if there are no games
        return pd.Categorical.from_codes(values, categories=categories)
