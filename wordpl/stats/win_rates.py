"""Estimates of how often an entry wins within a budget: counted, by the posteriors of its answers, and without luck.

All three estimate the same probability. See `wordpl.stats.estimates` for the last one, whose standard error is a third
to a tenth of that of counting.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.core.intervals import MeanWithError
from wordpl.core.words import WordLists
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.stats.estimates import ROUNDING, LuckCorrected, luck_of_entry


@dataclass(frozen=True)
class WinRate:
    """Estimates of how often an entry wins within a budget.

    Attributes:
        n_games: The number of games.
        budget: The budget; games that cost more do not count as won.
        counted: The share of games won.
        by_answer: The mean posterior probability of the proposed word.
        without_luck: The mean of the values without most of the luck.
    """

    n_games: int
    budget: float
    counted: MeanWithError
    by_answer: MeanWithError
    without_luck: MeanWithError


def win_rate(costs: np.ndarray, corrected: LuckCorrected, budget: float | None = None) -> WinRate:
    """Estimate how often an entry wins.

    Args:
        costs: The cost of each game, infinite if lost, float[n].
        corrected: The same games without most of the luck.
        budget: Games that cost more do not count as won; None: the maximum spent in any game.

    Raises:
        UserError: There is no game.
    """
    if not len(costs):
        raise UserError("an estimate needs at least one game, but there is none.")
    spent = corrected.luck.spent
    limit = float(spent.max()) if budget is None else budget
    counted, within = costs <= limit * (1 + ROUNDING), spent <= limit * (1 + ROUNDING)
    return WinRate(
        len(costs),
        limit,
        MeanWithError.of(counted.astype(float)),
        MeanWithError.of(np.where(within, corrected.luck.answer, 0.0)),
        MeanWithError.of(corrected.win_within(limit)),
    )


def win_rates(run: Run, lists: WordLists, budget: float | None = None) -> dict[str, WinRate]:
    """Return the estimate for each entry of a run whose wins can be credited from clues, by its name."""
    rates = {}
    games: pd.DataFrame = run.to_frame(["entry", "cost"])
    for entry in entries_with_credit(run.info.entries):
        costs = games.loc[games["entry"] == entry.name, "cost"].to_numpy(float)
        rates[entry.name] = win_rate(costs, luck_of_entry(run, entry, lists), budget)
    return rates


def entries_with_credit(entries: list[EntryInfo]) -> list[EntryInfo]:
    """Return the entries whose wins can be credited from clues."""
    return [entry for entry in entries if entry.game.has_answer_move]
