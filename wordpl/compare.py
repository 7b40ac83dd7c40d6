"""Who is better, and how sure that is: entries compared on the same games.

All entries of a run met the same secrets and the same noise, so that a hard game is hard for everybody: comparing game
by game takes that luck out. The bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13) draws
games with replacement, the same for all entries, and looks how often one entry's score beats the other's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from wordpl.errors import UserError
from wordpl.records import Verdict
from wordpl.scores import Score, scores_for
from wordpl.scores.score import CONFIDENCE
from wordpl.strangers import printable

DRAWS = 2000
BLOCK = 1_000_000
"""Counts held at a time; more games than this allows at once are resampled in turns."""


@dataclass(frozen=True, eq=False)
class Standing:
    """How entries stand in one score.

    values: the score of each entry on the games that all have played, float[k]
    better: better[i, j]: entry i has been shown to be better than entry j, bool[k, k]
    lower_is_better: the score's
    """

    values: np.ndarray
    better: np.ndarray
    lower_is_better: bool

    @property
    def places(self) -> list[int]:
        """One more than the number of entries shown to be better; entries not told apart can share a place."""
        return [int(place) for place in 1 + self.better.sum(axis=0)]

    @property
    def marks(self) -> list[str]:
        """Marks: "*" for the best value, "=" for an entry that cannot be told from it, "" for the others.

        No marks without a rival, nor where the best value is infinite: nobody is good at that.
        """
        worth = np.nan_to_num(_worth(self.values, self.lower_is_better), nan=-np.inf, neginf=-np.inf, posinf=np.inf)
        if len(worth) < 2 or worth.max() == -np.inf:
            return [""] * len(worth)
        best = worth == worth.max()
        behind = self.better[best].any(axis=0)
        return ["*" if is_best else "" if lost else "=" for is_best, lost in zip(best, behind, strict=True)]


def standings(run: pd.DataFrame, rng: np.random.Generator) -> dict[str, Standing]:
    """Return how the entries stand in each score that has a better and a worse, by the score's name.

    run: rows of `records.load_run` of one rules name, with at least one game that all entries have played.

    An entry's place errs in at most 5% of runs, as an interval does: each rival counts as better only if the share of
    resamples in which it is not better stays within 2.5% divided by the number of rivals (Bonferroni). With two entries
    this is the two-sided 95% interval of their difference that excludes 0.
    """
    scores = _directed(run)
    games = by_entry(run)
    values = {score.name: np.array([score.per_game(rows) for rows in games.values()]) for score in scores}
    n_rivals = max(1, len(games) - 1)
    draws = max(DRAWS, 200 * n_rivals)  # the threshold is then at least 5 resamples, whatever the number of rivals
    redrawn = resample(scores, values, rng, draws)
    return {
        score.name: Standing(
            values=np.array([score(row).value for row in values[score.name]]),
            better=_better(_worth(redrawn[score.name], score.lower_is_better), values[score.name], n_rivals),
            lower_is_better=bool(score.lower_is_better),
        )
        for score in scores
    }


def _directed(run: pd.DataFrame) -> list[Score]:
    return [score for score in scores_for(run["measure"].iloc[0]) if score.lower_is_better is not None]


def by_entry(run: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return each entry's games, in the order of the run and of the games; only games that all entries have played."""
    names = list(run["entry"].unique())
    players = run.groupby("game")["entry"].nunique()
    common = run[run["game"].isin(players.index[players == len(names)])].sort_values("game")
    return {name: common[common["entry"] == name] for name in names}


def _worth(values: np.ndarray, lower_is_better: bool | None) -> np.ndarray:
    return -values if lower_is_better else values


def resample(
    scores: Sequence[Score], values: dict[str, np.ndarray], rng: np.random.Generator, draws: int = DRAWS
) -> dict[str, np.ndarray]:
    """Return the scores of bootstrap resamples of the games, float[k, draws] by the score's name.

    values: float[k, n] by the score's name, k entries' numbers of the same n games. Each draw takes the same games for
    all.
    """
    n = next(iter(values.values())).shape[1]
    parts: dict[str, list[np.ndarray]] = {score.name: [] for score in scores}
    for counts in _counts(n, draws, rng):
        for score in scores:
            parts[score.name].append(np.array([score.resampled(row, counts) for row in values[score.name]]))
    return {name: np.concatenate(blocks, axis=1) for name, blocks in parts.items()}


