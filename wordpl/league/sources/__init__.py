"""The kinds of files that a league reads. Modules added to this folder are found automatically.

A module defines its kinds of files as `SOURCES = [SourceKind(...)]`: how to name each in a message, and a function that
opens a file of this kind or returns None for other files.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from wordpl.core.bounded import TooLargeError
from wordpl.core.messages import UserError
from wordpl.league.posts import Reading, Sighting

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
    """

    league: str = "friends"
    player: str | None = None
    chat: str | None = None
    read_picture: PictureReader = lambda data: ()
    watch: Watch = lambda readings, total: readings
    today: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True)
class SourceFile:
    """A file to import.

    Attributes:
        path: Where it is; pictures are looked up in its folder.
        data: Its bytes.
        options: How to read it.
    """

    path: Path
    data: bytes
    options: ImportOptions

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
    """

    readings: Readings
    total: int | None = None
    sightings: Callable[[], Iterable[Sighting]] = tuple
    guild: str = ""
    guild_name: str = ""
    exported: datetime | None = None


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
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found: list[SourceKind] = [source for module in modules for source in getattr(module, "SOURCES", ())]
    return sorted(found, key=lambda source: (source.place, source.name))
