"""What is asked of an entry before it joins a contest: that it plays by the rules, in time, and each game by itself."""

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from wordpl.contest import command_lines, determinism
from wordpl.contest.run_worker import WORKER, WorkerTask
from wordpl.core import entry_files
from wordpl.core.amounts import amount
from wordpl.core.records import Duration, EntryInfo, Record, Run, RunInfo, Verdict
from wordpl.players.discovery import Fault

FAULTS = {
    Verdict.CRASHED: "No game may end in an error",
    Verdict.ILLEGAL: "Propose what the rules allow",
    Verdict.MEMORY: "Keep less in memory",
    Verdict.LATE: "Think less",
    Verdict.FAULT: "Its process was killed from outside: find out by what",
    Verdict.UNPLAYED: "Think less: its time for all games was used up",
}
AMPLE = 0.5
"""The share of the time for a game up to which nobody need worry."""


@dataclass(frozen=True)
class Check:
    """What was looked at, whether it will do, and what was found; in a check that fails, what to do too.

    details: the lines of an error, if there is one
    replay: the command that plays the game again in which it failed
    """

    name: str
    passed: bool
    told: str
    details: str = ""
    replay: str = ""


@dataclass(frozen=True)
class Seen:
    """What a reviewer sees of a contestant's file: its parts with their bytes, its hash, what it imports or runs."""

    file: Path
    parts: dict[str, int]
    sha256: str
    uses: list[str]


def entries_with(name: str) -> list[str]:
    """Return the entries that a file is part of: the entry's file itself, or those beside a file that mention it.

    A text that names no such file is returned as it is: `scan.find_sources` may know what it means.
    """
    file = Path(name)
    kinds = (entry_files.PYTHON, entry_files.PROGRAM)
    if not file.is_file() or (file.suffix in kinds and not file.name.startswith("_")):
        return [name]
    entries = (path for path in file.parent.iterdir() if path.suffix in kinds and not path.name.startswith("_"))
    return sorted(str(path) for path in entries if file.stem.encode() in path.read_bytes())


def seen(file: Path) -> Seen:
    """Return what a reviewer sees of the file, which is read but not run."""
    parts = {path.name: path.stat().st_size for path in entry_files.parts(file)}
    if file.suffix == entry_files.PROGRAM:
        program = entry_files.read_program(file)
        uses = [" ".join(words) for words in (program.build, program.command) if words]
    else:
        uses = imports(file.read_bytes())
    return Seen(file, parts, entry_files.digest(file), uses)


def imports(source: bytes) -> list[str]:
    """Return the modules that Python code imports by name, anywhere in it; none where it is no Python.

    >>> imports(b"import os.path, sys\\nfrom . import own\\ndef f(): from wordpl import clues")
    ['.', 'os.path', 'sys', 'wordpl']
    """
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    sources = (node for node in nodes if isinstance(node, ast.ImportFrom))
    return sorted(found | {"." * node.level + (node.module or "") for node in sources})


def of_interface(found: list[EntryInfo | Fault]) -> Iterator[Check]:
    """Yield what came of asking the files for their entries."""
    for one in found:
        if isinstance(one, Fault):
            told = f"{one.source.file.name} gives no entry. CONTRIBUTING.md shows what one looks like"
            yield Check("interface", False, told, one.message)
        else:
            cache = f", with a cache that it filled ({one.cache[:12]})" if one.cache else ""
            yield Check("interface", True, f"{one.name} plays {one.game_id}{cache}")


def of_start(run: Run, entry: EntryInfo) -> Check:
    """Return the check that an entry fails which took too long to start; none of its games is played."""
    told = (
        f"{entry.name}: it took more than {run.info.warmup_s:g} s to start and play the game that does not count. "
        "Compute less on import and in the first move, or raise --warmup SECONDS; no game was played"
    )
    return Check("speed", False, told, replay=command_lines.replay_command(entry, 0, run.info))


