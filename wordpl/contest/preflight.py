"""The checks of `wordpl check`: load the entries of files, play games with them, and report problems.

An entry should obey the rules and the time limit, and its games should be independent.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from statistics import median

import msgspec

from wordpl.contest import determinism, hosted, official, referee, run_folder, run_worker, runner
from wordpl.contest.entries import TemporaryStore, ask
from wordpl.contest.run_worker import WORKER, RunTask
from wordpl.contest.runner import EntryProgress, Observer
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.core.moves import Verdict
from wordpl.players import discovery, source_facts
from wordpl.players.discovery import Fault
from wordpl.players.limited import Unread
from wordpl.run.bundle import PROGRAM, PYTHON, Bundle, entries_in, explain_missing, find_place, shared_modules
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run, RunRecords, explain
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import Record

ADVICE = {
    Verdict.CRASHED: "Fix the error",
    Verdict.ILLEGAL: "Propose only moves that the rules allow",
    Verdict.MEMORY: "Use less memory",
    Verdict.LATE: "Use less time per game",
    Verdict.FAULT: "Its process was killed from outside: find out why",
    Verdict.UNPLAYED: "Use less time: its time for all games was used up",
}
"""What to do about each verdict that fails a check."""
HOSTED_GAMES = 2
"""The number of games that an entry without code plays."""
RECOMMENDED_SHARE = 0.5
"""The share of the time limit that a game should not exceed, as other machines may be slower."""


@dataclass(frozen=True)
class Check:
    """The result of one check.

    Attributes:
        name: The name of the check.
        passed: Whether the entry passed it.
        message: What was found and, if the check failed, what to do.
        details: The error, if there was one; it may have several lines.
        replay: The command that replays the game in question; "" if there is none.
    """

    name: str
    passed: bool
    message: str
    details: str = ""
    replay: str = ""


@dataclass(frozen=True)
class FileSummary:
    """A summary of an entry's file for reviewers.

    Attributes:
        file: The path of the file.
        parts: The sizes of the entry's files in bytes, by name.
        sha256: The digest of the entry.
        uses: The modules that a Python file imports, or the commands of a program.
        unread: Why they are unknown; "" if they are known.
    """

    file: Path
    parts: dict[str, int]
    sha256: str
    uses: list[str]
    unread: str = ""


class NoEntryError(UserError):
    """A file belongs to no entry."""


def entries_with(name: str) -> list[str]:
    """Return the entries that a file belongs to: itself, all that share a module, or none.

    A name that is not that of a file is returned unchanged, as `discovery.find_sources` may recognize it.
    """
    file = Path(name)
    if not file.is_file():
        return [name]
    if file.name in shared_modules(file.parent):
        return [str(path) for path in entries_in(file.parent)]
    return [name] if file.suffix in (PYTHON, PROGRAM) else []


def summarize_file(file: Path) -> FileSummary:
    """Return a summary of an entry's files, which are read but not executed."""
    bundle = Bundle.of(file)
    (facts,) = source_facts.read([source_facts.Sources.of_tree(bundle, bundle.main, bundle.digest)])
    uses, unread = [], ""
    if isinstance(facts, Unread):
        unread = facts.reason
    elif facts.program is not None:
        uses = [" ".join(words) for words in (facts.program.build, facts.program.command) if words]
        uses += [
            f"[{name}] {key} = {value!r}" for name, own in facts.program.tables.items() for key, value in own.items()
        ]
    else:
        uses = facts.imports
    parts = {name: path.stat().st_size for name, path in bundle.files.items()}
    return FileSummary(file, parts, bundle.digest, uses, unread)


def check_interfaces(found: list[EntryInfo | Fault]) -> Iterator[Check]:
    """Yield a check for each entry that was loaded, and for each file that could not be loaded."""
    for loaded in found:
        if isinstance(loaded, Fault):
            message = f"{loaded.source.file.name} could not be loaded"
            yield Check("interface", False, message, loaded.message)
        else:
            written = f", and wrote files ({loaded.written[:12]})" if loaded.written else ""
            yield Check("interface", True, f"{loaded.name} plays {loaded.game.id}{written}")


def failed_start(run: Run, entry: EntryInfo, where: str = "") -> Check:
    """Return the failed check of an entry that took too long to start, so that none of its games was played.

    Args:
        where: Where its player was when its time was used up, if it is known.
    """
    message = (
        f"{entry.name}: it took more than {run.info.config.warmup_s:g} s to start and play the warm-up game, so no "
        "game was played. Compute less on import and in the first move, or raise --warmup SECONDS"
    )
    return Check("speed", False, message, where, replay=run_folder.replay_command(entry, 0, run.info))


