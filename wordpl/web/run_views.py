"""The HTML of the pages of runs, made from their records. These functions run in a separate process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wordpl.core.errors import UserError
from wordpl.core.game_kinds import GameKind
from wordpl.core.moves import Move, NoisyMove
from wordpl.core.records import EntryInfo, Record, Run, Verdict
from wordpl.games import game_class
from wordpl.reports.html.markup import Content, Markup, element, joined
from wordpl.reports.html.tables import HtmlColumn, html_table
from wordpl.reports.names import shown
from wordpl.web.errors import RefusedError

REFRESH_S = 5
N_LATEST = 10
"""The maximum number of games linked for each entry."""


def page_or_error(make: Callable[..., str], *arguments: Any) -> str:
    """Return the page, or an error page if the run's files cannot be read."""
    try:
        return make(*arguments)
    except RefusedError:
        raise
    except (UserError, OSError) as error:
        return error_page(str(error))


def version_of(folder: Path) -> str:
    """Return a text that changes with the run: the sizes of its records, and the time of its description."""
    try:
        sizes = [path.stat().st_size for path in sorted(folder.glob("records/*.jsonl"))]
        return f"{(folder / 'run.json').stat().st_mtime_ns} {sizes}"
    except OSError:
        return "gone"


def index_page(folders: list[Path]) -> str:
    """Return the list of these runs."""
    heads = [HtmlColumn(head, True) for head in ("run", "started", "games", "state", "entries")]
    rows = []
    for folder in folders:
        try:
            info = Run(folder).info
        except UserError:
            continue
        state = "finished" if info.finished else "running or interrupted"
        names = ", ".join(shown(entry.name) for entry in info.entries[:6]) + (" ..." if len(info.entries) > 6 else "")
        link = element("a", folder.name, href=f"{folder.name}/")
        entries = element("span", names, class_="names")
        rows.append([link, info.started[:10], f"{info.n_games:,}", state, entries])
    if not rows:
        return page("Runs", element("p", "There are no runs yet."), depth=1)
    return page("Runs", html_table("Runs, newest first", heads, rows, sortable=False), depth=1)


def run_page(folder: Path) -> str:
    """Return a run's leaderboard with facts about the run, or its progress while it is played."""
    run = Run(folder)
    if run.info.finished is None:
        return _live_page(run)
    from wordpl.core.run_records import RunRecords
    from wordpl.reports.html.tables import board_table
    from wordpl.reports.run_report import RunReport, facts

    report = RunReport(RunRecords(run))
    fact_list = [[element("dt", name), element("dd", value)] for name, value in facts(report.records).items()]
    content: list[Content] = [
        element("p", element("a", "Full report", href="report"), ": curves, comparisons of entries, games to replay."),
        *(board_table(board) for board in report.boards),
        _games(run),
        element("h2", "Facts"),
        element("dl", fact_list),
    ]
    return page(folder.name, content, depth=2)


def report_page(folder: Path) -> str:
    """Return the page of `wordpl report`, without verifying the run."""
    from wordpl.core.run_records import RunRecords
    from wordpl.reports.html.run_page import run_page as report_of
    from wordpl.reports.run_report import RunReport

    return report_of([RunReport(RunRecords(Run(folder))).page_model()])


def game_page(folder: Path, slug: str, number: int) -> str:
    """Return a game move by move, with seen and true clues; only for finished runs.

    Raises:
        RefusedError: The game does not exist, or its run has not ended, so that its secrets must stay hidden.
    """
    run = Run(folder)
    if run.info.finished is None:
        raise RefusedError(404, "the games of a run are shown after its end.")
    entry = next((entry for entry in run.entries if entry.slug == slug), None)
    record = next((record for record in run.read(entry) if record.game == number), None) if entry else None
    if entry is None or record is None:
        raise RefusedError(404, "this game does not exist.")
    content = [
        element("p", f"{shown(entry.name)}, {entry.game_id}, game {record.game}: {record.verdict}."),
        element("p", "Secret: ", element("b", record.secret.upper()), ".") if record.secret else None,
        element("p", record.message) if record.message else None,
        _moves(entry, record),
        _neighbours(record.game, run.info.n_games),
    ]
    return page(f"{folder.name}, game {record.game}", content, depth=4)


def error_page(message: str) -> str:
    """Return a page with an error message."""
    return page("Error", element("p", message), depth=None)


