"""What a host chooses about the web server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from wordpl.core.errors import UserError
from wordpl.core.words import WordLists

DEFAULT_PORT = 8000
DEFAULT_RATE = 20.0
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
ANY_ADDRESS = ("0.0.0.0", "::")


@dataclass(frozen=True)
class DailyWords:
    """The secrets of the daily puzzle, one a day from the first day on."""

    words: tuple[str, ...]
    first_day: date

    def secret_on(self, day: date) -> str | None:
        """Return the secret of this day, None before the first and after the last."""
        number = (day - self.first_day).days
        return self.words[number] if 0 <= number < len(self.words) else None


@dataclass(frozen=True)
class WebConfig:
    """The settings of one server.

    Attributes:
        database: the SQLite file that keeps all games.
        results: the folder of runs that are shown; None shows none.
        prefix: the path below which a proxy offers the server, such as "/wordpl"; "" for none.
        public_url: the address that browsers use, where it is not the one the server listens on.
        is_behind_proxy: whether the last address in X-Forwarded-For is the client's.
        rate: requests a second that one address may make on average; 0 for any number.
        max_open_games: games that may be open at a time; max_open_per_address: of those, started by one address.
        daily: the daily secrets; None draws them from a key that the database keeps.
        now: the time in seconds since 1970.
    """

    lists: WordLists
    database: Path
    results: Path | None = None
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    prefix: str = ""
    public_url: str = ""
    is_behind_proxy: bool = False
    rate: float = DEFAULT_RATE
    max_open_games: int = 20_000
    max_open_per_address: int = 500
    daily: DailyWords | None = None
    now: Callable[[], float] = field(default_factory=lambda: __import__("time").time)

    def __post_init__(self) -> None:
        """Raises UserError for a prefix or an address that cannot be."""
        if self.prefix and (not self.prefix.startswith("/") or self.prefix.endswith("/")):
            raise UserError(f"the path prefix {self.prefix!r} should begin with a slash and not end with one: /wordpl.")
        if self.public_url and not (urlsplit(self.public_url).scheme in ("http", "https") and self.public_host):
            raise UserError(f"the public address {self.public_url!r} should be a URL: https://example.org/wordpl.")

    @property
    def public_host(self) -> str:
        """The host and port of the public address, "" without one."""
        return urlsplit(self.public_url).netloc.lower()

    @property
    def hosts(self) -> frozenset[str]:
        """The names, without ports, that a request may give as its host."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset({*LOOPBACK, own.lower(), (urlsplit(self.public_url).hostname or "").lower()} - {""})

    @property
    def takes_any_host(self) -> bool:
        """Whether the server listens on all addresses, whose names it cannot know."""
        return self.host in ANY_ADDRESS and not self.public_url
