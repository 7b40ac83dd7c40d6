"""Rounds that were played elsewhere: written there, and added here after everything has been checked."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from wordpl.apps.season import log, terms
from wordpl.apps.season.candidate import Candidate
from wordpl.apps.season.check import MAX_CLOCK_DIFFERENCE, files_of_run, games_of_run
from wordpl.apps.season.log import AnyEvent, Log, Ranked, Round, RunPlayed, SeasonOpened, Submitted
from wordpl.apps.season.season import Season
from wordpl.apps.season.terms import ROUNDS
from wordpl.contest import run_folder
from wordpl.core import bounded, paths
from wordpl.core.files import draft_of, make_folders, put_in_place, write_atomically
from wordpl.core.messages import UserError
from wordpl.run.bundle import STRATEGIES, Bundle, FileTree, entries_in
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Brought:
    """What somebody else played.

    Attributes:
        folder: The folder with the log and the run.
        submitted: The versions that were added before the round.
        terms: The digest of changed terms; None if they have not changed.
        round: The round.
        played: Its end.
        digest: The digest of the line that says that it was played.
    """

    folder: Path
    submitted: list[Submitted]
    terms: SeasonOpened | None
    round: Round
    played: RunPlayed
    digest: str

    @classmethod
    def read(cls, season: Season, folder: Path) -> "Brought":
        """Read what is in this folder.

        Raises:
            UserError: Its log does not continue that of the season by one round that was played to its end.
        """
        own = bounded.read_if_exists(bounded.SEASON_LOG, season.log.path)
        try:
            text = bounded.read(bounded.SEASON_LOG, folder / log.FILE)
        except OSError as error:
            raise UserError(f"{folder / log.FILE}: {error.strerror}.") from None
        if not text.startswith(own) or text == own:
            raise UserError(
                f"{folder / log.FILE} does not continue the season's log: the season has changed since the round was "
                "played. Play it again."
            )
        found = Log(folder)
        new = found.events[len(season.log.events) :]
        if text[len(own) :] != b"".join(msgspec.json.encode(event) + b"\n" for event in new):
            raise UserError(f"{folder / log.FILE} is not written as wordpl writes it.")
        _require_times(season, new)
        opened = [event for event in new if isinstance(event, SeasonOpened)]
        submitted = [event for event in new if isinstance(event, Submitted)]
        match new[len(opened) + len(submitted) :]:
            case [Round() as played, RunPlayed() as end, *ranked] if (
                len(opened) < 2
                and new[: len(opened)] == opened
                and all(isinstance(one, Ranked) for one in ranked[:1])
                and len(ranked) < 2
            ):  # the standings are computed here
                last = found.digests[-1 - len(ranked)]
                return cls(folder, submitted, opened[0] if opened else None, played, end, last)
        raise UserError(
            f"{folder / log.FILE} should add versions and one round that was played to its end, got "
            f"{', '.join(type(event).__name__.lower() for event in new) or 'nothing'}."
        )


def accept(season: Season, folder: Path) -> Round:
    """Add the round in a folder, with the versions that were sent before it, and return it.

    Args:
        season: The season; nothing in it changes if the round is refused.
        folder: A folder that `export` wrote.

    Raises:
        UserError: Something does not follow from the season's own files.
    """
    brought = Brought.read(season, folder)
    if season.pending is not None:
        raise UserError(f"{season.pending.run} is not played to its end yet: `wordpl season round` plays the rest.")
    if changed := season.what_changed():
        raise UserError(f"{changed} changed since the last round: play a round on the season itself, after a bridge.")
    run = brought.round.run
    if not RUN_NAME.fullmatch(run) or run in {event.run for event in season.announced}:
        raise UserError(f"{run!r} cannot be the name of a new round.")
    with _undone_after_an_error(season) as created, season.log.together():
        if brought.terms is not None:
            if brought.terms.text != season.terms.text(season.folder):
                raise UserError(f"the round was played under another {terms.FILE}.")
            season.log.add(brought.terms)
        for event in brought.submitted:
            _add_version(season, event, created)
        _require_players(season, brought.round)
        source = folder / ROUNDS / run
        created.append(paths.inside(season.folder, f"{ROUNDS}/{run}"))
        if source.is_symlink() or source.parent.is_symlink() or not source.is_dir():
            raise UserError(f"{source} is not a folder.")
        _copy_round(source, created[-1])
        _require_terms(season, season.run_of(brought.round))
        season.log.add(brought.round)
        season.log.add(brought.played)
        of_run = season, brought.round, brought.played
        if found := [*files_of_run(*of_run), *games_of_run(*of_run)]:
            raise UserError("\n".join(found))
        if season.log.last_digest != brought.digest:
            raise UserError(f"{folder / log.FILE} differs from what the season would have logged.")
        season.note_standings()
    return brought.round


def export(season: Season, event: Round, out: Path) -> None:
    """Copy the log and the folder of a round into a new folder, for `accept`.

    Raises:
        UserError: The folder exists, or cannot be written.
    """
    try:
        out.mkdir(parents=True)
        shutil.copyfile(season.log.path, out / log.FILE)
        shutil.copytree(season.folder / ROUNDS / event.run, paths.inside(out, f"{ROUNDS}/{event.run}"))
    except OSError as error:
        raise UserError(f"cannot copy the round to {out}: {error.strerror or error}.") from None


def _require_times(season: Season, events: list[AnyEvent]) -> None:
    """Check that the times of new events do not lie before those of the season, nor in the future."""
    latest = datetime.now(UTC) + MAX_CLOCK_DIFFERENCE
    before = [event.time for event in season.log.events[-1:]]
    times = before + [event.time for event in events]
    try:
        parsed = [datetime.fromisoformat(time) for time in times]
        plausible = parsed == sorted(parsed) and parsed[-1] <= latest
        same_form = all(
            time == moment.isoformat(timespec="seconds") for time, moment in zip(times, parsed, strict=True)
        )
    except (TypeError, ValueError, IndexError):
        plausible = same_form = False
    if not (plausible and same_form):
        raise UserError(f"the times of the new events are impossible: {', '.join(times)[:300]}.")


def _add_version(season: Season, event: Submitted, created: list[Path]) -> None:
    """Add a version from the season's own strategies/, whose files must be those that were played."""
    places = {place.name: place for place in entries_in(season.folder / STRATEGIES)}
    if event.file not in places:
        raise UserError(f"{event.version} was played, but {STRATEGIES}/ has no such entry.")
    bundle = Bundle.of(places[event.file])
    name = log.version_name(bundle.place)
    candidate = Candidate(season, bundle, name)
    candidate.require_own_name()
    candidate.require_welcome()
    candidate.require_quota()
    expected = candidate.submission(event.time)
    if msgspec.structs.replace(event, before="", release="") != expected or any(
        version.digest == bundle.digest for version in season.versions
    ):
        raise UserError(f"{event.version} differs from the next version of {STRATEGIES}/{bundle.place.name}.")
    created.append(paths.inside(season.folder, f"{log.VERSIONS_FOLDER}/{expected.version}"))
    log.keep_version(bundle, season.folder, expected.version)
    season.log.add(event)


def _require_players(season: Season, event: Round) -> None:
    """Check that the players are those that the season would have chosen."""
    named = sorted([*event.players.values(), *event.faults])
    expected = sorted(version.label for version in season.next_players())
    if event.closing or event.decides or named != expected:
        raise UserError(
            f"the round was played by {', '.join(named)[:1000]}; the next players are {', '.join(expected)}."
        )


def _require_terms(season: Season, run: Run) -> None:
    """Check that a run was played under the season's terms, with this version of wordpl."""
    config = run.info.config
    expected = season.terms.config(season.folder, ROUNDS, season.terms.games, config.beacon_from).resolved(config.level)
    if _without_paths(config) != _without_paths(expected):
        raise UserError(f"{run.folder.name} was played under other terms than those of {terms.FILE}.")
    own, played = run_folder.versions(), run.info.versions
    if any(played.get(name) != own[name] for name in ("wordpl", "rules", "library")):
        raise UserError(f"{run.folder.name} was played by another version of wordpl than {own['wordpl']}.")


def _without_paths(config: RunConfig) -> RunConfig:
    """Return a configuration whose word lists are named by their digests: their paths differ between machines."""
    files = {name: msgspec.structs.replace(file, file="") for name, file in config.word_files.items()}
    return msgspec.structs.replace(config, **files)


@contextmanager
def _undone_after_an_error(season: Season) -> Iterator[list[Path]]:
    """Yield a list for the folders that are created; after an error they are removed, and the log is as before."""
    before = bounded.read_if_exists(bounded.SEASON_LOG, season.log.path)
    created: list[Path] = []
    try:
        yield created
    except BaseException:
        if bounded.read_if_exists(bounded.SEASON_LOG, season.log.path) != before:  # interrupted when all was written
            write_atomically(season.log.path, before)
        season.log = Log(season.folder)
        for folder in created:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _copy_round(source: Path, target: Path) -> None:
    """Copy regular files only, within the limits of an entry's files; what a power cut has left is replaced."""
    make_folders(target.parent)
    draft = draft_of(target)
    for folder in (draft, target):
        shutil.rmtree(folder, ignore_errors=True)
    FileTree.below(source).copy_to(draft)
    put_in_place(draft, target)
