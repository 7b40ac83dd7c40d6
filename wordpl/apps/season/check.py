"""Checks that a season's folder follows from its log and records, and adds rounds that were played elsewhere."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path, PurePosixPath

import msgspec

from wordpl.apps.season import log, terms
from wordpl.apps.season.log import (
    AnyEvent,
    Banned,
    Confirmation,
    Disqualified,
    Log,
    Ranked,
    RankedRow,
    Round,
    RunPlayed,
    SeasonOpened,
    Submitted,
    Voided,
    Withdrawn,
)
from wordpl.apps.season.season import CONFIRMATIONS, ROUNDS, Season, digest_of_files
from wordpl.apps.season.standings import RECORDS_ALPHA, level_of
from wordpl.contest import hosted, run_folder
from wordpl.contest.spot_check import check_own_games
from wordpl.core import bounded, paths
from wordpl.core.files import write_atomically
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError
from wordpl.run.bundle import SHARED, STRATEGIES, Bundle, FileTree, entries_in
from wordpl.run.config import RunConfig
from wordpl.run.folder import LOCK, PARTS, PARTS_FOLDER, RUN_JSON, Run
from wordpl.verify import verify

ROOT = (
    *(terms.FILE, log.FILE, log.VERSIONS_FOLDER, ROUNDS, CONFIRMATIONS, STRATEGIES, LOCK),
    *("README.md", "standings.json", "FINAL.md", "docs", ".git", ".github", ".gitignore", ".gitattributes"),
)
"""What a season's folder has."""
OF_A_RUN = (RUN_JSON, LOCK, PARTS_FOLDER, *PARTS)
"""What the folder of a round has."""


def problems(season: Season, progress: Callable[[str], object] = lambda name: None) -> Iterator[str]:
    """Yield a sentence for each thing that does not follow; none if the season holds.

    The log was checked when the season was read: each line has the digest of the line before it.

    Args:
        season: The season.
        progress: Called with the name of each part before it is checked.
    """
    progress("terms and versions")
    yield from _order(season)
    if season.log.events and not season.knows_its_terms:
        yield (
            f"{terms.FILE} has changed since the last line of the log. If its host changed it, the next `wordpl season "
            "submit` or `round` logs this."
        )
    yield from _versions(season)
    played, announced = season.ends, season.announced
    yield from _folders(season, {event.run for event in announced})
    for kind in (Round, Confirmation):
        numbers = [event.number for event in announced if isinstance(event, kind)]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"the numbers of the {kind.__name__.lower()}s are {numbers}: one was left out."
    announced = [event for event in announced if event.run in played or event.run not in season.voided]
    for event in announced:
        yield from _safely(_files_of_run(season, event, played.get(event.run)))
        if event.run not in played and event is not announced[-1]:
            yield f"{event.run} was announced and never played to its end, although later ones were."
    yield from _levels(season)
    for event in announced:
        progress(event.run)
        yield from _safely(_games_of_run(season, event, played.get(event.run)))
    yield from _safely(_standings(season, of_own_release=True))


def remarks(season: Season) -> Iterator[str]:
    """Yield a sentence for each thing that contradicts nothing, but that whoever checks a season should know.

    What an earlier release has logged is a fact. Where the estimators of today find something else, both are named.
    """
    times = [_time(event.time) for event in season.log.events]
    for line, (before, after) in enumerate(pairwise(times), 2):
        if before and after and after < before:
            yield f"line {line} of the log: the clock was set back by {before - after}. The order of the lines holds."
    if season.log.events and not season.log.known_terms:
        yield f"the log is of release 1.0.0 and knows only digests of {terms.FILE}; the next command logs its text."
    budget = season.error_budget
    if sum(budget.used) > RECORDS_ALPHA * (1 + ROUNDING) and not budget.is_exact:
        yield (
            f"the terms of a confirmation are not known: if each was allowed to be the last one, the levels add up to "
            f"{100 * sum(budget.used):.3g}%."
        )
    for event in season.announced:
        played = season.ends.get(event.run)
        if played is None or _is_own(played) or event.run in season.voided:
            continue
        if isinstance(event, Confirmation):
            found = season.is_shown(event, season.run_of(event))
            if found is not played.is_shown:
                words = {True: "shows the record", False: "does not show the record"}
                yield (
                    f"{event.run} {words[bool(played.is_shown)]}, as release {played.release or '1.0.0'} found; the "
                    f"test of today says that it {words[found]}. What was announced stays."
                )
    yield from _safely(_standings(season, of_own_release=False))
    pages = {"index.html", *(f"entry-{version.name}.html" for version in season.versions)}
    for path in sorted((season.folder / "docs").glob("*")):
        if path.name not in pages:
            yield f"docs/{path.name} is no page of this season."
    known = {*ROOT, season.terms.answers, season.terms.guesses}
    for path in sorted(season.folder.iterdir()):
        if path.name not in known and not path.name.upper().startswith("LICENSE"):
            yield f"{path.name} lies in the season's folder, and is no part of a season."


