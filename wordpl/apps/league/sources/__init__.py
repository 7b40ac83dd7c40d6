"""The kinds of files that a league imports. Modules added to this folder are found automatically."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from pathlib import Path

from wordpl.apps.league.player_names import bare_name
from wordpl.apps.league.posts import UNFINISHED, Ignored, Reading, ResultPost, Sighting, UnreadPost
from wordpl.apps.league.store import LeagueStore
from wordpl.core import bounded, modules_in
from wordpl.core.bounded import TooLargeError
from wordpl.core.messages import UserError

__all__ = ["ImportOptions", "OpenedSource", "PictureReader", "Readings", "SourceFile", "SourceKind", "Watch", "sources"]

PictureReader = Callable[[bytes], Iterable[str]]
Readings = Iterable[Sequence[Reading]]
Watch = Callable[[Readings, int | None], Readings]
MAX_TEXT_BYTES = 16 << 20


@dataclass(frozen=True)
class ImportOptions:
    """How to read files.

    Attributes:
        league: The league for files that do not name one.
        player: The player of share texts without a name, and the owner of the phone of an iMessage chat.
        chat: The chat to read from an export of all Telegram chats.
        read_picture: Returns the texts found in a picture, given its bytes.
        watch: Wraps the iterable of readings to show progress; its second argument is their number, None if unknown.
        today: When the files are read; results of later puzzles are refused.
        people: Names before shares that are players', although nobody of the file has them.
        actor: Who imports, for the log.
    """

    league: str = "friends"
    player: str | None = None
    chat: str | None = None
    read_picture: PictureReader = lambda data: ()
    watch: Watch = lambda readings, total: readings
    today: datetime = field(default_factory=lambda: datetime.now(UTC))
    people: frozenset[str] = frozenset()
    actor: str = "command line"


@dataclass(frozen=True)
class SourceFile:
    """A file to import.

    Attributes:
        path: Where it is; pictures are looked up in its folder.
        data: Its bytes.
        options: How to read it.
        names_in: Returns the names that the league with this key knows.
    """

    path: Path
    data: bytes
    options: ImportOptions
    names_in: Callable[[str], Iterable[str]] = lambda key: ()

    def is_person(self, names: Iterable[str], league: str = "") -> Callable[[str], bool]:
        """Return a function that says whether somebody of the file or of its league has a name.

        Args:
            names: The names of people in the file.
            league: The key of the league, if the file names it.
        """
        every = (*names, *self.options.people, *self.names_in(league or self.options.league))
        bare = frozenset(map(bare_name, every))
        return lambda name: bare_name(name.removeprefix("@")) in bare

    @property
    def text(self) -> str:
        """The file as the text of a chat, which takes 14 to 19 times its size to read.

        Raises:
            TooLargeError: It is too long for that.
            UserError: The encoding is neither UTF-8 nor UTF-16, and would garble names.
        """
        if len(self.data) > MAX_TEXT_BYTES:
            raise TooLargeError(f"{self.path} is larger than {MAX_TEXT_BYTES >> 20} MiB, the limit for a text.")
        return self.decoded

    @cached_property
    def decoded(self) -> str:
        """The file as text of any length, with line breaks of Unix.

        Raises:
            UserError: The encoding is neither UTF-8 nor UTF-16, and would garble names.
        """
        encoding = "utf-16" if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        try:
            text = self.data.decode(encoding)
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise UserError(
                f"{self.path}, line {line}: byte 0x{self.data[error.start]:02x} is not UTF-8, so names would be "
                "garbled. Save the file as UTF-8, for instance with: "
                f"iconv -f WINDOWS-1252 -t UTF-8 {self.path.name} > utf-8.{self.path.name}"
            ) from None
        return text.replace("\r\n", "\n").replace("\0", "\ufffd")


@dataclass(frozen=True)
class OpenedSource:
    """A file whose format is known, before its contents are read.

    Attributes:
        readings: What is read from each message or row, in order.
        total: The number of messages, None if it is not known beforehand.
        sightings: Returns the names seen in the file, once all readings have been consumed.
        guild: The league that the file names; "" if it names none.
        guild_name: The name of this league.
        exported: When the file was made, if it says so.
        post_keys: Returns source and key of all posts that the file speaks of, once all readings have been consumed.
    """

    readings: Readings
    total: int | None = None
    sightings: Callable[[], Iterable[Sighting]] = tuple
    guild: str = ""
    guild_name: str = ""
    exported: datetime | None = None
    post_keys: Callable[[], Iterable[tuple[str, str]]] = tuple


@dataclass(frozen=True)
class SourceKind:
    """A kind of file.

    Attributes:
        name: The kind of file, with its article, for messages: "a WhatsApp chat".
        place: Its place in the order in which kinds are tried; data formats come before texts.
        open: Opens a file of this kind; returns None for other files.
    """

    name: str
    place: int
    open: Callable[[SourceFile], OpenedSource | None]


def sources() -> list[SourceKind]:
    """Return all kinds of files, in the order in which they are tried."""
    found: list[SourceKind] = [source for module in modules_in(__name__) for source in getattr(module, "SOURCES", ())]
    return sorted(found, key=lambda source: (source.place, source.name))


MAX_VALUES = 4_000_000
"""The maximum number of values of an export: each takes much more memory than the few bytes that it may have there."""
IN_PARTS = (
    "Import it in parts: DiscordChatExporter writes them with --partition 50mb, and a text can be cut between two "
    "messages. Results that were imported count once."
)
BATCH_SIZE = 20_000
"""How many results and messages to write in one transaction."""


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
        number: The number of the import, by which it can be undone; 0 if nothing changed.
        ignored: How many messages were skipped, by reason.
        unread: The parts that could not be read.
    """

    path: Path
    league: str
    league_name: str
    n_results: int = 0
    n_new: int = 0
    n_unfinished: int = 0
    number: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    unread: list[UnreadPost] = field(default_factory=list)


