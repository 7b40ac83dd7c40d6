"""The checks of `wordpl check`: load the entries of files, play games with them, and report problems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from wordpl.contest import determinism, official, preflight, run_folder, run_worker, runner
from wordpl.contest.entries import TemporaryStore, ask
from wordpl.contest.preflight import Check, FileSummary
from wordpl.contest.run_worker import WORKER
from wordpl.contest.runner import EntryProgress, Observer
from wordpl.core.moves import Verdict
from wordpl.players import discovery
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run, RunRecords, explain

MAX_LATE_GAMES = 2
"""The number of late games after which the check of an entry is stopped, since late games take long."""


@dataclass(frozen=True)
class CheckResult:
    """The result of all checks.

    Attributes:
        checks: The checks in the order in which they were made.
        files: A summary of each file that defines an entry, for reviewers.
        records: The games that were played; None if there is no valid entry.
    """

    checks: list[Check]
    files: list[FileSummary]
    records: RunRecords | None

    def __repr__(self) -> str:
        """Return the number of checks, and those that failed."""
        failed = "".join(f"; failed: {check.name}: {check.message}" for check in self.checks if not check.passed)
        return f"CheckResult({len(self.checks)} checks{failed or ', all passed'})"

    @property
    def n_failed(self) -> int:
        """The number of checks that failed."""
        return sum(not check.passed for check in self.checks)


def check(
    names: Sequence[str], config: RunConfig, observer: Observer | None = None, *, jobs: int | None = None
) -> CheckResult | None:
    """Check the entries of these files, or the entries to which they belong.

    Args:
        names: The names of files, as on the command line.
        config: The configuration of the run; the games are stored in its results folder.
        observer: Receives the progress of the games.
        jobs: The number of games to play at a time; None: one per processor.

    Returns:
        The result, or None if the files do not belong to any entry.
    """
    requested = list(dict.fromkeys(chain.from_iterable(map(preflight.entries_with, names))))
    if not requested:
        return None
    store = TemporaryStore()
    try:
        entries_and_faults = ask(requested, config, "", store)
        checks, records = list(preflight.check_interfaces(entries_and_faults)), None
        if entries := discovery.resolve_entries(discovery.entries_of(entries_and_faults), None):
            run = Run.create(config.results / "run", run_folder.describe(config, entries))
            run.store.copy_from(store, chain.from_iterable(entry.digests for entry in entries))
            results = _play(run, jobs or run_folder.n_processors(), observer or Observer())
            records = RunRecords(run)
            checks += _check_entries(run, records, results)
    finally:
        store.remove()
    faulty = {fault.source.file for fault in entries_and_faults if isinstance(fault, discovery.Fault)}
    files = dict.fromkeys(source.file for source in discovery.find_sources(requested))
    return CheckResult(checks, [preflight.summarize_file(file) for file in files if file not in faulty], records)


@dataclass
class _GameResults:
    """Results of the games that are not in their records.

    Attributes:
        started_late: Where the players were of entries that took too long to start, so that none of their games was
            played, by slug.
        stopped: The slugs of entries that were stopped after MAX_LATE_GAMES late games.
        changed: For each entry that played all games, by slug: the games that differed in reverse order.
    """

    started_late: dict[str, str] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    changed: dict[str, list[int]] = field(default_factory=dict)

    @property
    def unfinished(self) -> set[str]:
        """The slugs of entries that did not play all their games."""
        return {*self.started_late, *self.stopped}


def _play(run: Run, jobs: int, observer: Observer) -> _GameResults:
    """Play the run, then repeat some of its games, then play all games in reverse order; stop entries that are late."""
    results = _GameResults()

    def watch(progress: EntryProgress) -> object:
        slug = progress.entry.slug
        observer.progress(progress)
        if sum(record.verdict == Verdict.LATE for record in run.entry(progress.entry).read()) >= MAX_LATE_GAMES:
            results.stopped.add(slug)
        return runner.STOP_ENTRY if slug in results.stopped else None

    observer.started(run)
    with explain(run.folder), run_worker.local(run, official.run_key(run), jobs) as workers:
        worker = WORKER.worker(workers.task)
        for index, entry in enumerate(run.info.entries):
            observer.progress(EntryProgress(entry, 0, 0, run.info.config.n_games))
            if failure := worker.late_start(index):
                results.started_late[entry.slug] = failure.message
        runner.play_remaining(run, workers, watch, results.started_late)
        determinism.play_repeats(run, workers, observer.repeated, results.unfinished)
        results.changed = preflight.play_backwards(run, workers.task, observer.reversed, results.unfinished)
    observer.finished(run)
    return results


def _check_entries(run: Run, records: RunRecords, results: _GameResults) -> Iterator[Check]:
    findings = {finding.entry.slug: finding for finding in determinism.findings(records)}
    for entry in run.info.entries:
        if entry.slug in results.started_late:
            yield preflight.failed_start(run, entry, results.started_late[entry.slug])
            continue
        yield preflight.check_games(entry, records.records_of(entry), run.info)
        yield preflight.check_speed(run, entry)
        finding = findings.get(entry.slug)
        if finding is None or entry.slug in results.unfinished:
            continue
        yield preflight.check_repeats(finding)
        if not finding.unsteady:
            yield preflight.check_order(entry, run.info.config.n_games, results.changed[entry.slug])