def page(title: str, content: Content, depth: int | None, refresh_s: int | None = None) -> str:
    """Return a complete page.

    Args:
        title: The title and heading.
        content: The content below the heading.
        depth: The number of folders between the page and the first page, for relative links; None for no links.
        refresh_s: The time after which the page reloads itself, in seconds; None for never.
    """
    top = "../" * (depth or 0)
    style = Markup("") if depth is None else element("link", rel="stylesheet", href=f"{top}static/style.css")
    links = [] if depth is None else [
        element("a", "wordpl", href=f"{top}./", class_="brand"), element("a", "Runs", href=f"{top}runs/")]  # fmt: skip
    refresh = element("meta", http_equiv="refresh", content=refresh_s) if refresh_s else ""
    viewport = element("meta", name="viewport", content="width=device-width, initial-scale=1")
    head = [element("meta", charset="utf-8"), viewport, refresh, element("title", title), _without_end_tag(style)]
    body = [element("header", element("nav", links, aria_label="Pages")) if links else "",
            element("main", element("h1", title), content)]  # fmt: skip
    shown_body = element("body", body, class_="runs")
    return f'<!doctype html>\n<html lang="en"><head>{joined(head)}</head>{shown_body}</html>\n'


def _without_end_tag(link: Markup) -> Markup:
    return Markup(link.replace("</link>", ""))


def _live_page(run: Run) -> str:
    """Return the number of games that each entry has played and won; secrets and moves stay hidden."""
    heads = [HtmlColumn("entry", True), HtmlColumn("game", True), HtmlColumn("played"), HtmlColumn("won")]
    rows = []
    for entry in run.entries:
        records = run.read(entry)
        n_won = sum(record.verdict == Verdict.WON for record in records)
        share = f"{n_won / len(records):.1%}" if records else "–"
        rows.append([shown(entry.name), entry.game_id, f"{len(records):,} of {run.info.n_games:,}", share])
    note = f"This run has not ended. Its games are shown after its end. The page reloads every {REFRESH_S} seconds."
    table = html_table("Games so far", heads, rows, sortable=False)
    return page(run.folder.name, [element("p", note), table], depth=2, refresh_s=REFRESH_S)


def _games(run: Run) -> Content:
    """Return links to games of each entry: the first games, and the first games of each verdict but `won`."""
    rows = []
    for entry in run.entries:
        numbers = list(dict.fromkeys(_notable(run.read(entry))))[:N_LATEST]
        links = [[element("a", str(number), href=f"games/{entry.slug}/{number}"), " "] for number in numbers]
        rows.append([shown(entry.name), Markup(joined(links))])
    heads = [HtmlColumn("entry", True), HtmlColumn("games", True)]
    caption = "The first games, and the first lost games of each verdict"
    return [element("h2", "Games"), html_table(caption, heads, rows, sortable=False)]


def _notable(records: list[Record]) -> Iterator[int]:
    yield from (record.game for record in records[:3])
    for verdict in Verdict:
        yield from [record.game for record in records if record.verdict == verdict != Verdict.WON][:2]


def _moves(entry: EntryInfo, record: Record) -> Content:
    game = game_class(entry.game_id)
    is_noisy = game.kind == GameKind.NOISY
    heads = ["guess", *(["true marks", "epsilon", "false marks"] if is_noisy else [])]
    rows = [_move(move, record.secret, game.clue_rule, is_noisy) for move in record.moves]
    return html_table("Moves", [HtmlColumn(head, True) for head in heads], rows, sortable=False)


def _move(move: Move, secret: str, clue_rule: str, is_noisy: bool) -> list[Content]:
    from wordpl.core.clues import CLUE_RULES

    if not is_noisy:
        return [tiles(move.guess, move.clues)]
    epsilon = move.epsilon if isinstance(move, NoisyMove) else 0
    if not move.clues:
        return [tiles(move.guess, ""), "answer", "", ""]
    truth = CLUE_RULES[clue_rule](move.guess, secret)
    n_false = sum(a != b for a, b in zip(move.clues, truth, strict=True))
    return [tiles(move.guess, move.clues), tiles(move.guess, truth), f"{epsilon:g}", str(n_false)]


def tiles(word: str, clues: str) -> Markup:
    """Return a word as tiles with its marks."""
    meaning = {"c": "right place", "i": "elsewhere", ".": "not in the word", "": "no mark"}
    letter_tiles = [
        element(
            "span",
            letter.upper(),
            class_="tile",
            role="img",
            data_mark=mark,
            aria_label=f"{letter.upper()}, {meaning[mark]}",
        )
        for letter, mark in zip(word, clues or [""] * len(word), strict=True)
    ]
    return element("span", letter_tiles, class_="row")


def _neighbours(number: int, n_games: int) -> Content:
    previous_link = element("a", "Previous game", href=f"{number - 1}") if number else None
    next_link = element("a", "Next game", href=f"{number + 1}") if number + 1 < n_games else None
    return element("p", previous_link, " " if previous_link and next_link else None, next_link)
