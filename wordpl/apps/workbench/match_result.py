"""The result of a match, how it is computed from the games, and its output as text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isfinite
from typing import Any

import numpy as np

from wordpl.apps.workbench.goals import MAX_EARLY_LOSS, ChanceKind, Floats, GameValues, Goal
from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.reports.elements import Table, text_table
from wordpl.stats.compare.sequential import (
    LOG_MEAN_THRESHOLD,
    MIN_FORECAST,
    MeanTestResult,
    Reduced,
    forecast,
    mean_interval,
    mean_test,
)
from wordpl.stats.guess_luck import BoundedLuck

MAX_JSON_EVIDENCE = 1e9
MAX_NAME_CHARACTERS = 60
CLEAR_AT = round(2.718281828459045**LOG_MEAN_THRESHOLD)
MAX_TEXT_EVIDENCE = 9999
MIN_GAMES = 20
"""The number of games below which no coefficient of luck is estimated."""
ESTIMATES = {
    ChanceKind.COUNTED: "counted",
    ChanceKind.BY_ANSWER: "posterior of the answer",
    ChanceKind.BEFORE_LAST: "chance before the last clue",
}


class MatchVerdict(StrEnum):
    """The verdict on the new entry."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"  # within the margin
    OPEN = "open"


@dataclass(frozen=True)
class MatchResult:
    """The result of the games of a match.

    Attributes:
        n_games: Number of games that both have played.
        after: Number of games after which the verdict was clear, or None if it is open.
        scores: Mean of the goal's values of the new and of the old entry.
        difference: Difference of the means, positive if the new entry is better.
        low: Lower end of its 95% interval, which is valid after every game simultaneously.
        evidence: E-value of the games against equal entries, in favour of the leading one. The match is decided at 40.
        n_more: Number of games that are probably still needed; infinite if it cannot be estimated.
        n_more_ends: With a probability of 95%, it is between these.
        only_new: Number of games that only the new entry won.
        only_old: Number of games that only the old entry won.
        kinds: How the probability of winning, or the value of a game without an epsilon, was estimated for each entry.
        cpu_s: Mean CPU time of a game of each entry, in seconds.
        is_exact: Whether the scores are exact, because all possible games were played.
        unexplained: A sentence for each result that the clues of an entry do not allow, once the match has ended.
    """

    new: str
    old: str
    goal: Goal
    verdict: MatchVerdict
    n_games: int
    after: int | None
    scores: tuple[float, float]
    difference: float
    low: float
    high: float
    evidence: float
    n_more: float
    only_new: int
    only_old: int
    kinds: tuple[ChanceKind, ChanceKind]
    cpu_s: tuple[float, float]
    is_exact: bool = False
    unexplained: tuple[str, ...] = ()
    n_more_ends: tuple[float, float] = (0.0, float("inf"))

    def __repr__(self) -> str:
        """Return the scores and the verdict, as `wordpl match` prints them."""
        new, old = (self.goal.shown(score) for score in self.scores)
        scores = f"{self.goal.in_words()}, {amount(self.n_games, 'game')} each: {self.new} {new}, {self.old} {old}"
        return "\n".join([scores, *sentences(self)])

    @property
    def is_decided(self) -> bool:
        """Whether the match has a verdict."""
        return self.verdict != MatchVerdict.OPEN

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON, without times, with scores and differences in the units of the goal."""
        ends = sorted(self.goal.difference(end) for end in (self.low, self.high))
        return {
            "new": self.new,
            "old": self.old,
            "goal": str(self.goal.kind),
            "budget": self.goal.budget,
            "unit": "share" if self.goal.unit == "points" else self.goal.unit,
            "verdict": str(self.verdict),
            "n_games": self.n_games,
            "clear_after": self.after,
            "new_score": self.goal.score(self.scores[0]),
            "old_score": self.goal.score(self.scores[1]),
            "difference": self.goal.difference(self.difference),
            "interval": ends,
            "evidence": min(self.evidence, MAX_JSON_EVIDENCE),
            "games_more": round(self.n_more) if isfinite(self.n_more) else None,
            "games_more_interval": [round(end) if isfinite(end) else None for end in self.n_more_ends],
            "only_new_won": self.only_new,
            "only_old_won": self.only_old,
            "new_chances": str(self.kinds[0]),
            "old_chances": str(self.kinds[1]),
            "exact": self.is_exact,
            "unexplained": list(self.unexplained),
        }


@dataclass(frozen=True)
class Judge:
    """Computes the result of a match from the games of both entries.

    Attributes:
        names: Names of the new and of the old entry.
        margin: Entries whose means differ by less, on the scale from 0 to 1, are equal. With 0, none are.
        population: Number of different games, if each is played once.
    """

    names: tuple[str, str]
    goal: Goal
    margin: float = 0.0
    population: int | None = None

    def result(
        self, new: GameValues, old: GameValues, cpu_s: tuple[float, float], early: Floats | None = None
    ) -> MatchResult:
        """Return the result of these games.

        Args:
            old: The same games of the old entry.
            cpu_s: Mean CPU time of a game of each entry.
            early: The luck of the clues of the games of both entries, float[2, n], see `ValueReader.early_luck`;
                None: unknown.
        """
        kinds: tuple[ChanceKind, ChanceKind] = new.kind, old.kind
        values = [self.goal.values(side, kind) for side, kind in zip((new, old), kinds, strict=True)]
        differences = np.asarray(values[0] - values[1])
        without = values if early is None else self._without_luck((new, old), values, early)
        reduced = None
        if any(own is not counted for own, counted in zip(without, values, strict=True)):
            span = 2 + MAX_EARLY_LOSS if new.has_epsilon else 1 + 2 * BoundedLuck.MAX_TOTAL
            reduced = Reduced(without[0] - without[1], span)
        test = mean_test(differences, self.population, reduced)
        low, high = mean_interval(differences, self.population, reduced)
        ends, n_more = (0.0, test.n_more), test.n_more
        if test.verdict == "open" and len(differences) >= MIN_FORECAST:
            found = forecast(differences, reduced, self.population)
            ends, n_more = (found.low, found.high), found.n_more
        is_credited = not new.has_epsilon and reduced is not None and len(new) != self.population
        if is_credited:
            kinds, values = (ChanceKind.WITHOUT_LUCK, ChanceKind.WITHOUT_LUCK), without
        elif not self.goal.uses_chances:
            kinds = ChanceKind.COUNTED, ChanceKind.COUNTED
        scores = tuple(float(side.mean()) if len(side) else 0.0 for side in values)
        return MatchResult(
            *self.names,
            goal=self.goal,
            verdict=self._verdict(test, low, high),
            n_games=len(new),
            after=test.after,
            scores=(scores[0], scores[1]),
            difference=test.mean,
            low=low,
            high=high,
            evidence=float(np.exp(min(test.evidence, 100.0))),
            n_more=n_more,
            n_more_ends=ends,
            only_new=int((new.won & ~old.won).sum()),
            only_old=int((old.won & ~new.won).sum()),
            kinds=kinds,
            cpu_s=cpu_s,
            is_exact=len(new) == self.population,
        )

    def _without_luck(self, sides: Sequence[GameValues], values: list[Floats], early: Floats) -> list[Floats]:
        """Return the values of both entries' games without luck; the same arrays where none is subtracted.

        In games with an epsilon, it is left out of probabilities before the last clue.
        """
        if not any(side.has_epsilon for side in sides):
            if not early.any():
                return values
            return [without_early_luck(own, luck) for own, luck in zip(values, early, strict=True)]
        if not self.goal.uses_chances:
            return values
        return [
            without_early_luck(own, self.goal.worth(side.spent) * luck)
            if side.kind == ChanceKind.BEFORE_LAST else own
            for side, own, luck in zip(sides, values, early, strict=True)
        ]  # fmt: skip

    def exact(self, means: tuple[float, float], result: MatchResult) -> MatchResult:
        """Return the result with these exact means of the goal's values."""
        gap = means[0] - means[1]
        verdict = MatchVerdict.EQUAL if abs(gap) <= max(self.margin, 1e-12) else _better(gap)
        changes: dict[str, Any] = {
            "verdict": verdict, "scores": means, "difference": gap, "low": gap, "high": gap, "evidence": np.inf,
            "n_more": 0.0, "n_more_ends": (0.0, 0.0), "after": result.n_games, "is_exact": True,
        }  # fmt: skip
        return replace(result, **changes)

    def _verdict(self, test: MeanTestResult, low: float, high: float) -> MatchVerdict:
        if test.verdict != "open":
            return _better(1.0 if test.verdict == "above" else -1.0)
        if test.n_read and -self.margin < low and high < self.margin:
            return MatchVerdict.EQUAL
        return MatchVerdict.EQUAL if test.n_read == self.population else MatchVerdict.OPEN


