"""The checks of `wordpl check`: ask files for their entries, play these, and say what a contest would object to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from wordpl.contest import determinism, official, preflight, run_folder, runner, workforce
from wordpl.contest.entries import ask
from wordpl.contest.observer import Observer
from wordpl.contest.preflight import Check, Seen
from wordpl.core import os_errors
from wordpl.core.records import Run
from wordpl.core.run_config import RunConfig
from wordpl.core.run_records import RunRecords
from wordpl.players import discovery


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
    found = ask(wanted, config)
    checks, records = list(preflight.of_interface(found)), None
    if entries := discovery.resolve_entries(discovery.entries_of(found), None):
        run = Run.create(config.results / "run", run_folder.describe(config, entries))
        changed = _play(run, jobs or run_folder.n_processors(), observer or Observer())
        records = RunRecords(run)
        checks += _of_run(run, records, changed)
    faulty = {one.source.file for one in found if isinstance(one, discovery.Fault)}
    files = dict.fromkeys(source.file for source in discovery.find_sources(wanted))
    return CheckResult(checks, [preflight.seen(file) for file in files if file not in faulty], records)


def _play(run: Run, jobs: int, observer: Observer) -> dict[str, list[int]]:
    """Play the run, parts of it again, and all of it backwards; return the games that went otherwise backwards."""
    observer.started(run)
    with os_errors.explained(run.folder), workforce.local(run, official.run_key(run), jobs) as workers:
        runner.play_left(run, workers, observer.progress)
        determinism.play_repeats(run, workers, observer.repeated)
        changed = preflight.backwards(run, workers.task, observer.reversed)
    observer.finished(run)
    return changed


def _of_run(run: Run, records: RunRecords, changed: dict[str, list[int]]) -> Iterator[Check]:
    for entry, finding in zip(run.entries, determinism.findings(records), strict=True):
        yield preflight.of_games(entry, records.of(entry))
        yield preflight.of_speed(run, entry)
        yield preflight.of_repeats(finding)
        if not finding.unsteady:
            yield preflight.of_order(entry, run.info.n_games, changed[entry.slug])