def check_games(entry: EntryInfo, records: Sequence[Record], info: RunInfo) -> Check:
    """Return the check that no game ended by a fault of the entry.

    Args:
        records: The games that were played, possibly not all games of the run.
    """
    counts = Counter(record.verdict for record in records)
    ends = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    message = f"{entry.name}: {amount(len(records), 'game')}, {ends}"
    if len(records) < info.config.n_games:
        message += f"; the other {info.config.n_games - len(records)} were not played"
    bad = next((record for record in records if record.verdict in ADVICE), None)
    if bad is None and not counts[Verdict.WON]:
        message += f". {len(records)} of {amount(len(records), 'game was', 'games were')} lost: replay one to see why"
    if bad is None:
        replay = "" if counts[Verdict.WON] else run_folder.replay_command(entry, records[0].game, info)
        return Check("games", True, message, replay=replay)
    if not counts[Verdict.WON]:
        message += f". {len(records)} of {amount(len(records), 'game was', 'games were')} lost"
    replay = run_folder.replay_command(entry, bad.game, info)
    place = find_place(entry.file)
    missing = explain_missing(place, bad.message, source_facts.program_of(place)) if entry.file else ""
    details = "\n".join(filter(None, [bad.message, missing]))
    return Check("games", False, f"{message}. {ADVICE[bad.verdict]}: see game {bad.game}", details, replay)


def check_speed(run: Run, entry: EntryInfo, start_s: float | None = None) -> Check:
    """Return the check that all games stayed within the time limit that is announced to entries.

    The grace period beyond that limit is for slower machines; an entry that needs it on this machine fails. CPU times
    are compared if the system reports them, or else wall times.

    Args:
        run: A run in which games have been played.
        entry: The entry.
        start_s: The wall time that a fresh process took to start, with its warm-up game, if it was measured.
    """
    limit, durations = run.info.config.timeout_s, list(run.entry(entry).durations())
    has_cpu_times = all(duration.cpu_s is not None for duration in durations)
    times = [duration.game_s if has_cpu_times else duration.wall_s for duration in durations]
    kind = "s of CPU time" if has_cpu_times else "s"
    message = (
        f"{entry.name}: {median(times):.3g} {kind} for a game (median of {len(times)}), at most {max(times):.3g} s, "
        f"{max(times) / limit:.0%} of the limit of {limit:g} s"
    )
    if max(times) > limit:
        slowest = durations[times.index(max(times))].game
        replay = run_folder.replay_command(entry, slowest, run.info)
        advice = "Use less time per game: on a slower machine such games are lost"
        return Check("speed", False, f"{message}. {advice}", replay=replay)
    if max(times) > RECOMMENDED_SHARE * limit:
        target = f"{RECOMMENDED_SHARE * limit:g} s"
        message += f". That is enough here, but late on a machine half as fast: aim for at most {target}"
    if start_s is not None:
        default = RunConfig().n_games
        message += f". With --fresh, starting {default:,} processes takes {default * start_s:.1f} s more"
    return Check("speed", True, message)


def check_repeats(finding: determinism.RepeatFinding) -> Check:
    """Return the check that repeated games had the same moves as in the run."""
    sample = f"{finding.entry.name}: {amount(len(finding.repeated), 'game')} repeated, each in a new process"
    if not finding.changed and finding.is_evasive:
        cut = f"{len(finding.not_compared)} were cut short twice before they could be compared"
        return Check("reproducible", False, f"{sample}: {cut}. No game may end late, out of memory or killed")
    if not finding.changed:
        return Check("reproducible", True, f"{sample}: the same moves")
    where = f"{len(finding.changed)} had other moves, the first of them game {finding.changed[0]}"
    if finding.by_secret:
        return Check("reproducible", False, f"{sample}: {where}, but only under another secret")
    if finding.unsteady:
        return Check("reproducible", False, f"{sample}: {where}. Draw only from self.rng, random or numpy.random")
    return Check("independent", False, f"{sample}: {where}. Reset all state in first_move")


def check_order(entry: EntryInfo, n_games: int, changed: list[int]) -> Check:
    """Return the check that games had the same moves in reverse order.

    Args:
        n_games: The number of games played.
        changed: The games that had other moves.
    """
    message = f"{entry.name}: {amount(n_games, 'game')} played in reverse order"
    if not changed:
        return Check("any order", True, f"{message}: the same moves")
    where = f"{len(changed)} had other moves, one of them game {changed[0]}"
    return Check("any order", False, f"{message}: {where}. Reset all state in first_move")


def play_backwards(
    run: Run, task: RunTask, progress: Callable[[int, int], object], without: Collection[str] = ()
) -> dict[str, list[int]]:
    """Play each entry's games again in this process, in reverse order.

    Args:
        run: A run in which all games have been played.
        task: The task of the worker.
        progress: Called with the number of finished games and their total.
        without: The slugs of entries to skip.

    Returns:
        The numbers of the games that had other moves, by the slug of the entry.
    """
    worker = WORKER.worker(task)
    n_done = 0
    changed: dict[str, list[int]] = {}
    left = [entry for entry in run.info.entries if entry.slug not in without]
    for entry in left:
        changed[entry.slug] = []
        for record in reversed(run.entry(entry).read()):
            if not referee.agree(record, worker.play_again(entry, record.game)):
                changed[entry.slug].append(record.game)
            n_done += 1
            progress(n_done, len(left) * run.info.config.n_games)
    return changed