def _counts(n: int, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield how often each of n games stands in each resample, float[n, part of the draws] at a time."""
    width = max(1, min(draws, BLOCK // n))
    for start in range(0, draws, width):
        here = min(width, draws - start)
        cells = rng.integers(0, n, size=(n, here)) * here + np.arange(here)
        yield np.bincount(cells.ravel(), minlength=n * here).reshape(n, here).astype(float)


def _better(worth: np.ndarray, values: np.ndarray, n_rivals: int) -> np.ndarray:
    """Return which entries are shown to be better than which, bool[k, k].

    worth: float[k, draws], higher is better; a draw in which two are equal speaks for neither.
    values: float[k, n], the entries' numbers of each game. Whatever the resamples say, m games that differ can't show
    anything with more confidence than m tosses of a coin that all fall the same way.
    """
    k, draws = worth.shape
    limit = (1 - CONFIDENCE) / 2 / n_rivals
    better = np.zeros((k, k), bool)
    for i in range(k):
        doubt = (1 + (~(worth[i] > worth)).sum(axis=1)) / (draws + 1)
        differing = ((values[i] != values) & ~(np.isnan(values[i]) & np.isnan(values))).sum(axis=1)
        better[i] = np.maximum(doubt, 0.5**differing) <= limit
    return better


def against(run: pd.DataFrame, entry: str, rng: np.random.Generator) -> pd.DataFrame:
    """Return `entry` compared with each other one of its game, a row each, indexed by name; empty if there is none.

    Only games that all entries have played count. Columns, for each score S that has a better and a worse:
    S, S_low, S_high: the difference, entry less the other, and its 95% interval
    S_chance: the share of resamples in which `entry` is better, equal ones counted half
    n_games; only_entry, only_other: games that one won and the other lost
    p_value: how likely a split as uneven is, were both equally good (McNemar's test, exact)

    Each comparison stands alone: with many rivals, some differ by luck.
    """
    if entry not in set(run["entry"]):
        names = ", ".join(printable(name, 80) for name in run["entry"].unique())
        raise UserError(f"there is no entry called {entry!r} in this run. Entries: {names}.")
    games = by_entry(run[run["rules"] == run.loc[run["entry"] == entry, "rules"].iloc[0]])
    mine = games.pop(entry)
    if not games or mine.empty:
        return pd.DataFrame()
    columns: dict[str, np.ndarray] = {}
    scores = _directed(mine)
    values = {score.name: np.array([score.per_game(rows) for rows in [mine, *games.values()]]) for score in scores}
    redrawn = resample(scores, values, rng)
    for score in scores:
        columns |= _differences(score, values[score.name], redrawn[score.name])
    discordant = pd.DataFrame([_discordant(mine, theirs) for theirs in games.values()], index=list(games))
    return pd.DataFrame(columns, index=list(games)).join(discordant)


def _differences(score: Score, values: np.ndarray, redrawn: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of a score: how the first of k entries differs from each of the k - 1 others.

    values: float[k, n]; redrawn: float[k, draws]
    """
    found = np.array([score(row).value for row in values])
    differences = np.sort(_difference(redrawn[0], redrawn[1:]), axis=1)  # order statistics: infinite ones do no harm
    n_draws = differences.shape[1]
    tail = (1 - CONFIDENCE) / 2
    lead = np.sign(_worth(differences, score.lower_is_better))
    wins = (lead > 0).sum(axis=1) + (lead == 0).sum(axis=1) / 2
    return {
        score.name: _difference(found[0], found[1:]),
        f"{score.name}_low": differences[:, floor(tail * n_draws)],
        f"{score.name}_high": differences[:, ceil((1 - tail) * n_draws) - 1],
        f"{score.name}_chance": (wins + 0.5) / (n_draws + 1),  # no number of draws shows certainty
    }


def _difference(first: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return first - others, 0 where both are infinite: entries that lose that often are equal there."""
    return np.subtract(first, others, out=np.zeros(others.shape), where=first != others)


def _discordant(mine: pd.DataFrame, theirs: pd.DataFrame) -> dict[str, float]:
    won, they_won = ((rows["verdict"] == str(Verdict.WON)).to_numpy() for rows in (mine, theirs))
    only_entry, only_other = int((won & ~they_won).sum()), int((they_won & ~won).sum())
    n = only_entry + only_other
    p_value = binomtest(only_entry, n).pvalue if n else 1.0
    return {"n_games": len(mine), "only_entry": only_entry, "only_other": only_other, "p_value": float(p_value)}
