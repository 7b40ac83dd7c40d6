"""What a game is worth when two entries are compared: the probability of winning, and goals between 0 and 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from wordpl import games
from wordpl.contest.enumeration import TOLERANCE, WinChances
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.moves import LARGEST_BUDGET, ClassicMove, GameFacts, Verdict, noisy, total_epsilon
from wordpl.core.words import WordLists
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record
from wordpl.stats.clue_luck import LuckMeter
from wordpl.stats.compare.claims import won_within
from wordpl.stats.guess_luck import BoundedLuck, is_measured

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
    WITHOUT_LUCK = "without luck"  # counted, minus the luck of the clues


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

    def __init__(self, entry: EntryInfo, lists: WordLists, goal: "Goal | None" = None, *, are_different: bool = False):
        """Prepare the clue tables of the entry's game.

        Args:
            entry: The entry.
            lists: The word lists.
            goal: What games are worth, for the luck of games without an epsilon; None: it is not measured.
            are_different: Whether no two games have the same secret.
        """
        game = games.game_class(entry.game)
        self.has_epsilon = game.facts.has_epsilon
        self._chances = WinChances(game(lists)) if self.has_epsilon else None
        self._meter = LuckMeter(lists, game.clue_rule) if self._chances and self._chances.has_kernels else None
        self._luck = None
        if goal is not None and is_measured(rules := game(lists)):
            self._luck = BoundedLuck(rules, goal.worth_of_guesses, are_different=are_different)

    def read(self, records: Sequence[Record]) -> GameValues:
        """Return the results of these games, in their order."""
        rows = [self._noisy(record) if self.has_epsilon else self._classic(record) for record in records]
        return values_from_rows(rows, self.has_epsilon)

    def early_luck(self, records: Sequence[Record]) -> Floats:
        """Return the luck of all clues of each game but the last, float[n]; each has mean zero and is at least -1.1.

        Without an epsilon, it is the luck of all clues in the value of the goal, see `BoundedLuck`; games have to be
        given in the order of their numbers, each once. With an epsilon, later clues of a game are left out once their
        sum is below -MAX_EARLY_LOSS. The sum is also at most the probability of the likeliest answer before the last
        clue.
        """
        found = np.zeros(len(records))
        if self._luck is not None:
            won = [record.verdict == Verdict.WON for record in records]
            played = [[cast("ClassicMove", move) for move in record.moves] for record in records]
            return np.array([
                self._luck.of(moves, record.secret, won=is_won)
                for moves, record, is_won in zip(played, records, won, strict=True)
            ])  # fmt: skip
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
        spent, n_moves = min(total_epsilon(record.moves), LARGEST_BUDGET), len(record.moves)
        if record.verdict not in ANSWERED or self._chances is None:
            return spent, False, 0.0, 0.0, n_moves, False
        chance, chance_before = self._chances.of(record)
        largest = self._chances.posterior(noisy(record.moves)[:-1]).max()
        is_likeliest = chance >= largest * (1 - TOLERANCE)
        return spent, record.verdict == Verdict.WON, chance, chance_before, n_moves, bool(is_likeliest)


class GoalKind(StrEnum):
    """The quantity that is compared."""

    WON = "won"  # the share of games won, within a budget if one is given
    COST = "cost"  # the mean cost, where a lost game counts as the loss cost
    GUESSES = "guesses"  # the mean number of guesses of a classic game, where a lost game counts as the game says


@dataclass(frozen=True)
class Goal:
    """The quantity by which entries are compared, and how it is displayed.

    Attributes:
        budget: For the goal won, the budget of a game; None for any cost.
        loss_cost: The cost of a lost game; for the goal cost, it is also the maximum cost of any game.
    """

    kind: GoalKind
    budget: float | None = None
    loss_cost: float = 100.0

    @classmethod
    def of(cls, name: str | None, game: GameFacts, budget: float | None = None, loss_cost: float = 100.0) -> "Goal":
        """Return the goal with this name for a game, or the default one.

        Raises:
            UserError: The goal cannot be used with these games.
        """
        if not game.has_secret:
            raise UserError(
                "all games of an entry are the same in this game, because no secret is drawn. Use wordpl evaluate."
            )
        if name and name not in set(GoalKind):
            raise UserError(
                f"the goal should be one of {', '.join(GoalKind)}, got {sanitize_untrusted_text(name, 40)!r}."
            )
        usual = GoalKind.GUESSES if not game.has_epsilon else GoalKind.WON if budget else GoalKind.COST
        kind = GoalKind(name) if name else usual
        if kind == (GoalKind.GUESSES if game.has_epsilon else GoalKind.COST):
            raise UserError(f"the goal {kind} is not for games measured in {game.unit}. Choose won or {usual}.")
        if budget is not None and kind != GoalKind.WON:
            raise UserError(f"a budget can be used only with the goal won, not with {kind}.")
        if budget is not None and game.limit and not 1 <= budget <= game.limit:
            raise UserError(f"the budget of this game is 1 to {game.limit} guesses, got {budget:g}.")
        return cls(kind, budget, loss_cost if game.loss_cost is None else game.loss_cost)

    def values(self, games: GameValues, chance: ChanceKind | None = None) -> Floats:
        """Return the value of each game, float[n] between 0 and 1, where higher is better.

        Args:
            chance: How the probability of winning is estimated. By default the way with the least variance.
        """
        if self.kind == GoalKind.GUESSES:
            guesses = np.where(games.won, games.spent, self.loss_cost)
            return 1 - (guesses - 1) / (self.loss_cost - 1)
        return np.asarray(games.chances(chance) * self.worth(games.spent))

    def worth(self, spent: Floats) -> Floats:
        """Return the values of noisy games that are won at these costs, float[n] between 0 and 1."""
        if self.kind == GoalKind.WON:
            return np.ones(len(spent)) if self.budget is None else won_within(spent, self.budget).astype(float)
        return np.asarray(1 - np.minimum(spent, self.loss_cost) / self.loss_cost)

    def worth_of_guesses(self, guesses: Floats) -> Floats:
        """Return the values of games without an epsilon that are won within these numbers of guesses, float[n]."""
        if self.kind == GoalKind.GUESSES:
            return np.asarray(1 - (guesses - 1) / (self.loss_cost - 1))
        return self.worth(guesses)

    @property
    def uses_chances(self) -> bool:
        """Whether the goal depends on the probability of winning."""
        return self.kind != GoalKind.GUESSES

    def score(self, value: float) -> float:
        """Return the score of a mean of `values`: a share, a cost or a number of guesses."""
        if self.kind == GoalKind.WON:
            return value
        return self.loss_cost * (1 - value) if self.kind == GoalKind.COST else 1 + (self.loss_cost - 1) * (1 - value)

    def difference(self, value: float) -> float:
        """Return the difference of scores for a difference of means."""
        return self.score(value) - self.score(0.0)

    def in_words(self) -> str:
        """Return the name of the goal for titles."""
        if self.kind == GoalKind.WON:
            return "games won" + (f" within {self.budget:g}" if self.budget is not None else "")
        if self.kind == GoalKind.COST:
            return f"mean cost (lost = {self.loss_cost:g})"
        return f"mean guesses (lost = {self.loss_cost:g})"

    def shown(self, value: float) -> str:
        """Return the score for a mean of `values`, as text."""
        score = self.score(value)
        return f"{100 * score:.2f}%" if self.kind == GoalKind.WON else f"{score:.3f}"

    def shown_difference(self, value: float) -> str:
        """Return the difference of scores with its sign, as text. Differences of shares are in percentage points."""
        difference = self.difference(value)
        return f"{100 * difference:+.2f}" if self.kind == GoalKind.WON else f"{difference:+.3f}"

    @property
    def unit(self) -> str:
        """The unit of differences."""
        return {GoalKind.WON: "points", GoalKind.COST: "budget", GoalKind.GUESSES: "guesses"}[self.kind]
