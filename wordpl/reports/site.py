"""Writes a static site: an index with the records over time and the runs, and a page for each run and each entry."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isfinite
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from wordpl.core import paths
from wordpl.core.messages import UserError, amount
from wordpl.reports import record_boards
from wordpl.reports.elements import Entry, LeadVerdict, Note, Part, Section, Table, Text, Value, text_table
from wordpl.reports.html import document as html
from wordpl.reports.html import story
from wordpl.reports.html.run_page import MAX_NAMED, history, run_page
from wordpl.reports.names import labels, shown
from wordpl.reports.publication import NoGameError, page_results, report_of
from wordpl.reports.record_boards import RecordReport, unfit
from wordpl.reports.results import RunResults
from wordpl.reports.run_report import RunReport
from wordpl.reports.sections.board import MEANINGS, verdict
from wordpl.reports.standings import Board, EntryRow, Standing
from wordpl.run.folder import MAX_READ_GAMES, Run
from wordpl.stats.scores import Score, main_score
from wordpl.stats.scores.quantiles import QuantileScore

RECORD = "The smallest budget for which the games of a run show, with 95% confidence, that this share is won."
N_OWN_CARDS = 3
"""The number of scores of which an entry's page has a card."""
Progress = Callable[[str], None]


@dataclass(frozen=True)
class RecordPoint:
    """The record of a quantile after a run.

    Attributes:
        started: When the run started.
        q: The quantile.
        budget: The smallest budget within which this share is won, as the games of the run show.
        name: The entry.
    """

    started: str
    q: float
    budget: float
    name: str


@dataclass(frozen=True, eq=False)
class _RunSummary:
    """A run on the index page: its results without its games, when it started, and its records."""

    results: RunResults
    started: str
    tables: Sequence[Table]
    records: Sequence[RecordPoint]


def find_runs(results: Path, max_games: int = MAX_READ_GAMES) -> list[Path]:
    """Return the folders of the runs in a folder, the newest first.

    Args:
        results: The folder.
        max_games: See `Run`.

    Raises:
        UserError: There are no runs.
    """
    runs = [Run(path.parent, max_games) for path in sorted(results.glob("*/run.json"))]
    if not runs:
        raise UserError(f"there is no run in {results}: a run is a folder with a run.json.")
    return [run.folder for run in sorted(runs, key=lambda run: (run.info.started, run.folder.name), reverse=True)]