def without_early_luck(values: Floats, luck: Floats) -> Floats:
    """Return the values minus luck, times the coefficient from 0 to 1 that fits all earlier games, float[n].

    So each coefficient is known before its game, and the values may be tested after every game.

    Args:
        values: The value of each game, from 0 to 1, and at least its luck.
        luck: Terms with mean zero, at least -(1 + MAX_EARLY_LOSS).
    """
    n = np.arange(1, len(values) + 1)
    own, squares = np.cumsum(luck), np.cumsum(luck**2)
    covariance = np.cumsum(values * luck) - np.cumsum(values) * own / n
    variance = squares - own**2 / n
    fitted = np.divide(covariance, variance, out=np.zeros(len(values)), where=(variance > 0) & (n >= MIN_GAMES))
    return values - np.concatenate([[0.0], np.clip(fitted, 0, 1)[:-1]])[: len(values)] * luck


def _better(gap: float) -> MatchVerdict:
    return MatchVerdict.BETTER if gap > 0 else MatchVerdict.WORSE


def live_line(result: MatchResult) -> str:
    """Return a line with the current result of a match.

    >>> CLEAR_AT
    40
    """
    goal = result.goal
    parts = [
        f"{amount(result.n_games, 'game')}",
        f"{goal.shown(result.scores[0])} vs. {goal.shown(result.scores[1])}",
        f"{goal.shown_difference(result.difference)} {_ends(result)}",
        f"evidence {_evidence(result)} of {CLEAR_AT}",
    ]
    return "  ".join([*parts, *([] if result.is_decided else [_more(result)])])


