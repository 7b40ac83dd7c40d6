"""The settings of the web server."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from wordpl.core.messages import UserError
from wordpl.core.settings import Setting
from wordpl.core.words import WordLists
from wordpl.run.config import RESULTS
from wordpl.run.folder import MAX_READ_GAMES

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::")


@dataclass(frozen=True)
class DailyWords:
    """A list of secrets for the daily puzzle, one per day from `first_day` on."""

    words: tuple[str, ...]
    first_day: date

    def secret_on(self, day: date) -> str | None:
        """Return the secret of this day; None before the first and after the last day."""
        number = (day - self.first_day).days
        return self.words[number] if 0 <= number < len(self.words) else None


@dataclass(frozen=True)
class WebConfig:
    """The settings of one server.

    Attributes:
        lists: The words of the games.
        database: The SQLite file that stores all games.
        max_games: The most games of a run that is shown, of all entries together.
        daily: The daily secrets; None derives them from a key in the database.
        now: Returns the time in seconds since the epoch.
    """

    lists: WordLists
    database: Path
    results: Annotated[Path | None, Setting("--results", "Folder of runs to show.")] = RESULTS
    league: Annotated[
        str | None, Setting("--store", "Store of a league whose pages to serve at /league/.", "STORE")
    ] = None
    host: Annotated[str, Setting("--host", "Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1"
    port: Annotated[int, Setting("--port", "Port to listen on; 0 selects a free one.", low=0, high=65535)] = 8000
    prefix: Annotated[
        str, Setting("--prefix", "Path under which a reverse proxy serves the page, such as /wordpl.", "PATH")
    ] = ""
    public_url: Annotated[
        str, Setting("--public-url", "Address that browsers use, if there is a reverse proxy.", "URL")
    ] = ""
    is_behind_proxy: Annotated[bool, Setting("--behind-proxy", "Read the address of clients from X-Forwarded-For.")] = (
        False
    )
    rate: Annotated[
        float, Setting("--rate", "Rate limit in requests per second and address; 0: no limit.", low=0.0)
    ] = 20.0
    max_open_games: Annotated[int, Setting("--max-open-games", "Maximum number of unfinished games.", low=1)] = 20_000
    max_open_per_address: Annotated[
        int, Setting("--max-open-per-address", "Maximum number of unfinished games per address.", low=1)
    ] = 500
    daily: DailyWords | None = None
    max_games: int = MAX_READ_GAMES
    now: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        """Raise UserError for an invalid prefix or address."""
        if self.prefix and (not self.prefix.startswith("/") or self.prefix.endswith("/")):
            raise UserError(f"the path prefix {self.prefix!r} must start with a slash and not end with one: /wordpl.")
        if self.public_url and not (urlsplit(self.public_url).scheme in ("http", "https") and self.public_host):
            raise UserError(f"the public address {self.public_url!r} must be a URL: https://example.org/wordpl.")

    @property
    def public_host(self) -> str:
        """The host and port of the public address, "" without one."""
        return urlsplit(self.public_url).netloc.lower()

    @property
    def hosts(self) -> frozenset[str]:
        """The host names, without ports, that requests may use."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset({*LOOPBACK, own.lower(), (urlsplit(self.public_url).hostname or "").lower()} - {""})

    @property
    def takes_any_host(self) -> bool:
        """Whether the server listens on all addresses, whose names it cannot know."""
        return self.host in ANY_ADDRESS and not self.public_url
