"""The folder of a run: run.json, the files of its entries, its seal, and its lock.

run.json describes what was played, records/ENTRY.jsonl has one line per game, and durations/ENTRY.csv the time of each
game. Only the host appends lines, in the order in which games end. When an entry has played all its games, its records
are sorted by game, so that the same seed gives the same bytes.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import sha256
from itertools import chain, islice
from math import inf
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from wordpl.core import bounded
from wordpl.core.files import (
    has_torn_tail,
    make_folders,
    remove_drafts,
    sync_tree,
    truncate_torn_tail,
    write_atomically,
)
from wordpl.core.messages import REMEDIES, UserError
from wordpl.core.moves import LARGEST_BUDGET, Verdict
from wordpl.run import invariants, records, seal
from wordpl.run.bundle import STORE, BundleStore
from wordpl.run.entry import JOURNALS, REGULAR, RecordWriter, RunEntry
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import Record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

RUN_JSON = "run.json"
TRANSCRIPTS = "transcripts"
"""The folder with what entries without code were asked and replied, which the host need not publish."""
PLAYED = ("records", "durations", "repeats")
PARTS = (*PLAYED, "fingerprints", STORE, JOURNALS)
"""The folders in the folder of a run, and those that are appended to while it is played."""
MAX_READ_GAMES = 5_000_000
"""The most games of all entries together that readers of a run accept, unless they say otherwise."""
MAX_SEALED = 10_000
"""The most files that a seal covers: five times those of the most entries, so that a reader hashes no more of a folder
that somebody else has filled."""
PARTS_FOLDER, DRAWS = "parts", "draws.json"
"""The folder of a run for its parts; in a part of a run whose seed is secret, the file with the draws of its games."""
LOCK = ".lock"
"""The lock file in a run's folder; it contains the id of the process that holds the lock."""


class Report(Protocol):
    """What `Run.report` returns: `wordpl.RunReport`, which lies above runs."""

    def scores(self) -> "pd.DataFrame":
        """Return the boards as one table with the columns of scores.csv."""

    def leaderboard(self) -> "pd.DataFrame":
        """Return the boards as people read them."""

    def estimates(self, budget: float | None = None) -> "pd.DataFrame":
        """Return how often each entry of a noisy game wins within a budget."""

    def plot(self, file: str | Path | None = None) -> "Figure":
        """Return a figure of the share of games won within each budget."""

    def save(self, page: str | Path) -> None:
        """Write the run's page."""

    def write(self) -> None:
        """Write LEADERBOARD.md and scores.csv into the run's folder."""


class Verification(Protocol):
    """What `Run.verify` returns: the findings of `wordpl verify`."""

    @property
    def holds(self) -> bool:
        """Whether nothing deviates, and clues allow all results."""

    @property
    def n_games(self) -> int:
        """The number of games checked."""

    @property
    def differences(self) -> Sequence[object]:
        """The deviations found."""

    @property
    def unexplained(self) -> Sequence[str]:
        """A sentence for each result that the clues of an entry do not allow."""

    @property
    def notes(self) -> Sequence[str]:
        """What could not be checked, and why."""


