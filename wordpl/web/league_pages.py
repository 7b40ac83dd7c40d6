"""The pages of a league, made when somebody asks for them and kept until the league changes."""

import asyncio
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wordpl.league.privacy import HIDE
from wordpl.league.store import LeagueStore
from wordpl.reports.league_site import LeagueSite, policy
from wordpl.web.run_pages import error_page


class LeaguePages:
    """The pages of the only league of a store."""

    def __init__(self, url: str):
        """Open the store at `url`, which must contain one league."""
        self._store = LeagueStore(url, create=False)
        self._league = self._store.find()
        self._lock = asyncio.Lock()  # matplotlib is not thread-safe
        self._changes = -1
        self._makers: dict[str, Callable[[], bytes]] = {}
        self._kept: dict[str, bytes] = {}

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        return [Route("/league/{path:path}", self._respond, methods=["GET"])]

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    async def _respond(self, request: Request) -> Response:
        path = request.path_params["path"] or "index.html"
        async with self._lock:
            content = await asyncio.to_thread(self._file, path)
        if content is None:
            return error_page("this page of the league does not exist.", 404)
        kind = "image/svg+xml" if path.endswith(".svg") else "text/html"
        headers = {"Cache-Control": "no-cache", "Content-Security-Policy": policy()}
        return Response(content, media_type=kind, headers=headers)

    def _file(self, path: str) -> bytes | None:
        changes = self._league.changes()
        if changes != self._changes:
            name = self._store.leagues()[self._league.key]
            site = LeagueSite.of(name, self._league.resolved(), self._league.who_chose(HIDE))
            self._makers, self._kept, self._changes = dict(site.files()), {}, changes
        if path in self._makers and path not in self._kept:
            self._kept[path] = self._makers[path]()
        return self._kept.get(path)
