"""Parts of a run: cutting it, preparing the folder of a part, and taking the records of parts into the run.

The folder of a part is that of a run with some of the games, which is played and resumed like any other. Its run.json
follows from that of the run, except for what playing adds. While the seed of the run is secret, the part gets the draws
of its own games alone: whoever plays it can play no other game, and knows no other secret.
"""

import os
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from itertools import accumulate, chain
from pathlib import Path
from shutil import rmtree
from typing import Self

import msgspec

from wordpl.contest import hosted, official
from wordpl.contest.runner import EntryProgress, TakenGames
from wordpl.core import bounded, paths
from wordpl.core.files import Appender, complete_lines_of, put_in_place, truncate_torn_tail, write_atomically
from wordpl.core.messages import UserError
from wordpl.core.seeds import PartDraws
from wordpl.run import records, seal
from wordpl.run.bundle import STORE, BundleStore
from wordpl.run.entry import SYNC_S, RecordWriter, RunEntry
from wordpl.run.folder import DRAWS, PARTS_FOLDER, RUN_JSON, Run
from wordpl.run.info import Part, RunInfo
from wordpl.run.records import Duration

ADDED_BY_PLAYING = frozenset({"finished", "seal", "played_again", "machine"})
"""The facts of a part's run.json that do not follow from the run."""
WON = b'"verdict":"won"'
GIVEN = ".given"
"""The file in the folder for parts that names those that have been prepared there."""
_PART = re.compile(r"(\d{1,9})/(\d{1,9})")


def numbered(text: str) -> tuple[int, int]:
    """Return the number of a part and the number of parts in a text such as 3/40.

    Raises:
        UserError: It is something else.
    """
    match = _PART.fullmatch(text.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UserError(f"{text!r} is no part of a run: it should be I/N, such as 3/40 for the third of 40 parts.")
    return int(match[1]), int(match[2])


def info_of(info: RunInfo, number: int, of: int) -> RunInfo:
    """Return the description of a part of a run.

    Args:
        info: The description of the run.
        number: The number of the part, from 1.
        of: The number of parts.

    Raises:
        UserError: The run has fewer games.
    """
    n_games = info.config.n_games
    total = n_games * len(info.entries)
    if of > total:
        raise UserError(f"the run has {total:,} games of all entries together, which cannot be cut into {of:,} parts.")
    begin, end = total * (number - 1) // of, total * number // of
    first, last = begin // n_games, (end - 1) // n_games
    part = Part(number, of, begin - first * n_games, end - last * n_games)
    is_secret = bool(info.commitment)
    return msgspec.structs.replace(
        info,
        entries=info.entries[first : last + 1],
        part=part,
        parts={},
        played_again={},
        seed=None if is_secret else info.seed,
        drawn_seed=None,
        repeats_seed=None,
        n_repeats=None,
        after_seed=[],
        finished=None,
        seal=None,
    )


def folder_of(run: Run, number: int, of: int) -> Path:
    """Return where a part lies in the folder of its run."""
    return run.folder / PARTS_FOLDER / f"{number:0{len(str(of))}}-of-{of}"


def prepare(run: Run, number: int, of: int, beacon: str | None = None) -> Path:
    """Return the folder of a part in the folder of its run, which is created if it does not exist.

    Args:
        run: The run.
        number: The number of the part, from 1.
        of: The number of parts.
        beacon: The text that an official run waits for.

    Raises:
        UserError: The run has finished, or its seed cannot be read here.
    """
    hosted.refuse(run.info.entries, "a run with such an entry is played as a whole, without parts")
    folder = folder_of(run, number, of)
    if (folder / RUN_JSON).exists():
        if run.info.finished is None:
            _note_given(run, number, of)
        return folder
    if run.info.part is not None or run.info.finished is not None:
        state = f"is part {run.info.part} of a run" if run.info.part else "has finished"
        raise UserError(f"{run.folder} {state}: it has no parts to play.")
    run.info.require_written_format(str(run.folder))
    draws = official.draws(run, beacon)
    info = info_of(run.info, number, of)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}")
    rmtree(draft, ignore_errors=True)
    try:
        store = BundleStore(draft / STORE)
        store.copy_from(run.store, chain.from_iterable(entry.digests for entry in info.entries))
        if info.seed is None:
            numbers = set(chain.from_iterable(map(info.numbers, info.entries)))
            order = draws.order(range(min(numbers), max(numbers) + 1))
            encoded = PartDraws.encoded(draws, (number for number in order if number in numbers))
            write_atomically(draft / DRAWS, encoded, 0o600)
        else:
            store.publish()
        Run.create(draft, info)
        put_in_place(draft, folder)
        _note_given(run, number, of)
    except OSError as error:
        if not (folder / RUN_JSON).exists():  # somebody else may have prepared it meanwhile
            raise UserError(f"cannot create {folder}: {error.strerror}.") from None
    finally:
        rmtree(draft, ignore_errors=True)
    return folder


