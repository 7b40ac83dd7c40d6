"""The page of one or more runs: leaderboards, curves, comparisons, games to replay, and provenance."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from wordpl.core.messages import amount
from wordpl.core.run_records import collector_paused
from wordpl.reports.board import Board
from wordpl.reports.html import page_data, sections, tables
from wordpl.reports.html.curves import curve_table, step_chart, win_curves
from wordpl.reports.html.document import document
from wordpl.reports.html.markup import Content, Markup, element, joined
from wordpl.reports.html.run_model import RunModel, is_noisy
from wordpl.reports.html.tables import history
from wordpl.reports.legend import excess_sentences, legend

MAX_BYTES = 2_000_000
Section = tuple[str, str, Content]


def run_page(reports: Sequence[RunModel], max_bytes: int = MAX_BYTES) -> str:
    """Return the page of these runs, as one HTML file.

    Args:
        reports: The runs, in the order of the page.
        max_bytes: The maximum size of the page; the moves of as many games as fit are included.
    """
    with collector_paused():
        sections_made = _make_sections(reports)
        page_without_games = _page(reports, sections_made, "", 0)
        data, n_kept = page_data.fitting(reports, max_bytes - len(page_without_games.encode()) - 2000)
        return _page(reports, sections_made, data, n_kept)


@dataclass(frozen=True)
class _Sections:
    """The sections of a page before and after its games."""

    before_games: list[Section]
    after_games: list[Section]


def _make_sections(reports: Sequence[RunModel]) -> _Sections:
    before: list[Section] = []
    after: list[Section] = []
    if len(reports) > 1:
        over_runs = history([(report.name, report.facts, report.boards) for report in reports])
        before.append(("history", "History of entries", over_runs))
    for number, report in enumerate(reports):
        suffix = f"-{number + 1}" if number else ""
        of = f" · {report.name}" if len(reports) > 1 else ""
        before += [(f"{name}{suffix}", f"{head}{of}", joined(content)) for name, head, content in _run_sections(report)]
        after.append((f"provenance{suffix}", f"Provenance{of}", joined(_provenance(report))))
    return _Sections(before, after)


def _page(reports: Sequence[RunModel], sections: _Sections, data: str, n_kept: int) -> str:
    sections_shown = [*sections.before_games, ("games", "Games", _games(reports, n_kept)), *sections.after_games]
    title = f"wordpl · {reports[0].name}" if len(reports) == 1 else f"wordpl · {len(reports)} runs"
    return document(title, sections_shown, data, _lead(reports))


def _lead(reports: Sequence[RunModel]) -> Content:
    return [element("p", f"{report.name}: {', '.join(_sizes(report))}", class_="lead") for report in reports]


def _sizes(report: RunModel) -> list[str]:
    sizes = [(len(board.table), int(board.table["n_games"].max())) for board in report.boards]
    return [
        f"{board.rules}, {amount(n_entries, 'entry', 'entries')}, {amount(n_games, 'game')} each"
        for board, (n_entries, n_games) in zip(report.boards, sizes, strict=True)
    ]


def _run_sections(report: RunModel) -> list[tuple[str, str, Content]]:
    with_rows = [(board, report.rows_of(board)) for board in report.boards]
    return [
        ("board", "Leaderboard", [_board(board) for board in report.boards] + _remarks(report)),
        ("curves", "P(win) within a budget", [_curves(board, rows) for board, rows in with_rows]),
        ("guesses", "Guesses", [tables.guess_distribution(board) for board in report.boards
                                if "n_solved_in_1" in board.table]),
        ("pairs", "Pairwise comparisons", [sections.matrices(board, report.matrices.get(board.rules, ()))
                                     for board in report.boards]),
        ("time", "Time and faults", [sections.times_and_faults(board, rows) for board, rows in with_rows]),
        ("losses", "Lost games", [sections.lost_games(board, rows, report.lists) for board, rows in with_rows]),
    ]  # fmt: skip


def _board(board: Board) -> Content:
    findings = [element("p", sentence, class_="finding") for sentence in excess_sentences(board)]
    return [
        element("h3", board.rules),
        tables.board_table(board),
        element("p", legend(board, is_page=True), class_="note"),
        findings,
    ]


def _remarks(report: RunModel) -> list[Content]:
    return [element("ul", [element("li", remark) for remark in report.remarks])] if report.remarks else []


def _curves(board: Board, rows: pd.DataFrame) -> Content:
    if not is_noisy(board):
        return None
    lines = win_curves(rows, list(board.table["strategy"]))
    reader = element("label", "Budget ", element("input", type="range", min=0, max=1000, value=0, class_="reader"),
                     " ", element("output", "", class_="at"), class_="script")  # fmt: skip
    chart = element("figure", step_chart(lines, "budget (sum of epsilons)", "P(win within it)"), reader,
                    data_curves=board.rules)  # fmt: skip
    note = "The share of games won within each budget, with pointwise 95% Clopper-Pearson bands."
    return [element("h3", board.rules), chart, element("p", note, class_="note"), curve_table(board.rules, lines)]


def _games(reports: Sequence[RunModel], n_kept: int) -> Content:
    n_games = max((report.n_games for report in reports), default=0)
    note = (
        "This page contains the moves of all games."
        if n_kept >= n_games
        else f"To limit its size, this page contains only the moves of the first {n_kept:,} games of each entry and of "
        f"games that ended by a fault; for the others, up to {n_games:,}, it contains verdict and cost. The run's "
        "folder contains all moves."
    )
    return [
        element("p", note, class_="note"),
        element("noscript", element("p", "The list of games needs JavaScript.")),
        element(
            "div", element("div", "", id="browser"), element("div", "", id="replay", aria_live="polite"), class_="games"
        ),
    ]


def _provenance(report: RunModel) -> Content:
    facts = [[element("dt", name), element("dd", value)] for name, value in report.facts.items()]
    parts: list[Content] = [element("dl", facts)]
    if report.verified:
        parts += [
            element("h3", "Result of wordpl verify"),
            element("ul", [element("li", sentence) for sentence in report.verified]),
        ]
    else:
        parts.append(element("p", "This run was not verified when the page was written.", class_="note"))
    if report.commands:
        parts += [element("h3", "Commands to reproduce"), element("pre", _lines(report.commands), tabindex=0)]
    return parts


def _lines(texts: Sequence[str]) -> Markup:
    """Return the texts as lines."""
    return Markup("\n".join(joined(text) for text in texts))
