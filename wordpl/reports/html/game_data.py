"""Packs games into binary columns: verdict and cost of all games, and the moves of as many as fit.

A move is stored as one bit if it repeats the entry's most recent move after the same history, otherwise as a word and
an epsilon. Games that ended by a fault come first, then the others by number, so that the moves of the last games can
be left out. `assets/data.js` reads this format.
"""

import json
import zlib
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core.clues import encode
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.moves import Verdict
from wordpl.core.numbering import Numbering
from wordpl.reports.board import FAULTS
from wordpl.run.moves_column import MovesColumn, MovesType

VERDICTS = tuple(str(verdict) for verdict in Verdict)
MAX_COSTS = 4096
"""The maximum number of different costs that are stored exactly; more are rounded to 1/65535 of the largest."""
ZLIB_LEVEL = 6
"""The highest level takes seven times as long, and its output is only 0.6% smaller."""
MAX_MESSAGES = 200
MESSAGE_CHARACTERS = 600
TYPES = {"uint8": "B", "uint16": "H", "uint32": "I", "float64": "d"}
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CodedMoves:
    """The moves of n games, one game after the other.

    Attributes:
        starts: The start of each game's moves and the end of the last one, int[n + 1].
        guesses: The number of the word of each move.
        prices: The index of the epsilon of each move.
        epsilons: The epsilons, some of which may not occur; 0 in classic games.
        clues: The number of the clue of each move.
        has_clues: Whether a move has a clue; the answer of a noisy game has none.
        is_same: Whether a move repeats that of the most recent earlier game with the same moves and clues so far.
    """

    starts: Integers
    guesses: NDArray[np.uint32]
    prices: NDArray[np.uint32]
    epsilons: NDArray[np.float64]
    clues: NDArray[np.uint32]
    has_clues: NDArray[np.bool_]
    is_same: NDArray[np.bool_]

    def first(self, n_games: int) -> "CodedMoves":
        """Return the moves of the first `n_games` games."""
        moves_before = slice(0, self.starts[n_games])
        return CodedMoves(
            self.starts[: n_games + 1],
            self.guesses[moves_before],
            self.prices[moves_before],
            self.epsilons,
            self.clues[moves_before],
            self.has_clues[moves_before],
            self.is_same[moves_before],
        )

    def spent(self) -> NDArray[np.float64]:
        """Return the sum of the epsilons of each game."""
        lengths = np.diff(self.starts)
        sums = np.bincount(np.repeat(np.arange(len(lengths)), lengths), self.epsilons[self.prices], len(lengths))
        return np.asarray(sums, float)


def coded_moves(games: MovesColumn, has_epsilon: bool, guesses: Numbering[str]) -> CodedMoves:
    """Return the moves of games as arrays.

    Args:
        games: The moves of each game.
        has_epsilon: Whether the moves have epsilons.
        guesses: The numbers of guessed words, to which new words are added.
    """
    flat = games.in_order()
    starts = np.concatenate([[0], np.cumsum(games.lengths, dtype=np.int64)])
    texts, prices, marks = flat.values
    used, first = np.unique(flat.numbers[0], return_index=True)
    word_numbers = np.zeros(len(texts), np.uint32)
    in_order = used[np.argsort(first)]
    word_numbers[in_order] = guesses.numbers_of([texts[number] for number in in_order], len(in_order))
    words = word_numbers[flat.numbers[0]]
    codes = np.array([encode(text) for text in marks], np.uint32)
    clues = codes[flat.numbers[2]] if len(codes) else np.zeros(0, np.uint32)
    of_price = flat.numbers[1].astype(np.uint32)
    moves = _group_numbers(words, of_price)
    epsilons = np.array(prices if has_epsilon else [0.0] * len(prices), float)
    has_clues = epsilons[of_price] != 0 if has_epsilon else np.ones(len(words), bool)
    is_same = _is_same(starts, moves, clues)
    return CodedMoves(starts, words, of_price, epsilons, clues, has_clues, is_same)


