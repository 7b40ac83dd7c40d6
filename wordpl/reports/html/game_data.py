"""Games as binary columns: all of them with verdict and cost, and the moves of as many as there is room for.

The moves of a game are told by how they differ from what the entry did before after the same clues: most entries then
do the same again, so that a bit says it. The reader is `assets/data.js`.
"""

import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core.clues import encode
from wordpl.core.records import Verdict
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.reports.board import FAULTS

VERDICTS = tuple(str(verdict) for verdict in Verdict)
MAX_COSTS = 4096
"""Different costs of an entry that are kept as they are; more are rounded to a 65535th of the largest."""
MAX_MESSAGES = 200
MESSAGE_CHARACTERS = 600
TYPES = {"uint8": "B", "uint16": "H", "uint32": "I", "float64": "d"}


@dataclass
class Columns:
    """Arrays in a row, and where each begins."""

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
    """Return facts and columns as base64 of a deflated block: the facts' length, the facts as JSON, the columns."""
    text = json.dumps({**facts, "arrays": columns.index}, sort_keys=True, separators=(",", ":"), allow_nan=False)
    head = text.encode()
    head += b" " * (-(len(head) + 8) % 8)
    block = len(head).to_bytes(8, "little") + head + b"".join(columns.parts)
    return b64encode(zlib.compress(block, 9)).decode()


@dataclass(frozen=True, eq=False)
class EntryGames:
    """The games of one entry.

    Attributes:
        name: The entry's.
        is_noisy: Whether its moves have epsilons.
        rows: Rows of `records.load_run`, in the order of the games.
    """

    name: str
    is_noisy: bool
    rows: pd.DataFrame

    @property
    def is_fault(self) -> NDArray[np.bool_]:
        """Which games ended by a fault."""
        return self.rows["verdict"].isin([str(verdict) for verdict in FAULTS]).to_numpy(bool)


def add_entry(entry: EntryGames, columns: Columns, guesses: dict[str, int], n_kept: int) -> dict[str, Any]:
    """Add an entry's games to the columns; return what the reader needs to know of them.

    Args:
        entry: The entry's games.
        columns: Where its arrays go.
        guesses: The words guessed so far with their numbers, to which its own are added.
        n_kept: Keep the moves of games with numbers below this, and of all that ended by a fault.
    """
    rows = entry.rows
    numbers = rows["game"].to_numpy(np.int64)
    codes = {verdict: at for at, verdict in enumerate(VERDICTS)}
    facts: dict[str, Any] = {
        "name": sanitize_untrusted_text(entry.name, 400),
        "noisy": entry.is_noisy,
        "n": len(rows),
        "kept": n_kept,
        "verdicts": columns.add(rows["verdict"].map(codes).to_numpy(np.uint8)),
        "lengths": columns.add(rows["n_moves"].clip(upper=65535).to_numpy(np.uint16)),
        "messages": _messages(rows),
    }
    if not np.array_equal(numbers, np.arange(len(rows))):
        facts["numbers"] = columns.add(numbers.astype(np.uint32))
    if entry.is_noisy:
        facts |= _costs(rows, columns)
    kept = np.flatnonzero((numbers < n_kept) | entry.is_fault)
    facts |= _moves([rows["moves"].iloc[at] for at in kept], entry.is_noisy, columns, guesses)
    return facts


def _messages(rows: pd.DataFrame) -> list[tuple[int, str]]:
    said = rows[rows["message"] != ""].head(MAX_MESSAGES)
    return [(int(game), sanitize_untrusted_text(str(text), MESSAGE_CHARACTERS))
            for game, text in zip(said["game"], said["message"], strict=True)]  # fmt: skip


def _costs(rows: pd.DataFrame, columns: Columns) -> dict[str, Any]:
    """Add what each game cost, won or not."""
    spent = np.array([sum(move[1] for move in moves) for moves in rows["moves"]], float)
    spent = np.where(np.isfinite(spent), spent, np.finfo(float).max)
    values, which = np.unique(np.round(spent, 9), return_inverse=True)
    if len(values) <= MAX_COSTS:
        return {"costs": columns.add(which.astype(np.uint16)), "values": columns.add(values)}
    most = float(spent.max())
    return {"costs": columns.add(np.round(spent / most * 65535).astype(np.uint16)), "most": most}


def _moves(games: Sequence[Any], is_noisy: bool, columns: Columns, guesses: dict[str, int]) -> dict[str, int]:
    """Add the moves of games: whether each is what the history foretold, else its word and epsilon; and its clue."""
    before: dict[tuple[Any, ...], tuple[int, int]] = {}
    epsilons: dict[float, int] = {}
    same, words, prices, clues = [], [], [], []
    for moves in games:
        history: tuple[Any, ...] = ()
        for move in moves:
            guess = guesses.setdefault(str(move[0]), len(guesses))
            price = epsilons.setdefault(float(move[1]), len(epsilons)) if is_noisy else 0
            shown = encode(move[-1]) if move[-1] else 0
            is_same = before.get(history) == (guess, price)
            same.append(is_same)
            if not is_same:
                before[history] = guess, price
                words.append(guess)
                prices.append(price)
            if not is_noisy or move[1] != 0:
                clues.append(shown)
            history = (*history, guess, price, shown)
    found = {
        "same": columns.add(np.packbits(np.array(same, bool), bitorder="little")),
        "words": columns.add(np.array(words, np.uint16)),
        "clues": columns.add(np.array(clues, np.uint8 if max(clues, default=0) < 256 else np.uint32)),
    }
    if is_noisy:
        found["prices"] = columns.add(np.array(prices, np.uint16 if len(epsilons) < 65536 else np.uint32))
        found["epsilons"] = columns.add(np.array(list(epsilons), float))
    return found
