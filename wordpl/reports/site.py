"""Writes a static site: an index with the records over time and the runs, and a page for each run and each entry."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from math import ceil
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from wordpl.core import paths
from wordpl.core.messages import UserError, amount
from wordpl.reports import record_boards
from wordpl.reports.elements import Entry, Part, Section, Table, Text, Value, text_table
from wordpl.reports.html import document as html
from wordpl.reports.html.run_page import Axis, history, run_page
from wordpl.reports.names import labels, shown
from wordpl.reports.publication import NoGameError, page_results, report_of
from wordpl.reports.record_boards import RecordReport, unfit
from wordpl.reports.renderers import sentence
from wordpl.reports.results import RunResults
from wordpl.reports.run_report import RunReport
from wordpl.reports.sections.board import verdict
from wordpl.run.folder import MAX_READ_GAMES, Run

CHART = (1080, 300)
MARGINS = (46, 240, 18, 34)
"""The margins of the chart of records: left, right, top, bottom."""
LABEL_HEIGHT = 17
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
    """A run on the index page: its results without its games, who leads its boards, and its records."""

    results: RunResults
    leaders: str
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
    for name in entries:
        pages.append(paths.inside(out, f"entries/{entry_slug(name)}.html"))
        html.write_page(pages[-1], _entry_page(name, scores))
    html.write_page(pages[0], _index(summaries, entries, scores))
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
    info, leaders = report.records.info, "; ".join(_leaders(run))
    without_games = replace(run, games=pd.DataFrame(), moves={})
    has_budgets = len({entry.game.id for entry in info.entries if entry.game.has_epsilon}) == 1
    if not has_budgets or any(unfit(info)):
        return _RunSummary(without_games, leaders, info.started, [], [])
    boards = record_boards.boards([RecordReport(report.records.run, report)])
    points = [RecordPoint(info.started, board.q, board.rows[0].claim.budget, board.rows[0].name)
              for board in boards if board.rows and board.rows[0].claim.is_record]  # fmt: skip
    tables = [one.table(is_last=one is boards[-1]) for one in boards]
    return _RunSummary(without_games, leaders, info.started, tables, points)


def _index(runs: Sequence[_RunSummary], entries: Sequence[str], scores: Section) -> str:
    results = [run.results for run in runs]
    points = [point for run in runs for point in run.records]
    n_games = sum(row.n_games for run in results for board in run.boards for row in board.rows)
    lead = html.element("p", f"{amount(len(runs), 'run')}, {amount(len(entries), 'entry', 'entries')}, "
                   f"{amount(n_games, 'game')}", class_="lead")  # fmt: skip
    sections = [
        html.PageSection(
            "progress", "Records over time", record_chart(points) if points else None, "Records over time"
        ),
        html.section_html(Section("runs", "Runs", [_runs(runs)])),
        html.section_html(Section("entries", "Entries", [_entries(entries, results)])),
    ]
    if parts := [replace(table, title=f"{run.results.name}: {table.title}") for run in runs for table in run.tables]:
        sections.append(html.section_html(Section("records", "Records", parts)).folded())
    sections.append(html.section_html(scores).folded())
    return html.document("wordpl · results", sections, lead=lead, heading="Results")


class _RecordAxes:
    """The axes of the chart of records: the dates of the runs, and budgets from 0."""

    def __init__(self, points: Sequence[RecordPoint]):
        """Choose the axes so that all points fit."""
        (self.width, self.height), (self.left, right, self._top, self._bottom) = CHART, MARGINS
        self.right = self.width - right
        self.dates = sorted({point.started for point in points})
        largest = max(point.budget for point in points)
        step = Axis((0.0, largest)).step
        self._most = step * ceil(largest / step)

    def x(self, date: str) -> float:
        """Return the place of the run that started at this time."""
        return self.left + (self.right - self.left) * (self.dates.index(date) + 0.5) / len(self.dates)

    def y(self, budget: float) -> float:
        """Return the place of a budget."""
        return self._top + (1 - budget / self._most) * (self.height - self._top - self._bottom)

    def drawn(self) -> Iterator[html.Content]:
        """Yield the grid with its budgets, and the days of the runs."""
        for tick in Axis((0.0, self._most)).ticks:
            at = html.coordinate(self.y(tick))
            yield html.element("line", x1=self.left, x2=self.right, y1=at, y2=at, class_="grid")
            yield html.element("text", f"{tick:g}", x=self.left - 8, y=at, dy=".35em", class_="tick end")
        first_of_day = list({date[:10]: date for date in reversed(self.dates)}.values())[::-1]
        for date in first_of_day[:: 1 + len(first_of_day) // 8]:
            yield html.element(
                "text", date[:10], x=html.coordinate(self.x(date)), y=self.height - 12, class_="tick middle"
            )

    def line(self, number: int, held: Sequence[RecordPoint]) -> html.Markup:
        """Return the steps of the record of a quantile, with a dot for each run that lowered it."""
        places = [(self.x(held[0].started), self.y(held[0].budget))]
        for before, point in pairwise(held):
            places += [(self.x(point.started), self.y(one.budget)) for one in (before, point)]
        places.append((self.right, self.y(held[-1].budget)))
        dots = [
            html.placed_shape(number, self.x(point.started), self.y(point.budget),
                         html.element("title", f"{point.started[:10]}: {point.name} at {point.budget:g}"))
            for point in held
        ]  # fmt: skip
        line = html.element(
            "polyline", points=" ".join(f"{html.coordinate(x)},{html.coordinate(y)}" for x, y in places)
        )
        return html.element("g", line, dots, class_=f"line e{number}")


def record_chart(points: Sequence[RecordPoint]) -> html.Markup:
    """Return a chart of the smallest budgets shown so far, with a line for each quantile."""
    axes, short = _RecordAxes(points), labels(point.name for point in points)
    parts = list(axes.drawn())
    label_y, legend = float(axes.height), []
    for number, q in enumerate(sorted({point.q for point in points})):
        held: list[RecordPoint] = []  # the points that lowered the record
        for point in sorted((point for point in points if point.q == q), key=lambda point: point.started):
            if not held or point.budget < held[-1].budget:
                held.append(point)
        label_y = min(axes.y(held[-1].budget), label_y - LABEL_HEIGHT)
        text = f"{100 * q:g}%: {held[-1].budget:g}, {shown(short[held[-1].name], 30)}"
        label = html.element("text", text, x=axes.right + 10, y=html.coordinate(label_y + 4))
        parts += [axes.line(number, held), html.element("g", label, class_="label")]
        legend.append(html.element("li", html.glyph(Entry(held[-1].name, number=number)), text))
    picture = html.element("svg", parts, viewBox=f"0 0 {axes.width} {axes.height}", class_="chart low", role="img",
                      preserveAspectRatio="none",
                      aria_label="The smallest budgets shown to win 5, 50 and 95% of games, run by run")  # fmt: skip
    note = (
        "The smallest budget for which the games of a run show, with 95% confidence, that this share is won within it."
    )
    return html.element("figure", html.element("div", picture, class_="scroll wide", tabindex=0, role="group",
                                     aria_label="Records over time"), html.element("ul", legend, class_="legend phone"),
                   html.element("p", note, class_="note"))  # fmt: skip


def _runs(runs: Sequence[_RunSummary]) -> Table:
    """Return one line for each run: its game, its size, and who leads its main score."""
    heads = ["run", "leader", "date", "game", "games", "entries", "verified"]
    rows: list[list[Value]] = [
        [
            Text(run.name, link=f"runs/{quote(run.name)}.html"),
            one.leaders or None,
            run.facts.get("date", ""),
            ", ".join(board.rules for board in run.boards),
            max(row.n_games for board in run.boards for row in board.rows),
            sum(len(board.rows) for board in run.boards),
            run.verified[0].partition(":")[0] if run.verified else "no",
        ]
        for one in runs
        for run in [one.results]
    ]
    return text_table("Runs, newest first", heads, rows, {"run", "leader", "game", "verified"})


def _leaders(run: RunResults) -> Iterator[str]:
    """Yield who leads the main score of each board."""
    for board in run.boards:
        if board.main_score in board.ranked_scores:
            yield f"{board.main_score.head}: {sentence(verdict(board, board.main_score, run.entries(board)))}"


def _entries(entries: Sequence[str], runs: Sequence[RunResults]) -> Table:
    """Return one line for each entry: the runs it has played in, and the newest of them."""
    rows: list[list[Value]] = []
    for name in entries:
        own = [run for run in runs if name in _names(run)]
        newest = Text(own[0].name, link=f"runs/{quote(own[0].name)}.html")
        link = f"entries/{quote(entry_slug(name))}.html"
        rows.append([Text(name, link=link), len(own), newest, own[0].facts.get("date", "")])
    return text_table("Entries", ["entry", "runs", "newest run", "date"], rows, {"entry", "newest run"})


def _entry_page(name: str, scores: Section) -> str:
    """Return the page of an entry: its scores in each run, the newest first; `scores` are those of all entries."""
    tables: list[Part] = []
    for part in scores.tables():
        rows = [row[1:] for row in part.rows if isinstance(row[0], Entry) and row[0].name == name]
        linked = [[Text(str(row[0]), link=f"../runs/{quote(str(row[0]))}.html"), *row[1:]] for row in rows]
        if linked:
            tables.append(replace(part, columns=part.columns[1:], rows=linked))
    has_several = sum(len(table.rows) for table in tables if isinstance(table, Table)) > 1
    parts = [*(part for part in scores.parts if has_several and not isinstance(part, Table)), *tables]
    back = html.element("p", html.element("a", "All results", href="../index.html"), class_="lead")
    return html.document(shown(name), [html.section_html(Section("history", "Scores in each run", parts))], lead=back)