def import_file(
    store: LeagueStore, path: Path, options: ImportOptions, already: set[tuple[str, str, str]] | None = None
) -> ImportReport:
    """Import a file into the store and return what was found in it.

    Results are committed in batches, and importing is idempotent: after an interruption, import the file again.

    Args:
        store: The store.
        path: The file.
        options: How to read it.
        already: League, source and key of the posts that files imported along with this one have replaced, to which
            those of this one are added; what earlier imports found in others is replaced. None: nothing is replaced.

    Raises:
        UserError: The file is too large, or is text in an encoding other than UTF-8 or UTF-16.
    """
    try:
        data = bounded.read(bounded.EXPORT, path)
        if data.count(b",") > MAX_VALUES:
            raise bounded.TooLargeError(f"{path} has more than {MAX_VALUES:,} values, the limit for a chat export.")
        opened = _open(SourceFile(path, data, options, store.names_in))
    except bounded.TooLargeError as error:
        raise bounded.TooLargeError(f"{error.message} {IN_PARTS}") from None
    league = store.league(opened.guild or options.league, opened.guild_name, opened.exported)
    readings = options.watch(opened.readings, opened.total)
    del data
    report = ImportReport(path, league.key, opened.guild_name or league.key)
    n_before, number = league.n_reports(), league.next_import()
    if already is None:
        for batch in _batches(readings, report):
            league.add(batch, (), number)
    else:
        read = list(chain.from_iterable(_batches(readings, report)))
        new = {(league.key, *key) for key in opened.post_keys()} - already
        league.rewrite({(source, key) for _, source, key in new}, read, number)
        already |= new
    league.add([], opened.sightings(), number)
    report.n_new = league.n_reports() - n_before
    report.number = number if league.log_import(number, path.name, options.actor) else 0
    return report


def _open(file: SourceFile) -> OpenedSource:
    """Open a file as the first kind that it can be; a file of no known kind is a single part that cannot be read."""
    kinds = sources()
    opened = next(filter(None, (kind.open(file) for kind in kinds)), None)
    why = f"not one of these: {', '.join(kind.name for kind in kinds)}"
    return opened or OpenedSource([[UnreadPost(file.path.name, file.text[:200], why)]])


def _batches(readings: Readings, report: ImportReport) -> Iterator[list[ResultPost]]:
    """Yield the posts in batches and add everything else to the report."""
    batch: list[ResultPost] = []
    size = 0
    for reading in chain.from_iterable(readings):
        if isinstance(reading, UnreadPost):
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
