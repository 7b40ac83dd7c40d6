"""The bot's folder, with records of its games, results for the league, pictures, evidence of failures, and outbox."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Error, Page

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.games import game_class
from wordpl.run.folder import exclusive
from wordpl.run.records import encode, read_records
from wordpl.web.bot.result import Result

LEAGUE_FILE = "results.txt"
MAX_RECORDS = 100_000
"""More than a puzzle a day for two hundred years."""
MAX_HTML = 5_000_000


class Archive:
    """The bot's folder, which only one bot at a time may use."""

    def __init__(self, folder: Path):
        """Create the folder. Raises UserError if that fails."""
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot create the bot's folder {folder}: {error.strerror}. Choose another folder with --folder."
            ) from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder. Raises UserError if another bot uses it."""
        with exclusive(self.folder):
            yield

    def records_file(self, result: Result) -> Path:
        """Return the record file for the games of this site."""
        return self.folder / "records" / f"{result.game.adapter}-{result.game.game_id.replace('/', '-')}.jsonl"

    def keep(self, result: Result) -> bool:
        """Add the result, unless this puzzle has one, by replacing files atomically; return whether it was added."""
        path = self.records_file(result)
        records = list(read_records(path, game_class(result.game.game_id).facts.form, MAX_RECORDS))
        if any(record.game == result.number for record in records):
            return False
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, b"".join(encode(record) for record in [*records, result.record()]))
        if game_class(result.game.game_id).hard_mode and result.game.day is not None:
            league = self.folder / LEAGUE_FILE
            old_text = league.read_text(encoding="utf-8") if league.exists() else ""
            write_atomically(league, f"{old_text}{result.league_line()}\n".encode())
        return True

    def picture_file(self, result: Result) -> Path:
        """Return the path for the picture of this result."""
        folder = self.folder / "pictures"
        folder.mkdir(exist_ok=True)
        return folder / f"{result.key}.png"

    def keep_evidence(self, page: Page) -> list[Path]:
        """Save the HTML and a screenshot of a page that could not be played; return the files."""
        now = datetime.now(UTC)
        evidence = self.folder / "failures" / f"{now:%Y-%m-%dT%H%M%S}.{now.microsecond:06d}"
        evidence.mkdir(parents=True)
        html, picture = evidence / "page.html", evidence / "page.png"
        files = []
        try:
            html.write_text(page.content()[:MAX_HTML], encoding="utf-8")
            files.append(html)
            page.screenshot(path=picture, timeout=10_000)
            files.append(picture)
        except Error:
            return files  # the page has crashed
        return files
