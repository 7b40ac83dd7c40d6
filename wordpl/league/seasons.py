"""Seasons of a league, and statistics by day: results, crowns, movement on the board, comparison of two players."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
from scipy.stats import t

from wordpl.core.errors import UserError
from wordpl.core.intervals import proportion_interval
from wordpl.league.posts import UNSOLVED
from wordpl.league.puzzles import day_of, number_on
from wordpl.stats.rankings import Ranking

CONFIDENCE = 0.95
FORMS = "2026-W47 (a week), 2026-11 (a month), 2026-Q4 (a quarter), 2026 (a year), last week or last month"
_WEEK = re.compile(r"(\d{4})-W(\d{2})")
_SEASON = re.compile(r"(\d{4})(?:-(?:Q([1-4])|(\d{2})))?")


@dataclass(frozen=True)
class Season:
    """A week, a month, a quarter or a year.

    Attributes:
        name: The season as it is written, such as 2026-Q4.
        first: The number of its first puzzle.
        last: The number of its last puzzle.
    """

    name: str
    first: int
    last: int

    def results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the results of the season's puzzles. Raises UserError if there are none."""
        season_results = results[results["day"].between(self.first, self.last)]
        if season_results.empty:
            raise UserError(f"there are no results in the season {self.name}, puzzles {self.first} to {self.last}.")
        return season_results.reset_index(drop=True)


def parse_season(text: str, today: date | None = None) -> Season:
    """Return the season in a text like 2026-W47, 2025-10, 2025-Q4, 2025, "last week" or "this month".

    Args:
        text: The season. Weeks are those of ISO 8601, which begin on Mondays.
        today: The day from which this and last are counted; None: the current one in UTC.

    >>> parse_season("2025-10")
    Season(name='2025-10', first=1565, last=1595)
    >>> parse_season("last week", date(2025, 10, 8))
    Season(name='2025-W40', first=1563, last=1569)
    """
    words = text.strip().lower().split()
    if len(words) == 2 and words[0] in ("this", "last") and words[1] in ("week", "month"):
        now = today or datetime.now(UTC).date()
        back = words[0] == "last"
        if words[1] == "week":
            year, week, _ = (now - timedelta(7 * back)).isocalendar()
            return parse_season(f"{year}-W{week:02}")
        return season_of(now.replace(day=1) - timedelta(1) if back else now)
    parts, week_parts = _SEASON.fullmatch(text.strip()), _WEEK.fullmatch(text.strip())
    if week_parts:
        try:
            monday = date.fromisocalendar(int(week_parts[1]), int(week_parts[2]), 1)
        except ValueError:
            raise UserError(f"a season is written like {FORMS}; got {text!r}.") from None
        return Season(text.strip(), number_on(monday), number_on(monday) + 6)
    month = int(parts[3]) if parts and parts[3] else 0
    if parts is None or (parts[3] and not 1 <= month <= 12) or not 2021 <= int(parts[1]) <= 2200:
        raise UserError(f"a season is written like {FORMS}; got {text!r}.")
    quarter = int(parts[2] or 0)
    start, n_months = (month, 1) if month else (3 * quarter - 2, 3) if quarter else (1, 12)
    first = date(int(parts[1]), start, 1)
    after = date(first.year + (start + n_months - 1) // 12, (start + n_months - 1) % 12 + 1, 1)
    return Season(text.strip(), number_on(first), number_on(after - timedelta(1)))


def season_of(day: date) -> Season:
    """Return the season that is the month of this day."""
    return parse_season(f"{day:%Y-%m}")


def day_results(results: pd.DataFrame, day: int) -> pd.DataFrame:
    """Return the results of one puzzle, best first, with an additional column `crown`.

    The players with the fewest guesses get a crown if two or more played and the best solved the puzzle.

    Raises:
        UserError: There are no results of this puzzle.
    """
    puzzle_results = results[results["day"] == day]
    if puzzle_results.empty:
        last = f" The last puzzle with results is {results['day'].max()}." if len(results) else ""
        raise UserError(f"there are no results of puzzle {day} ({day_of(day)}).{last}")
    best = puzzle_results["guesses"].min()
    crown = (puzzle_results["guesses"] == best) & (best < UNSOLVED) & (len(puzzle_results) > 1)
    return puzzle_results.assign(crown=crown).sort_values(["guesses", "player"], ignore_index=True)


def crowns(results: pd.DataFrame) -> pd.DataFrame:
    """Count the days on which each player had the best result, among days with two or more players.

    Returns:
        One row per player, most crowns first, with columns player, crowns, alone (crowns not shared), n_days (days with
        two or more players on which this one played), share (crowns per day) and low, high (its 95% Clopper-Pearson
        interval).
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
    """A comparison of two players on the days that both played.

    Attributes:
        first: The first player.
        second: The second player.
        n_days: The number of days.
        means: The mean guesses of each, with X counted as 7.
        difference: The mean difference, first minus second.
        low: Lower end of its 95% confidence interval (paired Student's t); NaN below two days.
        high: Upper end of the interval.
        won: Days on which the first needed fewer guesses.
        tied: Days on which both needed the same number.
        lost: Days on which the first needed more.
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
        """The player who is significantly better; None if the interval contains 0 or there is no interval."""
        if not (self.low > 0 or self.high < 0):
            return None
        return self.first if self.difference < 0 else self.second


def compare_players(results: pd.DataFrame, first: str, second: str) -> PlayerComparison:
    """Compare two players, paired by day.

    Args:
        results: As in `ResolvedLeague`.
        first: The first player.
        second: The second player.

    Raises:
        UserError: Both names are the same, or the two have no day in common.
    """
    if first == second:
        raise UserError(f"cannot compare {first!r} with themselves: name two players.")
    pair = [results[results["player"] == name].set_index("day")["guesses"] for name in (first, second)]
    common_days = pd.concat(pair, axis=1, join="inner", keys=["first", "second"])
    if common_days.empty:
        raise UserError(f"{first!r} and {second!r} have never played the same puzzle.")
    differences = (common_days["first"] - common_days["second"]).to_numpy(float)
    n, mean = len(differences), float(differences.mean())
    half_width = (
        float(t.ppf((1 + CONFIDENCE) / 2, n - 1) * differences.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    )
    means = float(common_days["first"].mean()), float(common_days["second"].mean())
    counts = int((differences < 0).sum()), int((differences == 0).sum()), int((differences > 0).sum())
    return PlayerComparison(first, second, n, means, mean, mean - half_width, mean + half_width, *counts)


def movement(results: pd.DataFrame, ranking: Ranking, since: int) -> pd.DataFrame:
    """Return the players whose place on the board changed through the puzzles from `since` on.

    Args:
        results: As in `ResolvedLeague`.
        ranking: How the board ranks.
        since: A puzzle number.

    Returns:
        One row per player, with columns player, place, before (the old place) and is_significant (whether the player's
        tier of indistinguishable players changed too).
    """
    old, new = ranking(results[results["day"] < since].reset_index(drop=True)), ranking(results)
    places = new.merge(old[["player", "place", "tier"]], on="player", suffixes=("", "_before"))
    moved_players = places[places["place"] != places["place_before"]]
    return pd.DataFrame(
        {
            "player": moved_players["player"],
            "place": moved_players["place"],
            "before": moved_players["place_before"],
            "is_significant": moved_players["tier"] != moved_players["tier_before"],
        }
    ).reset_index(drop=True)
