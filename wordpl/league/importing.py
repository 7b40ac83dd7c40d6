"""Import of files into a league; the format is detected from the content."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.league import chat_export, share_text, table_file
from wordpl.league.discord_export import PictureReader, open_export
from wordpl.league.posts import UNFINISHED, Ignored, Reading, ResultPost, Sighting, Unread
from wordpl.league.store import LeagueStore

BATCH_SIZE = 20_000
"""How many results and messages to write in one transaction."""
FORMATS = (
    "neither a JSON file of DiscordChatExporter or Telegram, nor a WhatsApp chat, nor share texts, nor a table with "
    "player, puzzle and guesses"
)
Readings = Iterable[Sequence[Reading]]
Watch = Callable[[Readings, int | None], Readings]


@dataclass
class ImportReport:
    """The outcome of importing a file.

    Attributes:
        path: The file.
        league: The key of the league.
        league_name: The name of the league.
        n_results: Results in the file.
        n_new: Those of them that the league did not have yet.
        n_unfinished: Games that were started, without a result.
        ignored: How many messages were skipped, by reason.
        unread: The parts that could not be read.
    """

    path: Path
    league: str
    league_name: str
    n_results: int = 0
    n_new: int = 0
    n_unfinished: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)


@dataclass(frozen=True)
class ImportOptions:
    """How to read files.

    Attributes:
        league: The league for files that do not name one.
        player: The player of share texts without a name.
        read_picture: Returns the texts found in a picture, given its bytes.
        watch: Wraps the iterable of readings to show progress; its second argument is their number, None if unknown.
        today: When the files are read; results of later puzzles are refused.
    """

    league: str = "friends"
    player: str | None = None
    read_picture: PictureReader = lambda data: ()
    watch: Watch = lambda readings, total: readings
    today: datetime = field(default_factory=lambda: datetime.now(UTC))


def import_file(store: LeagueStore, path: Path, options: ImportOptions) -> ImportReport:
    """Import a file into the store and return what was found in it.

    Results are committed in batches, and importing is idempotent: after an interruption, import the file again.

    Raises:
        UserError: The file is text in an encoding other than UTF-8 or UTF-16.
    """
    data = path.read_bytes()
    export = open_export(path, data)
    sightings: Iterable[Sighting] = ()
    if export:
        league = store.league(export.guild, export.guild_name, export.exported)
        readings = options.watch(export.readings(options.read_picture), len(export.messages))
    else:
        league = store.league(options.league)
        file_readings, sightings = _readings(data, path, options)
        readings = options.watch(file_readings, None)
    del data
    report = ImportReport(path, league.key, export.guild_name if export else league.key)
    n_before = league.n_reports()
    for batch in _batches(readings, report):
        league.add(batch)
    league.add([], export.sightings if export else sightings)
    report.n_new = league.n_reports() - n_before
    return report


def _readings(data: bytes, path: Path, options: ImportOptions) -> tuple[Readings, Iterable[Sighting]]:
    """Return the readings of a file that is not a Discord export, and the names seen in it."""
    telegram = chat_export.read_telegram(data, options.today)
    if telegram:
        return [telegram[0]], telegram[1]
    text = _text_of(data, path)
    if table_file.columns_of(text):
        return ([reading] for reading in table_file.read(text, options.today)), ()
    if chat_export.is_whatsapp(text):
        return [list(chat_export.read_whatsapp(text, options.today))], ()
    share_readings = list(share_text.read(text, options.player, options.today))
    return [share_readings or [Unread(path.name, text[:200], FORMATS)]], ()


def _text_of(data: bytes, path: Path) -> str:
    """Return the file's text. Raises UserError for an unknown encoding, which would garble names."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{path}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8, so names would be garbled. "
            f"Save the file as UTF-8, for instance with: iconv -f WINDOWS-1252 -t UTF-8 {path.name} > utf-8.{path.name}"
        ) from None
    return text.replace("\r\n", "\n").replace("\0", "\ufffd")


def _batches(readings: Readings, report: ImportReport) -> Iterator[list[ResultPost]]:
    """Yield the posts in batches and add everything else to the report."""
    batch: list[ResultPost] = []
    size = 0
    for reading in chain.from_iterable(readings):
        if isinstance(reading, Unread):
            report.unread.append(reading)
        elif isinstance(reading, Ignored):
            report.ignored[reading.why] += 1
        else:
            batch.append(reading)
            size += 1 + len(reading.results)
            n_unfinished = sum(result.guesses == UNFINISHED for result in reading.results)
            report.n_results += len(reading.results) - n_unfinished
            report.n_unfinished += n_unfinished
        if size >= BATCH_SIZE:
            yield batch
            batch, size = [], 0
    yield batch
