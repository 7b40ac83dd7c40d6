"""What the pages of runs show, as HTML built from records. These functions run in a process of their own."""

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
"""Games of each entry that are linked while a run goes on, and below a leaderboard."""


def explained(make: Callable[..., str], *arguments: Any) -> str:
    """Return the page; what is wrong with a run's files becomes a page that says so."""
    try:
        return make(*arguments)
    except RefusedError:
        raise
    except (UserError, OSError) as error:
        return error_page(str(error))


def version_of(folder: Path) -> str:
    """Return what changes whenever a run's records do: their sizes, and the time of its description."""
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
        state = "finished" if info.finished else "going on, or interrupted"
        names = ", ".join(shown(entry.name) for entry in info.entries[:6]) + (" ..." if len(info.entries) > 6 else "")
        link = element("a", folder.name, href=f"{folder.name}/")
        entries = element("span", names, class_="names")
        rows.append([link, info.started[:10], f"{info.n_games:,}", state, entries])
    if not rows:
        return page("Runs", element("p", "There is no run."), depth=1)
    return page("Runs", html_table("Runs, the newest first", heads, rows, sortable=False), depth=1)


def run_page(folder: Path) -> str:
    """Return a run's leaderboard with its facts, or how far the run is."""
    run = Run(folder)
    if run.info.finished is None:
        return _live_page(run)
    from wordpl.core.run_records import RunRecords
    from wordpl.reports.html.tables import board_table
    from wordpl.reports.run_report import RunReport, facts

    report = RunReport(RunRecords(run))
    known = [[element("dt", name), element("dd", value)] for name, value in facts(report.records).items()]
    content: list[Content] = [
        element("p", element("a", "The full report", href="report"), ": curves, pairs of entries, games to replay."),
        *(board_table(board) for board in report.boards),
        _games(run),
        element("h2", "Facts"),
        element("dl", known),
    ]
    return page(folder.name, content, depth=2)


def report_page(folder: Path) -> str:
    """Return the page of `wordpl report`, without verifying the run."""
    from wordpl.core.run_records import RunRecords
    from wordpl.reports.html.run_page import run_page as report_of
    from wordpl.reports.run_report import RunReport

    return report_of([RunReport(RunRecords(Run(folder))).page_model()])


def game_page(folder: Path, slug: str, number: int) -> str:
    """Return a game, move by move, with the truth beside the noise; only of a run that has ended.

    Raises:
        RefusedError: there is no such game, or the run goes on, whose secrets nobody may read yet.
    """
    run = Run(folder)
    if run.info.finished is None:
        raise RefusedError(404, "the games of a run can be looked at when it has ended.")
    entry = next((one for one in run.entries if one.slug == slug), None)
    record = next((one for one in run.read(entry) if one.game == number), None) if entry else None
    if entry is None or record is None:
        raise RefusedError(404, "there is no such game.")
    content = [
        element("p", f"{shown(entry.name)}, {entry.game_id}, game {record.game}: {record.verdict}."),
        element("p", "The secret: ", element("b", record.secret.upper()), ".") if record.secret else None,
        element("p", record.message) if record.message else None,
        _moves(entry, record),
        _neighbours(record.game, run.info.n_games),
    ]
    return page(f"{folder.name}, game {record.game}", content, depth=4)


def error_page(message: str) -> str:
    """Return a page that says what is wrong."""
    return page("That did not work", element("p", message), depth=None)


def page(title: str, content: Content, depth: int | None, refresh_s: int | None = None) -> str:
    """Return a whole page.

    Args:
        title: its title and heading.
        content: what it shows.
        depth: how many folders it lies below the first page, for relative links; None for a page without links.
        refresh_s: after how many seconds it is loaded anew.
    """
    top = "../" * (depth or 0)
    style = Markup("") if depth is None else element("link", rel="stylesheet", href=f"{top}static/style.css")
    links = [] if depth is None else [
        element("a", "wordpl", href=f"{top}./", class_="brand"), element("a", "Runs", href=f"{top}runs/")]  # fmt: skip
    refresh = element("meta", http_equiv="refresh", content=refresh_s) if refresh_s else ""
    viewport = element("meta", name="viewport", content="width=device-width, initial-scale=1")
    head = [element("meta", charset="utf-8"), viewport, refresh, element("title", title), _void(style)]
    body = [element("header", element("nav", links, aria_label="Pages")) if links else "",
            element("main", element("h1", title), content)]  # fmt: skip
    shown_body = element("body", body, class_="runs")
    return f'<!doctype html>\n<html lang="en"><head>{joined(head)}</head>{shown_body}</html>\n'


