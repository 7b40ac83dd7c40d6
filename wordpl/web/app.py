"""The web application: the page on which people play, its API, and the pages of runs."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from wordpl.web.api import Api
from wordpl.web.config import WebConfig
from wordpl.web.guard import Guard
from wordpl.web.hints import hint_process
from wordpl.web.run_pages import RunPages
from wordpl.web.service import GameService
from wordpl.web.store import GameStore
from wordpl.web.worker_process import WorkerProcess

STATIC = Path(__file__).parent / "static"
EXPIRE_EVERY_S = 3600.0
REPORT_S = 300.0
"""The time limit for making the report of a run."""
logger = logging.getLogger(__name__)


def create_app(config: WebConfig) -> ASGIApp:
    """Return the application, with its database open.

    Raises:
        UserError: The database cannot be used.
    """
    store = GameStore(config.database)
    hints, reports = hint_process(config.lists), WorkerProcess(REPORT_S)
    api = Api(config, GameService(config, store), hints)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        expiring = asyncio.create_task(_expire(api))
        try:
            yield
        finally:
            expiring.cancel()
            with suppress(asyncio.CancelledError):
                await expiring
            hints.close()
            reports.close()
            api.close()
            store.close()

    routes = [
        Route("/", _page, methods=["GET"]),
        *api.routes(),
        *RunPages(config.results, reports).routes(),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    handlers = {404: _not_found, 405: _not_found, 500: _failed}
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), config)


async def _expire(api: Api) -> None:
    while True:
        await api.expire()
        await asyncio.sleep(EXPIRE_EVERY_S)


async def _page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return JSONResponse({"error": f"there is no page at {request.url.path[:100]}."}, status)


async def _failed(request: Request, error: Exception) -> Response:
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": "the server failed. Your game is saved; try again."}, 500)
