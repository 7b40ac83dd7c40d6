"""The games and the moves of runs as arrays and pandas tables, built part by part.

A run is two tables: one has a row for each game, the other one for each move, and `entry` and `game` connect them.
`Moves` holds the second one as arrays, of a few bytes per move, which whoever measures moves reads. Memory holds only
the selected columns and a few records.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from math import inf, isnan
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import union_categoricals

from wordpl.core import collector_paused, return_free_memory
from wordpl.core.messages import UserError
from wordpl.core.moves import LARGEST_BUDGET, NoisyMove, Verdict, budget_of
from wordpl.run.entry import RunEntry
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record

Codes = NDArray[np.unsignedinteger[Any]]
ListedMoves = list[list[Any]]
"""The moves of a game as in record files: [guess, epsilon, clues] or [guess, clues]."""


@dataclass(frozen=True, eq=False)
class Moves:
    """The moves of n games, one game after the other, as arrays of codes: places in tuples of values.

    The moves of the game at place g have the indices starts[g] to starts[g + 1]. So its guesses are

        [moves.guesses[code] for code in moves.guess_codes[moves.starts[g] : moves.starts[g + 1]]]

    `take` and `of_games` select games, `game` returns the moves of one as lists, `place` and `round` tell for each move
    the place of its game and its number in the game. Something that depends on the guess alone is computed once for
    each of `guesses`, and spread over the moves by `guess_codes`; the same holds for epsilons and clues.

    Attributes:
        games: The numbers of the games, int[n]; ascending in the moves of an entry.
        starts: Where the moves of each game start, and where those of the last one end, int64[n + 1].
        guess_codes: The guess of each move, as a place in `guesses`, uint16[m] if there are few values, or uint32[m].
        epsilon_codes: Its epsilon, as a place in `epsilons`.
        clue_codes: Its clues, as a place in `clues`.
        guesses: The words guessed, each once, and perhaps words that only other games have.
        epsilons: The epsilons, float64[k]; NaN stands for a move without one, as in a classic game.
        clues: The texts of clues; "" stands for a move without clues, as the answer of a noisy game.
    """

    games: NDArray[np.int64]
    starts: NDArray[np.int64]
    guess_codes: Codes
    epsilon_codes: Codes
    clue_codes: Codes
    guesses: tuple[str, ...]
    epsilons: NDArray[np.float64]
    clues: tuple[str, ...]

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Moves":
        """Return the moves of the games with these records."""
        moves = list(chain.from_iterable(map(attrgetter("moves"), records)))
        lengths = list(map(len, map(attrgetter("moves"), records)))
        games = list(map(attrgetter("game"), records))
        if moves and isinstance(moves[0], tuple):  # as `wordpl.verify` reads noisy moves
            return cls._of_columns(games, lengths, *zip(*moves, strict=True))
        are_noisy = bool(moves) and isinstance(moves[0], NoisyMove)
        epsilons = map(attrgetter("epsilon"), moves) if are_noisy else repeat(None, len(moves))
        guesses, clues = (map(attrgetter(name), moves) for name in ("guess", "clues"))
        return cls._of_columns(games, lengths, guesses, epsilons, clues)

    @classmethod
    def of_lists(cls, played: Iterable[Sequence[Sequence[Any]]], games: Sequence[int] | None = None) -> "Moves":
        """Return these moves.

        Args:
            played: The moves of each game, as in record files.
            games: The numbers of the games; None: 0, 1, 2, ...
        """
        played = list(played)
        moves = list(chain.from_iterable(played))
        epsilons = (move[1] if len(move) > 2 else None for move in moves)
        numbers = range(len(played)) if games is None else games
        lengths = list(map(len, played))
        return cls._of_columns(numbers, lengths, map(itemgetter(0), moves), epsilons, map(itemgetter(-1), moves))

    @classmethod
    def _of_columns(
        cls,
        games: Sequence[int],
        lengths: Sequence[int],
        guesses: Iterable[str],
        epsilons: Iterable[float | None],
        clues: Iterable[str],
    ) -> "Moves":
        words: dict[str, int] = {}
        prices: dict[float | None, int] = {}
        texts: dict[str, int] = {}
        return cls(
            np.array(games, np.int64),
            np.cumsum([0, *lengths], dtype=np.int64),
            _codes(list(guesses), words),
            _codes(list(epsilons), prices),
            _codes(list(clues), texts),
            tuple(words),
            np.array([*prices], float),
            tuple(texts),
        )

    @classmethod
    def concatenate(cls, parts: Sequence["Moves"]) -> "Moves":
        """Return the moves of the games of all parts."""
        ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
        starts = [np.zeros(1, np.int64), *(part.starts[1:] + end for part, end in zip(parts, ends, strict=False))]
        guesses, words = _merged([(part.guess_codes, part.guesses) for part in parts])
        epsilons, prices = _merged([(part.epsilon_codes, part.epsilons.tolist()) for part in parts])
        clues, texts = _merged([(part.clue_codes, part.clues) for part in parts])
        games = np.concatenate([np.zeros(0, np.int64), *(part.games for part in parts)])
        values = (words, np.array(prices, float), texts)
        return cls(games, np.concatenate(starts), guesses, epsilons, clues, *values)

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.games)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of moves of each game, int64[n]."""
        return np.diff(self.starts)

    @property
    def place(self) -> NDArray[np.int64]:
        """The place of the game of each move among the games, int64[m]."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def round(self) -> NDArray[np.int32]:
        """The number of each move in its game, from 1, int32[m]."""
        starts = np.repeat(self.starts[:-1], self.lengths)
        return (np.arange(1, self.starts[-1] + 1) - starts).astype(np.int32)

    def take(self, places: NDArray[np.integer[Any]]) -> "Moves":
        """Return the moves of the games at these places, in this order."""
        lengths = self.lengths[places]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        moves = np.repeat(self.starts[places] - starts[:-1], lengths)
        moves += np.arange(starts[-1])
        codes = (self.guess_codes[moves], self.epsilon_codes[moves], self.clue_codes[moves])
        return Moves(self.games[places], starts, *codes, self.guesses, self.epsilons, self.clues)

    def part(self, first: int, end: int) -> "Moves":
        """Return the moves of the games at the places from `first` to `end`, which share the arrays of these."""
        starts = self.starts[first : end + 1]
        of_part = slice(starts[0], starts[-1])
        codes = (self.guess_codes[of_part], self.epsilon_codes[of_part], self.clue_codes[of_part])
        return Moves(self.games[first:end], starts - starts[0], *codes, self.guesses, self.epsilons, self.clues)

    def of_games(self, games: NDArray[np.int64]) -> "Moves":
        """Return the moves of the games with these numbers, in this order; the own numbers must be ascending."""
        return self if np.array_equal(games, self.games) else self.take(np.searchsorted(self.games, games))

    def game(self, place: int) -> ListedMoves:
        """Return the moves of the game at a place as lists."""
        return list(self._listed(*self.starts[place : place + 2].tolist()))

    def lists(self) -> list[ListedMoves]:
        """Return the moves of all games as lists."""
        moves = self._listed(0, int(self.starts[-1]))
        return [list(islice(moves, length)) for length in self.lengths.tolist()]

    def _listed(self, first: int, end: int) -> Iterator[list[Any]]:
        """Yield the moves with these indices as lists."""
        guesses, clues = (codes[first:end].tolist() for codes in (self.guess_codes, self.clue_codes))
        epsilons = self.epsilons[self.epsilon_codes[first:end]].tolist()
        for guess, epsilon, shown in zip(guesses, epsilons, clues, strict=True):
            paid = [] if isnan(epsilon) else [epsilon or 0]  # as files have it, where the 0 of an answer is an integer
            yield [self.guesses[guess], *paid, self.clues[shown]]

    def spent(self) -> NDArray[np.float64]:
        """Return the sum of the epsilons of each game, as `moves.total_epsilon` does, float[n]."""
        return budgets(self.epsilon_codes, self.starts[:-1], self.lengths, np.nan_to_num(self.epsilons, posinf=inf))

    def columns_by_name(self, entry: str) -> dict[str, Any]:
        """Return the table of the moves of an entry: its columns MOVE_COLUMNS by name, with one row per move."""
        return {
            "entry": pd.Categorical.from_codes(np.zeros(len(self.guess_codes), np.int8), categories=pd.Index([entry])),
            "game": np.repeat(self.games, self.lengths),
            "round": self.round,
            "guess": _categorical(self.guess_codes, self.guesses),
            "epsilon": self.epsilons[self.epsilon_codes],
            "clues": _categorical(self.clue_codes, self.clues),
        }


def _codes(values: Sequence[Any], known: dict[Any, int]) -> Codes:
    """Return the codes of values in the order of their first occurrence, and add new values to `known`."""
    for value in dict.fromkeys(values):
        known.setdefault(value, len(known))
    return np.fromiter(map(known.__getitem__, values), _code_type(len(known)), len(values))


def _code_type(n_values: int) -> type[np.unsignedinteger[Any]]:
    """Return the type of the codes of this number of values."""
    return np.uint16 if n_values <= 1 << 16 else np.uint32


def _merged(parts: Sequence[tuple[Codes, Sequence[Any]]]) -> tuple[Codes, tuple[Any, ...]]:
    """Return the codes of all parts for the values of all parts, each of which occurs once, and these values."""
    known: dict[Any, int] = {}
    renumbered = [_codes([None if value != value else value for value in values], known) for _, values in parts]
    kind = _code_type(len(known))
    codes = [new[old] if len(new) else old for (old, _), new in zip(parts, renumbered, strict=True)]
    return np.concatenate([np.zeros(0, kind), *codes], dtype=kind), tuple(known)


def _categorical(codes: NDArray[Any], values: Sequence[str]) -> Any:
    """Return a column of texts."""
    kind = np.int16 if len(values) < 1 << 15 else np.int32
    categories = pd.Index(values) if len(values) else pd.Index([""])[:0]  # of texts, too, if there are no rows
    return pd.Categorical.from_codes(codes.astype(kind), categories=categories)


def budgets(
    numbers: NDArray[np.integer[Any]],
    starts: NDArray[np.int64],
    lengths: NDArray[np.integer[Any]],
    prices: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the sum of the epsilons of each game, as `moves.total_epsilon` does, at most LARGEST_BUDGET, float[n].

    Args:
        numbers: The epsilon of each move, as a place in `prices`, int[m].
        starts: The index of the first move of each game, int[n].
        lengths: The number of its moves, int[n].
        prices: The epsilons, float[k].
    """
    spent = np.zeros(len(lengths))
    for length in np.unique(lengths):
        games = np.flatnonzero(lengths == length)
        rows, row_of = _distinct_rows(numbers[starts[games, None] + np.arange(length)], len(prices))
        sums = list(map(budget_of, prices[rows].tolist()))
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
COLUMNS = ("entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves", "message", "cpu_s")
"""The default columns of the table of games."""
EXTRA_COLUMNS = ("moves", "spent", "facts")
"""Further columns: the moves of a game as lists; `spent`, the sum of its epsilons whether or not it was won; `facts`,
those of its rules as JSON."""
MOVE_COLUMNS = ("entry", "game", "round", "guess", "epsilon", "clues")
"""The columns of the table of moves."""
_ENTRY_COLUMNS = ("entry", "rules", "measure", "facts")
_TYPES: dict[str, Any] = {
    "game": np.int64, "cost": float, "spent": float, "n_moves": np.int32, "verdict": np.int8,
}  # fmt: skip
_VERDICTS = {verdict: code for code, verdict in enumerate(Verdict)}