class Run:
    """The folder of a run.

    Attributes:
        folder: The path of the folder.
        info: The description of the run in its run.json.
    """

    report_with: ClassVar[Callable[["Run"], Report]]
    """Makes the report of a run. The public API attaches this and the next, which lie above runs."""
    verify_with: ClassVar[Callable[["Run", int, str | None], Verification]]
    """Verifies a run, with a number of games to replay and the commitment."""

    def __init__(self, folder: str | Path, max_games: int | None = MAX_READ_GAMES, *, may_be_part: bool = False):
        """Read the run.json of an existing run.

        Args:
            folder: The folder.
            max_games: The most games of all entries together that the reader accepts; None: any number, for one's own
                runs.
            may_be_part: Whether to read the folder of a part of a run, too.

        Raises:
            UserError: The folder has no valid run.json, one of another format, one of too many games, only a part of a
                run, or a link in place of a folder.
        """
        self.folder, path = Path(folder), Path(folder) / RUN_JSON
        try:
            text = bounded.read(bounded.RUN_JSON, path)
        except OSError:
            raise UserError(
                f"{self.folder} is not a run: it has no readable run.json. Runs are folders of results/."
            ) from None
        self.info = RunInfo.from_json(text, str(path))
        invariants.require(self.info, str(path))
        if self.info.part and not may_be_part:
            raise UserError(
                f"{self.folder} is part {self.info.part} of a run: `wordpl join RUN PARTS...` makes a run of its parts."
            )
        if max_games is not None and self.n_games > max_games:
            raise UserError(
                f"{path} says that the run has {self.n_games:,} games of all entries together, and readers accept "
                f"{max_games:,}: if you expect so many, raise that with --max-games."
            )
        for part in PARTS:
            part_path = self.folder / part
            if os.path.lexists(part_path) and not stat.S_ISDIR(part_path.lstat().st_mode):
                kind = bounded.kind_of(part_path.lstat().st_mode, "folder")
                raise UserError(f"{part_path} is {kind}: the run is not read.")

    @classmethod
    def create(cls, folder: Path, info: RunInfo) -> "Run":
        """Create the folder of a new run, which may already have its bundles, and games that were copied.

        Raises:
            UserError: The folder cannot be created.
        """
        try:
            make_folders(folder)
            if (folder / RUN_JSON).exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            for part in ("records", "durations"):
                (folder / part).mkdir(exist_ok=True)
            for entry in info.entries:
                path = folder / "durations" / f"{entry.slug}.csv"
                if not (path.exists() or records.compressed_path(path).exists()):
                    path.write_text(f"{records.DURATIONS_HEADER}\n")
            sync_tree(folder)
            write_atomically(folder / RUN_JSON, info.to_json())  # last: its presence shows that the folder is complete
        except OSError as error:
            raise not_created(folder, error) from None
        return cls(folder, max_games=None, may_be_part=True)

    def write_info(self) -> None:
        """Rewrite run.json.

        Raises:
            UserError: The run has a format that is only read.
        """
        self.info.require_written_format(str(self.folder))
        write_atomically(self.folder / RUN_JSON, self.info.to_json())

    @property
    def n_games(self) -> int:
        """The number of games of all entries together."""
        return sum(len(self.info.numbers(entry)) for entry in self.info.entries)

    @property
    def entries(self) -> list[RunEntry]:
        """The entries of the run, with their files."""
        return [self.entry(info) for info in self.info.entries]

    def entry(self, info: EntryInfo) -> RunEntry:
        """Return an entry of the run with its files."""
        return RunEntry(self.folder, self.info, info)

    @property
    def store(self) -> BundleStore:
        """The store with the files of the entries."""
        return BundleStore(self.folder / STORE)

    def to_frame(
        self, columns: Collection[str] | None = None, *, moves: bool = False, damaged: bool = False
    ) -> "pd.DataFrame":
        """Return the games as a table, one row per game; `moves` returns a table of their moves.

        Columns: entry, rules, measure, game, secret, verdict, cost (the budget or the number of guesses; infinite if
        the game was not won, or the budget overflows), n_moves, message, cpu_s (NaN if it is unknown). A run of a
        host's own game also has the column facts: what scores need to know of the game, as JSON.

        Args:
            columns: The columns to read: those above, and `spent`, the sum of a noisy game's epsilons whether or not it
                was won. If given, texts are categorical, so that millions of games fit into memory. None: all columns
                above.
            moves: Add the column `moves`: those of each game as lists, as in the record files.
            damaged: Also read a finished run that differs from its seal.

        Raises:
            UserError: There is no such column, or the run has finished and differs from its seal.
        """
        if not damaged:
            self.require_as_sealed()
        from wordpl.run import frame  # slow to import, and playing does not need it

        names = frame.default_columns(self.info.entries) if columns is None else tuple(columns)
        table = frame.load(self.entries, dict.fromkeys([*names, *(["moves"] if moves else [])]))
        for name in {"cost", "spent"} & set(table.columns):
            table[name] = table[name].replace(LARGEST_BUDGET, inf)
        return frame.with_texts(table) if columns is None else table

    def moves(self, *, damaged: bool = False) -> "pd.DataFrame":
        """Return the moves of all games as a table, one row per move, in the order of play.

        Columns: entry, game, round (from 1), guess, epsilon (NaN in a game without budgets, 0 for an answer), clues
        ("" after an answer). Texts are categorical: a move takes about 20 bytes. `entry` and `game` connect the table
        with that of the games: `run.moves().merge(run.to_frame(), on=["entry", "game"])`.

        Args:
            damaged: Also read a finished run that differs from its seal.

        Raises:
            UserError: The run has finished and differs from its seal.
        """
        if not damaged:
            self.require_as_sealed()
        from wordpl.run import frame

        return frame.load_moves(self.entries)

    def report(self) -> Report:
        """Return the `RunReport` of this run: its boards, its page, its estimates. A notebook shows the board.

        `scores`, `leaderboard`, `plot` and `verify` call the report's methods of these names.
        """
        return type(self).report_with(self)

    def scores(self) -> "pd.DataFrame":
        """Return the scores of each entry with their intervals; see `RunReport.scores`."""
        return self.report().scores()

    def leaderboard(self) -> "pd.DataFrame":
        """Return the board as people read it; see `RunReport.leaderboard`."""
        return self.report().leaderboard()

    def plot(self, file: str | Path | None = None) -> "Figure":
        """Draw the share of games won within each budget; see `RunReport.plot`."""
        return self.report().plot(file)

    def verify(self, *, replay: int = 0, commitment: str | None = None) -> Verification:
        """Check the run by recomputing it from its seed, as `wordpl verify` does.

        Args:
            replay: The number of games to play again in this machine's sandbox.
            commitment: The commitment that was published before the run.

        Returns:
            The `Findings`; its attribute `holds` tells whether all values are as the seed and the rules imply.
        """
        return type(self).verify_with(self, replay, commitment)

    def __repr__(self) -> str:
        """Return the folder, the entries and the number of games."""
        names = ", ".join(entry.name for entry in self.info.entries)
        return f"Run({str(self.folder)!r}, {self.info.config.n_games} games each: {names})"

    def finish(self, time: str) -> None:
        """Mark the run as finished and seal it: write the fingerprints of all records, and the seal into run.json."""
        for part in PLAYED:
            if (self.folder / part).is_dir():
                sync_tree(self.folder / part)  # whoever wrote it may have been killed before that
        for entry in self.entries:
            make_folders(entry.fingerprints_path.parent)
            write_atomically(entry.fingerprints_path, entry.fingerprints())
        self.info.seal = self.seal_of(self.info.facts() | {"finished": time})
        self.info.finished = time
        try:
            self.write_info()
        except BaseException:
            self.info.seal = self.info.finished = None
            raise
        self.damage = ""

    @cached_property
    def damage(self) -> str:
        """How a finished run differs from its seal, in words; "" if it does not, or has not finished."""
        if self.info.finished is None or not (self.info.seal or any((self.folder / "fingerprints").glob("*"))):
            return ""  # there is no seal, and no trace of one
        is_sealed = self.info.seal == self.seal_of(self.info.facts())
        what = "" if is_sealed else "it has changed since it finished and was sealed"
        for entry in self.entries:
            path, text = entry.fingerprints_path, entry.fingerprints()
            is_changed = path.exists() and bounded.digest(bounded.SEALED, path) != sha256(text).hexdigest()
            if is_changed or (entry.records_path.exists() and has_torn_tail(entry.records_path)):
                what = f"the records of {entry.name} are not those of its seal"
                break
        if not what:
            return ""
        try:
            for entry in self.entries:
                entry.read()
        except UserError as error:
            return f"{self.folder} is damaged: {what} ({error.message})"
        return f"{self.folder} is damaged: {what}"

    def require_as_sealed(self) -> "Run":
        """Return the run. Whoever shows, rewrites or publishes a run asks for this first.

        Raises:
            UserError: It has finished, and differs from its seal.
        """
        if self.damage:
            raise UserError(f"{self.damage}; restore it from a copy; `wordpl verify` lists what differs.")
        return self

    def seal_of(self, facts: Mapping[str, Any]) -> str:
        """Return the seal of the run's files with these facts of run.json; see `seal.digest`.

        If records are compressed, their fingerprints have no file and are recomputed from the records.
        """
        paths = list(islice(chain(*((self.folder / part).glob("*") for part in seal.SEALED_FOLDERS)), MAX_SEALED + 1))
        if len(paths) > MAX_SEALED:
            raise bounded.TooLargeError(f"{self.folder} has more than {MAX_SEALED:,} files that the seal would cover.")
        files = {f"{path.parent.name}/{path.name}": bounded.digest(bounded.SEALED, path) for path in paths}
        for entry in self.entries:
            path = entry.fingerprints_path
            if not path.exists() and entry.is_compressed:
                files[f"{path.parent.name}/{path.name}"] = sha256(entry.fingerprints()).hexdigest()
        return seal.digest(facts, files)

    def compress(self) -> None:
        """Compress the large record files of a finished run and their durations. The seal does not change."""
        for entry in self.entries:
            entry.compress()

    def remove_torn(self) -> None:
        """Remove incomplete last lines and incomplete files, which a crash may have left."""
        for part in (*PLAYED, "fingerprints"):
            remove_drafts(self.folder / part)
        for kind in ("records/*.jsonl", "repeats/*.jsonl", "durations/*.csv"):
            for path in self.folder.glob(kind):
                truncate_torn_tail(path)

    def next_serial(self) -> int:
        """Return a serial number greater than those of all journals."""
        files = (path for entry in self.entries for path in entry.journal_files())
        return max((int(path.name) for path in files if path.name.isdigit()), default=0) + 1

    def collect_journals(self) -> None:
        """Move records from the journals of an interrupted run to its record files, and list games that had begun.

        Only the host may record that a player was killed from outside. A journal with such a game was left by a
        workforce that was being ended, and players may have been killed before the workers that watched them.

        Raises:
            UserError: A journal names a game that does not belong to the run.
        """
        for entry in self.entries:
            begun, games_in_journals = entry.read_journals()
            if not begun and not games_in_journals:
                continue
            is_done = entry.played().is_done
            missing = [
                line
                for summary, line in games_in_journals
                if summary.verdict != Verdict.FAULT and not is_done[summary.game]
            ]
            if missing:
                writer = RecordWriter(entry)
                writer.add(missing)
                writer.close()
            self.list_restarted(entry, begun)
        self.remove_journals()

    def remove_journals(self) -> None:
        """Remove the journals, once the records are complete."""
        rmtree(self.folder / JOURNALS, ignore_errors=True)

    def list_restarted(self, entry: RunEntry, begun: Collection[int]) -> None:
        """List those of these games that have no record in run.json, because they will be restarted."""
        is_done, slug = entry.played().is_done, entry.info.slug
        before = self.info.played_again.get(slug, [])
        played_again = sorted({*before, *(number for number in begun if not is_done[number])})
        if played_again != before:
            self.info.played_again = {**self.info.played_again, slug: played_again}
            self.write_info()


