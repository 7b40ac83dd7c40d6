"""Statistics of a league: its seasons and days, and each player's results."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
from scipy.stats import t

from wordpl.apps.league.posts import UNSOLVED
from wordpl.core.intervals import CONFIDENCE, proportion_interval
from wordpl.core.messages import UserError
from wordpl.core.puzzles import day_of, number_on
from wordpl.stats.rankings import Ranking

FORMS = "2026-W47 (a week), 2026-11 (a month), 2026-Q4 (a quarter), 2026 (a year), last week or last month"
_WEEK = re.compile(r"(\d{4})-W(\d{2})")
_SEASON = re.compile(r"(\d{4})(?:-(?:Q([1-4])|(\d{2})))?")


@dataclass(frozen=True)
class LeagueSeason:
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


def parse_season(text: str, today: date | None = None) -> LeagueSeason:
    """Return the season in a text like 2026-W47, 2025-10, 2025-Q4, 2025, "last week" or "this month".

    Args:
        text: The season. Weeks are those of ISO 8601, which begin on Mondays.
        today: The day from which this and last are counted; None: the current one in UTC.

    >>> parse_season("2025-10")
    LeagueSeason(name='2025-10', first=1565, last=1595)
    >>> parse_season("last week", date(2025, 10, 8))
    LeagueSeason(name='2025-W40', first=1563, last=1569)
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
        return LeagueSeason(text.strip(), number_on(monday), number_on(monday) + 6)
    month = int(parts[3]) if parts and parts[3] else 0
    if parts is None or (parts[3] and not 1 <= month <= 12) or not 2021 <= int(parts[1]) <= 2200:
        raise UserError(f"a season is written like {FORMS}; got {text!r}.")
    quarter = int(parts[2] or 0)
    start, n_months = (month, 1) if month else (3 * quarter - 2, 3) if quarter else (1, 12)
    first = date(int(parts[1]), start, 1)
    after = date(first.year + (start + n_months - 1) // 12, (start + n_months - 1) % 12 + 1, 1)
    return LeagueSeason(text.strip(), number_on(first), number_on(after - timedelta(1)))


def season_of(day: date) -> LeagueSeason:
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


ACTIVE_DAYS = 14
"""Who has a result of one of so many days before a puzzle is expected to play it."""


def missing(results: pd.DataFrame, number: int) -> pd.DataFrame:
    """Return who has no result of a puzzle, among those with one of the ACTIVE_DAYS before it.

    Returns:
        One row per player, those who played last first, with columns player and last (their last puzzle).
    """
    recent = results[results["day"].between(number - ACTIVE_DAYS, number - 1)]
    played = set(results.loc[results["day"] == number, "player"])
    last = recent[~recent["player"].isin(played)].groupby("player")["day"].max().rename("last").reset_index()
    return last.sort_values(["last", "player"], ascending=[False, True], ignore_index=True)


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
    half_width = _half_width(differences)
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


N_LISTED_DAYS = 5


@dataclass(frozen=True)
class Streaks:
    """Lengths of runs of consecutive puzzles.

    Attributes:
        solved: The longest run of solved puzzles.
        solved_now: The run of solved puzzles up to the league's newest puzzle, 0 if that was not solved.
        played: The longest run of played puzzles.
        played_now: The run of played puzzles up to the league's newest puzzle.
    """

    solved: int
    solved_now: int
    played: int
    played_now: int


@dataclass(frozen=True)
class PlayerStats:
    """Statistics of a player; low and high are ends of 95% confidence intervals.

    Attributes:
        player: The player.
        n_games: Number of games.
        mean: Mean number of guesses.
        low: Lower end of its interval (Student's t).
        high: Upper end of its interval.
        distribution: Number of games by guesses, 1 to 6 and X.
        streaks: Runs of consecutive puzzles.
        months: One row per month, with columns month, mean, low, high and n_games.
        best: The days on which the player beat the mean of the others most clearly, with columns day, guesses, others
            (their mean) and n_others.
        worst: The opposite days, with the same columns.
        head_to_head: One row per opponent, with columns opponent, won, tied, lost, n_games, share (of points; a tie
            counts half), low and high.
        n_unfinished: Games that were started and never reported.
        x_is_seven: Whether X counts as 7 guesses in means and comparisons; otherwise it is left out of them.
    """

    player: str
    n_games: int
    mean: float
    low: float
    high: float
    distribution: dict[str, int]
    streaks: Streaks
    months: pd.DataFrame
    best: pd.DataFrame
    worst: pd.DataFrame
    head_to_head: pd.DataFrame
    n_unfinished: int = 0
    x_is_seven: bool = True


def player_stats(
    results: pd.DataFrame,
    player: str,
    n_days: int = N_LISTED_DAYS,
    unfinished: pd.DataFrame | None = None,
    x_is_seven: bool = True,
) -> PlayerStats:
    """Return the statistics of a player, who must have at least one result.

    Args:
        results: As in `ResolvedLeague`.
        player: The player.
        n_days: How many best and how many worst days to return.
        unfinished: As in `ResolvedLeague`.
        x_is_seven: Whether X counts as 7 guesses in means and comparisons; otherwise it is left out of them.
    """
    all_guesses = results[results["player"] == player].set_index("day")["guesses"].sort_index()
    own_streaks = streaks(results, player)
    results = results if x_is_seven else results[results["guesses"] < UNSOLVED]
    own_guesses = results[results["player"] == player].set_index("day")["guesses"].sort_index()
    others = results[(results["player"] != player) & results["day"].isin(own_guesses.index)]
    counts = all_guesses.value_counts()
    days = _days(own_guesses, others)
    return PlayerStats(
        player,
        len(all_guesses),
        *_mean(own_guesses.to_numpy()),
        distribution={"X" if n == UNSOLVED else str(n): int(counts.get(n, 0)) for n in range(1, UNSOLVED + 1)},
        streaks=own_streaks,
        months=_months(own_guesses),
        best=days.head(n_days).reset_index(drop=True),
        worst=days.iloc[::-1].head(n_days).reset_index(drop=True),
        head_to_head=_head_to_head(own_guesses, others),
        n_unfinished=0 if unfinished is None else int((unfinished["player"] == player).sum()),
        x_is_seven=x_is_seven,
    )


def streaks(results: pd.DataFrame, player: str) -> Streaks:
    """Return a player's streaks up to the newest puzzle of the results."""
    own_guesses = results[results["player"] == player].set_index("day")["guesses"].sort_index()
    solved_days, played_days = own_guesses.index[own_guesses < UNSOLVED].to_numpy(), own_guesses.index.to_numpy()
    newest = int(results["day"].max())
    return Streaks(*_streak(solved_days, newest), *_streak(played_days, newest))


def _mean(guesses: np.ndarray) -> tuple[float, float, float]:
    """Return the mean with its 95% interval (Student's t), which is NaN for a single result."""
    if len(guesses) < 2:
        return float(guesses[0]) if len(guesses) else np.nan, np.nan, np.nan
    mean, half_width = float(np.mean(guesses)), _half_width(guesses)
    return mean, max(1.0, mean - half_width), min(float(UNSOLVED), mean + half_width)


def _half_width(values: np.ndarray) -> float:
    """Return half the width of the mean's 95% interval (Student's t), NaN below two values."""
    n = len(values)
    return float(t.ppf((1 + CONFIDENCE) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def _streak(days: np.ndarray, newest: int) -> tuple[int, int]:
    """Return the length of the longest run of consecutive days and of the run that ends at `newest`."""
    if not len(days):
        return 0, 0
    lengths = np.diff(np.flatnonzero(np.append(np.insert(np.diff(days) != 1, 0, True), True)))
    return int(lengths.max()), int(lengths[-1]) if days[-1] == newest else 0


def _months(own_guesses: pd.Series) -> pd.DataFrame:
    months = np.array([f"{day_of(int(number)):%Y-%m}" for number in own_guesses.index], object)
    parts = ((month, own_guesses[months == month]) for month in sorted(set(months)))
    rows = [(month, *_mean(part.to_numpy()), len(part)) for month, part in parts]
    return pd.DataFrame(rows, columns=["month", "mean", "low", "high", "n_games"])


def _days(own_guesses: pd.Series, others: pd.DataFrame) -> pd.DataFrame:
    """Return the days sorted by the difference to the others' mean, best first.

    On days when nobody else played, `others` is NaN and the player's own mean takes its place in the order.
    """
    others_by_day = others.groupby("day")["guesses"].agg(["mean", "size"]).reindex(own_guesses.index)
    table = pd.DataFrame(
        {
            "day": own_guesses.index,
            "guesses": own_guesses.to_numpy(),
            "others": others_by_day["mean"],
            "n_others": others_by_day["size"].fillna(0),
        }
    ).astype({"n_others": int})
    table = table.reset_index(drop=True)
    better = (table["guesses"] - table["others"].fillna(own_guesses.mean())).rename("better")
    return table.assign(better=better).sort_values(["better", "guesses", "day"]).drop(columns="better")


def _head_to_head(own_guesses: pd.Series, others: pd.DataFrame) -> pd.DataFrame:
    """Return the days won, tied and lost against each opponent.

    The share of points counts a tie as half. Its Clopper-Pearson interval rounds the points down for the lower and up
    for the upper end, which makes it conservative when there are ties.
    """
    sign = np.sign(others["guesses"] - others["day"].map(own_guesses))
    counts = pd.DataFrame({"won": sign > 0, "tied": sign == 0, "lost": sign < 0}).groupby(others["player"]).sum()
    counts["n_games"] = counts.sum(axis=1)
    points = counts["won"] + counts["tied"] / 2
    counts["share"] = points / counts["n_games"]
    intervals = [_interval(p, n) for p, n in zip(points, counts["n_games"], strict=True)]
    counts["low"], counts["high"] = ([interval[side] for interval in intervals] for side in (0, 1))
    table = counts.rename_axis("opponent").reset_index()
    return table.sort_values(["n_games", "opponent"], ascending=[False, True], ignore_index=True)


def _interval(points: float, n: int) -> tuple[float, float]:
    low, _ = proportion_interval(np.floor(points), n, CONFIDENCE)
    _, high = proportion_interval(np.ceil(points), n, CONFIDENCE)
    return float(low), float(high)
