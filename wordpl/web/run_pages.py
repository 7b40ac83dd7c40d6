"""The pages of a folder of runs, made from the records. A run's own HTML is never served, since it is untrusted."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from wordpl.core.clues import CLUE_RULES
from wordpl.core.messages import UserError
from wordpl.core.moves import Move, NoisyMove, Verdict
from wordpl.games import game_class, is_known
from wordpl.reports.cells import Missing, Share, Text, Tiles, Value
from wordpl.reports.html.parts import Content, Markup, element, html_table, joined
from wordpl.reports.names import shown
from wordpl.reports.section import Column, Table, text_table
from wordpl.run.folder import MAX_READ_GAMES, Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record
from wordpl.web.config import RefusedError
from wordpl.web.worker_process import WorkerProcess

REFRESH_S = 5
MAX_NAMES = 6
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


def index_page(folders: list[Path], max_games: int = MAX_READ_GAMES) -> str:
    """Return the list of these runs, the newest first."""
    runs = []
    for folder in folders:
        try:
            run = Run(folder, max_games)
            runs.append((run.info.started, folder.name, run))
        except UserError:
            continue
    if not runs:
        return page("Runs", element("p", "There are no runs yet."), depth=1)
    newest = [run for _, _, run in sorted(runs, key=lambda run: run[:2], reverse=True)]
    heads = ["run", "started", "games", "state", "entries"]
    return page("Runs", html_table(text_table("Runs, newest first", heads, map(_run_row, newest), heads)), depth=1)


def _run_row(run: Run) -> list[Value]:
    info, more = run.info, " ..." if len(run.info.entries) > MAX_NAMES else ""
    names = ", ".join(shown(entry.name) for entry in info.entries[:MAX_NAMES]) + more
    state = "finished" if info.finished else "running or interrupted"
    return [Text(run.folder.name, link=f"{run.folder.name}/"), info.started[:10], info.config.n_games, state, names]


def run_page(folder: Path, max_games: int = MAX_READ_GAMES) -> str:
    """Return a run's leaderboard with facts about the run, or its progress while it is played."""
    run = Run(folder, max_games)
    if run.info.finished is None:
        return _live_page(run)
    from wordpl.reports.html.document import section_html
    from wordpl.reports.run_report import RunReport
    from wordpl.reports.section import Level
    from wordpl.run.folder import RunRecords

    sections = [section_html(section) for section in RunReport(RunRecords(run)).sections(Level.FULL)]
    content: list[Content] = [
        element("p", element("a", "Full report", href="report"), ": curves, comparisons of entries, games to replay."),
        [[element("h2", one.head), one.content] for one in sections],
        _games(run),
    ]
    return page(folder.name, content, depth=2)


def report_page(folder: Path, max_games: int = MAX_READ_GAMES) -> str:
    """Return the page of `wordpl report`, without verifying the run."""
    from wordpl.reports.html.run_page import run_page as report_of
    from wordpl.reports.run_report import RunReport
    from wordpl.run.folder import RunRecords

    return report_of([RunReport(RunRecords(Run(folder, max_games))).results(with_commands=True)])


