"""The pages of a folder of runs, made from the records when somebody asks for them, and kept until something changes.

A run's own HTML is never served, since it is untrusted.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from wordpl.apps.web.worker_process import WorkerProcess
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.core.offers import RefusedError
from wordpl.reports.elements import Column, Missing, Share, Table, Text, Value, text_table
from wordpl.reports.html.document import PageSection, document, element, html_table
from wordpl.reports.names import shown
from wordpl.run.folder import Run

REFRESH_S = 5
MAX_NAMES = 6


class RunPage(NamedTuple):
    """A page, and the time in seconds after which it reloads itself; None for never."""

    html: str
    refresh_s: int | None = None


def index_page(folders: list[Path], max_games: int) -> RunPage:
    """Return the list of these runs, the newest first; those that cannot be read are left out."""
    runs = []
    for folder in folders:
        try:
            run = Run(folder, max_games)
            runs.append((run.info.started, folder.name, run))
        except UserError:
            continue
    newest = [run for _, _, run in sorted(runs, key=lambda run: run[:2], reverse=True)]
    heads = ["run", "started", "games", "state", "entries"]
    table = text_table("Runs, newest first", heads, map(_index_row, newest), heads)
    home = element("p", element("a", "wordpl", href="../"))
    content = html_table(table) if runs else element("p", "There are no runs yet.")
    return RunPage(document("Runs", [PageSection("runs", "", content)], lead=home))


def _index_row(run: Run) -> list[Value]:
    info, more = run.info, " ..." if len(run.info.entries) > MAX_NAMES else ""
    names = ", ".join(shown(entry.name) for entry in info.entries[:MAX_NAMES]) + more
    state = "finished" if info.finished else "running or interrupted"
    return [Text(run.folder.name, link=f"{run.folder.name}/"), info.started[:10], info.config.n_games, state, names]


def run_page(folder: Path, max_games: int) -> RunPage:
    """Return the page of `wordpl report`, without verifying the run, or the run's progress while it is played."""
    run = Run(folder, max_games)
    if run.info.finished is None:
        return _progress_page(run)
    from wordpl.reports.game_reviews import MAX_REVIEWED
    from wordpl.reports.html import run_page as report  # pandas, which pages of progress do not need
    from wordpl.reports.run_report import RunReport

    results = RunReport.of(run).results(with_commands=True)
    return RunPage(report.run_page([results], max_reviewed=MAX_REVIEWED))


def _progress_page(run: Run) -> RunPage:
    """Return the number of games that each entry has played and won; secrets and moves stay hidden."""
    columns = [Column("entry", "name"), Column("game", "text"), Column("played"), Column("won", best="high")]
    rows: list[list[Value]] = []
    for entry in run.info.entries:
        records = run.entry(entry).read()
        n_won = sum(record.verdict == Verdict.WON for record in records)
        won = Share(n_won, len(records)) if records else Missing()
        rows.append([Text(entry.name), entry.game.id, Share(len(records), run.info.config.n_games), won])
    note = f"This run has not ended. Its games are shown after its end. The page reloads every {REFRESH_S} seconds."
    content = [element("p", note), html_table(Table("Games so far", columns, rows))]
    home = element("p", element("a", "Runs", href="../"))
    return RunPage(document(run.folder.name, [PageSection("progress", "", content)], lead=home), REFRESH_S)


MAX_PAGES = 64
"""The maximum number of cached pages."""
POLICY = "sandbox allow-scripts allow-downloads; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The policy of a report. Its own policy allows its scripts by digest; the sandbox gives it a separate origin."""


class RunPages:
    """The pages of one folder of runs, which are made in a separate process and cached until a run changes."""

    def __init__(self, results: Path | None, worker: WorkerProcess, max_games: int):
        """Create the pages of the folder `results`, None for no runs, of runs with at most so many games."""
        self._results, self._worker, self._max_games = results, worker, max_games
        self._pages: OrderedDict[tuple[str, ...], RunPage] = OrderedDict()

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        return [Route("/runs/", _answer(self.index)), Route("/runs/{run}/", _answer(self.run))]

    async def index(self, request: Request) -> RunPage:
        """Return the list of runs."""
        folders = list(self._folders().values())
        return await self._cached_page(folders, "wordpl.apps.web.pages:index_page", folders)

    async def run(self, request: Request) -> RunPage:
        """Return a run's report, or its progress while it is played."""
        name, folders = request.path_params["run"], self._folders()
        if name not in folders:
            raise RefusedError(404, "this run does not exist.")
        return await self._cached_page([folders[name]], "wordpl.apps.web.pages:run_page", folders[name])

    async def _cached_page(self, folders: list[Path], make: str, argument: object) -> RunPage:
        """Return a page from the cache, or a new one if its runs have changed."""
        key = (make, *(stamp for folder in folders for stamp in (str(folder), version_of(folder))))
        if key not in self._pages:
            self._pages[key] = await self._worker.run(make, argument, self._max_games)
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


def version_of(folder: Path) -> str:
    """Return a text that changes with the run: the sizes of its records, and the time of its description."""
    try:
        sizes = [path.stat().st_size for path in sorted(folder.glob("records/*.jsonl"))]
        return f"{(folder / 'run.json').stat().st_mtime_ns} {sizes}"
    except OSError:
        return "gone"


def error_page(message: str, status: int) -> Response:
    """Return a page with an error message."""
    page = document("Error", [PageSection("error", "", element("p", message))])
    return HTMLResponse(page, status, {"Cache-Control": "no-store", "Content-Security-Policy": POLICY})


def _answer(make: Callable[[Request], Awaitable[RunPage]]) -> Callable[[Request], Awaitable[Response]]:
    """Return a request handler that sends the page made by `make`."""

    async def respond(request: Request) -> Response:
        try:
            page = await make(request)
        except RefusedError as error:
            return error_page(error.message, error.status)
        except (UserError, OSError) as error:  # the run's files cannot be read
            return error_page(str(error), 200)
        headers = {"Cache-Control": "no-cache", "Content-Security-Policy": POLICY}
        refresh = {"Refresh": str(page.refresh_s)} if page.refresh_s else {}
        return HTMLResponse(page.html, headers=headers | refresh)

    return respond