MAX_LATE_GAMES = 2
"""The number of late games after which the check of an entry is stopped, since late games take long."""
QUICK_START_S = 0.1
"""Entries that start and play their warm-up game in this time play in this process: other workers would start later."""


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
) -> CheckResult:
    """Check the entries of these files, or the entries to which they belong.

    Args:
        names: The names of files, as on the command line.
        config: The configuration of the run; the games are stored in its results folder.
        observer: Receives the progress of the games.
        jobs: The number of games to play at a time, if entries are not quick; None: one per processor.

    Raises:
        NoEntryError: A file belongs to no entry.
    """
    owners = {name: entries_with(name) for name in names}
    if foreign := [sanitize_untrusted_text(name, 200) for name, entries in owners.items() if not entries]:
        belongs = "belongs" if len(foreign) == 1 else "belong"
        form = f"NAME{PYTHON}, NAME{PROGRAM} or a folder that holds one"
        raise NoEntryError(f"{', '.join(foreign)} {belongs} to no entry: an entry is {form}.")
    requested = list(dict.fromkeys(chain.from_iterable(owners.values())))
    store = TemporaryStore()
    try:
        entries_and_faults = ask(requested, config, "", store)
        checks, records = list(check_interfaces(entries_and_faults)), None
        if entries := discovery.resolve_entries(discovery.entries_of(entries_and_faults), None):
            if n_hosted := len(hosted.of(entries)):  # whose games are not repeated, and may cost money
                if n_hosted < len(entries):
                    raise UserError(
                        f"check {hosted.of(entries)[0].name} and others without code apart from strategies."
                    )
                config = msgspec.structs.replace(config, n_games=min(HOSTED_GAMES, config.n_games), repeats=0)
            info = run_folder.describe(config, entries)
            hosted.settle(info, store)
            run = Run.create(config.results / "run", info)
            run.store.copy_from(store, chain.from_iterable(entry.digests for entry in entries))
            results = _play(run, jobs or run_folder.n_processors(), observer or Observer())
            records = RunRecords(run)
            checks += _check_entries(run, records, results)
    finally:
        store.remove()
    faulty = {fault.source.file for fault in entries_and_faults if isinstance(fault, discovery.Fault)}
    files = dict.fromkeys(source.file for source in discovery.find_sources(requested))
    summaries = [summarize_file(file) for file in files if file not in faulty]
    checks += [
        Check("source", True, f"{summary.file.name}: {summary.unread}. So its author and imports are unknown")
        for summary in summaries
        if summary.unread
    ]
    return CheckResult(checks, summaries, records)


@dataclass
class _GameResults:
    """Results of the games that are not in their records.

    Attributes:
        started_late: Where the players were of entries that took too long to start, so that none of their games was
            played, by slug.
        stopped: The slugs of entries that were stopped after MAX_LATE_GAMES late games.
        changed: For each entry that played all games, by slug: the games that differed in reverse order.
        start_s: How long a fresh process of each other entry took to start, with its warm-up game, in seconds.
    """

    started_late: dict[str, str] = field(default_factory=dict)
    stopped: set[str] = field(default_factory=set)
    changed: dict[str, list[int]] = field(default_factory=dict)
    start_s: dict[str, float] = field(default_factory=dict)

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
    with explain(run.folder), run_worker.local(run, official.draws(run), jobs) as workers:
        worker = WORKER.worker(workers.task)
        others = hosted.slugs(run.info)
        for entry in run.info.entries:
            observer.progress(EntryProgress(entry, 0, 0, run.info.config.n_games))
            if entry.is_hosted:
                continue
            if failure := worker.late_start(entry):
                results.started_late[entry.slug] = failure.message
                continue
            began = time.perf_counter()
            worker.late_start(entry)  # once more: the first process waited for what all of them share
            results.start_s[entry.slug] = time.perf_counter() - began
        if max(results.start_s.values(), default=0.0) < QUICK_START_S:
            workers = replace(workers, n_workers=1)
        runner.play_remaining(run, workers, watch, results.started_late)
        determinism.play_repeats(run, workers, observer.repeated, without=results.unfinished)
        results.changed = play_backwards(run, workers.task, observer.reversed, results.unfinished | others)
    observer.finished(run)
    return results


def _check_entries(run: Run, records: RunRecords, results: _GameResults) -> Iterator[Check]:
    findings = {finding.entry.slug: finding for finding in determinism.findings(records)}
    for entry in run.info.entries:
        if entry.slug in results.started_late:
            yield failed_start(run, entry, results.started_late[entry.slug])
            continue
        yield check_games(entry, records.records_of(entry), run.info)
        if entry.is_hosted:
            yield Check("price", True, f"{entry.name}: {hosted.kind(str(entry.kind)).preview(run, entry)}")
            yield Check("reproducible", True, f"{entry.name}: its games come from outside; one {hosted.NOT_REPEATED}")
            continue
        yield check_speed(run, entry, results.start_s.get(entry.slug))
        finding = findings.get(entry.slug)
        if finding is None or entry.slug in results.unfinished:
            continue
        yield check_repeats(finding)
        if not finding.unsteady:
            yield check_order(entry, run.info.config.n_games, results.changed[entry.slug])
