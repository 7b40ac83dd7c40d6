"""Shares of games: those won, those lost in each way, and those solved in a number of guesses."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wordpl.core.intervals import proportion_interval
from wordpl.core.moves import Verdict
from wordpl.stats.hypothesis_tests import better_means, share_test
from wordpl.stats.scores.means import proportion
from wordpl.stats.scores.score import CONFIDENCE, Estimate, Floats, Score, totals

if TYPE_CHECKING:
    import pandas as pd

    from wordpl.stats.estimates import LuckCorrected


@dataclass(frozen=True, kw_only=True)
class ShareScore(Score):
    """The share of games that satisfy a condition.

    Attributes:
        holds: The condition: a function from rows of `load_run` to bool[n].
        credited_within: In games that a right guess ends, the number of guesses within which a game has to be won for
            the condition; None: it is another condition.
    """

    holds: Callable[["pd.DataFrame"], "pd.Series"]
    credited_within: float | None = None
    percent: bool = True

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return 1 for each game that satisfies the condition, else 0."""
        return np.asarray(self.holds(games), np.float64)

    def without_luck(self, games: "LuckCorrected") -> Floats | None:
        """Return values whose mean estimates the share of games won within a number of guesses."""
        credited = None if games.luck.has_answer else self.credited_within
        return None if credited is None else games.win_within(credited)

    def lost(self, games: "LuckCorrected") -> Floats | None:
        """Return what each game would be worth if it had been lost."""
        credited = None if games.luck.has_answer else self.credited_within
        return None if credited is None else games.credited_within(credited)[1]

    def __call__(self, values: Floats, lost: Floats | None = None, *, confidence: float = CONFIDENCE) -> Estimate:
        """Return the share with its exact interval, or the mean of games without luck with its interval."""
        if lost is not None:
            return proportion(values, lost, confidence=confidence)
        n, hits = len(values), int(values.sum())
        low, high = proportion_interval(hits, n, confidence)
        return Estimate(hits / n, float(low), float(high))

    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the share in each resample."""
        return np.asarray(totals(values, weights) / values.shape[1])

    def p_values(self, values: Floats, lost: Floats | None = None) -> Floats:
        """Return the p-values of McNemar's exact test, or of the test of means for games without luck."""
        if lost is not None:
            return better_means(values, 1.0, lost)
        return share_test(1 - values if self.lower_is_better else values)


def ended_as(verdict: Verdict) -> Callable[["pd.DataFrame"], "pd.Series"]:
    """Return the condition that a game ended with this verdict."""
    return lambda games: is_verdict(games["verdict"], verdict)


def is_verdict(verdicts: "pd.Series", verdict: Verdict) -> Any:
    """Return which of these are the verdict, bool[n]; a column of categories takes a tenth of the time of texts."""
    if (categories := getattr(verdicts.array, "categories", None)) is None:
        return verdicts == str(verdict)
    known = categories.tolist()
    return verdicts.array.codes == (known.index(str(verdict)) if verdict in known else len(known))


def distribution(games: "pd.DataFrame", bins: int) -> list[int]:
    """Return the numbers of games solved in 1, 2, ... `bins` guesses, and that of all other games."""
    counts = [int((games["cost"] == guesses).sum()) for guesses in range(1, bins + 1)]
    return [*counts, len(games) - sum(counts)]


def worst_words(games: "pd.DataFrame", n: int = 4) -> list[tuple[str, float]]:
    """Return the `n` hardest secrets with their numbers of guesses, hardest first; infinite for unsolved ones.

    If a secret occurred several times, its worst game counts. Ties are in alphabetical order.
    """
    worst = games.groupby("secret", observed=True)["cost"].max().reset_index().astype({"secret": str})
    worst = worst.sort_values(["cost", "secret"], ascending=[False, True])
    return [(str(secret), float(cost)) for secret, cost in worst.head(n).itertuples(index=False)]


SCORES = [
    ShareScore(
        name="won", head="won", holds=ended_as(Verdict.WON), lower_is_better=False, shown="wide", credited_within=np.inf
    ),
    *(  # These scores have no direction: an entry that crashes has fewer wrong answers.
        ShareScore(name=verdict.replace(" ", "_"), head=str(verdict), holds=ended_as(verdict), shown="if any")
        for verdict in Verdict
        if verdict != Verdict.WON
    ),
    ShareScore(
        name="solved_in_4",
        head="in 4",
        applies=lambda game: not game.has_epsilon and (game.limit or 0) > 4,
        lower_is_better=False,
        holds=lambda games: games["cost"] <= 4,
        credited_within=4,
    ),
]