def given(run: Run) -> set[str]:
    """Return the names of the parts that have been prepared in the folder of their run, such as 3/40."""
    text = bounded.read_if_exists(bounded.JOURNAL, run.folder / PARTS_FOLDER / GIVEN)
    names = (line.decode(errors="replace") for line in complete_lines_of(text))
    return {name for name in names if _PART.fullmatch(name)}


def _note_given(run: Run, number: int, of: int) -> None:
    path = run.folder / PARTS_FOLDER / GIVEN
    if f"{number}/{of}" not in given(run):
        if path.exists():
            truncate_torn_tail(path)
        with Appender(path) as file:
            file.add(f"{number}/{of}\n".encode())


def forget_given(run: Run) -> None:
    """Remove the names of prepared parts, once the run has finished."""
    (run.folder / PARTS_FOLDER / GIVEN).unlink(missing_ok=True)


def list_again(run: Run, games: Mapping[str, Collection[int]]) -> None:
    """Add these games of entries, by slug, to those that run.json lists as played again."""
    before = run.info.played_again
    new = {slug: sorted({*before.get(slug, []), *numbers}) for slug, numbers in games.items() if numbers}
    run.info.played_again = {**before, **new}


def games_of(run: Run, name: str) -> dict[str, range]:
    """Return the games of a part with this name, such as 3/40, of each of its entries by slug."""
    part = info_of(run.info, *numbered(name))
    return {entry.slug: part.numbers(entry) for entry in part.entries}


def found_in(run: Run) -> list[Path]:
    """Return the folders of the parts that lie in the folder of their run, in the order of their numbers."""
    return sorted(
        path.parent for path in (run.folder / PARTS_FOLDER).glob(f"*/{RUN_JSON}") if path.parent.name[0] != "."
    )


def left(run: Run, of: int) -> list[int]:
    """Return the numbers of those of `of` parts of which no game has a record."""
    is_done = {entry.info.slug: entry.played().is_done for entry in run.entries}

    def has_records(number: int) -> bool:
        games = games_of(run, f"{number}/{of}").items()
        return any(1 in is_done[slug][numbers.start : numbers.stop] for slug, numbers in games)

    return [number for number in range(1, of + 1) if not has_records(number)]