def game_page(folder: Path, slug: str, number: int, max_games: int = MAX_READ_GAMES) -> str:
    """Return a game move by move, with seen and true clues; only for finished runs.

    Raises:
        RefusedError: The game does not exist, or its run has not ended, so that its secrets must stay hidden.
    """
    run = Run(folder, max_games)
    if run.info.finished is None:
        raise RefusedError(404, "the games of a run are shown after its end.")
    entry = next((entry for entry in run.info.entries if entry.slug == slug), None)
    record = next((record for record in run.entry(entry).read() if record.game == number), None) if entry else None
    if entry is None or record is None:
        raise RefusedError(404, "this game does not exist.")
    content = [
        element("p", f"{shown(entry.name)}, {entry.game.id}, game {record.game}: {record.verdict}."),
        element("p", "Secret: ", element("b", record.secret.upper()), ".") if record.secret else None,
        element("p", record.message) if record.message else None,
        _moves(entry, record),
        _neighbours(record.game, run.info.config.n_games),
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
    columns = [Column("entry", "name"), Column("game", "text"), Column("played"), Column("won", best="high")]
    rows: list[list[Value]] = []
    for entry in run.info.entries:
        records = run.entry(entry).read()
        n_won = sum(record.verdict == Verdict.WON for record in records)
        won = Share(n_won, len(records)) if records else Missing()
        rows.append([Text(entry.name), entry.game.id, Share(len(records), run.info.config.n_games), won])
    note = f"This run has not ended. Its games are shown after its end. The page reloads every {REFRESH_S} seconds."
    table = html_table(Table("Games so far", columns, rows))
    return page(run.folder.name, [element("p", note), table], depth=2, refresh_s=REFRESH_S)


def _games(run: Run) -> Content:
    """Return links to games of each entry: the first games, and the first games of each verdict but `won`."""
    items = []
    for entry in run.info.entries:
        numbers = list(dict.fromkeys(_notable(run.entry(entry).read())))[:N_LATEST]
        links = [[" ", element("a", str(number), href=f"games/{entry.slug}/{number}")] for number in numbers]
        items.append(element("li", shown(entry.name), ":", links))
    note = element("p", "The first games, and the first lost games of each verdict:")
    return [element("h2", "Games"), note, element("ul", items)]


def _notable(records: list[Record]) -> Iterator[int]:
    yield from (record.game for record in records[:3])
    for verdict in Verdict:
        yield from [record.game for record in records if record.verdict == verdict != Verdict.WON][:2]


def _moves(entry: EntryInfo, record: Record) -> Content:
    has_truth = not entry.game.is_exact and is_known(entry.game)
    heads = ["guess", *(["true marks"] if has_truth else []), *(["epsilon"] if entry.game.has_epsilon else [])]
    heads += ["false marks"] if has_truth else []
    rule = CLUE_RULES[game_class(entry.game).clue_rule] if has_truth else None
    rows = [_move(move, record.secret, rule, has_epsilon=entry.game.has_epsilon) for move in record.moves]
    return html_table(replace(text_table("Moves", heads, rows, heads), is_ordered=True))


def _move(move: Move, secret: str, rule: Callable[[str, str], str] | None, *, has_epsilon: bool) -> list[Value]:
    """Return the cells of a move; with a clue rule also its true marks and the number of false ones."""
    is_answer = not move.clues
    price = f"{move.epsilon:g}" if isinstance(move, NoisyMove) and not is_answer else ""
    prices: list[Value] = [price] if has_epsilon else []
    if rule is None:
        return [Tiles(move.guess, move.clues), *prices]
    if is_answer:
        return [Tiles(move.guess), "answer", *prices, ""]
    truth = rule(move.guess, secret)
    n_false = sum(a != b for a, b in zip(move.clues, truth, strict=True))
    return [Tiles(move.guess, move.clues), Tiles(move.guess, truth), *prices, str(n_false)]


def _neighbours(number: int, n_games: int) -> Content:
    previous_link = element("a", "Previous game", href=f"{number - 1}") if number else None
    next_link = element("a", "Next game", href=f"{number + 1}") if number + 1 < n_games else None
    return element("p", previous_link, " " if previous_link and next_link else None, next_link)


MAX_PAGES = 64
"""The maximum number of cached pages."""
REPORT_POLICY = "sandbox allow-scripts allow-downloads; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The policy of a report. Its own policy allows its scripts by digest; the sandbox gives it a separate origin."""


class RunPages:
    """The pages of one folder of runs, which are made in a separate process and cached until a run changes."""

    def __init__(self, results: Path | None, worker: WorkerProcess, max_games: int):
        """Create the pages of the folder `results`, None for no runs, of runs with at most so many games."""
        self._results, self._worker, self._max_games = results, worker, max_games
        self._pages: OrderedDict[tuple[str, ...], str] = OrderedDict()

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        return [
            Route("/runs/", _page(self.index)),
            Route("/runs/{run}/", _page(self.run)),
            Route("/runs/{run}/report", _page(self.report, REPORT_POLICY)),
            Route("/runs/{run}/games/{entry}/{game:int}", _page(self.game)),
        ]

    async def index(self, request: Request) -> str:
        """Return the list of runs."""
        folders = self._folders()
        return await self._cached_page("index", list(folders.values()), index_page, list(folders.values()))

    async def run(self, request: Request) -> str:
        """Return a run's leaderboard, or its progress while it is played."""
        folder = self._folder(request)
        return await self._cached_page("run", [folder], run_page, folder)

    async def report(self, request: Request) -> str:
        """Return a run's report."""
        folder = self._folder(request)
        return await self._cached_page("report", [folder], report_page, folder)

    async def game(self, request: Request) -> str:
        """Return a game, move by move."""
        folder, entry, game = self._folder(request), request.path_params["entry"], request.path_params["game"]
        return await self._cached_page(f"game {entry} {game}", [folder], game_page, folder, entry, game)

    async def _cached_page(
        self, page_name: str, folders: list[Path], make: Callable[..., str], *arguments: object
    ) -> str:
        """Return a page from the cache, or a new one if its runs have changed."""
        key = (page_name, *(stamp for folder in folders for stamp in (str(folder), version_of(folder))))
        if key not in self._pages:
            self._pages[key] = await self._worker.run(page_or_error, make, *arguments, self._max_games)
            while len(self._pages) > MAX_PAGES:
                self._pages.popitem(last=False)
        self._pages.move_to_end(key)
        return self._pages[key]

    def _folders(self) -> dict[str, Path]:
        """Return the folders of all runs by name, the newest first."""
        if self._results is None:
            return {}
        run_files = sorted(self._results.glob("*/run.json"), key=lambda path: -path.stat().st_mtime)
        return {path.parent.name: path.parent for path in run_files if not path.parent.name.startswith(".")}

    def _folder(self, request: Request) -> Path:
        name = request.path_params["run"]
        folders = self._folders()
        if name not in folders:
            raise RefusedError(404, "this run does not exist.")
        return folders[name]


def _page(make: Callable[[Request], Awaitable[str]], policy: str = "") -> Callable[[Request], Awaitable[Response]]:
    """Return a request handler that sends the page made by `make`."""

    async def respond(request: Request) -> Response:
        headers = {"Cache-Control": "no-cache", **({"Content-Security-Policy": policy} if policy else {})}
        try:
            return HTMLResponse(await make(request), headers=headers)
        except RefusedError as error:
            status = error.status
            return HTMLResponse(error_page(error.message), status, {"Cache-Control": "no-store"})

    return respond
