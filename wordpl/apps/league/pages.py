"""The pages of a store's only league for the web server, made when somebody asks for them, kept until it changes."""

from collections.abc import Callable

from wordpl.apps.league import site
from wordpl.apps.league.privacy import HIDE
from wordpl.apps.league.store import LeagueStore
from wordpl.core.offers import Content, Endpoint, Offer, RefusedError
from wordpl.reports.html.document import policy


class LeaguePages:
    """The pages of the only league of a store."""

    def __init__(self, url: str):
        """Open the store at `url`. Raises UserError if it does not contain exactly one league."""
        self._store = LeagueStore(url, create=False)
        self._league = self._store.find()
        self._changes = -1
        self._makers: dict[str, Callable[[], bytes]] = {}
        self._kept: dict[str, bytes] = {}

    def answer(self, path: str, token: str) -> Content:
        """Return a page or a picture."""
        path = path or "index.html"
        data = self._file(path)
        if data is None:
            raise RefusedError(404, "this page of the league does not exist.")
        kind = "image/svg+xml" if path.endswith(".svg") else "text/html"
        return Content(data, kind, {"Cache-Control": "no-cache", "Content-Security-Policy": policy(is_plain=True)})

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _file(self, path: str) -> bytes | None:
        changes = self._league.changes()
        if changes != self._changes:
            name = self._store.leagues()[self._league.key]
            made = site.LeagueSite.of(name, self._league.resolved(), self._league.who_chose(HIDE))
            self._makers, self._kept, self._changes = dict(made.files()), {}, changes
        if path in self._makers and path not in self._kept:
            self._kept[path] = self._makers[path]()
        return self._kept.get(path)


def offer(url: str) -> Offer:
    """Return what a league adds to the web server.

    Raises:
        UserError: The store at `url` cannot be opened, or does not contain exactly one league.
    """
    pages = LeaguePages(url)
    return Offer([Endpoint("GET", "/league/{path:path}", pages.answer)], pages.close)