def default_columns(infos: Sequence[EntryInfo]) -> tuple[str, ...]:
    """Return the names of the default columns for these entries: with `facts` if one plays a host's own game."""
    return (*COLUMNS, "facts") if any(info.game.sha256 for info in infos) else COLUMNS


def load(entries: Iterable[RunEntry], columns: Collection[str]) -> pd.DataFrame:
    """Return a table of games with the selected columns, one row per game.

    Texts are categorical. A game takes about 10 bytes per column, so that millions of games fit
    into memory; its moves as lists take a hundred times as much.

    Args:
        entries: The entries of a run.
        columns: Names from COLUMNS and EXTRA_COLUMNS.

    Raises:
        UserError: There is no such column.
    """
    if unknown := set(columns) - {*COLUMNS, *EXTRA_COLUMNS}:
        names = ", ".join([*COLUMNS, *EXTRA_COLUMNS])
        raise UserError(f"a run has no column {min(unknown)!r}; it has {names}.")
    tables = []
    with collector_paused():
        for entry in entries:
            found, moves = _read(entry, [*columns, "game"], with_moves="moves" in columns)
            if "moves" in columns:
                found["moves"] = np.fromiter(moves.lists(), object, len(moves))
            tables.append(found)
        return concatenate(tables, list(columns))


