"""The log of a season, one line per event, and the versions of entries that it names."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import msgspec

from wordpl.apps.season.terms import SeasonTerms
from wordpl.core import bounded, paths
from wordpl.core.files import draft_of, make_folders, put_in_place, write_atomically
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.run.bundle import VERSIONS, Bundle

FILE = "log.jsonl"
FORMAT = 2
"""The number of the format of logs that are written; release 1.0.0 wrote the format 1, which had no number."""
SHOWN_CHARACTERS, MACHINE_CHARACTERS = 60, 200


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag=str.lower):
    """Something that happened.

    Attributes:
        time: When, in UTC, by the clock of the machine. What came first is said by the order of the lines alone.
        before: The digest of the line before; "" for the first one.
        release: The release of wordpl that wrote the line; "": 1.0.0.
    """

    time: str
    before: str = ""
    release: str = ""


class SeasonOpened(Event, frozen=True, kw_only=True, tag="opened"):
    """The season was opened, or its host changed its terms.

    Attributes:
        terms: The SHA-256 of season.toml.
        text: The whole season.toml; "" in logs of release 1.0.0.
        round: The number of the first round for which they hold; 0 in logs of release 1.0.0.
        format: The number of the format of the log from here on.
    """

    terms: str
    text: str = ""
    round: int = 0
    format: int = 1


class Submitted(Event, frozen=True, kw_only=True):
    """An author sent a version.

    Attributes:
        name: The name of the entry.
        number: The number of the version, from 1.
        digest: The digest of its bundle.
        file: The name of its file or folder.
        make: The expression that creates the strategy; "": the only one that the file declares.
    """

    name: str
    number: int
    digest: str
    file: str
    make: str = ""

    @property
    def version(self) -> str:
        """The version, such as my_bot@3."""
        return f"{self.name}@{self.number}"


class Withdrawn(Event, frozen=True, kw_only=True):
    """A version was withdrawn. It stays in all corrections for the number of versions."""

    version: str


class Disqualified(Event, frozen=True, kw_only=True):
    """The host disqualified a version, for a reason that stays visible."""

    version: str
    reason: str


class Banned(Event, frozen=True, kw_only=True):
    """The host banned an author: all his versions are disqualified, and none is accepted any more."""

    author: str
    reason: str


class Round(Event, frozen=True, kw_only=True):
    """A round was announced.

    Attributes:
        number: The number of the round, from 1.
        run: The name of its folder in rounds/.
        commitment: The commitment of its run.
        players: The version behind each entry of the run, by the slug of the entry.
        faults: Why versions could not be loaded, by version.
        closing: Whether it is the closing round of the season.
        decides: Whether it is the further round of those that shared the first place after the closing round.
    """

    number: int
    run: str
    commitment: str
    players: dict[str, str]
    faults: dict[str, str] = {}
    closing: bool = False
    decides: bool = False


class Confirmation(Event, frozen=True, kw_only=True):
    """The confirmation of a record was announced.

    Attributes:
        number: The number of the confirmation, from 1.
        run: The name of its folder in confirmations/.
        commitment: The commitment of its run.
        version: The version that plays.
        slug: The slug of its entry.
        score: The score.
        value: The value that the score must not exceed, such as a budget.
        level: The probability that it shows a record although the value is not reached; 0 in logs of release 1.0.0.
    """

    number: int
    run: str
    commitment: str
    version: str
    slug: str
    score: str
    value: float
    level: float = 0.0


class RunPlayed(Event, frozen=True, kw_only=True, tag="played"):
    """A round or a confirmation was played to its end.

    Attributes:
        run: The name of its folder.
        seal: The seal of its run.
        machine: The machine on which it was played.
        files: The digest of all files of its run; the seal does not cover the durations of games.
        is_shown: For a confirmation: whether it shows the record.
    """

    run: str
    seal: str
    files: str
    is_shown: bool | None = None
    machine: str = ""


class Voided(Event, frozen=True, kw_only=True):
    """The host declared a round or a confirmation void, for a reason that stays visible: its games count for nothing.

    Attributes:
        run: The name of its folder.
        reason: Why.
        is_known: Whether the seed of its games could have been known, so that a confirmation counts as used.
    """

    run: str
    reason: str
    is_known: bool = True


MIN_REPLAYED = 60
"""The number of recorded games of a version whose replays have to be equal, so that it keeps its games."""


RankedRow = tuple[str, int, int, float | None, float | None, float | None, int]


class Bridged(Event, frozen=True, kw_only=True):
    """Recorded games were replayed under new conditions, and versions that play as before keep their games.

    Attributes:
        old, new: The digests of the earlier conditions and of the new ones.
        games: By version, the number of its games that were replayed, and of those that were equal.
    """

    old: str
    new: str
    games: dict[str, tuple[int, int]]

    def keeps(self, label: str) -> bool:
        """Return whether a version keeps its games."""
        n_replayed, n_equal = self.games.get(label, (0, 0))
        return n_replayed == n_equal and n_replayed >= MIN_REPLAYED


class Ranked(Event, frozen=True, kw_only=True):
    """The standings after a round, as the release that played it computed them.

    Attributes:
        standings: By score, the rows: the version, its first and last rank, its value with the bounds as numbers that
            the interval justifies (None: infinite), and the number of its games.
    """

    standings: dict[str, list[RankedRow]]


class Anonymized(Event, frozen=True, kw_only=True):
    """The names of an author were replaced on his request, and his sources removed; see `season.anonymize`.

    Attributes:
        author: The name that stands for him.
        digest: The SHA-256 of a salt, a slash and his name.
        lines: By its number, the digest of each line that was written anew, as it was when later lines and others took
            it, and as the line is now.
        runs: The seal and the digest of all files of each run that was written anew.
    """

    author: str
    digest: str
    lines: dict[int, tuple[str, str]]
    runs: dict[str, tuple[str, str]] = {}


_OfVersions = Submitted | Withdrawn | Disqualified | Banned | Anonymized
_OfRuns = Round | Confirmation | RunPlayed | Voided | Bridged | Ranked
AnyEvent = SeasonOpened | _OfVersions | _OfRuns
_decode = msgspec.json.Decoder(AnyEvent).decode
FIELDS = frozenset(field for kind in Event.__subclasses__() for field in kind.__struct_fields__) | {"event"}
"""The names of all fields of events."""


def encoded(facts: Mapping[str, Any]) -> bytes:
    """Return the line of an event that is given as plain values."""
    return msgspec.json.encode(_decode(msgspec.json.encode(facts)))


@cache
def own_release() -> str:
    """Return the release of wordpl that is installed."""
    return version_of("wordpl")


def digest(line: bytes) -> str:
    """Return the digest of a line, without its newline."""
    return sha256(line).hexdigest()


class Log:
    """The events of a season.

    Attributes:
        path: The path of the file.
        events: The events, in their order.
        known_terms: The terms whose text the log has, with the place of their event.
        digests: The digest of each line, as it was when the next one took it.
        replaced: By its number, the digests of each line that was written anew without a name, see `Anonymized`.
    """

    def __init__(self, folder: Path):
        """Read the log of the season in this folder; a new season has none.

        Raises:
            UserError: A line is not an event, or does not follow the line before.
        """
        self.path = folder / FILE
        self._waiting: list[bytes] | None = None
        self.events: list[AnyEvent] = []
        self.known_terms: list[tuple[int, SeasonTerms]] = []
        self.digests: list[str] = []
        lines = self.lines()
        self.replaced: dict[int, tuple[str, str]] = {}
        for number, line in enumerate(lines, 1):
            self.replaced |= _replaced_by(line, number)
        for number, line in enumerate(lines, 1):
            self._append(line, number)

    def lines(self) -> list[bytes]:
        """Return the lines of the file, without their ends."""
        return list(bounded.read_lines(bounded.SEASON_LOG, self.path)) if self.path.exists() else []

    @property
    def runs_written_anew(self) -> dict[str, tuple[str, str]]:
        """The seal and the digest of all files of each run that has lost a name, by its folder."""
        found: dict[str, tuple[str, str]] = {}
        for event in self.events:
            found |= event.runs if isinstance(event, Anonymized) else {}
        return found

    @property
    def without_files(self) -> set[str]:
        """The versions whose sources were removed with their author's name."""
        return {event.version for number, event in enumerate(self.events, 1)
                if isinstance(event, Submitted) and number in self.replaced}  # fmt: skip

    @property
    def last_digest(self) -> str:
        """The digest of the last line."""
        return self.digests[-1] if self.digests else ""

    def until(self, n_events: int) -> "Log":
        """Return the first events of this log, which nothing can be added to."""
        found = copy(self)
        found.events, found.digests = self.events[:n_events], self.digests[:n_events]
        found.known_terms = [(place, terms) for place, terms in self.known_terms if place < n_events]
        return found

    @property
    def terms(self) -> SeasonTerms | None:
        """The present terms; None if the log does not have their text."""
        return self.known_terms[-1][1] if self.known_terms else None

    def terms_at(self, place: int) -> SeasonTerms | None:
        """Return the terms under which the event at this place was added; the earliest known ones, if it is older."""
        held = [terms for opened, terms in self.known_terms if opened <= place]
        return held[-1] if held else self.known_terms[0][1] if self.known_terms else None

    def n_since_round(self, names: Callable[[str], bool]) -> int:
        """Return how many versions of entries with such names were sent since the last round was announced."""
        n_sent = 0
        for event in self.events:
            if isinstance(event, Round):
                n_sent = 0
            n_sent += isinstance(event, Submitted) and names(event.name)
        return n_sent

    @property
    def next_round(self) -> int:
        """The number of the next round."""
        return 1 + sum(isinstance(event, Round) for event in self.events)

    def add(self, event: AnyEvent) -> str:
        """Append an event, and return the digest of its line."""
        line = msgspec.json.encode(self.linked(event))
        if self._waiting is None:
            self._write([line])
        else:
            self._waiting.append(line)
        self._append(line, len(self.events) + 1)
        return self.last_digest

    def linked(self, event: AnyEvent) -> AnyEvent:
        """Return an event as it follows the last line."""
        return msgspec.structs.replace(event, before=self.last_digest, release=own_release())

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write the events that are added meanwhile when the context ends: all of them, or none after an error."""
        before = self.events[:], self.digests[:], self.known_terms[:]
        self._waiting = []
        try:
            yield
            self._write(self._waiting)
        except BaseException:
            self.events, self.digests, self.known_terms = before
            raise
        finally:
            self._waiting = None

    def _write(self, lines: Sequence[bytes]) -> None:
        before = bounded.read_if_exists(bounded.SEASON_LOG, self.path)
        write_atomically(self.path, before + b"".join(line + b"\n" for line in lines))

    def _fault_of(self, event: AnyEvent) -> str:
        """Return why an event cannot be one of this season, whose log may be forged; "" if it can."""
        match event:
            case Submitted(name=name, file=file):
                names = [name, file]
            case RunPlayed(machine=machine) if sanitize_untrusted_text(machine, MACHINE_CHARACTERS) != machine:
                return "the name of the machine is not a plain text"
            case RunPlayed(run=run, is_shown=shown) if shown is not None and not any(
                isinstance(known, Confirmation) and known.run == run for known in self.events
            ):
                return f"{sanitize_untrusted_text(run, SHOWN_CHARACTERS)} is no confirmation, and shows no record"
            case Round(run=run) | Confirmation(run=run) | RunPlayed(run=run):
                names = [run]
            case Voided(run=run):
                announced = {known.run for known in self.events if isinstance(known, Round | Confirmation)}
                announced -= {known.run for known in self.events if isinstance(known, Voided)}
                return (
                    "" if run in announced else f"no run {sanitize_untrusted_text(run, SHOWN_CHARACTERS)} can be void"
                )
            case Bridged(games=games):
                unknown = games.keys() - {known.version for known in self.events if isinstance(known, Submitted)}
                return (
                    f"there is no version {sanitize_untrusted_text(min(unknown), SHOWN_CHARACTERS)}" if unknown else ""
                )
            case SeasonOpened(text=text) if text:
                return self._fault_of_terms(event)
            case Withdrawn(version=version) | Disqualified(version=version):
                is_known = version in {known.version for known in self.events if isinstance(known, Submitted)}
                return "" if is_known else f"there is no version {sanitize_untrusted_text(version, SHOWN_CHARACTERS)}"
            case _:
                return ""
        wrong = [name for name in names if not paths.is_plain(name) or name[0] == "." or "/" in name]
        return f"{sanitize_untrusted_text(ascii(wrong[0]), SHOWN_CHARACTERS)} is not a plain name" if wrong else ""

    def _fault_of_terms(self, event: SeasonOpened) -> str:
        """Return why these terms cannot hold from here on; "" if they can."""
        if event.format > FORMAT:
            return f"the log has the format {event.format} from here on, which only a newer release of wordpl can read"
        if event.terms != digest(event.text.encode()) and len(self.events) + 1 not in self.replaced:
            return "the terms have another digest"
        if event.round != self.next_round:
            return f"the terms hold from round {event.round}, although the next round has the number {self.next_round}"
        try:
            changed = SeasonTerms.parse(event.text)
        except UserError as error:
            return error.message
        return "; ".join(changed.broken_promises(self.terms)) if self.terms else ""

    def _append(self, line: bytes, number: int) -> None:
        try:
            event = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UserError(f"line {number} of {self.path} is not an event: {error}.") from None
        if fault := self._fault_of(event):
            raise UserError(f"line {number} of {self.path} is not an event of this season: {fault}.")
        if event.before != self.last_digest:
            raise UserError(
                f"line {number} of {self.path} does not follow the line before it: a line was changed, added or "
                "removed. Restore the file."
            )
        was, now = self.replaced.get(number, (digest(line), digest(line)))
        if digest(line) != now:
            raise UserError(f"line {number} of {self.path} has changed since a name was replaced in it: restore it.")
        if isinstance(event, SeasonOpened) and event.text:
            self.known_terms.append((len(self.events), SeasonTerms.parse(event.text)))
        self.events.append(event)
        self.digests.append(was)


def _replaced_by(line: bytes, number: int) -> dict[int, tuple[str, str]]:
    """Return the lines before this one, which has this number, that it says were written anew."""
    if b'"anonymized"' not in line:
        return {}
    try:
        event = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    lines = event.lines if isinstance(event, Anonymized) else {}
    return {place: digests for place, digests in lines.items() if 0 < place < number}


VERSIONS_FOLDER = VERSIONS
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")


@dataclass(frozen=True)
class Version:
    """A version of an entry.

    Attributes:
        index: Its place among all versions, from 0.
        name: The name of the entry.
        number: The number of the version, from 1.
        author: Who owns the name.
        digest: The digest of its bundle.
        file: The name of its file or folder.
        make: The expression that creates the strategy; "": the only one that the file declares.
        since: When it was sent.
        is_withdrawn: Whether it was withdrawn.
        disqualified: Why it was disqualified; "" if it was not.
        n_faults: The number of rounds in which it could not be loaded.
    """

    index: int
    name: str
    number: int
    author: str
    digest: str
    file: str
    make: str
    since: str
    is_withdrawn: bool = False
    disqualified: str = ""
    n_faults: int = 0

    @property
    def label(self) -> str:
        """The version, such as my_bot@3."""
        return f"{self.name}@{self.number}"

    @property
    def is_active(self) -> bool:
        """Whether it can play."""
        return not (self.is_withdrawn or self.disqualified)

    def place(self, season: Path) -> Path:
        """Return the path of its file or folder."""
        return paths.inside(season, f"{VERSIONS_FOLDER}/{self.label}/{self.file}")


def version_name(place: Path, given: str = "") -> str:
    """Return the name that an entry is given, or that of its file or folder.

    Raises:
        UserError: It cannot be the name of an entry.
    """
    name = given or (place.name if place.is_dir() else place.stem)
    if not NAME.fullmatch(name):
        raise UserError(
            f"{name!r} cannot be the name of an entry: it should have letters, digits, points, hyphens and "
            "underscores, at most 60."
        )
    return name


def keep_version(bundle: Bundle, season: Path, label: str) -> Path:
    """Copy the files of an entry into the folder of a version, and return the path of its file or folder there.

    A folder that a crash has left is replaced.

    Args:
        bundle: The files; shared modules are copied too, so that the version has all that it needs.
        season: The folder of the season.
        label: The version, such as my_bot@3.
    """
    target = paths.inside(season, f"{VERSIONS_FOLDER}/{label}")
    draft = draft_of(target)
    make_folders(target.parent)
    shutil.rmtree(draft, ignore_errors=True)
    shutil.rmtree(target, ignore_errors=True)
    bundle.copy_to(draft)
    put_in_place(draft, target)
    return target / bundle.place.name