def table(result: MatchResult) -> Table:
    """Return a table with the scores of both entries."""
    rows = [
        [f"{which}: {sanitize_untrusted_text(name, MAX_NAME_CHARACTERS)}", result.goal.shown(score),
         f"{won:,}"]
        for which, name, score, won in zip(
            ("new", "old"), (result.new, result.old), result.scores, (result.only_new, result.only_old), strict=True)
    ]  # fmt: skip
    title = f"{result.goal.in_words()}, {amount(result.n_games, 'game')} each"
    return text_table(title, ["entry", "score", "won alone"], rows, frozenset({"entry"}))


def sentences(result: MatchResult) -> list[str]:
    """Return the sentences below the table, the verdict first."""
    goal = result.goal
    lines = [_verdict(result)]
    gap = f"new minus old: {goal.shown_difference(result.difference)} {goal.unit}"
    lines.append(f"{gap}, {'exact' if result.is_exact else f'95% interval {_ends(result)}'}")
    if ChanceKind.WITHOUT_LUCK in result.kinds:
        lines.append("scores are estimated without the luck of the clues")
    elif goal.uses_chances and not result.is_exact and set(result.kinds) != {ChanceKind.COUNTED}:
        new, old = (ESTIMATES[kind] for kind in result.kinds)
        how = new if new == old else f"new {new}, old {old}"
        lines.append(f"wins are estimated from the clues instead of counted: {how}")
    return [*lines, *result.unexplained]


def _verdict(result: MatchResult) -> str:
    reason = "all clues were enumerated" if result.is_exact and result.after else "every answer was played once"
    remark = f"clear after {amount(result.after, 'game')}" if not result.is_exact and result.after else reason
    if result.verdict == MatchVerdict.BETTER:
        return f"The new entry is better: {remark}."
    if result.verdict == MatchVerdict.WORSE:
        return f"The new entry is worse: {remark}."
    if result.verdict == MatchVerdict.EQUAL:
        return f"The entries are equal{f': {reason}' if result.is_exact else ' within the margin'}."
    return f"Undecided; {_more(result)}."


def _more(result: MatchResult) -> str:
    if not isfinite(result.n_more) or result.n_more > 1e7:
        return "the number of games needed is unknown"
    low, high = result.n_more_ends
    to = f"to {max(1, round(high)):,}" if isfinite(high) else "or many more"
    ends = f" ({max(1, round(low)):,} {to})" if low else ""
    return f"about {max(1, round(result.n_more)):,} more games needed{ends}"


def _ends(result: MatchResult) -> str:
    low, high = (result.goal.shown_difference(end) for end in (result.low, result.high))
    return f"({low} to {high})" if result.goal.difference(1.0) > 0 else f"({high} to {low})"


def _evidence(result: MatchResult) -> str:
    return f"{min(result.evidence, MAX_TEXT_EVIDENCE):.3g}" + ("+" if result.evidence > MAX_TEXT_EVIDENCE else "")