def load_moves(entries: Iterable[RunEntry]) -> pd.DataFrame:
    """Return the table of moves of a run: MOVE_COLUMNS, one row per move; texts are categorical.

    Args:
        entries: The entries of the run.
    """
    tables = []
    with collector_paused():
        for entry in entries:
            _, moves = _read(entry, ["game"], with_moves=True)
            tables.append(moves.columns_by_name(entry.info.name))
        return concatenate(tables, MOVE_COLUMNS)


def _read(entry: RunEntry, columns: Collection[str], *, with_moves: bool) -> "tuple[dict[str, Any], Moves]":
    builder = EntryColumns(entry, columns, with_moves=with_moves)
    for records in entry.record_blocks():
        builder.add(records)
    return builder.built()


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
    return union_categoricals(parts) if isinstance(parts[0], pd.Categorical) else np.concatenate(parts)


class EntryColumns:
    """Builds the tables of one entry's games and moves block by block."""

    def __init__(self, entry: RunEntry, columns: Collection[str], *, with_moves: bool):
        """Create empty tables.

        Args:
            entry: The entry.
            columns: The names of the columns of the table of games, which must include `game`; without `moves`.
            with_moves: Whether to keep the moves.
        """
        self.entry, self.names = entry, tuple(name for name in dict.fromkeys(columns) if name != "moves")
        self._moves: list[Moves] | None = [] if with_moves else None
        read = set(self.names) - {*_ENTRY_COLUMNS, "cost", "spent", "cpu_s"}
        read |= {"verdict"} if "cost" in self.names else set()
        if not with_moves and {"cost", "spent"} & set(self.names):
            read |= {"spent"}
        self._parts: dict[str, list[Any]] = {name: [] for name in sorted(read)}
        self._texts: dict[str, dict[str, int]] = {"secret": {}, "message": {}}
        self._n = 0

    def add(self, records: Sequence[Record]) -> None:
        """Append the games with these records."""
        self._n += len(records)
        if self._moves is not None:
            self._moves.append(Moves.of(records))
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
            return _codes(list(map(attrgetter(name), records)), self._texts[name]).astype(np.int32)
        else:
            values = list(map(attrgetter(name), records))
        return np.array(values, _TYPES.get(name, np.int32))

    def _spent(self, records: Sequence[Record]) -> NDArray[np.float64]:
        """Return the sum of each game's epsilons or, in a game without them, its number of guesses."""
        lengths = np.array(list(map(len, map(attrgetter("moves"), records))), np.int64)
        if not self.entry.info.game.has_epsilon:
            return lengths.astype(float)
        prices: dict[float, int] = {}
        moves = chain.from_iterable(map(attrgetter("moves"), records))
        codes = _codes(list(map(attrgetter("epsilon"), moves)), prices)
        return budgets(codes, np.cumsum(lengths) - lengths, lengths, np.array([*prices], float))

    def built(self) -> tuple[dict[str, Any], Moves]:
        """Return the columns by name, and the moves: none if they were not kept.

        Both are sorted by game, with each game once; of several records of a game, the first counts.
        """
        moves = Moves.concatenate(self._moves or [])
        found: dict[str, Any] = {name: self._concatenated(name) for name in list(self._parts)}
        if "spent" not in found and {"cost", "spent"} & set(self.names):
            found["spent"] = moves.spent() if self.entry.info.game.has_epsilon else moves.lengths.astype(float)
        if "cost" in self.names:
            found["cost"] = np.where(found["verdict"].codes == _VERDICTS[Verdict.WON], found["spent"], inf)
        if "cpu_s" in self.names:
            found["cpu_s"] = self.entry.cpu_times()[found["game"]]
        values = {name: found[name] if name in found else self._entry_column(name) for name in self.names}
        if self._n >= MANY_GAMES:
            return_free_memory()
        if (np.diff(values["game"]) > 0).all():
            return values, moves
        _, first = np.unique(values["game"], return_index=True)
        taken = {name: column.take(first) for name, column in values.items()}
        return taken, moves if self._moves is None else moves.take(first)

    def _entry_column(self, name: str) -> Any:
        entry = self.entry.info
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