def not_created(folder: Path, error: OSError) -> UserError:
    """Return the error that says that the folder of a run cannot be created, and what to do about it."""
    return UserError(
        f"cannot create the results folder {folder}: {error.strerror}. "
        "Choose another one with --results, or free some disk space."
    )


class RunRecords:
    """The records of a run, including those of repeated games.

    Only the records of repeated and irregular games are kept in memory, once they are read.

    Attributes:
        run: The run.
        folder: The run's folder.
        info: The description of the run.
        longest_s: The longest CPU time of a game of each entry by slug, as far as somebody has read the durations.
    """

    def __init__(self, run: Run):
        """Create the records of a run; nothing is read yet."""
        self.run = run
        self.longest_s: dict[str, float] = {}
        self.folder: Path = run.folder
        self.info: RunInfo = run.info
        self._repeats: dict[str, dict[int, list[Record]]] = {}
        self._irregular: dict[str, list[Record]] = {}
        self._repeated: dict[str, dict[int, Record]] = {}

    def keep(self, entry: EntryInfo, found: Sequence[Record]) -> None:
        """Keep all records of an entry that are asked for later, which somebody has read, so that none is read again.

        Args:
            entry: The entry.
            found: Its records in the order of games; those that are neither irregular nor repeated may be missing.
        """
        repeats = self.repeats_of(entry)
        self._irregular[entry.slug] = [record for record in found if record.verdict not in REGULAR]
        self._repeated[entry.slug] = {record.game: record for record in found if record.game in repeats}

    def repeated(self, entry: EntryInfo) -> dict[int, Record]:
        """Return the entry's records of those games that were repeated, by the number of the game."""
        if entry.slug not in self._repeated:
            repeats = self.repeats_of(entry)
            found = self.run.entry(entry).records(repeats) if repeats else ()
            self._repeated[entry.slug] = {record.game: record for record in found}
        return self._repeated[entry.slug]

    def records_of(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records sorted by game."""
        return self.run.entry(entry).read()

    def irregular(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records, sorted by game, that are not won, wrong or unsolved."""
        if entry.slug not in self._irregular:
            self._irregular[entry.slug] = self.run.entry(entry).irregular()
        return self._irregular[entry.slug]

    def repeats_of(self, entry: EntryInfo) -> dict[int, list[Record]]:
        """Return the records of the entry's repeated games by the number of the game, in ascending order."""
        if entry.slug not in self._repeats:
            self._repeats[entry.slug] = self.run.entry(entry).repeats()
        return self._repeats[entry.slug]


def load_run(
    folder: str | Path, columns: Collection[str] | None = None, *, moves: bool = False, damaged: bool = False
) -> "pd.DataFrame":
    """Return the games of a run as a table; see `Run.to_frame`.

    Raises:
        UserError: There is no such run or column, or the run has finished and differs from its seal.
    """
    return Run(Path(folder)).to_frame(columns, moves=moves, damaged=damaged)


def load_moves(folder: str | Path, *, damaged: bool = False) -> "pd.DataFrame":
    """Return the moves of a run as a table; see `Run.moves`.

    Raises:
        UserError: There is no such run, or it has finished and differs from its seal.
    """
    return Run(Path(folder)).moves(damaged=damaged)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's folder while the context lasts; the system releases it if the process is killed.

    Raises:
        UserError: Another process holds the lock, or the folder is not writable.
    """
    try:
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    except OSError as error:
        remedy = REMEDIES.get(error.errno or 0, "Make it writable")
        raise UserError(f"cannot write to {folder}: {error.strerror}. {remedy}, then repeat the command.") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 20).decode().strip() or "unknown"
            raise UserError(
                f"{folder} is in use by another process, {holder}: wait until it has ended, or stop it."
            ) from None
        with suppress(OSError):  # for example, the disk is full; the process id is only informative
            os.truncate(file, 0)
            os.write(file, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(file)


@contextmanager
def explain(folder: Path) -> Iterator[None]:
    """Replace errors of the operating system by a UserError that says what to do.

    Args:
        folder: The folder to name if the error does not name a file.
    """
    try:
        yield
    except BrokenExecutor as error:
        if "was unexpectedly terminated" not in str(error) or "EXIT(" in str(error):  # joblib names the exit codes
            raise UserError("a worker ended by itself: see its messages above, then resume the run.") from None
        raise UserError(
            "a worker was killed, probably because memory ran out. Use fewer --jobs, then resume the run."
        ) from None
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        where = error.filename or folder
        raise UserError(f"{where}: {error.strerror}. {REMEDIES[error.errno]}, then resume the run.") from None