def write_site(
    results: Path, out: Path, is_verified: bool = True, progress: Progress = lambda _: None,
    max_games: int = MAX_READ_GAMES,
) -> list[Path]:  # fmt: skip
    """Write the static site of all runs in a folder.

    Args:
        results: The folder of the runs; runs without games are left out.
        out: The folder of the site; existing files are replaced.
        is_verified: Whether to verify each run.
        progress: Called with what is being written.
        max_games: See `Run`.

    Returns:
        The pages, the index first.

    Raises:
        UserError: There is no run with games, or the pages cannot be written.
    """
    summaries: list[_RunSummary] = []
    pages = [out / "index.html"]
    runs = find_runs(results, max_games)
    for folder in runs:  # before a page of another run is written
        Run(folder, max_games).require_as_sealed()
    try:
        for name in ("runs", "entries"):
            (out / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot create the folder {out}: {error.strerror}.") from None
    for number, folder in enumerate(runs, 1):
        progress(f"run {number} of {len(runs)}: {folder.name}")
        try:
            report = report_of(folder, max_games)
        except NoGameError:
            continue
        run = page_results(report, is_verified)
        pages.append(paths.inside(out, f"runs/{run.name}.html"))
        html.write_page(pages[-1], run_page([run]))
        summaries.append(_summary(report, run))
    if not summaries:
        raise NoGameError(f"no run in {results} has games yet: there is nothing to show.")
    progress("the index and the entries")
    entries = list(dict.fromkeys(name for one in summaries for name in _names(one.results)))
    scores = history([one.results for one in summaries])
    site = _SiteStory(summaries, entries)
    for name in entries:
        pages.append(paths.inside(out, f"entries/{entry_slug(name)}.html"))
        html.write_page(pages[-1], _entry_page(site, name, scores))
    html.write_page(pages[0], _index(site, scores))
    return pages


def entry_slug(name: str) -> str:
    """Return the name of an entry's page, which only depends on the name of the entry.

    >>> entry_slug("NGuess(epsilon=8.4, n_guesses=2)")
    'NGuess-epsilon-8-4-n_guesses-2-6c49f2'
    """
    readable = "".join(letter if letter.isascii() and (letter.isalnum() or letter == "_") else " " for letter in name)
    return f"{'-'.join(readable.split())[:60]}-{sha256(name.encode()).hexdigest()[:6]}"


def _names(run: RunResults) -> list[str]:
    return [name for board in run.boards for name in board.names]


def _summary(report: RunReport, run: RunResults) -> _RunSummary:
    info = report.records.info
    without_games = replace(run, games=pd.DataFrame(), moves={})
    has_budgets = len({entry.game.id for entry in info.entries if entry.game.has_epsilon}) == 1
    if not has_budgets or any(unfit(info)):
        return _RunSummary(without_games, info.started, [], [])
    boards = record_boards.boards([RecordReport(report.records.run, report)])
    best = {board.rows[0].name: RecordPoint(info.started, board.q, board.rows[0].claim.budget, board.rows[0].name)
            for board in boards if board.rows and board.rows[0].claim.is_record}  # fmt: skip
    tables = [one.table(is_last=one is boards[-1]) for one in boards]
    return _RunSummary(without_games, info.started, tables, list(best.values()))  # of an entry, its largest share


def own_score(board: Board) -> Score:
    """Return the score of a board's own question.

    It is the largest share that its entries reach if that is the same for all of them, as in a run of entries for 5% of
    games; otherwise the main score.
    """
    shares = [score for score in board.scores if isinstance(score, QuantileScore)]
    reached = [[score for score in shares if _is_reached(row[score])] for row in board.rows]
    largest = {max(own, key=lambda score: score.q).name if own else "" for own in reached}
    is_chosen = board.main_score.name != main_score(board.game).name  # by the host
    if is_chosen or not isinstance(board.main_score, QuantileScore) or len(largest) > 1 or "" in largest:
        return board.main_score
    return next(score for score in shares if score.name in largest)


def _is_reached(standing: Standing) -> bool:
    """Return whether there is a number, by estimate where counting disagrees."""
    number = standing.cell.sort
    return number is not None and isfinite(number)


class _SiteStory:
    """The parts of the pages of a site.

    Attributes:
        runs: The runs, the newest first.
        names: The entries, in the order in which they are listed.
    """

    def __init__(self, runs: Sequence[_RunSummary], names: Sequence[str]):
        """Take the runs and the names of all entries, which get their colours."""
        self.runs, self.names = runs, names
        short = labels(names)
        self._entries = {name: Entry(name, short[name], number) for number, name in enumerate(names)}
        self.points = sorted((point for run in runs for point in run.records), key=lambda point: point.started)

    def boards(self, name: str = "") -> Iterator[tuple[RunResults, Board]]:
        """Yield the boards, those of the newest run first; with a name, those of this entry."""
        for one in self.runs:
            for board in one.results.boards:
                if not name or name in board.names:
                    yield one.results, board

    def cards(self) -> list[html.Markup]:
        """Return a card for each record, or for who leads the newest run."""
        found = []
        for q in sorted({point.q for point in self.points}):
            held = lowered([point for point in self.points if point.q == q])
            newest = held[-1]
            entry = self._entries[newest.name]
            before = f"{held[-2].budget:g} before." if len(held) > 1 else ""
            found.append(story.card(
                f"Record, {100 * q:g}% of games", f"{newest.budget:g}", html.entry_name(entry),
                f"since {newest.started[:10]}", before, is_sure=True, colour_of=html.colour(entry),
                meaning=RECORD))  # fmt: skip
        if not found:
            found = [self._lead_card(run, board) for run, board in self.boards() if run is self.runs[0].results]
        return found

    def _lead_card(self, run: RunResults, board: Board) -> html.Markup:
        found = self._verdict(board)
        score = own_score(board)
        head = f"{run.name}: {_meaning(score)}"
        if found.nobody:
            return story.card(head, "–", None, "", f"{found.nobody[:1].upper()}{found.nobody[1:]}.")
        certainty = "" if len(board.rows) == 1 else found.certainty
        return story.card(head, found.value.text, html.entry_name(found.leader), certainty, self._next(found),
                          is_sure=certainty == "sure", colour_of=html.colour(found.leader))  # fmt: skip

    def _verdict(self, board: Board) -> LeadVerdict:
        return verdict(board, own_score(board), self._entries)

    @staticmethod
    def _next(found: LeadVerdict) -> str:
        """Return who may be as good as a leader, or who comes next."""
        if found.undecided:
            named = [f"{entry.short} ({value.text})" for entry, value in found.undecided[:MAX_NAMED]]
            more = len(found.undecided) - MAX_NAMED
            return f"Not ruled out: {', '.join(named)}{f' and {more} more' if more > 0 else ''}."
        if found.runner_up is None:
            return f"95% interval {found.value.interval}." if found.value.interval else "The only entry."
        entry, value = found.runner_up
        return f"Next: {entry.short} ({value.text})."

    def news(self) -> html.Markup:
        """Return what the newest run has brought."""
        newest, older = self.runs[0], self.runs[1:]
        sentences: list[html.Content] = []
        for point in newest.records:
            before = lowered([one for one in self.points if one.q == point.q and one.started < point.started])
            if not before or point.budget < before[-1].budget:
                was = f", {before[-1].budget:g} before" if before else ""
                name = self._entries[point.name].short
                sentences.append(f"▲ {name} holds the record for {100 * point.q:g}% of games: {point.budget:g}{was}.")
        for board in newest.results.boards:
            found, score = self._verdict(board), own_score(board)
            before_it = next((self._verdict(one) for _, one in self.boards_of(older, board.rules)
                              if own_score(one).name == score.name), None)  # fmt: skip
            if found.nobody:
                continue
            instead = before_it.leader.short if before_it and not before_it.nobody else ""
            change = f", in place of {instead}" if instead and instead != found.leader.short else ""
            leads = f"{found.leader.short} leads by {_meaning(score)} with {found.value.text}{change}."
            sentences.append(f"▲ {leads}" if change else leads)
        known = {name for one in older for name in _names(one.results)}
        new = [self._entries[name].short for name in _names(newest.results) if name not in known]
        if new and older:
            more = f" and {len(new) - MAX_NAMED} more" if len(new) > MAX_NAMED else ""
            sentences.append(f"New: {', '.join(new[:MAX_NAMED])}{more}.")
        link = html.element("a", newest.results.name, href=f"runs/{quote(newest.results.name)}.html")
        return story.news("What is new", [[link, f", {newest.started[:10]}"], *sentences])

    @staticmethod
    def boards_of(runs: Sequence[_RunSummary], rules: str) -> Iterator[tuple[RunResults, Board]]:
        """Yield the boards of a game in these runs."""
        for one in runs:
            yield from ((one.results, board) for board in one.results.boards if board.rules == rules)

    def rows(self) -> html.Markup:
        """Return a row for each board: its run, who leads its own score, and how sure that is."""
        heads = ("run", "score", "leader", "value", "how sure", "entries", "games", "checked")
        classes = ("", "of", "", "n figure", "verdict", "n fact", "n fact", "fact")
        head = [html.element("th", text, scope="col", class_=name or None)
                for text, name in zip(heads, classes, strict=True)]  # fmt: skip
        body = [html.element("tr", self._row(run, board)) for run, board in self.boards()]
        return html.element("table", html.element("caption", "Runs, the newest first"),
                            html.element("thead", html.element("tr", head)), html.element("tbody", body),
                            class_="story runs")  # fmt: skip

    def _row(self, run: RunResults, board: Board) -> html.Content:
        found, score = self._verdict(board), own_score(board)
        link = html.element("a", run.name, href=f"runs/{quote(run.name)}.html")
        meaning = _meaning(score)
        is_led = not found.nobody
        figure = [html.element("b", found.value.text), html.element("small", found.value.interval)] if is_led else "–"
        certainty = "only entry" if len(board.rows) == 1 else found.certainty
        pill = html.element("span", certainty, class_=f"pill {'sure' if certainty == 'sure' else 'open'}")
        checked = run.verified[0].partition(":")[0] if run.verified else "no"
        return [
            html.element("th", link, html.element("small", f"{run.facts.get('date', '')} {board.rules}"), scope="row"),
            html.element("td", meaning, class_="of"),
            html.element("td", html.entry_name(found.leader) if is_led else found.nobody,
                         html.element("small", meaning, class_="narrow")),
            html.element("td", figure, class_="n figure"),
            html.element("td", pill if is_led else None, class_="verdict"),
            html.element("td", f"{len(board.rows):,}", class_="n fact"),
            html.element("td", f"{max(row.n_games for row in board.rows):,}", class_="n fact"),
            html.element("td", checked, class_="fact"),
        ]  # fmt: skip

    def entry(self, name: str) -> Entry:
        """Return an entry with its colour."""
        return self._entries[name]

    def own_cards(self, name: str) -> list[html.Markup]:
        """Return where an entry stands in the newest run that it has played: by its own score, then by others."""
        _, board = next(self.boards(name))
        row, own = next(row for row in board.rows if row.name == name), own_score(board)
        scores = board.ranked_scores or [score for score in board.scores if score.ranks_boards]
        scores.sort(key=lambda score: (score.name != own.name, not _is_reached(row[score])))
        return [self._own_card(board, score, row) for score in scores[:N_OWN_CARDS]]

    def _own_card(self, board: Board, score: Score, row: EntryRow) -> html.Markup:
        own, entry = row[score], self._entries[row.name]
        found = verdict(board, score, self._entries)
        rank = f"Rank {own.ranks.text} of {len(board.rows)}. " if own.ranks else ""
        around = rank + (f"95% interval {own.cell.interval}. " if own.cell.interval and not own.undecided else "")
        if own.undecided:
            around += f"{own.undecided}. "
        if len(board.rows) == 1:
            pill, why, is_sure = "", "The only entry.", False
        elif not _is_reached(own):
            pill, why, is_sure = "not reached", _leads(found), False
        elif found.leader.name == row.name:
            pill, why, is_sure = f"leads, {found.certainty}", self._next(found), found.certainty == "sure"
        else:
            pill, why, is_sure = "may be the best" if own.may_be_best else "behind the leader", _leads(found), False
        return story.card(_capital(_meaning(score)), own.cell.text, None, pill, around + why, is_sure=is_sure,
                          colour_of=html.colour(entry))  # fmt: skip

    def own_news(self, name: str) -> html.Markup:
        """Return what has changed for an entry since the run before in which it played."""
        (run, board), *older = self.boards(name)
        link = html.element("a", run.name, href=f"../runs/{quote(run.name)}.html")
        sentences: list[html.Content] = [["Newest run: ", link, f", {run.facts.get('date', '')}"]]
        before = next((one for _, one in older if one.rules == board.rules), None)
        if before is None:
            sentences.append("It has no earlier run.")
        else:
            row, old = (next(row for row in one.rows if row.name == name) for one in (board, before))
            for score in [one for one in board.scores if one.ranks_boards and one.name in old.standings]:
                now, then = row[score].cell, old[score].cell
                if now.text != then.text:
                    sentences.append(f"{_capital(_meaning(score))}: {now.text}, {then.text} before.")
        return story.news("What has changed", sentences)

    def own_charts(self, name: str) -> html.Content:
        """Return an entry's own score in each run, where there are several of one game."""
        (_, newest), *_ = self.boards(name)
        score = own_score(newest)
        points = [
            story.TimedValue(place, row[score].value, self._entries[name], row[score].cell.text, run.name)
            for place, (run, board) in enumerate(reversed([one for one in self.boards(name)
                                                           if one[1].rules == newest.rules and score in one[1].scores]))
            for row in board.rows if row.name == name and isfinite(row[score].value)
        ]  # fmt: skip
        if len(points) < 2:
            return None
        meaning = _capital(_meaning(score))
        ticks = [(point.x, shown(point.time, 24)) for point in (points[0], points[-1])]
        chart = story.time_chart(f"{meaning} in each run", points, ticks, percent=score.percent)
        return [html.element("h2", f"{meaning}, run by run"), chart]

    def replays(self, name: str) -> html.Content:
        """Return links to the pages where the games of an entry can be replayed."""
        items = []
        for run, board in self.boards(name):
            link = html.element("a", run.name, href=f"../runs/{quote(run.name)}.html#games")
            items.append(html.element("li", link, f", {run.facts.get('date', '')}, {board.rules}"))
        return html.element("ul", items)


def lowered(points: Sequence[RecordPoint]) -> list[RecordPoint]:
    """Return those of the points of one share that lowered its record, in the order of time."""
    held: list[RecordPoint] = []
    for point in sorted(points, key=lambda point: point.started):
        if not held or point.budget < held[-1].budget:
            held.append(point)
    return held


def record_chart(points: Sequence[RecordPoint]) -> html.Content:
    """Return the smallest budgets shown so far, with a chart for each share whose record was lowered."""
    short, charts = labels(point.name for point in points), []
    for number, q in enumerate(sorted({point.q for point in points})):
        held = lowered([point for point in points if point.q == q])
        if len(held) < 2:
            continue
        days = sorted({point.started for point in points})
        drawn = [story.TimedValue(days.index(point.started), point.budget, Entry(point.name, short[point.name], number),
                             f"{point.budget:g}", point.started[:10]) for point in held]  # fmt: skip
        last = f"{100 * q:g}%: {held[-1].budget:g}, {shown(short[held[-1].name], 30)}"
        ticks = [(0, days[0][:10]), (len(days) - 1, days[-1][:10])]
        label = f"Record of {100 * q:g}% of games, run by run"
        charts.append([html.element("h3", f"Record, {last}"), story.time_chart(label, drawn, ticks, is_step=True)])
    return html.joined([html.element("h2", "Records over time"), charts]) if charts else None


def _meaning(score: Score) -> str:
    """Return what a score measures, in words."""
    return MEANINGS.get(score.name, score.head).removeprefix("the ").replace(" %", "%")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _leads(found: LeadVerdict) -> str:
    """Return who leads a score, as a sentence."""
    return f"{_capital(found.nobody)}." if found.nobody else f"{found.leader.short} ({found.value.text}) leads."


NEXT = ("Write an entry and play it against the bundled ones; its run is a new row:",
        ["wordpl new my_bot", "wordpl evaluate strategies/my_bot.py"])  # fmt: skip


def _index(site: _SiteStory, scores: Section) -> str:
    runs, entries, results = site.runs, site.names, [run.results for run in site.runs]
    n_games = sum(row.n_games for run in results for board in run.boards for row in board.rows)
    lead = html.element("p", f"{amount(len(runs), 'run')}, {amount(len(entries), 'entry', 'entries')}, "
                   f"{amount(n_games, 'game')}", class_="lead")  # fmt: skip
    first = story.front(
        story.cards(site.cards()), [site.news(), story.next_steps("Play, too", [NEXT])],
        [html.element("h2", "Runs"), site.rows()], record_chart(site.points),
    )  # fmt: skip
    sections = [
        html.PageSection("runs", "", first, "Runs"),
        html.section_html(Section("entries", "Entries", [_entries(entries, results)])),
    ]
    if parts := [replace(table, title=f"{run.results.name}: {table.title}") for run in runs for table in run.tables]:
        sections.append(html.section_html(Section("records", "Records", parts)).folded())
    sections.append(html.section_html(scores).folded())
    return html.document("wordpl · results", sections, lead=lead, heading="Results")


def _entries(entries: Sequence[str], runs: Sequence[RunResults]) -> Table:
    """Return one line for each entry: the runs it has played in, and the newest of them."""
    rows: list[list[Value]] = []
    for name in entries:
        own = [run for run in runs if name in _names(run)]
        newest = Text(own[0].name, link=f"runs/{quote(own[0].name)}.html")
        link = f"entries/{quote(entry_slug(name))}.html"
        rows.append([Text(name, link=link), len(own), newest, own[0].facts.get("date", "")])
    return text_table("Entries", ["entry", "runs", "newest run", "date"], rows, {"entry", "newest run"})


def _entry_page(site: _SiteStory, name: str, scores: Section) -> str:
    """Return the page of an entry: its standing, what has changed, and its scores in each run, the newest first."""
    parts: list[Part] = []
    for part in scores.tables():
        rows = [row[1:] for row in part.rows if isinstance(row[0], Entry) and row[0].name == name]
        linked = [[Text(str(row[0]), link=f"../runs/{quote(str(row[0]))}.html"), *row[1:]] for row in rows]
        if linked:
            parts.append(replace(part, columns=part.columns[1:], rows=linked))
    if sum(len(part.rows) for part in parts if isinstance(part, Table)) > 1:
        parts += [replace(part, role="legend") for part in scores.parts if isinstance(part, Note)]
    back = html.element("p", html.element("a", "All results", href="../index.html"), class_="lead")
    first = story.front(
        story.cards(site.own_cards(name)), [site.own_news(name), story.next_steps("Beat it", [NEXT])],
        [html.element("h2", "Scores in each run"), map(html.part_html, parts)],
        [site.own_charts(name), html.element("h2", "Replay its games"), site.replays(name)],
    )  # fmt: skip
    return html.document(shown(name), [html.PageSection("standing", "", first)], lead=back)