def _is_same(starts: Integers, moves: Integers, clues: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which moves repeat those of the most recent game with the same history."""
    is_same = np.zeros(len(moves), bool)
    lengths = np.diff(starts)
    games = np.flatnonzero(lengths > 0)
    history = np.zeros(len(games), np.int64)
    for round_ in range(int(lengths.max(initial=0))):
        move_indices = starts[games] + round_
        order = np.argsort(history, kind="stable")
        sorted_moves, sorted_history = moves[move_indices[order]], history[order]
        repeats = (sorted_history[1:] == sorted_history[:-1]) & (sorted_moves[1:] == sorted_moves[:-1])
        is_same[move_indices[order[1:]]] = repeats
        history = _group_numbers(_group_numbers(history, moves[move_indices]), clues[move_indices])
        goes_on = lengths[games] > round_ + 1
        games, history = games[goes_on], history[goes_on]
    return is_same


def _group_numbers(values: NDArray[Any], partners: NDArray[Any]) -> Integers:
    """Return a number for each pair of non-negative integers; equal pairs get the same number."""
    values = values.astype(np.int64) * (int(partners.max(initial=0)) + 1) + partners
    return np.asarray(pd.factorize(values)[0], np.int64)


@dataclass
class Columns:
    """Concatenated arrays with an index of their positions."""

    parts: list[bytes] = field(default_factory=list)
    index: list[tuple[str, int, int]] = field(default_factory=list)
    size: int = 0

    def add(self, values: NDArray[Any]) -> int:
        """Add an array; return its number."""
        data = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()
        self.index.append((TYPES[values.dtype.name], self.size, len(values)))
        padded = data + bytes(-len(data) % 8)
        self.parts.append(padded)
        self.size += len(padded)
        return len(self.index) - 1


def packed(facts: dict[str, Any], columns: Columns) -> str:
    """Return a compressed block as base64: the length of the facts, the facts as JSON, and the columns."""
    text = json.dumps({**facts, "arrays": columns.index}, sort_keys=True, separators=(",", ":"), allow_nan=False)
    head = text.encode()
    head += b" " * (-(len(head) + 8) % 8)
    block = len(head).to_bytes(8, "little") + head + b"".join(columns.parts)
    return b64encode(zlib.compress(block, ZLIB_LEVEL)).decode()


@dataclass(frozen=True, eq=False)
class EntryGames:
    """The games of one entry.

    Attributes:
        name: The name of the entry.
        has_epsilon: Whether its moves have epsilons.
        rows: Rows of `folder.load_run`, in the order of the games.
        order: The positions of the games, in the order in which their moves are stored.
        moves: The moves, in that order.
    """

    name: str
    has_epsilon: bool
    rows: pd.DataFrame
    order: NDArray[np.int64]
    moves: CodedMoves

    def n_stored(self, n_kept: int) -> int:
        """Return the number of games with stored moves: faults, and games with numbers below `n_kept`."""
        numbers = self.rows["game"].to_numpy()
        return int((self._faults | (numbers < n_kept)).sum())

    @cached_property
    def _faults(self) -> NDArray[np.bool_]:
        return is_fault(self.rows)

    @cached_property
    def verdicts(self) -> NDArray[np.uint8]:
        """The position of each game's verdict in VERDICTS."""
        codes = {verdict: position for position, verdict in enumerate(VERDICTS)}
        return self.rows["verdict"].map(codes).to_numpy().astype(np.uint8)

    @cached_property
    def messages(self) -> list[tuple[int, str]]:
        """The first messages with the numbers of their games."""
        with_message = self.rows[self.rows["message"] != ""].head(MAX_MESSAGES)
        return [(int(game), sanitize_untrusted_text(str(text), MESSAGE_CHARACTERS))
                for game, text in zip(with_message["game"], with_message["message"], strict=True)]  # fmt: skip

    @cached_property
    def costs(self) -> tuple[NDArray[np.uint16], NDArray[np.float64] | float]:
        """The cost of each game, won or not: indices into an array of values, or multiples of 1/65535 of a maximum."""
        costs = np.empty(len(self.rows))
        costs[self.order] = self.moves.spent()
        costs = np.where(np.isfinite(costs), costs, np.finfo(float).max)
        values, which = np.unique(np.round(costs, 9), return_inverse=True)
        if len(values) <= MAX_COSTS:
            return which.astype(np.uint16), values
        max_cost = float(costs.max())
        return np.round(costs / max_cost * 65535).astype(np.uint16), max_cost


def entry_games(name: str, has_epsilon: bool, rows: pd.DataFrame, guesses: Numbering[str]) -> EntryGames:
    """Return the games of an entry; its words are added to `guesses`, the numbers of guessed words."""
    rows = rows.sort_values("game")
    faults = is_fault(rows)
    order = np.concatenate([np.flatnonzero(faults), np.flatnonzero(~faults)])
    moves = rows["moves"].array.take(order)
    return EntryGames(name, has_epsilon, rows, order, coded_moves(as_moves(moves), has_epsilon, guesses))


def as_moves(games: Any) -> MovesColumn:
    """Return the moves of games, given as a column of a table or as lists."""
    return pd.array(games, dtype=MovesType())


def is_fault(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which games ended by a fault."""
    return rows["verdict"].isin([str(verdict) for verdict in FAULTS]).to_numpy(bool)


def add_entry(entry: EntryGames, columns: Columns, new_numbers: NDArray[np.int64], n_kept: int) -> dict[str, Any]:
    """Add an entry's games to the columns; return the facts that the reader needs.

    Args:
        entry: The games of the entry.
        columns: The columns, to which arrays are added.
        new_numbers: The number of each guessed word on the page.
        n_kept: Moves are stored for games with numbers below this, and for all faults.
    """
    rows = entry.rows
    numbers = rows["game"].to_numpy(np.int64)
    facts: dict[str, Any] = {
        "name": sanitize_untrusted_text(entry.name, 400),
        "noisy": entry.has_epsilon,
        "n": len(rows),
        "kept": n_kept,
        "verdicts": columns.add(entry.verdicts),
        "lengths": columns.add(rows["n_moves"].clip(upper=65535).to_numpy(np.uint16)),
        "messages": entry.messages,
    }
    if not np.array_equal(numbers, np.arange(len(rows))):
        facts["numbers"] = columns.add(numbers.astype(np.uint32))
    if entry.has_epsilon:
        facts |= _costs(entry, columns)
    return facts | _moves(entry.moves.first(entry.n_stored(n_kept)), entry.has_epsilon, columns, new_numbers)


def _costs(entry: EntryGames, columns: Columns) -> dict[str, Any]:
    """Add the cost of each game, won or not."""
    costs, values = entry.costs
    fields: dict[str, Any] = {"costs": columns.add(costs)}
    return fields | ({"most": values} if isinstance(values, float) else {"values": columns.add(values)})


def _moves(moves: CodedMoves, has_epsilon: bool, columns: Columns, new_numbers: NDArray[np.int64]) -> dict[str, int]:
    """Add the bits of repeated moves, the words and epsilons of the others, and all clues."""
    is_stored = ~moves.is_same
    clues = moves.clues[moves.has_clues]
    fields = {
        "same": columns.add(np.packbits(moves.is_same, bitorder="little")),
        "words": columns.add(new_numbers[moves.guesses[is_stored]].astype(np.uint16)),
        "clues": columns.add(clues.astype(np.uint8 if clues.max(initial=0) < 256 else np.uint32)),
    }
    if has_epsilon:
        used_epsilons, prices = np.unique(moves.epsilons[moves.prices[is_stored]], return_inverse=True)
        fields["prices"] = columns.add(prices.astype(np.uint16 if len(used_epsilons) < 65536 else np.uint32))
        fields["epsilons"] = columns.add(used_epsilons)
    return fields
