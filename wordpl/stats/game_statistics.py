"""What the games of entries show: where they are lost, what their clues told, and how often answers are right.

Hardest words, losses by repeated letters of the secret and by the number of rounds; the entropy left after each round,
the share of marks that noise did not change, and how often answers are right compared with their posteriors.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wordpl.core.intervals import mean_of, proportion_interval
from wordpl.games import Game
from wordpl.kernels.posterior import Posterior
from wordpl.stats.scores.score import Floats


@dataclass(frozen=True)
class GameGroup:
    """A group of an entry's games.

    Attributes:
        entry: The name of the entry.
        group: The name of the group.
        order: The position of the group among all groups.
        n_games: The number of games.
        n_lost: The number of lost games.
        mean_cost: The mean cost of won games, NaN if none was won.
    """

    entry: str
    group: str
    order: int
    n_games: int
    n_lost: int
    mean_cost: float


_SCALE = 2.0**-30
"""Costs are multiplied by this power of two, which rounds nothing, so that their sum does not overflow."""


def hardest_words(run: pd.DataFrame, n_words: int = 20) -> pd.DataFrame:
    """Return the secrets with the worst results over all entries: columns secret, n_games, n_lost, mean_cost.

    Args:
        run: Rows of `load_run` with the same rules.
        n_words: The number of words; ties are in alphabetical order.
    """
    drawn = run[run["secret"] != ""]
    won = np.isfinite(drawn["cost"].to_numpy(float))
    rows = pd.DataFrame({"secret": drawn["secret"], "lost": ~won, "cost": drawn["cost"].where(won) * _SCALE})
    grouped = rows.groupby("secret", observed=True)
    table = pd.DataFrame(
        {
            "n_games": grouped.size(),
            "n_lost": grouped["lost"].sum().astype(int),
            "mean_cost": grouped["cost"].mean() / _SCALE,
        }
    ).reset_index()
    table = table.astype({"secret": str})  # categories would not be sorted alphabetically
    # Shrink the share towards the mean of all words by two games, so that a single lost game does not dominate.
    overall = float(rows["lost"].mean()) if len(rows) else 0.0
    table["lost_share"] = (table["n_lost"] + 2 * overall) / (table["n_games"] + 2)
    order = table.sort_values(["lost_share", "mean_cost", "secret"], ascending=[False, False, True], ignore_index=True)
    return order.head(n_words)


def by_letter_pattern(run: pd.DataFrame) -> list[GameGroup]:
    """Return each entry's games grouped by the number of repeated letters in the secret."""
    drawn = run[run["secret"] != ""]
    if drawn.empty:
        return []
    n_repeated = {word: len(word) - len(set(word)) for word in drawn["secret"].unique()}
    repeats = drawn["secret"].map(n_repeated).astype(np.int64)
    return _groups(drawn, repeats.clip(upper=2), ("all letters differ", "one letter repeats", "more letters repeat"))


def by_rounds(run: pd.DataFrame, n_groups: int = 8) -> list[GameGroup]:
    """Return each entry's games grouped by the number of moves; the last group has `n_groups` or more moves."""
    names = ["no move", "1 move", *(f"{n} moves" for n in range(2, n_groups)), f"{n_groups} or more moves"]
    return _groups(run, run["n_moves"].clip(upper=n_groups), names)


def _groups(run: pd.DataFrame, numbers: pd.Series, names: Sequence[str]) -> list[GameGroup]:
    """Return each entry's games by group.

    Args:
        run: Rows of `load_run`.
        numbers: The number of each game's group, an index into `names`.
        names: The names of the groups.
    """
    won = np.isfinite(run["cost"].to_numpy(float))
    games = pd.DataFrame({"entry": run["entry"], "group": numbers, "won": won, "cost": run["cost"].where(won) * _SCALE})
    grouped = games.groupby(["entry", "group"], sort=False, observed=True)
    table = pd.DataFrame({"n": grouped.size(), "n_won": grouped["won"].sum(), "cost": grouped["cost"].mean() / _SCALE})
    rows: Iterable[Any] = table.reset_index().sort_values("group", kind="stable").itertuples()
    return [
        GameGroup(str(row.entry), names[row.group], int(row.group), int(row.n), int(row.n - row.n_won), row.cost)
        for row in rows
    ]


EDGES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
MIN_GAMES = 5
"""The minimum number of games in a group; smaller groups are merged with their neighbours."""


@dataclass(frozen=True)
class CalibrationGroup:
    """Games whose answers have similar posterior probabilities.

    Attributes:
        low: The lowest posterior of the answers.
        high: The highest posterior of the answers.
        n_games: The number of games.
        said: The mean posterior of the answers.
        n_right: The number of right answers.
        right_low: The lower bound of the exact 95% interval of the probability that an answer is right.
        right_high: The upper bound of that interval.
    """

    low: float
    high: float
    n_games: int
    said: float
    n_right: int
    right_low: float
    right_high: float

    @property
    def agrees(self) -> bool:
        """Whether the mean posterior is in the interval."""
        return self.right_low <= self.said <= self.right_high


def calibration(posteriors: Floats, won: np.ndarray) -> list[CalibrationGroup]:
    """Return how often answers were right, grouped by their posterior probability.

    Args:
        posteriors: The posterior of each game's answer, 0 or NaN if there is no answer, float[n].
        won: Whether each answer was right, bool[n].
    """
    answered = np.nan_to_num(posteriors) > 0
    chances, right = posteriors[answered], won[answered]
    group = np.clip(np.searchsorted(EDGES, chances, side="right") - 1, 0, len(EDGES) - 2)
    groups: list[CalibrationGroup] = []
    waiting = np.zeros(len(chances), bool)
    for index in range(len(EDGES) - 1):
        waiting |= group == index
        is_last = not (group > index).any()
        if waiting.sum() >= MIN_GAMES or (is_last and waiting.any()):
            own, n, hits = chances[waiting], int(waiting.sum()), int(right[waiting].sum())
            bounds = map(float, proportion_interval(hits, n))
            groups.append(CalibrationGroup(float(own.min()), float(own.max()), n, float(own.mean()), hits, *bounds))
            waiting[:] = False
    return groups


N_SAMPLED = 100
"""The number of an entry's games to evaluate, enough for a standard error of the mean of a tenth of a bit."""
MAX_ROUNDS = 8


@dataclass(frozen=True)
class RoundReport:
    """Means over the clues of one round.

    Attributes:
        round_: The number of the round, from 1.
        n_games: The number of games with this round.
        epsilon: The budget spent on the clue.
        bits_left: The entropy of the posterior after the clue, in bits.
        true_marks: The share of marks that noise did not change.
    """

    round_: int
    n_games: int
    epsilon: float
    bits_left: float
    true_marks: float


def round_reports(games: Sequence[tuple[str, Sequence[Any]]], game: Game) -> list[RoundReport]:
    """Return a report for each round of the first N_SAMPLED of these games, whose clues may be false.

    Args:
        games: The secret and the moves of each game, [guess, epsilon, clues] as in record files.
        game: Their rules.
    """
    length = game.lists.length
    by_round: dict[int, list[tuple[float, float, float]]] = {}
    for secret, moves in games[:N_SAMPLED]:
        posterior = Posterior.of(game)
        for number, (guess, epsilon, clues) in enumerate(moves[:MAX_ROUNDS], 1):
            if epsilon == 0 or not clues:
                break
            posterior.update(guess, epsilon, clues)
            n_true = sum(mark == true for mark, true in zip(clues, game.clue(guess, secret), strict=True))
            row = float(epsilon), posterior.bits, n_true / length
            by_round.setdefault(number, []).append(row)
    return [RoundReport(number, len(rows), *map(mean_of, zip(*rows, strict=True))) for number, rows in by_round.items()]
