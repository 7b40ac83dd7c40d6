"""Estimates the probability of winning from the records of games, with as little variance as possible.

Whether a noisy game is won is a random event whose probability is known from its clues: the posterior probability of
the proposed answer. For entries that always make the same number of guesses with the same epsilons and then propose
the likeliest word, the probability of winning just before the last clue has even less variance. All these estimates
have the same mean (Rao-Blackwell).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl import games
from wordpl.contest.enumeration import TOLERANCE
from wordpl.contest.win_rate import WinChances
from wordpl.core.moves import Verdict, noisy, total_epsilon
from wordpl.core.words import WordLists
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record
from wordpl.stats.clue_luck import LuckMeter

Floats = NDArray[np.float64]
MAX_EARLY_LOSS = 0.1
"""The loss by bad luck after which the luck of later clues of a game is left out, which bounds it."""
ANSWERED = (Verdict.WON, Verdict.WRONG)
"""Verdicts of games that ended with an answer of the entry."""


class ChanceKind(StrEnum):
    """How the probability of winning is estimated from a game."""

    COUNTED = "counted"
    BY_ANSWER = "by answer"
    BEFORE_LAST = "before the last clue"


@dataclass(frozen=True)
class GameValues:
    """The results of n games of an entry.

    Attributes:
        spent: Sum of the epsilons, or number of guesses, of each game, won or lost, float[n].
        won: Whether the game was won, bool[n].
        by_answer: Posterior probability of the answer, 0 without an answer, float[n]. In a classic game 1 for a win.
        before_last: Probability of winning before the last clue, float[n].
        n_moves: Number of moves, int[n].
        is_likeliest: Whether the game ended with the likeliest word as the answer, bool[n].
        has_epsilon: Whether guesses have an epsilon.
    """

    spent: Floats
    won: NDArray[np.bool_]
    by_answer: Floats
    before_last: Floats
    n_moves: NDArray[np.int64]
    is_likeliest: NDArray[np.bool_]
    has_epsilon: bool

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.spent)

    def __getitem__(self, part: slice) -> "GameValues":
        """Return the results of a slice of the games."""
        return _values_from_arrays([getattr(self, name)[part] for name in _ARRAYS], self.has_epsilon)

    def __add__(self, more: "GameValues") -> "GameValues":
        """Return the results of these games, followed by those of `more`."""
        joined = [np.concatenate([getattr(self, name), getattr(more, name)]) for name in _ARRAYS]
        return _values_from_arrays(joined, self.has_epsilon)

    @property
    def has_one_shape(self) -> bool:
        """Whether all games have the same number of moves and the same cost, and end with the likeliest word."""
        if not len(self) or self.n_moves[0] < 2:
            return False
        same = (self.n_moves == self.n_moves[0]).all() and np.allclose(self.spent, self.spent[0], rtol=1e-9)
        return bool(same and self.is_likeliest.all())

    @property
    def kind(self) -> ChanceKind:
        """The estimate of the probability of winning with the least variance."""
        if not self.has_epsilon:
            return ChanceKind.COUNTED
        return ChanceKind.BEFORE_LAST if self.has_one_shape else ChanceKind.BY_ANSWER

    def chances(self, kind: ChanceKind | None = None) -> Floats:
        """Return the probability of winning each game, float[n].

        Args:
            kind: How it is estimated. By default the way with the least variance.
        """
        kind = kind or self.kind
        if kind == ChanceKind.COUNTED:
            return self.won.astype(float)
        return self.before_last if kind == ChanceKind.BEFORE_LAST else self.by_answer


_ARRAYS = ("spent", "won", "by_answer", "before_last", "n_moves", "is_likeliest")


def _values_from_arrays(arrays: Sequence[NDArray[Any]], has_epsilon: bool) -> GameValues:
    """Return the results with these arrays, in the order of `_ARRAYS`."""
    fields: dict[str, Any] = dict(zip(_ARRAYS, arrays, strict=True))
    return GameValues(**fields, has_epsilon=has_epsilon)


def values_from_rows(rows: Sequence[tuple[Any, ...]], has_epsilon: bool) -> GameValues:
    """Return the results of games that are given as rows of fields, in the order of `GameValues`."""
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * len(_ARRAYS)
    kinds = (float, bool, float, float, np.int64, bool)
    return _values_from_arrays(
        [np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)], has_epsilon
    )


class ValueReader:
    """Computes the results of one entry's games from their records.

    Attributes:
        has_epsilon: Whether guesses of the entry's game have an epsilon.
    """

    def __init__(self, entry: EntryInfo, lists: WordLists):
        """Prepare the clue tables of the entry's game."""
        game = games.game_class(entry.game)
        self.has_epsilon = game.facts.has_epsilon
        self._chances = WinChances(game(lists)) if self.has_epsilon else None
        self._meter = LuckMeter(lists, game.clue_rule) if self._chances and self._chances.has_kernels else None

    def read(self, records: Sequence[Record]) -> GameValues:
        """Return the results of these games, in their order."""
        rows = [self._noisy(record) if self.has_epsilon else self._classic(record) for record in records]
        return values_from_rows(rows, self.has_epsilon)

    def early_luck(self, records: Sequence[Record]) -> Floats:
        """Return the luck of all clues of each game but the last, float[n]; each has mean zero and is at least -1.1.

        Once their sum is below -MAX_EARLY_LOSS, later clues of a game are left out. The sum is also at most the
        probability of the likeliest answer before the last clue.
        """
        found = np.zeros(len(records))
        if self._meter is None or not records:
            return found
        luck = self._meter.measure([[move.arguments for move in noisy(record.moves)] for record in records])
        counts, reached = np.diff(luck.starts), np.ones(len(records), bool)
        for position in range(int(counts.max(initial=0)) - 1):
            reached &= (counts > position + 1) & (found >= -MAX_EARLY_LOSS)
            found[reached] += luck.luck[luck.starts[:-1][reached] + position]
        return found

    def _classic(self, record: Record) -> tuple[float, bool, float, float, int, bool]:
        is_won = record.verdict == Verdict.WON
        return float(len(record.moves)), is_won, float(is_won), float(is_won), len(record.moves), is_won

    def _noisy(self, record: Record) -> tuple[float, bool, float, float, int, bool]:
        spent, n_moves = float(total_epsilon(record.moves)), len(record.moves)
        if record.verdict not in ANSWERED or self._chances is None:
            return spent, False, 0.0, 0.0, n_moves, False
        chance, chance_before = self._chances.of(record)
        largest = self._chances.posterior(noisy(record.moves)[:-1]).max()
        is_likeliest = chance >= largest * (1 - TOLERANCE)
        return spent, record.verdict == Verdict.WON, chance, chance_before, n_moves, bool(is_likeliest)
