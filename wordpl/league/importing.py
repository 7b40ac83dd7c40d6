"""Files into a league, whatever their format."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from wordpl.league import share_file, table_file
from wordpl.league.discord_export import PictureReader, open_export
from wordpl.league.posts import Ignored, Post, Reading, Unread
from wordpl.league.store import Store

BATCH = 20_000
"""Results, or messages, that are written at a time."""
FORMATS = "neither a JSON file of DiscordChatExporter, nor share texts, nor a table with player, puzzle and guesses"
Readings = Iterable[Sequence[Reading]]


@dataclass
class ImportReport:
    """What became of a file. n_new: results that the league did not hold before."""

    path: Path
    league: str
    league_name: str
    n_results: int = 0
    n_new: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    unread: list[Unread] = field(default_factory=list)


@dataclass(frozen=True)
class ImportOptions:
    """How files are read.

    league: of files that name none themselves. player: whose share texts are that name nobody. watch: gets the readings
    and how many come (None if that is not known), and gives them back, for a progress bar.
    """

    league: str = "friends"
    player: str | None = None
    read_picture: PictureReader = lambda data: ()
    watch: Callable[[Readings, int | None], Readings] = lambda readings, total: readings


def import_file(store: Store, path: Path, terms: ImportOptions) -> ImportReport:
    """Take a file into the store and return what became of it; the format is told from the content.

    What has been read is kept batch by batch: after an interruption, import the file again.
    """
    data = path.read_bytes()
    export = open_export(path, data)
    if export:
        league = store.league(export.guild, export.guild_name, export.exported)
        readings = terms.watch(export.readings(terms.read_picture), len(export.messages))
    else:
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\0", "\ufffd")
        league = store.league(terms.league)
        readings = terms.watch(_readings_of_text(text, path, terms), None)
    del data
    report = ImportReport(path, league.key, export.guild_name if export else league.key)
    n_before = league.n_said()
    for batch in _batches(readings, report):
        league.add(batch)
    if export:
        league.add([], export.sightings)
    report.n_new = league.n_said() - n_before
    return report


def _readings_of_text(text: str, path: Path, terms: ImportOptions) -> Readings:
    if table_file.columns_of(text):
        return ([one] for one in table_file.read(text))
    found = list(share_file.read(text, terms.player))
    return [found or [Unread(path.name, text[:200], FORMATS)]]


def _batches(readings: Readings, report: ImportReport) -> Iterator[list[Post]]:
    """Yield the posts in batches, and note everything else in the report."""
    batch: list[Post] = []
    size = 0
    for one in chain.from_iterable(readings):
        if isinstance(one, Unread):
            report.unread.append(one)
        elif isinstance(one, Ignored):
            report.ignored[one.why] += 1
        else:
            batch.append(one)
            size += 1 + len(one.results)
            report.n_results += len(one.results)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    yield batch