def _void(link: Markup) -> Markup:
    return Markup(link.replace("</link>", ""))


def _live_page(run: Run) -> str:
    """Return how many games each entry has played and won; secrets and moves stay hidden until the run has ended."""
    heads = [HtmlColumn("entry", True), HtmlColumn("game", True), HtmlColumn("played"), HtmlColumn("won")]
    rows = []
    for entry in run.entries:
        records = run.read(entry)
        n_won = sum(record.verdict == Verdict.WON for record in records)
        share = f"{n_won / len(records):.1%}" if records else "–"
        rows.append([shown(entry.name), entry.game_id, f"{len(records):,} of {run.info.n_games:,}", share])
    note = f"This run has not ended; its games can be looked at when it has. Loaded anew every {REFRESH_S} seconds."
    table = html_table("Games so far", heads, rows, sortable=False)
    return page(run.folder.name, [element("p", note), table], depth=2, refresh_s=REFRESH_S)


def _games(run: Run) -> Content:
    """Return links to games of each entry: the first, and the first of each way to lose."""
    rows = []
    for entry in run.entries:
        numbers = list(dict.fromkeys(_notable(run.read(entry))))[:N_LATEST]
        links = [[element("a", str(number), href=f"games/{entry.slug}/{number}"), " "] for number in numbers]
        rows.append([shown(entry.name), Markup(joined(links))])
    heads = [HtmlColumn("entry", True), HtmlColumn("games to look at", True)]
    caption = "The first games, and the first of each way to lose"
    return [element("h2", "Games"), html_table(caption, heads, rows, sortable=False)]


def _notable(records: list[Record]) -> Iterator[int]:
    yield from (record.game for record in records[:3])
    for verdict in Verdict:
        yield from [record.game for record in records if record.verdict == verdict != Verdict.WON][:2]


def _moves(entry: EntryInfo, record: Record) -> Content:
    game = game_class(entry.game_id)
    is_noisy = game.kind == GameKind.NOISY
    heads = ["guess", *(["the truth", "epsilon", "false marks"] if is_noisy else [])]
    rows = [_move(move, record.secret, game.clue_rule, is_noisy) for move in record.moves]
    return html_table("Moves", [HtmlColumn(head, True) for head in heads], rows, sortable=False)


def _move(move: Move, secret: str, clue_rule: str, is_noisy: bool) -> list[Content]:
    from wordpl.core.clues import CLUE_RULES

    if not is_noisy:
        return [tiles(move.guess, move.clues)]
    epsilon = move.epsilon if isinstance(move, NoisyMove) else 0
    if not move.clues:
        return [tiles(move.guess, ""), "the answer", "", ""]
    truth = CLUE_RULES[clue_rule](move.guess, secret)
    n_false = sum(a != b for a, b in zip(move.clues, truth, strict=True))
    return [tiles(move.guess, move.clues), tiles(move.guess, truth), f"{epsilon:g}", str(n_false)]


def tiles(word: str, clues: str) -> Markup:
    """Return a word as tiles with its marks."""
    meaning = {"c": "right place", "i": "elsewhere", ".": "not in the word", "": "no mark"}
    drawn = [
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
    return element("span", drawn, class_="row")


def _neighbours(number: int, n_games: int) -> Content:
    before = element("a", "Game before", href=f"{number - 1}") if number else None
    after = element("a", "Game after", href=f"{number + 1}") if number + 1 < n_games else None
    return element("p", before, " " if before and after else None, after)
