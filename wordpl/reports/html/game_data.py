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

from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.records import Verdict
from wordpl.reports.board import FAULTS
from wordpl.reports.html.coded_moves import CodedMoves, coded_moves
from wordpl.stats.text_numbers import TextNumbers

VERDICTS = tuple(str(verdict) for verdict in Verdict)
MAX_COSTS = 4096
"""The maximum number of different costs that are stored exactly; more are rounded to 1/65535 of the largest."""
ZLIB_LEVEL = 6
"""The highest level takes seven times as long, and its output is only 0.6% smaller."""
MAX_MESSAGES = 200
MESSAGE_CHARACTERS = 600
TYPES = {"uint8": "B", "uint16": "H", "uint32": "I", "float64": "d"}


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
        is_noisy: Whether its moves have epsilons.
        rows: Rows of `run_records.load_run`, in the order of the games.
        order: The positions of the games, in the order in which their moves are stored.
        moves: The moves, in that order.
    """

    name: str
    is_noisy: bool
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
        codes = {verdict: at for at, verdict in enumerate(VERDICTS)}
        return self.rows["verdict"].map(codes).to_numpy().astype(np.uint8)

    @cached_property
    def messages(self) -> list[tuple[int, str]]:
        """The first messages with the numbers of their games."""
        said = self.rows[self.rows["message"] != ""].head(MAX_MESSAGES)
        return [(int(game), sanitize_untrusted_text(str(text), MESSAGE_CHARACTERS))
                for game, text in zip(said["game"], said["message"], strict=True)]  # fmt: skip

    @cached_property
    def costs(self) -> tuple[NDArray[np.uint16], NDArray[np.float64] | float]:
        """The cost of each game, won or not: indices into an array of values, or multiples of 1/65535 of a maximum."""
        spent = np.empty(len(self.rows))
        spent[self.order] = self.moves.spent()
        spent = np.where(np.isfinite(spent), spent, np.finfo(float).max)
        values, which = np.unique(np.round(spent, 9), return_inverse=True)
        if len(values) <= MAX_COSTS:
            return which.astype(np.uint16), values
        most = float(spent.max())
        return np.round(spent / most * 65535).astype(np.uint16), most


def entry_games(name: str, is_noisy: bool, rows: pd.DataFrame, guesses: TextNumbers) -> EntryGames:
    """Return the games of an entry; its words are added to `guesses`, the numbers of guessed words."""
    rows = rows.sort_values("game")
    faults = is_fault(rows)
    order = np.concatenate([np.flatnonzero(faults), np.flatnonzero(~faults)])
    moves = rows["moves"].tolist()
    return EntryGames(name, is_noisy, rows, order, coded_moves([moves[at] for at in order], is_noisy, guesses))


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
        "noisy": entry.is_noisy,
        "n": len(rows),
        "kept": n_kept,
        "verdicts": columns.add(entry.verdicts),
        "lengths": columns.add(rows["n_moves"].clip(upper=65535).to_numpy(np.uint16)),
        "messages": entry.messages,
    }
    if not np.array_equal(numbers, np.arange(len(rows))):
        facts["numbers"] = columns.add(numbers.astype(np.uint32))
    if entry.is_noisy:
        facts |= _costs(entry, columns)
    return facts | _moves(entry.moves.first(entry.n_stored(n_kept)), entry.is_noisy, columns, new_numbers)


def _costs(entry: EntryGames, columns: Columns) -> dict[str, Any]:
    """Add the cost of each game, won or not."""
    costs, values = entry.costs
    found: dict[str, Any] = {"costs": columns.add(costs)}
    return found | ({"most": values} if isinstance(values, float) else {"values": columns.add(values)})


def _moves(moves: CodedMoves, is_noisy: bool, columns: Columns, new_numbers: NDArray[np.int64]) -> dict[str, int]:
    """Add the bits of repeated moves, the words and epsilons of the others, and all clues."""
    is_stored = ~moves.is_same
    clues = moves.clues[moves.has_clues]
    found = {
        "same": columns.add(np.packbits(moves.is_same, bitorder="little")),
        "words": columns.add(new_numbers[moves.guesses[is_stored]].astype(np.uint16)),
        "clues": columns.add(clues.astype(np.uint8 if clues.max(initial=0) < 256 else np.uint32)),
    }
    if is_noisy:
        used, prices = np.unique(moves.epsilons[is_stored], return_inverse=True)
        found["prices"] = columns.add(prices.astype(np.uint16 if len(used) < 65536 else np.uint32))
        found["epsilons"] = columns.add(used)
    return found