def of_games(entry: EntryInfo, records: Sequence[Record], info: RunInfo) -> Check:
    """Return how the entry's games ended; info: of the run, of which games may be left unplayed."""
    counts = Counter(record.verdict for record in records)
    ends = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    told = f"{entry.name}: {amount(len(records), 'game')}, {ends}"
    if len(records) < info.n_games:
        told += f"; the other {info.n_games - len(records)} were not played"
    bad = next((record for record in records if record.verdict in FAULTS), None)
    if bad is None and not counts[Verdict.WON]:
        told += f". {len(records)} of {len(records)} games were lost: look at one"
    if bad is None:
        replay = "" if counts[Verdict.WON] else command_lines.replay_command(entry, records[0].game, info)
        return Check("games", True, told, replay=replay)
    if not counts[Verdict.WON]:
        told += f". {len(records)} of {len(records)} games were lost"
    replay = command_lines.replay_command(entry, bad.game, info)
    return Check("games", False, f"{told}. {FAULTS[bad.verdict]}: see game {bad.game}", bad.message, replay)


def of_speed(run: Run, entry: EntryInfo) -> Check:
    """Return the entry's time for a game beside the limit it is told: of its processor where the system tells it.

    The grace beyond that limit is for slower machines: who needs it on this one fails.
    """
    limit, durations = run.info.timeout_s, durations_of(run, entry)
    known = all(one.cpu_s is not None for one in durations)
    times = [one.wall_s if one.cpu_s is None or not known else one.cpu_s for one in durations]
    kind = "s of CPU time" if known else "s"
    told = (
        f"{entry.name}: {median(times):.3g} {kind} for a game (median of {len(times)}), at most {max(times):.3g} s, "
        f"{max(times) / limit:.0%} of the limit of {limit:g} s"
    )
    if max(times) > limit:
        slowest = durations[times.index(max(times))].game
        replay = command_lines.replay_command(entry, slowest, run.info)
        return Check("speed", False, f"{told}. Think less: on a slower machine such games are lost", replay=replay)
    if max(times) > AMPLE * limit:
        told += f". That will do, but a machine half as fast would call it late: aim at {AMPLE * limit:g} s"
    return Check("speed", True, told)


def durations_of(run: Run, entry: EntryInfo) -> list[Duration]:
    """Return how long the entry's games took, in the order in which they were played."""
    return list(run.durations(entry))


def of_repeats(finding: determinism.Finding) -> Check:
    """Return whether games went the same in fresh processes."""
    sample = f"{finding.entry.name}: {amount(len(finding.repeated), 'game')} played again, each in a fresh process"
    if not finding.changed and finding.is_evasive:
        cut = f"{len(finding.not_compared)} were cut short twice before they could be compared"
        return Check("reproducible", False, f"{sample}: {cut}. Let no game end late, out of memory or killed")
    if not finding.changed:
        return Check("reproducible", True, f"{sample}: the same moves")
    where = f"{len(finding.changed)} went otherwise, the first of them game {finding.changed[0]}"
    if finding.unsteady:
        return Check("reproducible", False, f"{sample}: {where}. Draw only from self.rng, random or numpy.random")
    return Check("independent", False, f"{sample}: {where}. Forget earlier games: set everything in first_move")


def of_order(entry: EntryInfo, n_games: int, changed: list[int]) -> Check:
    """Return whether the entry's games went the same in another order; changed: those that did not."""
    told = f"{entry.name}: {amount(n_games, 'game')} played backwards"
    if not changed:
        return Check("any order", True, f"{told}: the same moves")
    where = f"{len(changed)} went otherwise, one of them game {changed[0]}"
    return Check("any order", False, f"{told}: {where}. Forget earlier games: set everything in first_move")


def backwards(
    run: Run, task: WorkerTask, progress: Callable[[int, int], object], without: Collection[str] = ()
) -> dict[str, list[int]]:
    """Play each entry's games once more in this process, the last one first.

    Args:
        run: A run of which all games have been played.
        task: What workers have to know of it.
        progress: Called with how many games are done, and of how many.
        without: Slugs of entries that are left out.

    Returns:
        The numbers of the games that went otherwise, by the entry's slug.
    """
    worker = WORKER.worker(task)
    n_done = 0
    changed: dict[str, list[int]] = {}
    left = [(index, entry) for index, entry in enumerate(run.entries) if entry.slug not in without]
    for index, entry in left:
        changed[entry.slug] = []
        for record in reversed(run.read(entry)):
            if not determinism.alike(record, worker.play_again(index, record.game)):
                changed[entry.slug].append(record.game)
            n_done += 1
            progress(n_done, len(left) * run.info.n_games)
    return changed
