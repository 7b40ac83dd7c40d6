"""The standings of a season, with bounds that hold at any time, and who plays in the next round because of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import floor, inf, isfinite, log10

import numpy as np
from numpy.typing import NDArray

from wordpl.season.log import Version
from wordpl.season.scores import Credits, SeasonScore
from wordpl.stats.anytime import AnytimeOrder, AnytimeQuantiles, rank_intervals


@dataclass(frozen=True)
class ScoreOrder:
    """What one score says about the order of versions.

    Attributes:
        worth: The estimate of each version, higher is better, float[k]; NaN for a version that has not played.
        least: The lower bound of the worth of each version, float[k]. Leaders are chosen by it: by the estimate, the
            luckiest of many versions with few games would lead.
        better: Whether version i is shown to be better than version j, bool[k, k].
    """

    worth: NDArray[np.float64]
    least: NDArray[np.float64]
    better: NDArray[np.bool_]


def next_players(
    n_games: NDArray[np.int64], ranked: Sequence[int], orders: Sequence[ScoreOrder], n_leaders: int, max_players: int
) -> list[int]:
    """Return the versions that play the next round, in ascending order.

    Ranked versions that have not played come first, then the leaders of each score by turns, then the rivals whose
    order with a leader is open, the closest first.

    Args:
        n_games: The number of games that each version has played, int[k].
        ranked: The versions that are ranked: the current one of each author.
        orders: What each score says.
        n_leaders: The number of leaders of each score that play every round.
        max_players: The maximum number of players.
    """
    new = [player for player in ranked if n_games[player] == 0]
    played = [player for player in ranked if n_games[player] > 0]
    leaders = _by_turns([_leaders(order, played, n_leaders) for order in orders])
    rivals = _by_turns([_rivals(order, played, n_leaders) for order in orders])
    chosen = dict.fromkeys(chain(new, leaders, rivals))
    return sorted(islice(chosen, max_players))


def _leaders(order: ScoreOrder, played: Sequence[int], n_leaders: int) -> list[int]:
    return sorted(played, key=lambda player: (-order.least[player], -order.worth[player], player))[:n_leaders]


def _rivals(order: ScoreOrder, played: Sequence[int], n_leaders: int) -> list[int]:
    """Return the versions behind the leaders that are not shown to be worse than all of them, the best first."""
    leaders = _leaders(order, played, n_leaders)
    by_worth = sorted(set(played) - set(leaders), key=lambda player: (-order.worth[player], player))
    return [player for player in by_worth if not order.better[leaders, player].all()]


def _by_turns(lists: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the first of each list, then the second of each, and so on."""
    for place in range(max(map(len, lists), default=0)):
        yield from (players[place] for players in lists if place < len(players))


DIGITS_BEYOND = 1
"""How many digits a value has beyond the first one that differs between the bounds of its interval."""


@dataclass(frozen=True)
class RoundGames:
    """The games of one round.

    Attributes:
        players: The indices of the versions that played.
        credits: Their games, in the same order.
    """

    players: Sequence[int]
    credits: Sequence[Credits]


@dataclass(frozen=True)
class StandingRow:
    """One version in the standings of a score.

    Attributes:
        version: The version.
        first_rank, last_rank: The bounds of its rank among the ranked versions.
        value: The score; infinite if less than the share is won, NaN without games.
        low, high: The bounds of the score.
        n_games: The number of its games.
    """

    version: Version
    first_rank: int
    last_rank: int
    value: float
    low: float
    high: float
    n_games: int

    @property
    def shown(self) -> tuple[str, str]:
        """The value and its interval, with the digits that the interval justifies."""
        digits = decimals(self.low, self.high)
        if not self.n_games:
            return "-", "-"
        if self.low == inf:
            return "∞", "not won that often"
        return rounded(self.value, digits), f"{rounded(self.low, digits)} to {rounded(self.high, digits)}"

    @property
    def numbers(self) -> tuple[float | None, float | None, float | None]:
        """The value and its bounds as numbers, with the digits that the interval justifies; None for an infinite one.

        All are None for a version that has not played.
        """
        if not self.n_games:
            return None, None, None
        digits = decimals(self.low, self.high)
        value, low, high = (
            round(float(number), digits) + 0.0 if isfinite(number) else None
            for number in (self.value, self.low, self.high)
        )
        return value, low, high


@dataclass(frozen=True)
class ScoreStandings:
    """The standings of one score; the rows are sorted by their possible ranks, then by the bound that is sure.

    Attributes:
        score: The score.
        rows: The ranked versions.
        order: What the score says about all versions, for the choice of the next players.
    """

    score: SeasonScore
    rows: Sequence[StandingRow]
    order: ScoreOrder


