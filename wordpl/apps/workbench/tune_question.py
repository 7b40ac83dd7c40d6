"""What a search is about: the parameters to vary, and the objective, a smallest budget or a best mean."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, log
from typing import Any

import numpy as np

from wordpl.apps.workbench.entry_lookup import resolve_revision
from wordpl.apps.workbench.goals import Floats, GameValues, Goal, GoalKind
from wordpl.apps.workbench.tuned_entry import NOT_LITERAL, TunedEntry
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.moves import GameFacts, budget_text
from wordpl.players import discovery
from wordpl.stats.compare.claims import won_within
from wordpl.stats.hypothesis_tests import mean_bounds, p_value, quantile_test

DIGITS = 5
"""Significant digits of the values that are found."""
LOG_FROM = 20.0
"""Ranges whose ends differ by at least this factor are searched on a logarithmic scale."""
EXAMPLE = "--param epsilon=5:20 or --param n_guesses=2,3,4"

NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"


@dataclass(frozen=True)
class Parameter:
    """A parameter and its possible values: some choices, or the numbers of a range.

    Attributes:
        choices: The possible values, empty for a range.
        is_whole: Whether the range has whole numbers only.
    """

    name: str
    choices: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    is_whole: bool = False

    @property
    def is_range(self) -> bool:
        """Whether the parameter is continuous."""
        return not self.choices and not self.is_whole

    @property
    def ends(self) -> tuple[Any, ...]:
        """All choices, or the ends of the range."""
        return self.choices or (self.value(0.0), self.value(1.0))

    def value(self, share: float) -> Any:
        """Return the value at this position, from 0 to 1, among the possible values."""
        if self.choices:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.is_whole:
            return min(int(self.low + share * (self.high - self.low + 1)), int(self.high))
        if self._is_log:
            return rounded(exp(log(self.low) + share * (log(self.high) - log(self.low))))
        return rounded(self.low + share * (self.high - self.low))

    def share(self, value: Any) -> float:
        """Return the position of a value, from 0 to 1; .5 if it is not a possible value."""
        if self.choices:
            return (self.choices.index(value) + 0.5) / len(self.choices) if value in self.choices else 0.5
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0.5
        number = min(max(float(value), self.low), self.high)
        if self.is_whole:
            return (number - self.low + 0.5) / (self.high - self.low + 1)
        if self._is_log:
            return (log(number) - log(self.low)) / (log(self.high) - log(self.low))
        return (number - self.low) / (self.high - self.low)

    @property
    def _is_log(self) -> bool:
        return self.low > 0 and self.high / self.low >= LOG_FROM


def rounded(number: float) -> float:
    """Round a number to `DIGITS` significant digits."""
    return float(f"{number:.{DIGITS}g}")


def tuned_entry(text: str) -> TunedEntry:
    """Return the entry for a name on the command line. Its file is read without running it.

    Raises:
        UserError: The entry is not a Python class with literal arguments.
    """
    source = discovery.find_source(resolve_revision(text))
    return TunedEntry.of(source.file, source.make)


def parse_parameters(texts: Sequence[str], entry: TunedEntry) -> list[Parameter]:
    """Parse parameters on the command line: NAME=LOW:HIGH or NAME=A,B,C.

    Raises:
        UserError: The syntax is invalid, or the entry has no such parameter.
    """
    if not texts:
        raise UserError(f"give the parameters to vary, for example {EXAMPLE}.")
    parameters = [_parse(text, entry) for text in texts]
    names = [parameter.name for parameter in parameters]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UserError(f"the parameter {twice} is given twice.")
    return parameters


def _parse(text: str, entry: TunedEntry) -> Parameter:
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not name.isidentifier() or not values:
        raise UserError(f"{text!r} must have the form {EXAMPLE}.")
    if entry.fields and name not in entry.fields and name not in entry.base:
        fields = ", ".join(entry.fields)
        raise UserError(
            f"{entry.class_name} has no parameter {name!r}.{did_you_mean(name, entry.fields)} It takes {fields}."
        )
    if wrong := re.fullmatch(rf"({NUMBER})\s*(?:-|\.\.+|,?\s*to\s)\s*({NUMBER})", values):
        raise UserError(f"{text!r} is not a range of numbers: a range has a colon, {name}={wrong[1]}:{wrong[2]}.")
    if ":" not in values:
        _check_choices(name, values, entry)
        return Parameter(name, tuple(dict.fromkeys(map(_value, values.split(",")))))
    ends = [_value(end) for end in values.split(":")]
    if len(ends) != 2 or not all(isinstance(end, int | float) for end in ends) or not ends[0] < ends[1]:
        raise UserError(f"{text!r} must be a range of numbers such as {name}=5:20, the lower end first.")
    is_whole = entry.fields.get(name) == "int" and all(isinstance(end, int) for end in ends)
    return Parameter(name, (), float(ends[0]), float(ends[1]), is_whole)


def _check_choices(name: str, values: str, entry: TunedEntry) -> None:
    """Check that the choices for a number are numbers.

    Raises:
        UserError: One of them is not.
    """
    kind = entry.fields.get(name, "")
    wrong = [text.strip() for text in values.split(",") if not isinstance(_value(text), int | float)]
    if kind in ("int", "float") and wrong:
        raise UserError(
            f"{wrong[0]!r} is not a number, and {entry.class_name} declares {name}: {kind}. Give choices such as "
            f"{name}=5,10 or a range such as {name}=5:20."
        )


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except NOT_LITERAL:
        return text.strip()  # a string without quotes


QUANTILES = {"p05": 0.05, "p50": 0.5, "p95": 0.95}
NEVER = 1e6
"""Loss of an entry that does not win the share with any budget; it increases with the missing share."""
HALF_WIDTH = 1.96
SAFETY_ERRORS = 1.0
"""Standard errors by which the share won within a budget must exceed the required share in the search."""


@dataclass(frozen=True)
class ScoreEstimate:
    """A score with its 95% interval, whose ends may be infinite."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Objective:
    """The objective of a search.

    Attributes:
        name: Its name on the command line: p05, p50, p95, or a goal.
        q: The share of games to be won, or None for a goal.
        goal: The goal whose mean is optimised, or None for a share.
    """

    name: str
    q: float | None = None
    goal: Goal | None = None

    @classmethod
    def of(cls, name: str | None, game: GameFacts, budget: float | None, loss_cost: float) -> "Objective":
        """Return the objective with this name for a game.

        Without a name, it is p50 for noisy games without a budget, and otherwise the default goal.

        Raises:
            UserError: The objective cannot be used with these games.
        """
        usual = "p50" if game.has_epsilon and budget is None else None
        if (name or usual) in QUANTILES:
            if not game.has_epsilon:
                raise UserError(f"{name} is only for noisy games. Choose guesses or won.")
            if budget is not None:
                raise UserError(f"a budget can be used only with the goal won, not with {name}.")
            quantile = name or usual or ""
            return cls(quantile, q=QUANTILES[quantile])
        goal = Goal.of(name, game, budget, loss_cost)
        return cls(str(goal.kind), goal=goal)

    def loss(self, games: GameValues) -> float:
        """Return the loss of these games in the search; lower is better.

        The share won within a budget must exceed the required share by its standard error. Otherwise, as costs are
        discrete, entries that reach the share by luck would look best.
        """
        if self.goal is not None:
            return 1 - float(self.goal.values(games).mean())
        chances = games.chances()
        budget = self._end(games.spent, chances, -SAFETY_ERRORS)
        return budget if isfinite(budget) else NEVER * (1 + (self.q or 0) - float(chances.mean()))

    def score(self, games: GameValues) -> ScoreEstimate:
        """Return the score of these games with its 95% interval."""
        if self.goal is not None:
            values = self.goal.values(games)
            margin = HALF_WIDTH * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else inf
            low, high = sorted(self.goal.score(float(values.mean()) + side * margin) for side in (-1, 1))
            return ScoreEstimate(self.goal.score(float(values.mean())), low, high)
        chances = games.chances()
        value = self._quantile(games.spent, chances / len(games))
        return ScoreEstimate(value, *(self._end(games.spent, chances, side * HALF_WIDTH) for side in (1, -1)))

    def _quantile(self, spent: Floats, weights: Floats) -> float:
        """Return the smallest budget within which the weights add up to the share, or infinity."""
        order = np.argsort(spent, kind="stable")
        reached = np.cumsum(weights[order])
        enough = np.flatnonzero(reached >= (self.q or 0.0) * (1 - ROUNDING))
        return float(spent[order[enough[0]]]) if len(enough) else inf

    def p_better(self, tuned: GameValues, own: GameValues) -> float:
        """Return the p-value of "the first entry is not better than the second one", from games that both have played.

        Means are compared by `hypothesis_tests`. If the first entry always spends the same, its quantile is lower if it
        wins the share, and the second one does not within this budget; otherwise, the games won are compared.

        Args:
            tuned: The games of the entry that was found.
            own: The games of the author's own entry with the same numbers.
        """
        if self.goal is not None:
            gaps = self.goal.values(tuned) - self.goal.values(own)
            return p_value(gaps, 0.0, -1.0) if gaps.any() else 1.0
        q, budget = self.q or 0.0, float(tuned.spent[0])
        if not np.allclose(tuned.spent, budget, rtol=1e-9):
            costs = np.array([np.where(games.won, games.spent, inf) for games in (tuned, own)])
            return float(quantile_test(costs, q)[0, 1])
        within = np.where(won_within(own.spent, budget), own.chances(), 0.0)
        return max(p_value(tuned.chances() - q, 0.0, -q), p_value(q - within, 0.0, q - 1))

    def difference(self, tuned: GameValues, own: GameValues) -> ScoreEstimate | None:
        """Return the paired difference of the scores with its 95% interval; None for quantiles, which are not means."""
        if self.goal is None:
            return None
        gaps = self.goal.values(tuned) - self.goal.values(own)
        ends = mean_bounds(gaps, -1.0, 1.0)
        low, high = sorted(self.goal.difference(end) for end in ends)
        return ScoreEstimate(self.goal.difference(float(gaps.mean())), low, high)

    def _end(self, spent: Floats, chances: Floats, n_errors: float) -> float:
        """Return the smallest budget whose share of wins plus `n_errors` standard errors reaches the share."""
        order = np.argsort(spent, kind="stable")
        n, ranked = len(spent), chances[order]
        mean = np.cumsum(ranked) / n
        error = np.sqrt(np.maximum(np.cumsum(ranked**2) / n - mean**2, 0) / max(1, n - 1))
        enough = np.flatnonzero(mean + n_errors * error >= (self.q or 0.0))
        return float(spent[order[enough[0]]]) if len(enough) else inf

    def in_words(self) -> str:
        """Return the name of the objective for titles."""
        if self.goal is not None:
            return self.goal.in_words()
        return f"{self.name}: the smallest budget that wins {100 * (self.q or 0):g} % of all games"

    def shown(self, score: float) -> str:
        """Return a score as text."""
        if score >= 1e7:
            return budget_text(score)
        return f"{100 * score:.2f}%" if self.goal is not None and self.goal.kind == GoalKind.WON else f"{score:.3f}"


def win_share(games: GameValues) -> tuple[float, float]:
    """Return the estimated probability of winning and its standard error."""
    chances = games.chances()
    error = float(chances.std(ddof=1)) / len(chances) ** 0.5 if len(chances) > 1 else inf
    return float(chances.mean()), error
