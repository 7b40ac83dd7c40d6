"""The records of a season, and the standings with who plays next because of them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import floor, inf, isfinite, log10, nan

import numpy as np
from numpy.typing import NDArray

from wordpl.apps.season.anytime import POSITIVE, AnytimeOrder, AnytimeQuantiles, rank_intervals
from wordpl.apps.season.credits import Credits, SeasonScore
from wordpl.apps.season.log import RankedRow, Version
from wordpl.apps.season.periods import PRESENT, Change, Periods, RoundGames
from wordpl.core.intervals import ROUNDING, is_within
from wordpl.core.messages import UserError
from wordpl.core.moves import LARGEST_BUDGET
from wordpl.stats import hypothesis_tests
from wordpl.stats.scores.score import Floats


@dataclass(frozen=True)
class SeasonRecord:
    """A record that was announced.

    Attributes:
        score: The name of the score.
        version: The version that holds it.
        value: What was declared before the confirmation: a budget, or the value of a mean.
        since: The day on which it was announced.
        run: The folder of the confirmation.
        beacon: Its beacon; "" if it had none, so that it trusts its host.
        before: The record before it; None if there was none.
        wins_prize: Whether it improves the record before by the share that the prize asks for.
    """

    score: str
    version: Version
    value: float
    since: str
    run: str
    beacon: str
    before: float | None = None
    wins_prize: bool = False


RECORDS_ALPHA = 0.05
"""The probability that any record of a season is false."""


def level_of(n_confirmations: int) -> float:
    """Return the level of each confirmation of a season that promises this many."""
    return RECORDS_ALPHA / n_confirmations


@dataclass(frozen=True)
class ErrorBudget:
    """How the probability of a false record is split between the confirmations of a season.

    Attributes:
        promised: The number of confirmations when the season opened, which fixes their level.
        allowed: Their number now, which is not larger.
        used: The level of each confirmation that counts as used: all but those whose seed nobody could know.
        levels: The level of each confirmation, by its run.
        is_exact: Whether they are known; of a season of release 1.0.0 that has changed its terms, they are bounds.
    """

    promised: int
    allowed: int
    used: tuple[float, ...]
    levels: Mapping[str, float]
    is_exact: bool = True

    @property
    def n_left(self) -> int:
        """The number of confirmations that are left."""
        return max(0, self.allowed - len(self.used)) if sum(self.used) < RECORDS_ALPHA * (1 - ROUNDING) else 0

    @property
    def next_level(self) -> float:
        """The level of the next confirmation: an equal share of what is left.

        Raises:
            UserError: No confirmation is left.
        """
        if not self.n_left:
            raise UserError(f"all {self.allowed} confirmations of the season were used.")
        share, left = level_of(self.promised), (RECORDS_ALPHA - sum(self.used)) / (self.promised - len(self.used))
        return share if left > share * (1 - ROUNDING) else left


def required(before: float | None, improvement: float, score: SeasonScore) -> float | None:
    """Return the value that improves a record by this share, or None if there is no record before."""
    if before is None:
        return None
    return before * (1 - improvement if score.lower_is_better else 1 + improvement)


def reaches(value: float, needed: float | None, score: SeasonScore) -> bool:
    """Return whether a value is at least as good as what is needed; None: nothing is."""
    if needed is None:
        return True
    return value <= needed * (1 + ROUNDING) if score.lower_is_better else value >= needed * (1 - ROUNDING)


def is_shown(games: Credits, score: SeasonScore, value: float, level: float) -> bool:
    """Return whether these games show that the score is at least as good as the declared value.

    Args:
        games: A number of games that was fixed in advance.
        score: The score.
        value: The declared value.
        level: The probability of a false record.
    """
    if score.q is not None:
        values, needed = np.where(is_within(games.spent, value), games.credit, 0.0), score.q
    else:
        values, needed = score.values(games), value if score.name == "p_win" else 1 - value / score.highest
    return hypothesis_tests.lower_bound(values, 0.0, level) > needed


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

    Ranked versions that have not played come first, the earliest sent first, then the leaders of each score by turns,
    then the rivals whose order with a leader is open, the closest first. New versions get at most half of the places
    that others need, so that nobody crowds the leaders out.

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
    others = list(dict.fromkeys(chain(leaders, rivals)))
    n_kept = min(len(others), max_players // 2)
    chosen = dict.fromkeys(chain(new[: max_players - n_kept], others))
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
class StandingRow:
    """One version in the standings of a score.

    Attributes:
        version: The version.
        first_rank, last_rank: The bounds of its rank among the ranked versions.
        value: The score; infinite if less than the share is won, NaN without games.
        low, high: The bounds of the score.
        n_games: The number of its games.
        changes: When it has changed. Then rank, score and bounds are those of the worst of its periods.
        newest: The score in its newest period alone; NaN if it has not begun.
        is_exact: Whether the score is known, as the version has played every answer.
    """

    version: Version
    first_rank: int
    last_rank: int
    value: float
    low: float
    high: float
    n_games: int
    changes: tuple[Change, ...] = ()
    newest: float = nan
    is_exact: bool = False

    @property
    def shown(self) -> tuple[str, str]:
        """The value and its interval, with the digits that the interval justifies."""
        digits = decimals(self.low, self.high)
        if not self.n_games:
            return "-", "-"
        if self.low == inf:
            return "∞", "not won that often"
        interval = "exact" if self.is_exact else f"{rounded(self.low, digits)} to {rounded(self.high, digits)}"
        return rounded(self.value, digits), interval

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
    """The standings of one score.

    Attributes:
        score: The score.
        rows: The ranked versions by the middle of their ranks, then by value; none stands above a version that is
            shown to be better than it, and those that have not played come last. The first row leads the score.
        order: What the score says about all versions, for the choice of the next players.
        contradictions: Versions whose results contradict those of others although they do not show a change; only its
            own games bound the first of each.
    """

    score: SeasonScore
    rows: Sequence[StandingRow]
    order: ScoreOrder
    contradictions: Sequence[tuple[Version, ...]] = ()


@dataclass(frozen=True)
class Standings:
    """The standings of a season.

    Attributes:
        tables: One for each score.
        n_games: The number of games of each version, int[k].
        rounds: The games of the rounds.
        periods: In which of them each version agrees with itself.
        exact: The versions whose scores are known, as they have played every answer.
    """

    tables: Sequence[ScoreStandings]
    n_games: NDArray[np.int64]
    rounds: Sequence[RoundGames]
    periods: Periods
    exact: frozenset[int] = frozenset()

    @property
    def n_rounds(self) -> int:
        """The number of rounds with games that are comparable with those of today."""
        return sum(any(era == PRESENT for _, era in games.keys) for games in self.rounds)

    @property
    def as_logged(self) -> dict[str, list[RankedRow]]:
        """The standings as the log keeps them."""
        return {
            table.score.name: [
                (row.version.label, row.first_rank, row.last_rank, *row.numbers, row.n_games) for row in table.rows
            ]
            for table in self.tables
        }

    @cached_property
    def newest_games(self) -> NDArray[np.int64]:
        """The number of games of each version in its newest period, int[k]."""
        found = self.n_games.copy()
        found[list(self.periods.changes)] = 0
        for player, games in self.games.items():
            if player in self.periods.changes and self.periods.newest(player) is not None:
                found[player] = len(games.credit)
        return found

    @property
    def games(self) -> dict[int, Credits]:
        """The games of each version that has played, in its newest period, by its index; the earliest come first."""
        parts: dict[int, list[Credits]] = {}
        every = zip(self.rounds, self.periods.questions, self.periods.counted, strict=True)
        for games, questions, counted in every:
            for player, credit, question, counts in zip(games.players, games.credits, questions, counted, strict=True):
                own_questions = self.periods.of_version.get(player, ())
                if question in own_questions[-1:] and (counts or player not in self.periods.changes):
                    parts.setdefault(player, []).append(credit)
        return {
            player: Credits(
                np.concatenate([credit.spent for credit in own]), np.concatenate([credit.credit for credit in own])
            )
            for player, own in parts.items()
        }


class ImpossibleBoundError(UserError):
    """A bound or a rank cannot be right, so that no standings are shown."""


def compute(versions: Sequence[Version], ranked: Sequence[int], rounds: Sequence[RoundGames],
            scores: Sequence[SeasonScore]) -> Standings:  # fmt: skip
    """Return the standings.

    Args:
        versions: All versions, withdrawn and disqualified ones too: they count as questions that were asked, but
            the games of disqualified ones bound nothing.
        ranked: The indices of the versions that are ranked.
        rounds: The rounds in their order.
        scores: The scores.

    Raises:
        ImpossibleBoundError: A bound or a rank cannot be right.
    """
    n_games = np.zeros(len(versions), np.int64)
    for games in rounds:
        for (player, era), credit in zip(games.keys, games.credits, strict=True):
            n_games[player] += len(credit.credit) * (era == PRESENT)
    periods = Periods.of(rounds, scores, {version.index for version in versions if version.disqualified})
    exact = periods.exact(rounds)
    tables = [
        (_quantile_table if score.q is not None else _mean_table)(
            score, versions, ranked, rounds, periods, n_games, exact
        )
        for score in scores
    ]
    known = frozenset(version for version in range(len(versions)) if periods.is_exact(version, exact))
    return Standings(tables, n_games, rounds, periods, known)


@dataclass(frozen=True)
class _PeriodResults:
    """What one score says about all periods; worth is higher where a period is better.

    Attributes:
        worth, least, most: The estimate and its bounds, float[n].
        better: Whether period i is shown to be better than period j, bool[n, n].
        contradicting: The periods whose bounds contradict each other.
        limits: The smallest and the largest possible worth.
    """

    worth: Floats
    least: Floats
    most: Floats
    better: NDArray[np.bool_]
    contradicting: Sequence[Sequence[int]]
    limits: tuple[float, float]


def _alone(periods: Periods) -> list[int]:
    """Return the periods that bound nobody else: those of versions that have changed."""
    return [question for version in periods.changes for question in periods.of_version[version]]


def _mean_table(
    score: SeasonScore, versions: Sequence[Version], ranked: Sequence[int], rounds: Sequence[RoundGames],
    periods: Periods, n_games: NDArray[np.int64], exact: Collection[int],
) -> ScoreStandings:  # fmt: skip
    order = AnytimeOrder((0.0, 1.0))
    for games, questions, counted in zip(rounds, periods.questions, periods.counted, strict=True):
        order.add(questions, np.array([score.values(credit) for credit in games.credits]), counted)
    bounds = order.bounds(_alone(periods), exact)
    contradicting = [(found.player, *found.others) for found in bounds.contradictions]
    results = _PeriodResults(bounds.means, bounds.low, bounds.high, bounds.better, contradicting, (0.0, 1.0))
    return _table(score, versions, ranked, periods, results, score.shown, n_games, exact)


def _quantile_table(
    score: SeasonScore, versions: Sequence[Version], ranked: Sequence[int], rounds: Sequence[RoundGames],
    periods: Periods, n_games: NDArray[np.int64], exact: Collection[int],
) -> ScoreStandings:  # fmt: skip
    assert score.q is not None
    quantiles = AnytimeQuantiles(score.q)
    for games, questions, counted in zip(rounds, periods.questions, periods.counted, strict=True):
        spent = np.array([credit.spent for credit in games.credits])
        quantiles.add(questions, spent, np.array([credit.credit for credit in games.credits]), counted)
    bounds = quantiles.bounds(exact)
    used = [question for version in ranked for question in periods.of_version.get(version, ())]
    better = np.zeros((len(bounds.values), len(bounds.values)), bool)
    better[np.ix_(used, used)], contradictions = quantiles.better(used, bounds, _alone(periods))
    contradicting = [(found.player, *found.others) for found in contradictions]
    results = _PeriodResults(-bounds.values, -bounds.high, -bounds.low, better, contradicting, (-inf, 0.0))
    return _table(score, versions, ranked, periods, results, np.negative, n_games, exact)


def _table(
    score: SeasonScore, versions: Sequence[Version], ranked: Sequence[int], periods: Periods, results: _PeriodResults,
    shown: Callable[[Floats], Floats], n_games: NDArray[np.int64], exact: Collection[int],
) -> ScoreStandings:  # fmt: skip
    """Return the standings of one score, in which each version is as good as the worst of its periods.

    Args:
        shown: Turns worth into the unit of the score.
    """
    k = len(versions)
    worth, newest, least, most = (
        np.full(k, nan),
        np.full(k, nan),
        np.full(k, results.limits[0]),
        np.full(k, results.limits[1]),
    )
    for version, own in periods.of_version.items():
        played = [question for question in own if not np.isnan(results.worth[question])]
        if not played:
            continue
        worth[version], most[version] = results.worth[played].min(), results.most[played].min()
        if (last := periods.newest(version)) is not None:
            newest[version], least[version] = results.worth[last], results.least[list(own)].min()
    better = periods.better(range(k), results.better)
    first, last_ranks = rank_intervals(better, list(ranked))
    value, newest, low, high = (shown(numbers) for numbers in (worth, newest, least, most))
    low, high = (high, low) if score.lower_is_better else (low, high)
    order = ScoreOrder(worth, least, better)
    rows = [
        StandingRow(
            versions[v], int(best), int(worst), float(value[v]), float(low[v]), float(high[v]), int(n_games[v]),
            tuple(periods.changes.get(v, ())), float(newest[v]), periods.is_exact(v, exact),
        )
        for v, best, worst in zip(ranked, first, last_ranks, strict=True)
    ]  # fmt: skip
    for row in rows:
        _require_possible(row, score)
    owners = {question: versions[version] for version, own in periods.of_version.items() for question in own}
    contradictions = [tuple(owners[question] for question in found) for found in results.contradicting]
    return ScoreStandings(score, _in_order(rows, order), order, contradictions)


def _in_order(rows: Sequence[StandingRow], order: ScoreOrder) -> list[StandingRow]:
    """Return the rows as `ScoreStandings.rows` says; of equal values, the one with the better bound comes first."""

    def merit(row: StandingRow) -> tuple[float, ...]:
        worth, least = order.worth[row.version.index], order.least[row.version.index]
        return (row.n_games == 0, row.first_rank + row.last_rank, row.first_rank,
                inf if np.isnan(worth) else -worth, -least, row.version.index)  # fmt: skip

    rest, found = sorted(rows, key=merit), list[StandingRow]()
    while rest:
        left = [row.version.index for row in rest]
        is_beaten = order.better[np.ix_(left, left)].any(axis=0)
        found.append(rest.pop(int(np.argmin(is_beaten))))  # the first that nobody left is shown to beat
    return found


def _require_possible(row: StandingRow, score: SeasonScore) -> None:
    """Check what must hold whatever the versions have done.

    Raises:
        ImpossibleBoundError: It does not hold.
    """
    most = inf if score.q is not None else score.highest
    is_possible = -POSITIVE <= row.low <= row.high <= most + POSITIVE * score.highest
    if row.n_games and not (is_possible and row.first_rank <= row.last_rank):
        raise ImpossibleBoundError(
            f"{row.version.label} would have rank {row.first_rank} to {row.last_rank} by {score.name} and the interval "
            f"{row.low:.6g} to {row.high:.6g}, which is impossible, so no standings are shown. The records of a round "
            "are damaged, or this is a bug of wordpl: `wordpl season verify` tells."
        )


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
    if not abs(value) < LARGEST_BUDGET:
        return "∞" if value > 0 else "-"
    if abs(value) >= 1e7:
        return f"{value:.1e}"
    shown = f"{value:.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown
