"""Runs as pandas tables, built part by part.

Memory holds only the selected columns and a few records; the moves of many games are one column of a few bytes per
move.
"""

import builtins
from collections.abc import Collection, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from itertools import chain, repeat
from math import inf
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.extensions import ExtensionArray, ExtensionDtype
from pandas.api.types import union_categoricals

from wordpl.core import collector_paused, return_free_memory
from wordpl.core.messages import UserError
from wordpl.core.moves import LARGEST_BUDGET, NoisyMove, Verdict, budget_of
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record

Value = TypeVar("Value")


class Numbering(dict[Value, int]):
    """Maps values to numbers in the order of their first occurrence; a new value gets the next number.

    >>> numbers = Numbering()
    >>> numbers["crane"], numbers["slate"], numbers["crane"]
    (0, 1, 0)
    """

    def __missing__(self, value: Value) -> int:
        """Assign the next number to a new value, and return it."""
        number = self[value] = len(self)
        return number

    def numbers_of(self, values: Iterable[Value], n: int) -> "NDArray[np.int64]":
        """Return the numbers of n values, int64[n]."""
        return np.fromiter(map(self.__getitem__, values), np.int64, n)


Listed = list[list[Any]]
"""The moves of a game as in record files: [guess, epsilon, clues] or [guess, clues]."""


@dataclass(frozen=True, eq=False)
class FlatMoves:
    """The moves of games, one after the other, as numbers of values.

    Attributes:
        numbers: For each move, the numbers of its guess, its epsilon and its clues, uint16[3, n] if there are few
            values, otherwise uint32[3, n].
        values: The guesses, the epsilons (None for a move without one), and the clues.
    """

    numbers: NDArray[np.unsignedinteger[Any]]
    values: tuple[Sequence[Any], ...]

    def game(self, start: int, length: int) -> Listed:
        """Return the moves of the game that has `length` moves from `start` on."""
        words, prices, marks = self.values
        return [
            [words[guess], marks[clues]] if prices[epsilon] is None else [words[guess], prices[epsilon], marks[clues]]
            for guess, epsilon, clues in self.numbers[:, start : start + length].T.tolist()
        ]


class MovesBuilder:
    """Collects the moves of games block by block."""

    def __init__(self) -> None:
        """Start without games."""
        self._known: tuple[Numbering[Any], ...] = (Numbering(), Numbering(), Numbering())
        self._parts: list[NDArray[np.uint32]] = []
        self._lengths: list[NDArray[np.uint32]] = []

    def add(self, records: Sequence[Record]) -> None:
        """Append the moves of these games."""
        moves = list(chain.from_iterable(map(attrgetter("moves"), records)))
        lengths = list(map(len, map(attrgetter("moves"), records)))
        if moves and isinstance(moves[0], tuple):  # as `wordpl.verify` reads noisy moves
            self._add(lengths, zip(*moves, strict=True), len(moves))
            return
        are_noisy = bool(moves) and isinstance(moves[0], NoisyMove)
        epsilons = map(attrgetter("epsilon"), moves) if are_noisy else repeat(None, len(moves))
        columns = (map(attrgetter("guess"), moves), epsilons, map(attrgetter("clues"), moves))
        self._add(lengths, columns, len(moves))

    def add_lists(self, games: Sequence[Sequence[Sequence[Any]]]) -> None:
        """Append these moves."""
        moves = list(chain.from_iterable(games))
        epsilons = (move[1] if len(move) > 2 else None for move in moves)
        columns = (map(itemgetter(0), moves), epsilons, map(itemgetter(-1), moves))
        self._add(list(map(len, games)), columns, len(moves))

    def _add(self, lengths: list[int], columns: Iterable[Iterable[Any]], n_moves: int) -> None:
        block = np.empty((3, n_moves), np.uint32)
        for row, known, values in zip(block, self._known, columns, strict=True):
            row[:] = known.numbers_of(values, n_moves)
        self._parts.append(block)
        self._lengths.append(np.array(lengths, np.uint32))

    def column(self) -> "MovesColumn":
        """Return the moves of all games, which are then no longer kept here."""
        kind = _number_type(self._known)
        numbers = np.concatenate([np.empty((3, 0), kind), *self._parts], axis=1, dtype=kind)
        lengths = np.concatenate([np.empty(0, np.uint32), *self._lengths])
        self._parts, self._lengths = [], []
        values = tuple(list(known) for known in self._known)
        return MovesColumn(FlatMoves(numbers, values), np.cumsum(lengths, dtype=np.int64) - lengths, lengths)


def _number_type(known: Iterable[Sized]) -> type[np.unsignedinteger[Any]]:
    """Return the type of the numbers of these values."""
    return np.uint16 if max(map(len, known)) <= 1 << 16 else np.uint32


class MovesType(ExtensionDtype):
    """The type of a column of moves."""

    name = "moves"
    type = list
    na_value = None

    @classmethod
    def construct_array_type(cls) -> "builtins.type[ExtensionArray]":
        """Return the class of such columns."""
        return MovesColumn


class MovesColumn(ExtensionArray):
    """A column of a table whose values are the moves of games; a value is made when it is read.

    Attributes:
        flat: The moves of at least these games, which are never changed.
        starts: The index of the first move of each game, int64[n].
        lengths: The number of moves of each game, uint32[n].
    """

    def __init__(self, flat: FlatMoves, starts: NDArray[np.int64], lengths: NDArray[np.uint32]):
        """Create a column."""
        self.flat, self.starts, self.lengths = flat, starts, lengths

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> "MovesColumn":
        if isinstance(scalars, MovesColumn):
            return scalars
        builder = MovesBuilder()
        builder.add_lists([game or [] for game in scalars])
        return builder.column()

    @property
    def dtype(self) -> MovesType:
        """The type of the column."""
        return MovesType()

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        return int(self.starts.nbytes + self.lengths.nbytes + self.flat.numbers.nbytes)

    @property
    def guesses(self) -> Sequence[str]:
        """The guesses that at least these games have, each once."""
        return self.flat.values[0]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, key: Any) -> Any:
        """Return the moves of a game as lists, or a column of some of the games."""
        if isinstance(key, int | np.integer):
            return self.flat.game(int(self.starts[key]), int(self.lengths[key]))
        key = pd.api.indexers.check_array_indexer(self, key)
        return MovesColumn(self.flat, self.starts[key], self.lengths[key])

    def __iter__(self) -> Iterator[Listed]:
        return map(self.flat.game, self.starts.tolist(), self.lengths.tolist())

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> "MovesColumn":
        """Return the games at these positions; if `allow_fill`, -1 stands for a game without moves."""
        places = np.asarray(indices, np.intp)
        lengths = self.lengths[places]
        if allow_fill:
            lengths[places < 0] = 0
        return MovesColumn(self.flat, self.starts[places], lengths)

    def copy(self) -> "MovesColumn":
        """Return a copy, which shares the moves."""
        return MovesColumn(self.flat, self.starts.copy(), self.lengths.copy())

    def isna(self) -> NDArray[np.bool_]:
        """Return False for each game."""
        return np.zeros(len(self), bool)

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence["MovesColumn"]) -> "MovesColumn":
        known: tuple[Numbering[Any], ...] = (Numbering(), Numbering(), Numbering())
        renumbered = [
            [
                np.array([merged[value] for value in values], np.uint32)
                for merged, values in zip(known, flat, strict=True)
            ]
            for flat in (column.flat.values for column in to_concat)
        ]
        n_moves = sum(column.flat.numbers.shape[1] for column in to_concat)
        numbers = np.empty((3, n_moves), _number_type(known))
        starts, end = [], 0
        for column, numberings in zip(to_concat, renumbered, strict=True):
            part = column.flat.numbers
            for row, old, new in zip(numbers, part, numberings, strict=True):
                row[end : end + part.shape[1]] = new[old] if len(new) else old
            starts.append(column.starts + end)
            end += part.shape[1]
        lengths = np.concatenate([column.lengths for column in to_concat])
        return cls(FlatMoves(numbers, tuple(map(list, known))), np.concatenate(starts), lengths)

    def spent(self) -> NDArray[np.float64]:
        """Return the sum of the epsilons of each game, as `moves.total_epsilon` does, float[n]."""
        return budgets(self.flat.numbers[1], self.starts, self.lengths, self.flat.values[1])

    def in_order(self) -> FlatMoves:
        """Return the moves of exactly these games, in their order."""
        before = np.cumsum(self.lengths, dtype=np.int64) - self.lengths
        places = np.repeat(self.starts - before, self.lengths)
        places += np.arange(len(places))
        return FlatMoves(self.flat.numbers[:, places], self.flat.values)


def budgets(
    numbers: NDArray[np.integer[Any]],
    starts: NDArray[np.int64],
    lengths: NDArray[np.integer[Any]],
    prices: Sequence[float | None],
) -> NDArray[np.float64]:
    """Return the sum of the epsilons of each game, as `moves.total_epsilon` does, at most LARGEST_BUDGET, float[n].

    Args:
        numbers: The epsilon of each move, as a place in `prices`, int[m].
        starts: The index of the first move of each game, int[n].
        lengths: The number of its moves, int[n].
        prices: The epsilons; None stands for a move without one.
    """
    spent = np.zeros(len(lengths))
    for length in np.unique(lengths):
        games = np.flatnonzero(lengths == length)
        rows, row_of = _distinct_rows(numbers[starts[games, None] + np.arange(length)], len(prices))
        paid = ([prices[number] for number in row] for row in rows.tolist())
        sums = [budget_of([price for price in row if price is not None]) for row in paid]
        spent[games] = np.minimum(np.array(sums, float), LARGEST_BUDGET)[row_of]
    return spent