@dataclass(frozen=True)
class Standings:
    """The standings of a season.

    Attributes:
        tables: One for each score.
        n_games: The number of games of each version, int[k].
        rounds: The games of the rounds that are pooled.
    """

    tables: Sequence[ScoreStandings]
    n_games: NDArray[np.int64]
    rounds: Sequence[RoundGames]

    @property
    def n_rounds(self) -> int:
        """The number of rounds that are pooled."""
        return len(self.rounds)

    @property
    def games(self) -> dict[int, Credits]:
        """All games of each version that has played, by its index; the earliest come first."""
        parts: dict[int, list[Credits]] = {}
        for games in self.rounds:
            for player, credit in zip(games.players, games.credits, strict=True):
                parts.setdefault(player, []).append(credit)
        return {
            player: Credits(
                np.concatenate([credit.spent for credit in own]), np.concatenate([credit.credit for credit in own])
            )
            for player, own in parts.items()
        }


def compute(versions: Sequence[Version], ranked: Sequence[int], rounds: Sequence[RoundGames],
            scores: Sequence[SeasonScore]) -> Standings:  # fmt: skip
    """Return the standings.

    Args:
        versions: All versions, withdrawn and disqualified ones too: they count as questions that were asked.
        ranked: The indices of the versions that are ranked.
        rounds: The rounds under the same terms, in their order.
        scores: The scores.
    """
    n_games = np.zeros(len(versions), np.int64)
    for games in rounds:
        for player, credit in zip(games.players, games.credits, strict=True):
            n_games[player] += len(credit.credit)
    tables = [
        (_quantile_table if score.q is not None else _mean_table)(score, versions, ranked, rounds, n_games)
        for score in scores
    ]
    return Standings(tables, n_games, rounds)


def _mean_table(
    score: SeasonScore, versions: Sequence[Version], ranked: Sequence[int], rounds: Sequence[RoundGames],
    n_games: NDArray[np.int64],
) -> ScoreStandings:  # fmt: skip
    order = AnytimeOrder((0.0, 1.0))
    for games in rounds:
        order.add(games.players, np.array([score.values(credit) for credit in games.credits]))
    bounds = order.bounds()
    k, known = len(versions), len(bounds.means)
    worth, least, most = np.full(k, np.nan), np.zeros(k), np.ones(k)
    worth[:known], least[:known], most[:known] = bounds.means, bounds.low, bounds.high
    better = np.pad(bounds.better, (0, k - known))
    low, high = score.shown(least), score.shown(most)
    low, high = (high, low) if score.lower_is_better else (low, high)
    return _table(score, versions, ranked, ScoreOrder(worth, least, better), (score.shown(worth), low, high), n_games)


def _quantile_table(
    score: SeasonScore, versions: Sequence[Version], ranked: Sequence[int], rounds: Sequence[RoundGames],
    n_games: NDArray[np.int64],
) -> ScoreStandings:  # fmt: skip
    assert score.q is not None
    quantiles = AnytimeQuantiles(score.q)
    for games in rounds:
        spent = np.array([credit.spent for credit in games.credits])
        quantiles.add(games.players, spent, np.array([credit.credit for credit in games.credits]))
    bounds = quantiles.bounds()
    k, known = len(versions), len(bounds.values)
    value, low, high = np.full(k, np.nan), np.zeros(k), np.full(k, inf)
    value[:known], low[:known], high[:known] = bounds.values, bounds.low, bounds.high
    played = [player for player in ranked if n_games[player]]
    better = np.zeros((k, k), bool)
    better[np.ix_(played, played)] = quantiles.better(played, bounds)
    return _table(score, versions, ranked, ScoreOrder(-value, -high, better), (value, low, high), n_games)


def _table(
    score: SeasonScore, versions: Sequence[Version], ranked: Sequence[int], order: ScoreOrder,
    values: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], n_games: NDArray[np.int64],
) -> ScoreStandings:  # fmt: skip
    first, last = rank_intervals(order.better, list(ranked))
    value, low, high = values
    rows = [
        StandingRow(versions[v], int(best), int(worst), float(value[v]), float(low[v]), float(high[v]), int(n_games[v]))
        for v, best, worst in zip(ranked, first, last, strict=True)
    ]
    rows.sort(key=lambda row: (row.n_games == 0, row.first_rank, row.last_rank, -order.least[row.version.index],
                               -order.worth[row.version.index] if row.n_games else 0.0, row.version.index))  # fmt: skip
    return ScoreStandings(score, rows, order)


def decimals(low: float, high: float) -> int:
    """Return the number of decimals that an interval justifies.

    >>> decimals(36.1, 38.2), decimals(0.9512, 0.9534), decimals(36.7, 36.7), decimals(0, inf)
    (1, 4, 4, 1)
    """
    width = high - low
    if not isfinite(width):
        return DIGITS_BEYOND
    if width <= 0:
        return 4
    return int(np.clip(DIGITS_BEYOND - floor(log10(width)), 0, 6))


def rounded(value: float, digits: int) -> str:
    """Return a number with these decimals, without zeros at its end.

    >>> rounded(36.70001, 3), rounded(inf, 1), rounded(40.0, 2)
    ('36.7', '∞', '40')
    """
    if not isfinite(value):
        return "∞" if value > 0 else "-"
    shown = f"{value:.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown
