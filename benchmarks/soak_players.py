"""Kill players and fork servers while the harness keeps running, for `benchmarks/soak.py --players`."""

import os
import random
import signal
import time
import zlib
from collections import Counter
from contextlib import suppress
from pathlib import Path

import click
import msgspec

from benchmarks import soak_runs
from wordpl.core import words
from wordpl.core.records import Run

KILLS = 12
"""Kills per run, at random moments."""
FORK_SERVER = b"fork_server.main()"
ONLY_BY_TABLES = {"fingerprints", "scores.csv", "LEADERBOARD.md"}
"""Files derived from records, which therefore differ after a fault."""


def one_run(folder: Path, start: list[str], n_records: int, chance: random.Random, counts: Counter[str]) -> Path:
    """Play a run while its players and fork servers are killed; return its folder."""
    results = folder / "results"
    results.mkdir(parents=True)
    process = soak_runs.begin(
        soak_runs.command(results, start, chance.choice([["--jobs", "1"], ["--jobs", "2"]])), folder
    )
    moments = sorted(chance.randint(0, n_records) for _ in range(KILLS))
    while process.poll() is None:
        if moments and soak_runs.n_recorded(results) >= moments[0]:
            moments = [moment for moment in moments if moment > soak_runs.n_recorded(results)]
            time.sleep(chance.expovariate(50))
            counts.update(kill_one(process.pid, chance))
        time.sleep(0.002)
    if process.wait() != 0:
        raise click.ClickException(f"the run did not end:\n{(folder / 'log').read_text()}")
    return soak_runs.started(results) or folder


def kill_one(harness: int, chance: random.Random) -> list[str]:
    """Kill a random process among players and the processes that start them; return what it was, if any."""
    targets = soak_runs.descendants(harness, FORK_SERVER)
    if not targets:
        return []
    target = chance.choice(targets)
    kind = "kills of processes that fork players" if has_children(target, targets) else "kills of players"
    with suppress(ProcessLookupError):
        os.kill(target, signal.SIGKILL)
        return [kind]
    return []


def has_children(pid: int, others: list[int]) -> bool:
    """Return whether one of the others is a child of the process."""
    for other in others:
        with suppress(OSError, ValueError):
            if int(Path(f"/proc/{other}/stat").read_text().rpartition(")")[2].split()[1]) == pid:
                return True
    return False


def compare(run: Path, undisturbed: Path, counts: Counter[str]) -> None:
    """Count the games lost to kills; end the soak test if anything else differs from the undisturbed run."""
    from wordpl.verify import verify

    wrong = [name for name in soak_runs.differences(run, soak_runs.content(undisturbed)) if not _is_judged_apart(name)]
    wrong += [str(difference) for difference in verify(Run(run), words.load()).differences]
    for path in sorted((undisturbed / "records").iterdir()):
        pairs = zip(_lines(run / "records" / path.name), _lines(path), strict=True)
        for record, expected in ((msgspec.json.decode(line), msgspec.json.decode(other)) for line, other in pairs):
            counts["games lost to them"] += record["verdict"] == "fault"
            if record != expected and not _is_its_beginning(record, expected):
                wrong.append(f"{path.name} game {record['game']}: {record}")
    for path in sorted((undisturbed / "repeats").iterdir()):
        expected_of = {record["game"]: record for record in map(msgspec.json.decode, _lines(path))}
        for record in map(msgspec.json.decode, _lines(run / "repeats" / path.name)):
            counts["games lost to them, of repeats"] += record["verdict"] == "fault"
            if record != expected_of[record["game"]] and not _is_its_beginning(record, expected_of[record["game"]]):
                wrong.append(f"repeated game {record['game']} of {path.name}: {record}")
    if wrong:
        raise click.ClickException(f"in {run}: {', '.join(wrong)}")


def _is_judged_apart(name: str) -> bool:
    return Path(name).parts[0] in ONLY_BY_TABLES | {"records", "repeats"}


def _is_its_beginning(record: dict[str, object], expected: dict[str, list[object]]) -> bool:
    """Return whether the game was lost to a fault after at least one clue, with moves that begin the other game."""
    moves = record["moves"]
    return record["verdict"] == "fault" and isinstance(moves, list) and moves == expected["moves"][: len(moves)] != []


def _lines(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return (zlib.decompress(data, 31) if path.suffix == ".gz" else data).splitlines()