def _distinct_rows(rows: NDArray[np.integer[Any]], n_values: int) -> tuple[NDArray[np.integer[Any]], NDArray[np.int64]]:
    """Return the rows that differ, and which of them each row is; each number is below `n_values`."""
    if n_values ** rows.shape[1] >= 1 << 63:
        different, numbers = np.unique(rows, axis=0, return_inverse=True)
        return different, numbers.reshape(-1)
    keys = np.zeros(len(rows), np.int64)
    for column in rows.T:
        keys = keys * n_values + column
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], numbers


MANY_GAMES = 100_000
"""The number of games whose decoded records take so much memory that it is returned to the system."""
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


def load(entries: Iterable[tuple[EntryInfo, Iterable[Sequence[Record]]]], columns: Collection[str]) -> pd.DataFrame:
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


def with_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with texts in place of categories."""
    texts = {"entry", "rules", "measure", "facts", "secret", "verdict", "message"} & set(table.columns)
    return table.astype(dict.fromkeys(texts, str))


def rows_by(table: pd.DataFrame, column: str) -> dict[str, pd.DataFrame]:
    """Return the rows with each value of a column, in the order in which the values occur first.

    Rows are not copied if those of each value follow each other, as the games of an entry do.
    """
    codes, values = pd.factorize(table[column])
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    if 0 < len(starts) == len(values):
        ends = [*starts[1:], len(table)]
        return {str(value): table.iloc[i:j] for value, i, j in zip(values, starts, ends, strict=True)}
    return {str(value): rows for value, rows in table.groupby(column, sort=False, observed=True)}


def concatenate(tables: Sequence[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return one table with the rows of all tables and these columns; columns of categories stay categorical.

    Args:
        tables: The columns of each table by name, which are removed, so that memory holds one of them twice at most.
        columns: The names of the columns.
    """
    if not tables:
        return pd.DataFrame(columns=list(columns))
    merged: dict[str, Any] = {}
    for name in dict.fromkeys(columns):
        merged[name] = _concatenated([table.pop(name) for table in tables])
        return_free_memory()
    return pd.DataFrame(merged, columns=list(columns), copy=False)


def _concatenated(parts: list[Any]) -> Any:
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
        self._moves = MovesBuilder() if "moves" in self.names else None
        read = set(self.names) - {*_ENTRY_COLUMNS, "moves", "cost", "spent"}
        read |= {"verdict"} if "cost" in self.names else set()
        if self._moves is None and {"cost", "spent"} & set(self.names):
            read |= {"spent"}
        self._parts: dict[str, list[Any]] = {name: [] for name in sorted(read)}
        self._texts: dict[str, Numbering[str]] = {"secret": Numbering(), "message": Numbering()}
        self._n = 0

    def add(self, records: Sequence[Record]) -> None:
        """Append the games with these records."""
        self._n += len(records)
        if self._moves is not None:
            self._moves.add(records)
        for name, parts in self._parts.items():
            parts.append(self._values(name, records))

    def _values(self, name: str, records: Sequence[Record]) -> NDArray[Any]:
        """Return a column of these records, one value per game."""
        if name == "spent":
            return self._spent(records)
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
        moves = None if self._moves is None else self._moves.column()
        found: dict[str, Any] = {name: self._concatenated(name) for name in list(self._parts)}
        if "spent" not in found and {"cost", "spent"} & set(self.names) and moves is not None:
            found["spent"] = moves.spent() if self.entry.game.has_epsilon else moves.lengths.astype(float)
        if "cost" in self.names:
            found["cost"] = np.where(found["verdict"].codes == _VERDICTS[Verdict.WON], found["spent"], inf)
        found["moves"] = moves
        values = {name: found[name] if name in found else self._entry_column(name) for name in self.names}
        if self._n >= MANY_GAMES:
            return_free_memory()
        if (np.diff(values["game"]) > 0).all():
            return values
        _, first = np.unique(values["game"], return_index=True)
        return {name: column.take(first) for name, column in values.items()}

    def _entry_column(self, name: str) -> Any:
        entry = self.entry
        facts = entry.game.as_text()
        value = {"entry": entry.name, "rules": entry.game.id, "measure": entry.game.unit, "facts": facts}[name]
        return pd.Categorical.from_codes(np.zeros(self._n, np.int8), categories=pd.Index([value]))

    def _concatenated(self, name: str) -> Any:
        parts = self._parts.pop(name)
        values = np.concatenate(parts) if parts else np.zeros(0, _TYPES.get(name, np.int32))
        if name not in ("verdict", *self._texts):
            return values
        texts = [str(verdict) for verdict in Verdict] if name == "verdict" else list(self._texts[name])
        categories = pd.Index(texts) if texts else pd.Index([""])[:0]  # of texts, too, if there are no games
        return pd.Categorical.from_codes(values, categories=categories)
