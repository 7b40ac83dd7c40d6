"""The settings of the web server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.run.folder import MAX_READ_GAMES

DEFAULT_PORT = 8000
DEFAULT_RATE = 20.0
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
        database: The SQLite file that stores all games.
        results: The folder of runs to show; None shows no runs.
        max_games: The most games of a run that is shown, of all entries together.
        league: The store of a league to show; None shows none.
        port: The port to listen on; 0 selects a free one.
        prefix: The path under which a reverse proxy serves the page, such as "/wordpl"; "" for none.
        public_url: The address that browsers use if it differs from the one the server listens on.
        is_behind_proxy: Whether the last address in X-Forwarded-For is that of the client.
        rate: The rate limit of each address in requests per second; 0 for no limit.
        max_open_per_address: The maximum number of unfinished games started from one address.
        daily: The daily secrets; None derives them from a key in the database.
        now: Returns the time in seconds since the epoch.
    """

    lists: WordLists
    database: Path
    results: Path | None = None
    league: str | None = None
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    prefix: str = ""
    public_url: str = ""
    is_behind_proxy: bool = False
    rate: float = DEFAULT_RATE
    max_open_games: int = 20_000
    max_open_per_address: int = 500
    daily: DailyWords | None = None
    max_games: int = MAX_READ_GAMES
    now: Callable[[], float] = field(default_factory=lambda: __import__("time").time)

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
