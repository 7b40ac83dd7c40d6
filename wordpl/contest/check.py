"""The checks of `wordpl check`: ask files for their entries, play these, and say what a contest would object to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from wordpl.contest import determinism, official, preflight, run_folder, runner, workforce
from wordpl.contest.entries import ask
from wordpl.contest.entry_caches import CacheStore
from wordpl.contest.observer import EntryProgress, Observer
from wordpl.contest.preflight import Check, Seen
from wordpl.contest.run_worker import WORKER
from wordpl.core import os_errors
from wordpl.core.records import Run, Verdict
from wordpl.core.run_config import RunConfig
from wordpl.core.run_records import RunRecords
from wordpl.players import discovery

MAX_LATE = 3
"""So many late games of an entry end its check: it has failed, and each of the others would take its whole time."""


@dataclass(frozen=True)
class CheckResult:
    """What the checks found.

    Attributes:
        checks: What was looked at, in order.
        seen: What a reviewer sees of each file that gives an entry.
        records: The games that were played; None where no entry could be made.
    """

    checks: list[Check]
    seen: list[Seen]
    records: RunRecords | None

    @property
    def n_failed(self) -> int:
        """The number of checks that failed."""
        return sum(not check.passed for check in self.checks)


def check(
    names: Sequence[str], config: RunConfig, observer: Observer | None = None, *, jobs: int | None = None
) -> CheckResult | None:
    """Check the entries of these files, or of those that mention them.

    Args:
        names: Files, as a contestant names them.
        config: What the host chooses; its results folder keeps the games.
        observer: Is told how far the games have come.
        jobs: How many games are played at a time; None: one for each processor.

    Returns:
        What was found; None where the files are part of no entry.
    """
    wanted = list(dict.fromkeys(chain.from_iterable(map(preflight.entries_with, names))))
    if not wanted:
        return None
    caches = CacheStore()
    found = ask(wanted, config, "", caches)
    checks, records = list(preflight.of_interface(found)), None
    if entries := discovery.resolve_entries(discovery.entries_of(found), None):
        caches.keep(entries, config.results / "run")
        run = Run.create(config.results / "run", run_folder.describe(config, entries))
        played = _play(run, jobs or run_folder.n_processors(), observer or Observer())
        records = RunRecords(run)
        checks += _of_run(run, records, played)
    faulty = {one.source.file for one in found if isinstance(one, discovery.Fault)}
    files = dict.fromkeys(source.file for source in discovery.find_sources(wanted))
    return CheckResult(checks, [preflight.seen(file) for file in files if file not in faulty], records)


@dataclass
class _Played:
    """What came of the games beside their records.

    started_late: the slugs of entries that took too long to start, of which no game was played
    stopped: the slugs of those that were stopped after MAX_LATE late games
    changed: the games that went otherwise backwards, by the slugs of the entries that played all games
    """

    started_late: set[str] = field(default_factory=set)
    stopped: set[str] = field(default_factory=set)
    changed: dict[str, list[int]] = field(default_factory=dict)

    @property
    def unfinished(self) -> set[str]:
        """The slugs of entries that did not play all their games."""
        return self.started_late | self.stopped


def _play(run: Run, jobs: int, observer: Observer) -> _Played:
    """Play the run, parts of it again, and all of it backwards: as long as no entry is late too often."""
    played = _Played()

    def watch(progress: EntryProgress) -> object:
        slug = progress.entry.slug
        observer.progress(progress)
        if sum(record.verdict == Verdict.LATE for record in run.read(progress.entry)) >= MAX_LATE:
            played.stopped.add(slug)
        return runner.STOP_ENTRY if slug in played.stopped else None

    observer.started(run)
    with os_errors.explained(run.folder), workforce.local(run, official.run_key(run), jobs) as workers:
        worker = WORKER.worker(workers.task)
        for index, entry in enumerate(run.entries):
            observer.progress(EntryProgress(entry, 0, 0, run.info.n_games))
            if worker.starts_late(index):
                played.started_late.add(entry.slug)
        runner.play_left(run, workers, watch, played.started_late)
        determinism.play_repeats(run, workers, observer.repeated, played.unfinished)
        played.changed = preflight.backwards(run, workers.task, observer.reversed, played.unfinished)
    observer.finished(run)
    return played


def _of_run(run: Run, records: RunRecords, played: _Played) -> Iterator[Check]:
    findings = {finding.entry.slug: finding for finding in determinism.findings(records)}
    for entry in run.entries:
        if entry.slug in played.started_late:
            yield preflight.of_start(run, entry)
            continue
        yield preflight.of_games(entry, records.of(entry), run.info)
        yield preflight.of_speed(run, entry)
        finding = findings.get(entry.slug)
        if finding is None or entry.slug in played.unfinished:
            continue
        yield preflight.of_repeats(finding)
        if not finding.unsteady:
            yield preflight.of_order(entry, run.info.n_games, played.changed[entry.slug])
