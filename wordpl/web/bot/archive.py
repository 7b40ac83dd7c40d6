"""The bot's folder: records of its games, results for the league, pictures, evidence of failures, and the outbox."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wordpl.core import locks
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.core.records import encode, read_records
from wordpl.games import game_class
from wordpl.web.bot.result import Result

LEAGUE_FILE = "results.txt"
MAX_RECORDS = 100_000
"""More than a puzzle a day for two hundred years."""


class Archive:
    """A folder that one bot at a time writes to."""

    def __init__(self, folder: Path):
        """Make the folder. Raises UserError where that fails."""
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot make the bot's folder {folder}: {error.strerror}. Name another with --folder."
            ) from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other bots out of the folder. Raises UserError when one is there."""
        with locks.exclusive(self.folder):
            yield

    def records_file(self, result: Result) -> Path:
        """Return the file of the records of this page's games."""
        return self.folder / "records" / f"{result.game.adapter}-{result.game.game_id.replace('/', '-')}.jsonl"

    def keep(self, result: Result) -> bool:
        """Add the result, unless this puzzle has one; returns whether it was added. Files are replaced as a whole."""
        path = self.records_file(result)
        known = list(read_records(path, game_class(result.game.game_id).kind, MAX_RECORDS))
        if any(record.game == result.number for record in known):
            return False
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, b"".join(encode(record) for record in [*known, result.record()]))
        if result.game.game_id.startswith("wordle"):
            league = self.folder / LEAGUE_FILE
            before = league.read_text(encoding="utf-8") if league.exists() else ""
            write_atomically(league, f"{before}{result.league_line()}\n".encode())
        return True

    def picture_file(self, result: Result) -> Path:
        """Return where the picture of this result is written."""
        folder = self.folder / "pictures"
        folder.mkdir(exist_ok=True)
        return folder / f"{result.key}.png"

    @property
    def failures(self) -> Path:
        """The folder for evidence of failures."""
        return self.folder / "failures"
