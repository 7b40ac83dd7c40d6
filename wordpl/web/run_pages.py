"""The pages of a folder of runs, made from the records. A run's own HTML is never served, since it is untrusted."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from wordpl.web import run_views
from wordpl.web.errors import RefusedError
from wordpl.web.worker_process import WorkerProcess

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
        return await self._cached_page("index", list(folders.values()), run_views.index_page, list(folders.values()))

    async def run(self, request: Request) -> str:
        """Return a run's leaderboard, or its progress while it is played."""
        folder = self._folder(request)
        return await self._cached_page("run", [folder], run_views.run_page, folder)

    async def report(self, request: Request) -> str:
        """Return a run's report."""
        folder = self._folder(request)
        return await self._cached_page("report", [folder], run_views.report_page, folder)

    async def game(self, request: Request) -> str:
        """Return a game, move by move."""
        folder, entry, game = self._folder(request), request.path_params["entry"], request.path_params["game"]
        return await self._cached_page(f"game {entry} {game}", [folder], run_views.game_page, folder, entry, game)

    async def _cached_page(
        self, page_name: str, folders: list[Path], make: Callable[..., str], *arguments: object
    ) -> str:
        """Return a page from the cache, or a new one if its runs have changed."""
        key = (page_name, *(stamp for folder in folders for stamp in (str(folder), run_views.version_of(folder))))
        if key not in self._pages:
            self._pages[key] = await self._worker.run(run_views.page_or_error, make, *arguments, self._max_games)
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
            return HTMLResponse(run_views.error_page(error.message), status, {"Cache-Control": "no-store"})

    return respond
