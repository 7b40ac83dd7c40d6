"""Import of files into a league; the format is detected from the content."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from wordpl.core import bounded
from wordpl.league.posts import UNFINISHED, Ignored, ResultPost, Unread
from wordpl.league.sources import ImportOptions, OpenedSource, Readings, SourceFile, sources
from wordpl.league.store import LeagueStore

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


def import_file(store: LeagueStore, path: Path, options: ImportOptions) -> ImportReport:
    """Import a file into the store and return what was found in it.

    Results are committed in batches, and importing is idempotent: after an interruption, import the file again.

    Raises:
        UserError: The file is too large, or is text in an encoding other than UTF-8 or UTF-16.
    """
    try:
        file = SourceFile(path, _read(path), options)
        opened = _open(file)
    except bounded.TooLargeError as error:
        raise bounded.TooLargeError(f"{error.message} {IN_PARTS}") from None
    league = store.league(opened.guild or options.league, opened.guild_name, opened.exported)
    readings = options.watch(opened.readings, opened.total)
    del file
    report = ImportReport(path, league.key, opened.guild_name or league.key)
    n_before = league.n_reports()
    for batch in _batches(readings, report):
        league.add(batch)
    league.add([], opened.sightings())
    report.n_new = league.n_reports() - n_before
    return report


def _read(path: Path) -> bytes:
    data = bounded.read(bounded.EXPORT, path)
    if data.count(b",") > MAX_VALUES:
        raise bounded.TooLargeError(f"{path} has more than {MAX_VALUES:,} values, the limit for a chat export.")
    return data


def _open(file: SourceFile) -> OpenedSource:
    """Open a file as the first kind that it can be; a file of no known kind is a single part that cannot be read."""
    kinds = sources()
    opened = next(filter(None, (kind.open(file) for kind in kinds)), None)
    why = f"not one of these: {', '.join(kind.name for kind in kinds)}"
    return opened or OpenedSource([[Unread(file.path.name, file.text[:200], why)]])


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
