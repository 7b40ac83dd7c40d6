"""What a season's readers ask first: who leads since when, what the newest round changed, and how values have moved.

The past is that of the log, which has the standings after each round as they were computed then.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from wordpl.apps.season import standings as computing
from wordpl.apps.season.anytime import rank_intervals
from wordpl.apps.season.credits import SeasonScore
from wordpl.apps.season.log import (
    Banned,
    Bridged,
    Confirmation,
    Disqualified,
    Ranked,
    RankedRow,
    Round,
    RunPlayed,
    SeasonOpened,
    Submitted,
    Voided,
    Withdrawn,
)
from wordpl.apps.season.periods import PRESENT
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import ScoreStandings, StandingRow, Standings
from wordpl.reports.elements import rank_interval
from wordpl.reports.html.story import Movement


@dataclass(frozen=True)
class Leadership:
    """Since when a version leads a score.

    Attributes:
        since: The number of the round since which it leads; 0 if that is not known.
        sure_since: The number of the round since which all others are shown to be worse; 0 if that is not so.
    """

    since: int
    sure_since: int


class SeasonHistory:
    """The past of a season's standings.

    Attributes:
        season: The season.
        now: Its standings.
    """

    def __init__(self, season: Season, now: Standings):
        """Take a season with its standings."""
        self.season, self.now = season, now

    @cached_property
    def newest(self) -> Round | None:
        """The newest round that counts."""
        rounds = self.season.played_rounds
        return rounds[-1] if rounds else None

    @cached_property
    def before(self) -> Standings | None:
        """The standings without the newest round, of today's versions that had played by then; None if none had."""
        season, rounds = self.season, self.now.rounds[:-1]
        had_played = {player for games in rounds for player, era in games.keys if era == PRESENT}
        ranked = [player for player in season.ranked if player in had_played]
        return computing.compute(season.versions, ranked, rounds, season.scores) if ranked else None

    @cached_property
    def logged(self) -> dict[int, Mapping[str, Sequence[RankedRow]]]:
        """The standings after each round that counts, by its number, as the log has them."""
        numbers = {event.run: event.number for event in self.season.played_rounds}
        found: dict[int, Mapping[str, Sequence[RankedRow]]] = {}
        number = 0
        for event in self.season.log.events:
            if isinstance(event, RunPlayed):
                number = numbers.get(event.run, 0)
            elif isinstance(event, Ranked) and number:
                found.setdefault(number, event.standings)
        return found

    def course(self, score: SeasonScore, label: str) -> list[tuple[int, float]]:
        """Return the value of a version after each round, infinite if it did not win often enough."""
        found = {
            number: inf if row[3] is None else row[3]
            for number, tables in self.logged.items()
            for row in tables.get(score.name, ()) if row[0] == label and row[6]
        }  # fmt: skip
        table = next(table for table in self.now.tables if table.score.name == score.name)
        for row in table.rows:
            if row.version.label == label and row.n_games and self.newest:
                found[self.newest.number] = row.value
        return sorted(found.items())

    def lead(self, table: ScoreStandings) -> Leadership:
        """Return since when the first version of a table leads."""
        leader = table.rows[0]
        others = [row for row in table.rows[1:] if row.n_games]
        if not (self.newest and leader.n_games):
            return Leadership(0, 0)
        since = sure_since = self.newest.number
        is_sure = still_sure = bool(others) and all(row.first_rank > 1 for row in others)
        for number, tables in sorted(self.logged.items(), reverse=True):
            rows = [row for row in tables.get(table.score.name, ()) if row[6]]
            if _leader(rows, table.score) != leader.version.label:
                break
            since = number
            others_worse = [row[1] > 1 for row in rows if row[0] != leader.version.label]
            still_sure = still_sure and bool(others_worse) and all(others_worse)
            sure_since = number if still_sure else sure_since
        return Leadership(since, sure_since if is_sure else 0)

    def change(self, table: ScoreStandings, row: StandingRow) -> Movement:
        """Return what the newest round changed for a version in a score."""
        if not row.n_games:
            return Movement("could not be loaded" if row.version.n_faults else "plays the next round")
        old_table = self._before(table)
        old_rows = {one.version.index: one for one in old_table.rows} if old_table is not None else {}
        old = old_rows.get(row.version.index)
        if old_table is None or old is None:
            return Movement("first games")
        index, leader = row.version.index, table.rows[0].version.index
        if index == leader != old_table.rows[0].version.index:
            return Movement("leads now", 1)
        behind = table.order.better[:, index] & ~old_table.order.better[:, index]
        shown = [other.version for other in old_table.rows if behind[other.version.index]]
        if shown:
            return Movement(f"shown behind {shown[0].label}", -1)
        place = [one.version.index for one in old_table.rows].index(index)
        low, high = self._ranks_among(table, old_table)[place]
        moved = (old.first_rank + old.last_rank) - (low + high)
        if (old.first_rank, old.last_rank) == (low, high) or not moved:
            return Movement("stays")
        return Movement(f"from {rank_interval(old.first_rank, old.last_rank)}", 1 if moved > 0 else -1)

    @staticmethod
    def _ranks_among(table: ScoreStandings, old_table: ScoreStandings) -> list[tuple[int, int]]:
        """Return the ranks of today among those who had played before, which newcomers do not change."""
        first, last = rank_intervals(table.order.better, [row.version.index for row in old_table.rows])
        return list(zip(first.tolist(), last.tolist(), strict=True))

    def _before(self, table: ScoreStandings) -> ScoreStandings | None:
        tables = self.before.tables if self.before is not None else ()
        return next((one for one in tables if one.score.name == table.score.name), None)

    def changes(self, words: Mapping[str, str]) -> Iterator[str]:
        """Yield what the newest round changed in plain words: leaders, then what is shown now, then who came and went.

        Args:
            words: What each score measures, by its name.
        """
        for table in self.now.tables:
            old_table, phrase = self._before(table), words[table.score.name]
            if old_table is None:
                continue
            leader, old = table.rows[0], old_table.rows[0]
            if old.version.index != leader.version.index:
                yield f"▲ {leader.version.label} now leads by {phrase}, in place of {old.version.label}."
            newly = table.order.better[leader.version.index] & ~old_table.order.better[leader.version.index]
            behind = [row.version.label for row in old_table.rows if newly[row.version.index]]
            if behind:
                are = "is" if len(behind) == 1 else "are"
                yield f"▼ {listed(behind)} {are} now shown behind {leader.version.label} by {phrase}."
        yield from self.events()

    def events(self) -> Iterator[str]:
        """Yield a sentence for each version that came, went or failed between the round before and the newest one."""
        newest, season = self.newest, self.season
        since: list[str] = []
        sent: list[str] = []
        for event in season.log.events:
            match event:
                case Round() if event is newest:
                    break
                case Round():
                    since, sent = [], []
                case Submitted():
                    sent.append(event.version)
                case Withdrawn():
                    since.append(f"{event.version} was withdrawn.")
                case Disqualified():
                    since.append(f"{event.version} was disqualified: {event.reason}")
                case Bridged():
                    kept = listed([label for label in event.games if event.keeps(label)]) or "no version"
                    since.append(f"Recorded games were replayed under new conditions; {kept} played as before.")
                case Banned():
                    since.append(f"{event.author} was banned: {event.reason}")
                case Voided():
                    since.append(f"{event.run} is void: {event.reason}")
                case SeasonOpened() if changes := season.changed_terms(event):
                    since.append(f"The terms changed from round {event.round} on: {changes}.")
                case RunPlayed(is_shown=shown) if shown is not None:
                    claims = (one for one in season.log.events if isinstance(one, Confirmation))
                    claim = next(one for one in claims if one.run == event.run)
                    verdict = "is confirmed" if shown else "was not shown"
                    since.append(f"The record of {claim.version} by {claim.score}, {claim.value:.6g}, {verdict}.")
        if sent:
            yield f"{listed(sent)} {'is' if len(sent) == 1 else 'are'} new."
        yield from since
        for label, fault in newest.faults.items() if newest else ():
            yield f"{label} could not be loaded: {fault}"


def _leader(rows: Sequence[RankedRow], score: SeasonScore) -> str:
    """Return who leads logged standings, by the rule of `standings.ScoreStandings`; "" if nobody has played."""

    def merit(row: RankedRow) -> tuple[float, ...]:
        value = inf if row[3] is None else row[3] if score.lower_is_better else -row[3]
        return row[1] + row[2], row[1], value

    return min((row for row in rows if row[1] == 1), key=merit, default=("",))[0]


MAX_LISTED = 4
"""The most versions that a sentence names."""


def listed(labels: Sequence[str]) -> str:
    """Return names as an enumeration.

    >>> listed(["ada@1"]), listed(["ada@1", "ben@2", "mia@1"]), listed([f"b{n}" for n in range(9)])
    ('ada@1', 'ada@1, ben@2 and mia@1', 'b0, b1, b2, b3 and 5 more')
    """
    if len(labels) > MAX_LISTED + 1:
        return f"{', '.join(labels[:MAX_LISTED])} and {len(labels) - MAX_LISTED} more"
    return " and ".join(filter(None, [", ".join(labels[:-1]), labels[-1]])) if labels else ""
