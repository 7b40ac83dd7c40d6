"""Checks that a season's folder follows from its log and records."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path, PurePosixPath

import msgspec

from wordpl.apps.season import log, terms
from wordpl.apps.season.log import (
    AnyEvent,
    Banned,
    Bridged,
    Confirmation,
    Disqualified,
    Ranked,
    RankedRow,
    Round,
    RunPlayed,
    Submitted,
    Voided,
    Withdrawn,
)
from wordpl.apps.season.rounds import digest_of_files
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import RECORDS_ALPHA, level_of
from wordpl.apps.season.terms import CONFIRMATIONS, ROUNDS
from wordpl.contest import hosted
from wordpl.contest.spot_check import check_own_games
from wordpl.core import bounded
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError
from wordpl.run.bundle import SHARED, STRATEGIES, Bundle, read_list
from wordpl.run.folder import LOCK, PARTS, PARTS_FOLDER, RUN_JSON, Run
from wordpl.verify import verify

PAGES = "docs"
OF_A_RUN = (RUN_JSON, LOCK, *PARTS)
"""What the folder of a round has; until it has been played, also its parts."""
MAX_CLOCK_DIFFERENCE = timedelta(minutes=10)
LOCK_CONTENT = re.compile(rb"(\d{1,19}\n)?")


def problems(season: Season, progress: Callable[[str], object] = lambda name: None) -> Iterator[str]:
    """Yield a sentence for each thing that does not follow; none if the season holds.

    The log was checked when the season was read: each line has the digest of the line before it.

    Args:
        season: The season.
        progress: Called with the name of each part before it is checked.
    """
    progress("terms and versions")
    yield from _order(season)
    yield from _form(season)
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
        yield from safely(files_of_run(season, event, played.get(event.run)))
        if event.run not in played and event is not announced[-1]:
            yield f"{event.run} was announced and never played to its end, although later ones were."
    yield from _levels(season)
    for event in announced:
        progress(event.run)
        yield from safely(games_of_run(season, event, played.get(event.run)))
    yield from safely(_bridges(season))
    yield from safely(_further_round(season))
    yield from safely(standings_of(season, of_own_release=True))


def _form(season: Season) -> Iterator[str]:
    """Yield lines of this release that are not written as it writes them: they may have values that nobody reads."""
    for number, (event, digest) in enumerate(zip(season.log.events, season.log.digests, strict=True), 1):
        _, now = season.log.replaced.get(number, ("", digest))
        if is_own(event) and log.digest(msgspec.json.encode(event)) != now:
            yield f"line {number} of the log is not written as wordpl writes it."
    if season.log.events and bounded.read(bounded.SEASON_LOG, season.log.path)[-1:] != b"\n":
        yield "the last line of the log has no end."


def is_own(event: AnyEvent) -> bool:
    """Return whether a line of the log was written by this release, whose figures have to be found again."""
    return event.release == log.own_release()


def time_of(text: str) -> datetime | None:
    """Return the time in a line of the log; None if it is none."""
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
        if isinstance(event, Disqualified | Banned | Voided) and not event.reason.strip():
            yield f"{where} gives no reason."
        if time_of(event.time) is None:
            yield f"{where} has no valid time."
        match event:
            case Submitted():
                expected = 1 + sum(label.rpartition("@")[0] == event.name for label in sent)
                if event.number != expected:
                    yield f"{where} adds {event.version}, and the next version of this name has the number {expected}."
                sent.add(event.version)
            case Withdrawn() | Disqualified():
                if isinstance(event, Withdrawn) and event.version in out:
                    yield f"{where} withdraws {event.version}, which was withdrawn or disqualified before."
                out.add(event.version)
            case Banned():
                own = {label for label in sent if labels_of.get(label) == event.author}
                if not own:
                    yield f"{where} bans {event.author}, who has sent nothing."
                out |= own
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


def _bridges(season: Season) -> Iterator[str]:
    """Yield what cannot be true of a bridge, whose replays nobody but its host has seen."""
    for place, event in enumerate(season.log.events):
        if not isinstance(event, Bridged):
            continue
        where = f"line {place + 1} of the log"
        if any(n_equal > n_replayed for n_replayed, n_equal in event.games.values()):
            yield f"{where} has more equal games than were replayed."
        try:
            before = season.until(place).present_conditions()
        except UserError:  # a round that became void later may be lost
            continue
        if event.old != before:
            yield f"{where} bridges other conditions than those of the rounds before."


def _further_round(season: Season) -> Iterator[str]:
    """Yield what is wrong with the round that decides who is first, which the terms promise and the table chooses."""
    for place, event in enumerate(season.log.events):
        if isinstance(event, Round) and event.decides:
            before = season.until(place)
            expected = sorted(version.label for version in before.sharing()) if before.is_undecided else []
            if sorted([*event.players.values(), *event.faults]) != expected:
                yield f"{event.run} should decide between {', '.join(expected) or 'no versions'}."


def standings_of(season: Season, *, of_own_release: bool) -> Iterator[str]:
    """Yield how the standings that were logged last differ from what this release computes for the same events."""
    places = [place for place, event in enumerate(season.log.events) if isinstance(event, Ranked)]
    if not places:
        return
    logged = season.log.events[places[-1]]
    assert isinstance(logged, Ranked)
    if is_own(logged) is not of_own_release:
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


def safely(found: Iterator[str]) -> Iterator[str]:
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
        if event.version in season.log.without_files:
            continue
        try:
            if Bundle.of(folder / event.version / event.file).digest != event.digest:
                yield f"the files of {event.version} have changed."
        except UserError as error:
            yield f"the files of {event.version} are missing or have changed: {error.message}"
    found = {path.name for path in folder.glob("*")}
    for label in sorted(found - labels):
        yield f"{label} is in {log.VERSIONS_FOLDER}/, but not in the log: a version was dropped or cut short."
    for label in sorted(found & labels):
        yield from safely(_foreign_in_version(season, label))


def _foreign_in_version(season: Season, label: str) -> Iterator[str]:
    """Yield what lies in the folder of a version and is not a file of it."""
    folder = season.folder / log.VERSIONS_FOLDER / label
    event = next(event for event in season.log.events if isinstance(event, Submitted) and event.version == label)
    own = {*Bundle.of(folder / event.file).files}
    listed = set(read_list(folder / SHARED)) if (folder / SHARED).is_file() else set()
    if listed and listed <= own - {event.file}:
        own.add(SHARED)  # release 1.0.0 has stored it
    folders = {str(parent) for name in own for parent in PurePosixPath(name).parents}
    for path in [folder, *sorted(folder.rglob("*"))]:
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or name not in own | folders:
            what = "is a link" if path.is_symlink() else "is not a file of this version"
            yield f"{path.relative_to(season.folder)} {what}."


def _folders(season: Season, announced: set[str]) -> Iterator[str]:
    for part in (ROUNDS, CONFIRMATIONS, log.VERSIONS_FOLDER, STRATEGIES, PAGES):
        if (season.folder / part).is_symlink():
            yield f"{part} is a link."
    places = LOCK, f"{ROUNDS}/*/{LOCK}", f"{CONFIRMATIONS}/*/{LOCK}"
    for path in chain.from_iterable(season.folder.glob(place) for place in places):
        if path.is_symlink() or not LOCK_CONTENT.fullmatch(bounded.read_if_exists(bounded.SEASON_FILE, path)):
            yield f"{path.relative_to(season.folder)} is no lock, which has the number of a process at most."
    for part in (ROUNDS, CONFIRMATIONS):
        for path in sorted((season.folder / part).glob("*")):
            name = path.relative_to(season.folder)
            if path.is_symlink():
                yield f"{name} is a link."
            elif path.name not in announced:
                yield f"{name} is not in the log: a round was left out, or was never announced."
            elif path.is_dir():
                own = (*OF_A_RUN, *([PARTS_FOLDER] if _may_have_parts(season, path) else []))
                foreign = (inside for inside in sorted(path.iterdir()) if inside.name not in own)
                yield from (f"{name}/{inside.name} is no file of a run." for inside in foreign)


def _may_have_parts(season: Season, folder: Path) -> bool:
    """Return whether the folder of a run may have parts: it is not played yet, or it was joined from parts."""
    try:
        return folder.name not in season.ends or bool(Run(folder).info.parts)
    except UserError:
        return False


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


def files_of_run(season: Season, event: Round | Confirmation, played: RunPlayed | None) -> Iterator[str]:
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
    logged = season.log.runs_written_anew.get(event.run, (played.seal, played.files))
    if run.info.finished is None or run.info.seal != logged[0]:
        yield f"{name} has another seal than the log says."
    if digest_of_files(run) != logged[1]:
        yield f"a file of {name} has changed since it was played."


def games_of_run(season: Season, event: Round | Confirmation, played: RunPlayed | None) -> Iterator[str]:
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
    if isinstance(event, Confirmation) and is_own(played) and season.is_shown(event, run) is not played.is_shown:
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