def _is_own(event: AnyEvent) -> bool:
    """Return whether a line of the log was written by this release, whose figures have to be found again."""
    return event.release == log.own_release()


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.replace(tzinfo=found.tzinfo or UTC)


def _order(season: Season) -> Iterator[str]:
    """Yield what cannot follow what is before it in the log."""
    sent: set[str] = set()
    out: set[str] = set()
    labels_of = {version.label: version.author for version in season.versions}
    announced: dict[str, Round | Confirmation] = {}
    played: set[str] = set()
    void: set[str] = set()
    for line, event in enumerate(season.log.events, 1):
        where = f"line {line} of the log"
        if _time(event.time) is None:
            yield f"{where} has no valid time."
        match event:
            case Submitted():
                expected = 1 + sum(label.rpartition("@")[0] == event.name for label in sent)
                if event.number != expected:
                    yield f"{where} adds {event.version}, and the next version of this name has the number {expected}."
                sent.add(event.version)
            case Withdrawn() | Disqualified():
                out.add(event.version)
            case Banned():
                out |= {label for label in sent if labels_of.get(label) == event.author}
            case Round() | Confirmation():
                labels = [*event.players.values(), *event.faults] if isinstance(event, Round) else [event.version]
                for label in labels:
                    if label not in sent:
                        yield f"{where} announces {event.run} with {label}, which was not sent before."
                    elif isinstance(event, Round) and label in out:
                        yield f"{where} announces {event.run} with {label}, which was withdrawn or disqualified before."
                if event.run in announced:
                    yield f"{where} announces {event.run} for the second time."
                if open_runs := announced.keys() - played - void:
                    yield f"{where} announces {event.run} although {min(open_runs)} is open."
                announced[event.run] = event
            case Voided():
                void.add(event.run)
            case RunPlayed():
                if event.run not in announced or event.run in played:
                    yield f"{where} says that {event.run} was played, which was not announced, or was played before."
                played.add(event.run)


def _standings(season: Season, *, of_own_release: bool) -> Iterator[str]:
    """Yield how the standings that were logged last differ from what this release computes for the same events."""
    places = [place for place, event in enumerate(season.log.events) if isinstance(event, Ranked)]
    if not places:
        return
    logged = season.log.events[places[-1]]
    assert isinstance(logged, Ranked)
    if _is_own(logged) is not of_own_release:
        return
    found = season.until(places[-1]).standings().as_logged
    for score in sorted({*found, *logged.standings}):
        before = {row[0]: row for row in logged.standings.get(score, [])}
        today = {row[0]: row for row in found.get(score, [])}
        for label in sorted({*before, *today}):
            if before.get(label) != today.get(label):
                was, now = _in_words(before.get(label)), _in_words(today.get(label))
                yield f"{label} by {score}: the log of release {logged.release} says {was}; computed now, it is {now}."


def _in_words(row: RankedRow | None) -> str:
    if row is None:
        return "nothing"
    _, first, last, value, low, high, n_games = row
    return f"rank {first}–{last}, {value} ({low} to {high}), {n_games:,} games"


def _safely(found: Iterator[str]) -> Iterator[str]:
    """Yield what is found, and why the rest could not be read."""
    try:
        yield from found
    except UserError as error:
        yield error.message


def _versions(season: Season) -> Iterator[str]:
    folder = season.folder / log.VERSIONS_FOLDER
    labels = set()
    for event in season.log.events:
        if not isinstance(event, Submitted):
            continue
        labels.add(event.version)
        try:
            if Bundle.of(folder / event.version / event.file).digest != event.digest:
                yield f"the files of {event.version} have changed."
        except UserError as error:
            yield f"the files of {event.version} are missing or have changed: {error.message}"
    found = {path.name for path in folder.glob("*") if not path.name.startswith(".")}
    for label in sorted(found - labels):
        yield f"{label} is in {log.VERSIONS_FOLDER}/, but not in the log: a version was dropped."
    for label in sorted(found & labels):
        yield from _safely(_foreign_in_version(season, label))


def _foreign_in_version(season: Season, label: str) -> Iterator[str]:
    """Yield what lies in the folder of a version and is not a file of it."""
    folder = season.folder / log.VERSIONS_FOLDER / label
    event = next(event for event in season.log.events if isinstance(event, Submitted) and event.version == label)
    own = {*Bundle.of(folder / event.file).files, SHARED}
    folders = {str(parent) for name in own for parent in PurePosixPath(name).parents}
    for path in [folder, *sorted(folder.rglob("*"))]:
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or name not in own | folders:
            what = "is a link" if path.is_symlink() else "is not a file of this version"
            yield f"{path.relative_to(season.folder)} {what}."


def _folders(season: Season, announced: set[str]) -> Iterator[str]:
    for part in (ROUNDS, CONFIRMATIONS, log.VERSIONS_FOLDER, STRATEGIES):
        if (season.folder / part).is_symlink():
            yield f"{part} is a link."
    for part in (ROUNDS, CONFIRMATIONS):
        for path in sorted((season.folder / part).glob("*")):
            name = path.relative_to(season.folder)
            if path.is_symlink():
                yield f"{name} is a link."
            elif path.name not in announced:
                yield f"{name} is not in the log: a round was left out, or was never announced."
            elif path.is_dir():
                foreign = (inside for inside in sorted(path.iterdir()) if inside.name not in OF_A_RUN)
                yield from (f"{name}/{inside.name} is no file of a run." for inside in foreign)


def _levels(season: Season) -> Iterator[str]:
    """Yield what breaks the promise of the records: a level that is not that of its place, or too many of them."""
    budget, used = season.error_budget, 0.0
    for event in season.log.events:
        if isinstance(event, Confirmation):
            level = level_of(budget.promised)
            if event.level and event.level > min(level, RECORDS_ALPHA - used) * (1 + ROUNDING):
                yield f"{event.run} has the level {event.level:.3g}, and a confirmation of this season has {level:.3g}."
            used += budget.levels[event.run] * (event.run not in season.voided or season.voided[event.run].is_known)
    if used > RECORDS_ALPHA * (1 + ROUNDING) and budget.is_exact:
        yield f"the levels of the confirmations add up to {100 * used:.3g}%, more than the {100 * RECORDS_ALPHA:g}%."


def _files_of_run(season: Season, event: Round | Confirmation, played: RunPlayed | None) -> Iterator[str]:
    """Yield what differs from the log, which takes no time compared with recomputing games."""
    run, name = season.run_of(event), event.run
    if not _has_own_entries(run, event):
        yield f"{name} has other entries than the log says."
        return
    if run.info.commitment != event.commitment:
        yield f"{name} has another commitment than the log says."
    yield from _files(season, event, run)
    if played is None:
        return
    if run.info.finished is None or run.info.seal != played.seal:
        yield f"{name} has another seal than the log says."
    if digest_of_files(run) != played.files:
        yield f"a file of {name} has changed since it was played."


def _games_of_run(season: Season, event: Round | Confirmation, played: RunPlayed | None) -> Iterator[str]:
    """Yield what does not follow from the seed, if the run was played to its end."""
    run, name = season.run_of(event), event.run
    if played is None or not _has_own_entries(run, event):
        return
    lists = season.lists_of(run)
    findings = verify(run, lists)
    check_own_games(run, lists, findings)
    hosted.check_games(run, lists, findings)
    for difference in findings.differences:
        yield f"{name}: {difference}"
    if isinstance(event, Confirmation) and _is_own(played) and season.is_shown(event, run) is not played.is_shown:
        yield f"{name} does not show what the log says."


def _has_own_entries(run: Run, event: Round | Confirmation) -> bool:
    """Return whether a run has the entries that the log names."""
    slugs = set(event.players) if isinstance(event, Round) else {event.slug}
    return {entry.slug for entry in run.info.entries} == slugs


def _files(season: Season, event: Round | Confirmation, run: Run) -> Iterator[str]:
    labels = event.players if isinstance(event, Round) else {event.slug: event.version}
    by_label = {version.label: version for version in season.versions}
    for entry in run.info.entries:
        version = by_label.get(labels[entry.slug])
        if version is None:
            yield f"{event.run} was played by {labels[entry.slug]}, which is not in the log: a version was dropped."
            continue
        if version.digest != entry.sha256:
            yield f"{event.run} was played by other files than those of {version.label}."


RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MAX_CLOCK_DIFFERENCE = timedelta(minutes=10)


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
    if not RUN_NAME.fullmatch(run) or (season.folder / ROUNDS / run).exists():
        raise UserError(f"{run!r} cannot be the name of a new round.")
    with _undone_after_an_error(season) as created:
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
        FileTree.below(source).copy_to(created[-1])  # regular files only, within the limits of an entry's files
        _require_terms(season, season.run_of(brought.round))
        season.log.add(brought.round)
        season.log.add(brought.played)
        of_run = season, brought.round, brought.played
        if found := [*_files_of_run(*of_run), *_games_of_run(*of_run)]:
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
    season.require_own_name(name, bundle)
    season.require_welcome(name, "", bundle)
    season.require_quota(name)
    expected = season.submission(bundle, name, "", event.time)
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
    if event.closing or named != expected:
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
        if before:
            write_atomically(season.log.path, before)
        else:
            season.log.path.unlink(missing_ok=True)
        season.log = Log(season.folder)
        for folder in created:
            shutil.rmtree(folder, ignore_errors=True)
        raise
