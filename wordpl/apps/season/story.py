"""The parts of a season's pages: cards of leaders and records, standings, what is new, what to do next."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from math import isfinite

from wordpl import games as games_module
from wordpl.apps.season import report
from wordpl.apps.season.credits import SeasonScore
from wordpl.apps.season.history import SeasonHistory, listed
from wordpl.apps.season.log import Round, Version
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import ScoreStandings, SeasonRecord, StandingRow, Standings, required
from wordpl.core.messages import amount
from wordpl.core.moves import LARGEST_BUDGET
from wordpl.reports.elements import Entry, Table, Text, Value, text_table
from wordpl.reports.html.document import Content, Markup, colour, element, entry_name, html_table
from wordpl.reports.html.story import ScoreTable, StoryRow, TimedValue, card, news, next_steps, time_chart


def page_of(name: str) -> str:
    """Return the name of the page of an entry."""
    return f"entry-{name}.html"


KEY = (
    "Lines: intervals that hold with 95% confidence after any number of rounds. Shaded: may be the best. Small curves: "
    "the value after each round, up is better."
)
MEANINGS = {
    "sure": "Every other version is shown to be worse, with 95% confidence after any number of rounds.",
    "open": "Other versions are not shown to be worse.",
    "alone": "No other version has played.",
}
DASHED_FROM = 0.85
"""The place between the newest record and the newest run at which the line of a nominated one begins."""
N_NEAR = 2
"""The number of rows above and below a version that its own page shows."""


class SeasonStory:
    """The parts of a season's pages.

    Attributes:
        season, standings: The season and its standings.
        past: What came before.
    """

    def __init__(self, season: Season, standings: Standings):
        """Take a season with its standings."""
        self.season, self.standings, self.past = season, standings, SeasonHistory(season, standings)
        facts = games_module.game_class(season.terms.game).facts
        self.unit = "budget" if facts.has_epsilon else "guesses"
        self.meanings = {score.name: report.meaning_of(score, self.unit) for score in season.scores}
        names = dict.fromkeys(version.name for version in season.versions)
        self._numbers = {name: number for number, name in enumerate(names)}
        self._nominated = {one.score.name: one for one in report.nominees(season, standings)}

    def entry(self, version: Version) -> Entry:
        """Return a version, which has the colour and the shape of its entry on all pages."""
        return Entry(version.label, number=self._numbers[version.name])

    def findings(self) -> Iterator[str]:
        """Yield what a reader must not miss."""
        yield from _open(self.season)
        yield from (sentence for _, sentence in self.season.named())
        yield from report.changes(self.standings)

    def cards(self) -> list[Markup]:
        """Return a card for the leader of each score, and one for the record of the first that has any."""
        return [*map(self._lead_card, self.standings.tables), *islice(self._record_cards(), 1)]

    def _lead_card(self, table: ScoreStandings) -> Markup:
        head, rows = _capital(self.meanings[table.score.name]), [row for row in table.rows if row.n_games]
        if not any(isfinite(row.value) for row in rows):
            why = f"No version wins {table.score.q or 0:.0%} of games." if rows else "Nobody has played yet."
            return card(head, "–", None, "", why)
        leader, lead, certainty = rows[0], self.past.lead(table), _certainty(table)
        entry = self.entry(leader.version)
        since = element("small", f"leads since round {lead.since}") if lead.since else None
        return card(head, report.value_cell(leader, table.score).text, [entry_name(entry), since], certainty,
                    self._ahead(table, lead.sure_since), is_sure=certainty == "sure", colour_of=colour(entry),
                    meaning=MEANINGS[certainty])  # fmt: skip

    def _ahead(self, table: ScoreStandings, sure_since: int) -> str:
        """Return how far the leader of a score is ahead, or who else may lead."""
        rows, rivals = [row for row in table.rows if row.n_games], _rivals(table)
        lost = "" if isfinite(rows[0].value) else f"It wins less than {table.score.q or 0:.0%} of games. "
        if rivals:
            named = [f"{row.version.label} ({report.value_cell(row, table.score).text})" for row in rivals]
            return f"{lost}Not ruled out: {listed(named)}."
        if len(rows) == 1:
            return f"{lost}Nobody else has played."
        since = f", shown since round {sure_since}" if sure_since else ""
        return f"{lost}{_gap(rows[1], rows[0], table.score)} {rows[1].version.label}{since}."

    def _record_cards(self) -> Iterator[Markup]:
        for score in self.season.scores:
            held, nominated = self.season.records.get(score.name), self._nominated.get(score.name)
            value = self.season.value_to_improve(score.name)
            if value is None and nominated is None:
                continue
            who = entry_name(self.entry(held[-1].version)) if held else None
            pill = f"confirmed {held[-1].since}" if held else ""
            if nominated:
                why = self._nomination(nominated)
            else:
                limit = required(value, self.season.terms.improvement, score)
                better = "or less" if score.lower_is_better else "or more"
                why = f"The next record needs {self._number(score, limit or 0)} {better}."
            shown = "–" if value is None else self._number(score, value)
            colour_of = colour(self.entry(held[-1].version)) if held else ""
            yield card(f"Record, {report.short_of(score)}", shown, who, pill, why, is_sure=True, colour_of=colour_of)

    def _nomination(self, one: report.Nomination) -> str:
        """Return who may have a new record, in plain words."""
        label, n_games = one.row.version.label, self.season.terms.confirmation_games
        return f"{one.shown} of {label} may be one: {n_games:,} fresh games would tell (nominated)."

    @staticmethod
    def _number(score: SeasonScore, value: float) -> str:
        return f"{value:.1%}" if score.name == "p_win" else "∞" if value >= LARGEST_BUDGET else f"{value:.5g}"

    def panel(self, table: ScoreStandings, own: Version | None = None) -> Markup:
        """Return the standings of a score; with `own`, only the leader and the rows around that version."""
        rows, chosen = list(table.rows), [*range(len(table.rows))]
        if own is not None:
            at = next(place for place, row in enumerate(rows) if row.version.index == own.index)
            near = range(max(1, at - N_NEAR), min(len(rows), at + N_NEAR + 1))
            chosen = [0, *near]
        found = ScoreTable(
            f"Standings by {self.meanings[table.score.name]}", "version", report.head_of(table.score, self.unit),
            [self._row(table, rows[place], own) for place in chosen],
            changes="since the last round", facts=["games"], times=self._rounds(),
            lower_is_better=table.score.lower_is_better,
        )  # fmt: skip
        return element("div", found.html(), class_="panel", data_tab=report.short_of(table.score),
                       data_main=table is self.standings.tables[0])  # fmt: skip

    def _rounds(self) -> str:
        newest = self.past.newest
        return "" if newest is None else "round 1" if newest.number == 1 else f"rounds 1 to {newest.number}"

    def _row(self, table: ScoreStandings, row: StandingRow, own: Version | None) -> StoryRow:
        version, score = row.version, table.score
        entry, is_finite = self.entry(version), row.n_games > 0 and isfinite(row.value)
        return StoryRow(
            report.ranks(row) if row.n_games else "–",
            entry,
            page_of(version.name),
            f"by {version.author}" if version.author != version.name else "",
            self.past.change(table, row),
            report.value_cell(row, score) if is_finite else None,
            f"does not win {score.q or 0:.0%} of games" if row.n_games else "no games yet",
            [f"{row.n_games:,}"],
            self._points(score, version),
            row.first_rank == 1 and row.n_games > 0 if own is None else version.index == own.index,
        )

    def _points(self, score: SeasonScore, version: Version) -> list[TimedValue]:
        entry = self.entry(version)
        return [TimedValue(number, value, entry, self._number(score, value), f"round {number}")
                for number, value in self.past.course(score, version.label)]  # fmt: skip

    def news(self) -> Markup | None:
        """Return what the newest round changed."""
        newest = self.past.newest
        if newest is None:
            return None
        sentences = list(self.past.changes(self.meanings)) or ["No leader and no order has changed."]
        more = [element("p", f"{newest.time[:10]}, {amount(len(newest.players), 'player')}: "
                             f"{', '.join(newest.players.values())}."), self._moved()]  # fmt: skip
        return news(f"What round {newest.number} changed", sentences, more)

    def _moved(self) -> Content:
        """Return the ranks that the newest round changed, as a table."""
        before = self.past.before
        if before is None:
            return None
        heads = ("strategy", "score", "rank before", "rank now", "value before", "value now", "games")
        rows: list[Sequence[Value]] = []
        for old_table, table in zip(before.tables, self.standings.tables, strict=True):
            old_rows = {row.version.index: row for row in old_table.rows}
            for row in table.rows:
                old = old_rows.get(row.version.index)
                if old is not None and _changed(old, row):
                    rows.append((row.version.label, report.name_of(table.score.name), report.ranks(old),
                                 report.ranks(row), old.shown[0], row.shown[0],
                                 f"+{row.n_games - old.n_games:,}"))  # fmt: skip
        text_columns = frozenset({"strategy", "score", "rank before", "rank now"})
        return linked_table(text_table("", heads, rows, text_columns), "ranks that are different") if rows else None

    def next_steps(self, own: Version | None = None) -> Markup:
        """Return what a contestant can do next."""
        season, terms = self.season, self.season.terms
        if season.has_ended and season.pending is None and not season.is_undecided:
            digest = season.log.last_digest
            return next_steps("The season has ended", [
                ("FINAL.md has its results. Anybody can check every game, rank and record:",
                 [f"wordpl season verify --digest {digest}"]),
            ])  # fmt: skip
        table = self.standings.tables[0]
        leader, head, goal = table.rows[0] if table.rows else None, "Enter, or send a better version", ""
        if leader is not None and leader.n_games and isfinite(leader.value):
            value, meaning = report.value_cell(leader, table.score).text, self.meanings[table.score.name]
            better = "less" if table.score.lower_is_better else "more"
            is_own = own is not None and leader.version.index == own.index
            goal = "It leads. " if is_own else f"To lead, the {meaning} has to be {better} than {value}. "
        until = f" until {terms.deadline}" if terms.deadline else ""
        name = f"{own.name}.py" if own is not None else "my_bot.py"
        return next_steps(head, [
            (f"{goal}Send one file{until}; the newest counts. Try it before against the leaders:",
             [f"wordpl season sample {name}"]),
        ])  # fmt: skip

    def record_charts(self) -> Content:
        """Return the records of each score over time, with the nominated one dashed; None if there is none."""
        scores = {score.name: score for score in self.season.scores}
        charts = [self._record_chart(scores[name], held) for name, held in self.season.records.items()]
        return charts or None

    def _record_chart(self, score: SeasonScore, held: Sequence[SeasonRecord]) -> Content:
        opened = self.season.log.events[0].time[:10]
        newest = max(held[-1].since, *(event.time[:10] for event in self.season.announced))
        days = max(1, _days(opened, newest))
        points = [
            TimedValue(
                _days(opened, one.since), one.value, self.entry(one.version), self._number(score, one.value), one.since
            )
            for one in held
        ]
        if (before := held[0].before) is not None:
            unknown = Entry("before the season", number=points[0].entry.number)
            points.insert(0, TimedValue(0, before, unknown, self._number(score, before), opened))
        nominated, proposed, note = self._nominated.get(score.name), None, None
        if nominated is not None:
            place = DASHED_FROM * days + (1 - DASHED_FROM) * points[-1].x
            entry = self.entry(nominated.row.version)
            proposed = TimedValue(place, nominated.value, entry, nominated.shown, "nominated")
            note = element("p", f"Dashed: {self._nomination(nominated)}", class_="note")
        meaning = self.meanings[score.name]
        chart = time_chart(f"Records by {meaning} over time", points, [(0, opened), (days, newest)], is_step=True,
                           proposed=proposed, percent=score.name == "p_win")  # fmt: skip
        return [element("h2", f"Record: {meaning}"), chart, note]

    def own_card(self, table: ScoreStandings, own: Version) -> Markup:
        """Return where a version stands in a score, and how far from its leader."""
        row, leader = _row_of(table, own), table.rows[0]
        head, cell, entry = (
            _capital(self.meanings[table.score.name]),
            report.value_cell(row, table.score),
            self.entry(own),
        )
        if not row.n_games:
            return card(head, "–", None, report.ranks(row), "It has no games yet.", colour_of=colour(entry))
        around = f"Rank {report.ranks(row)} of {len(table.rows)}. "
        around += f"95% interval {cell.interval}. " if isfinite(row.value) and cell.interval else ""
        if leader is row:
            lead, certainty = self.past.lead(table), _certainty(table)
            pill = f"leads since round {lead.since}" if lead.since else "leads"
            return card(head, cell.text, None, pill, around + self._ahead(table, lead.sure_since),
                        is_sure=certainty == "sure", colour_of=colour(entry), meaning=MEANINGS[certainty])  # fmt: skip
        is_behind = bool(table.order.better[leader.version.index, own.index])
        if isfinite(row.value):
            gap = f"{_gap(row, leader, table.score, is_ahead=False)} {leader.version.label}"
        else:
            gap = f"It does not win {table.score.q or 0:.0%} of games. Behind {leader.version.label}"
        why = f"{gap} ({report.value_cell(leader, table.score).text}), who leads"
        return card(head, cell.text, None, "behind the leader" if is_behind else "open",
                    f"{around}{why}." if is_behind else f"{around}{why} but is not shown to be better.",
                    colour_of=colour(entry))  # fmt: skip

    def own_news(self, own: Version) -> Markup | None:
        """Return what the newest round changed for a version."""
        newest = self.past.newest
        if newest is None:
            return None
        sentences: list[Content] = []
        for table in self.standings.tables:
            change = self.past.change(table, _row_of(table, own))
            sentences.append([_capital(report.short_of(table.score)), ": ", change.html()])
        return news(f"What round {newest.number} changed", sentences)

    def own_chart(self, table: ScoreStandings, own: Version) -> Content:
        """Return the value of a version after each round; None where there are less than two."""
        points = [point for point in self._points(table.score, own) if isfinite(point.value)]
        if len(points) < 2:
            return None
        meaning = _capital(self.meanings[table.score.name])
        chart = time_chart(f"{meaning} after each round", points,
                           [(point.x, f"round {point.x:g}") for point in (points[0], points[-1])],
                           percent=table.score.name == "p_win")  # fmt: skip
        return [element("h2", f"{meaning}, round by round"), chart]


def _certainty(table: ScoreStandings) -> str:
    """Return how sure the first place of a score is."""
    others = [row for row in table.rows[1:] if row.n_games]
    return "open" if _rivals(table) else "sure" if others else "alone"


def _rivals(table: ScoreStandings) -> list[StandingRow]:
    """Return the versions that may be better than the first one."""
    return [row for row in table.rows[1:] if row.n_games and row.first_rank == 1]


def _gap(worse: StandingRow, better: StandingRow, score: SeasonScore, *, is_ahead: bool = True) -> str:
    """Return by how much one version is ahead of or behind another, in words."""
    size = abs(worse.value - better.value)
    if not size < LARGEST_BUDGET:
        return "Ahead of" if is_ahead else "Behind"
    is_less = score.lower_is_better is is_ahead
    cell = report.value_cell(worse, score)
    shown = f"{100 * size:.1f} points" if cell.percent else f"{size:.{cell.digits}f}" if size < 1e7 else f"{size:.1e}"
    return f"{shown} {'less' if is_less else 'more'} than"


def _row_of(table: ScoreStandings, version: Version) -> StandingRow:
    return next(row for row in table.rows if row.version.index == version.index)


def _days(first: str, last: str) -> int:
    """Return the number of days between two dates."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _changed(old: StandingRow, new: StandingRow) -> bool:
    return (old.first_rank, old.last_rank, old.n_games > 0) != (new.first_rank, new.last_rank, new.n_games > 0)


def _open(season: Season) -> Iterator[str]:
    """Yield a sentence about the run that is announced and not played to its end yet."""
    if season.pending is not None:
        kind = "Round" if isinstance(season.pending, Round) else "Confirmation"
        waits = " and waits for its beacon" if season.is_waiting else ""
        yield f"{kind} {season.pending.number} was announced on {season.pending.time[:10]}{waits}."


def linked_table(table: Table, caption: str) -> Markup:
    """Return a table whose versions lead to the pages of their entries, and whose intervals are not broken."""
    rows = [[_cell(value, column.head) for value, column in zip(row, table.columns, strict=True)] for row in table.rows]
    return html_table(replace(table, title=caption, rows=rows))


def _cell(value: Value, head: str) -> Value:
    if not isinstance(value, str):
        return value
    if head in ("strategy", "version") and "@" in value:
        return Text(value, link=page_of(value.rpartition("@")[0]))
    return Text(value, role="whole") if head in ("since", "date", "95% interval") else value
