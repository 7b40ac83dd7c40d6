"""Parts of a league's history, and what is counted day by day: seasons, single days, crowns, movement, two players."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import pandas as pd
from scipy.stats import t

from wordpl.core.errors import UserError
from wordpl.core.intervals import proportion_interval
from wordpl.league.posts import UNSOLVED
from wordpl.league.puzzles import day_of, number_on
from wordpl.stats.rankings import Ranking

CONFIDENCE = 0.95
FORMS = "2026-11 (a month), 2026-Q4 (a quarter) or 2026 (a year)"
_SEASON = re.compile(r"(\d{4})(?:-(?:Q([1-4])|(\d{2})))?")


@dataclass(frozen=True)
class Season:
    """A part of the calendar. first, last: its puzzles."""

    name: str
    first: int
    last: int

    def results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the results of the season's puzzles. Raises UserError where there are none."""
        found = results[results["day"].between(self.first, self.last)]
        if found.empty:
            raise UserError(f"there are no results of the season {self.name}: puzzles {self.first} to {self.last}.")
        return found.reset_index(drop=True)


def season(text: str) -> Season:
    """Return the season that the text names.

    >>> season("2025-10")
    Season(name='2025-10', first=1565, last=1595)
    """
    found = _SEASON.fullmatch(text.strip())
    month = int(found[3]) if found and found[3] else 0
    if found is None or (found[3] and not 1 <= month <= 12) or not 2021 <= int(found[1]) <= 2200:
        raise UserError(f"a season is written like {FORMS}; got {text!r}.")
    quarter = int(found[2] or 0)
    start, n_months = (month, 1) if month else (3 * quarter - 2, 3) if quarter else (1, 12)
    first = date(int(found[1]), start, 1)
    after = date(first.year + (start + n_months - 1) // 12, (start + n_months - 1) % 12 + 1, 1)
    return Season(text.strip(), number_on(first), number_on(after - timedelta(1)))


def season_of(day: date) -> Season:
    """Return the month of a day."""
    return season(f"{day:%Y-%m}")


def day_results(results: pd.DataFrame, day: int) -> pd.DataFrame:
    """Return the results of one puzzle, the best first: columns player, guesses, crown, source.

    Raises:
        UserError: There are none.
    """
    found = results[results["day"] == day]
    if found.empty:
        last = f" The last puzzle with results is {results['day'].max()}." if len(results) else ""
        raise UserError(f"there are no results of puzzle {day} ({day_of(day)}).{last}")
    best = found["guesses"].min()
    crown = (found["guesses"] == best) & (best < UNSOLVED) & (len(found) > 1)
    return found.assign(crown=crown).sort_values(["guesses", "player"], ignore_index=True)


def crowns(results: pd.DataFrame) -> pd.DataFrame:
    """Return how often each player was the best of a day on which two or more played, most crowns first.

    Columns: player, crowns, alone (crowns shared with nobody), n_days (such days that the player played), and share,
    low, high (crowns of those days, with the 95% interval of Clopper and Pearson).
    """
    days = results.groupby("day")["guesses"]
    contested = results[(days.transform("size") > 1)]
    best = contested.groupby("day")["guesses"].transform("min")
    won = contested[(contested["guesses"] == best) & (best < UNSOLVED)]
    alone = won[won.groupby("day")["player"].transform("size") == 1]
    counts = {"crowns": won["player"].value_counts(), "alone": alone["player"].value_counts()}
    table = pd.DataFrame(counts | {"n_days": contested["player"].value_counts()}).fillna(0).astype(int)
    table = table.assign(share=table["crowns"] / table["n_days"])
    table["low"], table["high"] = proportion_interval(table["crowns"], table["n_days"], CONFIDENCE)
    table = table.rename_axis("player").reset_index()
    return table.sort_values(["crowns", "alone", "player"], ascending=[False, False, True], ignore_index=True)


@dataclass(frozen=True)
class PlayerComparison:
    """Two players on the days that both played.

    difference: mean of the first's guesses less the second's, X as 7; low, high: its 95% interval by Student's t on
    days, NaN below two days. won, tied, lost: days, for the first.
    """

    first: str
    second: str
    n_days: int
    means: tuple[float, float]
    difference: float
    low: float
    high: float
    won: int
    tied: int
    lost: int

    @property
    def better(self) -> str | None:
        """The player who is shown to be better; None where the interval holds 0, or there is none."""
        if not (self.low > 0 or self.high < 0):
            return None
        return self.first if self.difference < 0 else self.second


def compare_players(results: pd.DataFrame, first: str, second: str) -> PlayerComparison:
    """Compare two players, paired by day. Raises UserError where they are one, or never played the same day."""
    if first == second:
        raise UserError(f"{first!r} is compared with somebody else: name two players.")
    pair = [results[results["player"] == name].set_index("day")["guesses"] for name in (first, second)]
    both = pd.concat(pair, axis=1, join="inner", keys=["first", "second"])
    if both.empty:
        raise UserError(f"{first!r} and {second!r} have not played the same puzzle yet.")
    lead = (both["first"] - both["second"]).to_numpy(float)
    n, mean = len(lead), float(lead.mean())
    half = float(t.ppf((1 + CONFIDENCE) / 2, n - 1) * lead.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    means = float(both["first"].mean()), float(both["second"].mean())
    counts = int((lead < 0).sum()), int((lead == 0).sum()), int((lead > 0).sum())
    return PlayerComparison(first, second, n, means, mean, mean - half, mean + half, *counts)


def movement(results: pd.DataFrame, ranking: Ranking, since: int) -> pd.DataFrame:
    """Return who moved on the board since before puzzle `since`: player, place, before, is_significant.

    A move is significant where the player's tier changed: then somebody is told apart who was not, or no longer.
    """
    old, new = ranking(results[results["day"] < since].reset_index(drop=True)), ranking(results)
    both = new.merge(old[["player", "place", "tier"]], on="player", suffixes=("", "_before"))
    moved = both[both["place"] != both["place_before"]]
    return pd.DataFrame(
        {
            "player": moved["player"],
            "place": moved["place"],
            "before": moved["place_before"],
            "is_significant": moved["tier"] != moved["tier_before"],
        }
    ).reset_index(drop=True)