class Join:
    """Takes the records of parts into their run, whose lock the caller holds; as a context manager, it ends the join.

    Attributes:
        run: The run.
        taken: What the run has of the entries of these parts, by slug.
    """

    def __init__(self, run: Run, progress: Callable[[EntryProgress], object]):
        """Begin.

        Args:
            run: The run.
            progress: Called for the entries of each part when its records are in the run.
        """
        self.run, self._progress = run, progress
        self._entries = {entry.info.slug: entry for entry in run.entries}
        self.taken: dict[str, TakenGames] = {}
        self._writer: tuple[str, RecordWriter] | None = None
        self._is_synced = True
        self._noted, self._is_changed = time.monotonic(), False

    def __enter__(self) -> Self:
        """Return the join."""
        return self

    def __exit__(self, error: object, *details: object) -> None:
        """Write what has been taken to disk, and list the games of lost parts, which are played next."""
        self._close_writer()
        is_played_next = not error and self.run.info.finished is None
        lost = sorted(given(self.run) - self.run.info.parts.keys()) if is_played_next else []
        for games in (games_of(self.run, name) for name in lost):
            left = {slug: [n for n in numbers if not self._of(slug).is_done[n]] for slug, numbers in games.items()}
            list_again(self.run, left)
        if (self._is_changed or lost) and self._is_synced:
            self.run.write_info()

    def take(self, folder: Path) -> None:
        """Take the records of a part, except for games that have the same records already.

        Raises:
            UserError: The folder is not a finished part of this run, or differs from its seal, from the rules, or from
                games of the run. No game of it was taken.
        """
        part = self._opened(folder)
        name, facts = str(part.info.part), part.info.facts()
        if self.run.info.parts.get(name) == part.info.seal:
            return
        try:
            lines = {entry.info.slug: _checked_lines(entry) for entry in part.entries}
        except (UserError, OSError) as error:
            raise _refused(folder, str(error)) from None
        digests = {
            f"fingerprints/{slug}.txt": sha256(seal.fingerprints(found)).hexdigest() for slug, found in lines.items()
        }
        if part.info.seal != seal.digest(facts, digests):
            raise _refused(folder, "its records or its run.json are not as they were sealed")
        new = {entry.info.slug: self._new_lines(entry, lines[entry.info.slug], folder) for entry in part.entries}
        for entry in part.entries:
            self._add(entry, new[entry.info.slug])
        list_again(self.run, part.info.played_again)
        self.run.info.parts = {**self.run.info.parts, name: str(part.info.seal)}
        self._is_changed = True
        if time.monotonic() > self._noted + SYNC_S:
            self._noted = time.monotonic()
            if self._writer is not None:
                self._writer[1].sync()  # before run.json says that the part has been taken
            self.run.write_info()

    def _opened(self, folder: Path) -> Run:
        """Return a finished part of this run.

        Raises:
            UserError: It is something else.
        """
        try:
            part = Run(folder, None, may_be_part=True)
        except UserError as error:
            raise _refused(folder, error.message) from None
        if part.info.part is None:
            raise _refused(folder, "it is a run, and no part of one")
        try:
            expected = info_of(self.run.info, part.info.part.number, part.info.part.of).facts()
        except UserError as error:
            raise _refused(folder, error.message) from None
        facts = part.info.facts()
        for name in sorted(({*facts} | {*expected}) - ADDED_BY_PLAYING):
            if facts.get(name) != expected.get(name):
                raise _refused(
                    folder, f"it is a part of another run, or of other terms: {name} in its run.json differs"
                )
        if part.info.finished is None:
            raise _refused(folder, "it has not been played to its end")
        return part

    def _of(self, slug: str) -> TakenGames:
        if slug not in self.taken:
            entry = self._entries[slug]
            played = entry.played()
            last = entry.n_games if played.n_games else -1
            self.taken[slug] = TakenGames(played.is_done, played.n_games, played.n_won, entry.cpu_used_s(), last)
            self._report(slug)
        return self.taken[slug]

    def _new_lines(self, source: RunEntry, lines: list[bytes], folder: Path) -> list[bytes]:
        """Return the lines of games without a record in the run.

        Raises:
            UserError: A game has another record there.
        """
        slug, numbers = source.info.slug, source.numbers
        if 1 not in self._of(slug).is_done[numbers.start : numbers.stop]:
            return lines
        new = dict(zip(numbers, lines, strict=True))
        for record in self._entries[slug].records(numbers):
            if records.encode(record) != new.pop(record.game):
                raise _refused(
                    folder, f"game {record.game} of {source.name} went otherwise than in a part taken before"
                )
        return list(new.values())

    def _add(self, source: RunEntry, lines: list[bytes]) -> None:
        """Add games of a part; those of an entry that has used up its time for all games are left to be skipped."""
        slug, taken, total_s = source.info.slug, self._of(source.info.slug), self.run.info.config.total_s
        games: Sequence[int] = source.numbers
        times, cpu_s = records.written_durations(source.durations_path, source.numbers)
        if len(lines) < len(games) or not times or (total_s is not None and taken.cpu_s + cpu_s > total_s):
            lines, durations = self._within(total_s, source, lines)
            games, cpu_s = [*map(records.game_of, lines)], sum(duration.charged_s for duration in durations)
            times = b"".join(map(records.encode_duration, durations))
        if lines:
            writer, self._is_synced = self._writer_of(slug), False
            writer.add(lines, times)
        taken.note(games)
        taken.n_won += b"".join(lines).count(WON)
        taken.cpu_s += cpu_s
        self._report(slug)

    def _report(self, slug: str) -> None:
        entry, taken = self._entries[slug], self.taken[slug]
        self._progress(EntryProgress(entry.info, taken.n_played, taken.n_won, entry.n_games))

    def _within(
        self, total_s: float | None, source: RunEntry, lines: list[bytes]
    ) -> tuple[list[bytes], list[Duration]]:
        """Return those of these lines that began within an entry's time for all games, and their durations."""
        by_game = {records.game_of(line): line for line in lines}
        durations = [duration for duration in source.durations() if duration.game in by_game]
        times = dict.fromkeys(by_game, 0.0)
        for duration in durations:
            times[duration.game] += duration.charged_s
        used_s = zip(times, accumulate(times.values(), initial=self._of(source.info.slug).cpu_s), strict=False)
        kept = {game for game, before_s in used_s if total_s is None or before_s < total_s}
        return [by_game[game] for game in sorted(kept)], [each for each in durations if each.game in kept]

    def _writer_of(self, slug: str) -> RecordWriter:
        """Return the writer of an entry; that of another one is closed, so that each file is synced once."""
        if self._writer is None or self._writer[0] != slug:
            self._close_writer()
            self._writer = slug, RecordWriter(self._entries[slug])
        return self._writer[1]

    def _close_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer[1].close()
            self._is_synced = True


def _refused(folder: Path, reason: str) -> UserError:
    return UserError(
        f"the part in {paths.relative_to_cwd(folder)} is not taken: {reason}. Without it, its games are played here."
    )


def _checked_lines(entry: RunEntry) -> list[bytes]:
    """Return the lines of an entry's records: of each of its games one, in their order, as the host writes them.

    Raises:
        UserError: They are others.
    """
    checked: list[bytes] = []
    numbers = entry.numbers
    for lines in records.blocks(entry.records_path, len(numbers)):
        found = records.decode_written(lines, entry.info.game.form)
        games = [record.game for record in found]
        if len(found) != len(lines) or games != list(numbers[len(checked) : len(checked) + len(lines)]):
            break
        records.require_sound(found, entry.n_games, entry.records_path)
        checked += lines
    if len(checked) != len(numbers):
        raise UserError(f"its records of {entry.name} are not those of its games, one of each in their order")
    return checked
