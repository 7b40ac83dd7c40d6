"""Runs that are started, killed and compared with undisturbed ones."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from wordpl.core import words
from wordpl.core.paths import IMPORT_ROOT
from wordpl.run.folder import Run, RunRecords
from wordpl.run.records import Replay

START, MIDDLE, END = "in the first seconds", "while games are played", "at the end"
START_S = 4.0
PAUSES_S = {MIDDLE: 0.02, END: 0.4}
"""Mean delay of a kill after a random number of games, or after the last one, in seconds."""
TIMES = {"started", "finished", "seal", "played_again", "repeats_seed"}
PLAYED_ANEW = f'"replay":"{Replay.DRAWS.value}"'.encode()
"""Marks repetitions with draws from a seed that each run draws anew."""
LEFT_OUT = {"durations", ".lock", ".begun", "report.html"}
CPU_COLUMNS = re.compile(r"^cpu_")
CPU_CELL = re.compile(r"[\d.,]+ (µs|ms|s), max [\d.,]+ (µs|ms|s)")
TOLD_ONCE = ("- date:", "- seal:", "- verify with:")
BEGUN_AGAIN = " again, because the harness had ended before it wrote the records"
LEAVING_S = 10.0
Moment = Callable[[float], bool]
"""Tells whether a moment has come, given the seconds since the start."""


def command(results: Path, start: list[str], how: list[str]) -> list[str]:
    """Return the command that resumes the run in the folder `results`, or `start` if there is none."""
    run = started(results)
    if run is None:
        return [*start, "--results", str(results), *how]
    return ["--resume", str(run), "--no-report", *how]


def started(results: Path) -> Path | None:
    """Return the folder of the run that has been started there, if its description has been written."""
    return next((path.parent for path in results.glob("*/run.json")), None)


def n_recorded(results: Path) -> int:
    """Return how many games have been recorded."""
    return sum(path.read_bytes().count(b"\n") for path in results.glob("*/records/*.jsonl"))


def content(run: Path) -> dict[str, bytes]:
    """Return the content of all files of a finished run by name, without what depends on the clock or a new seed."""
    contents = {}
    for path in sorted(run.rglob("*")):
        name = str(path.relative_to(run))
        if path.is_file() and not LEFT_OUT & set(path.relative_to(run).parts):
            lines = path.read_bytes().splitlines(keepends=True)
            contents[name] = b"".join(line for line in lines if PLAYED_ANEW not in line)
    facts = msgspec.json.decode(contents["run.json"])
    contents["run.json"] = msgspec.json.encode({name: fact for name, fact in facts.items() if name not in TIMES})
    tables = [name for name in ("scores.csv", "LEADERBOARD.md") if name in contents]
    return contents | {name: timeless(contents[name].decode()) for name in tables}


def timeless(table: str) -> bytes:
    """Return scores.csv or LEADERBOARD.md without what depends on the clock or on a kill."""
    lines = table.split("\n")
    if not table.startswith("#"):
        rows = [line.split(";") for line in lines]
        columns = [column for column, name in enumerate(rows[0]) if not CPU_COLUMNS.match(name)]
        return "\n".join(";".join(row[column] for column in columns if column < len(row)) for row in rows).encode()
    lines = [line for line in lines if not line.startswith(TOLD_ONCE) and BEGUN_AGAIN not in line]
    return CPU_CELL.sub("CPU", re.sub("\n{2,}", "\n", "\n".join(lines))).encode()


def disagreements(run: Path) -> list[str]:
    """Return the complaints of `verify` about the run, and whether its board fails to list restarted games."""
    from wordpl.reports.run_report import RunReport
    from wordpl.reports.verification import table_differences
    from wordpl.verify import verify

    lists, opened = words.load(), Run(run)
    complaints = [str(difference) for difference in verify(opened, lists).differences]
    complaints += [str(difference) for difference in table_differences(RunReport(RunRecords(opened), lists))]
    if opened.info.played_again and BEGUN_AGAIN not in (run / "LEADERBOARD.md").read_text():
        complaints.append("LEADERBOARD.md: no word of the games that began again")
    return complaints


def moment(kind: str, results: Path, n_records: int, chance: random.Random) -> Moment:
    """Return a function that tells whether a random moment of this kind has come, given the seconds since the start."""
    if kind == START:
        delay_s = chance.uniform(0, START_S)
        return lambda passed_s: passed_s > delay_s
    n_wanted = n_records if kind == END else n_recorded(results) + chance.randint(1, n_records // 2)
    pause_s = chance.expovariate(1 / PAUSES_S[kind])
    reached: list[float] = []

    def has_come(passed_s: float) -> bool:
        if not reached and n_recorded(results) >= n_wanted:
            reached.append(passed_s)
        return bool(reached) and passed_s > reached[0] + pause_s

    return has_come


def kill_at(words: list[str], has_come: Moment, whom: str, folder: Path) -> int:
    """Run the harness and kill it at the given moment; return its exit code.

    Args:
        words: The command.
        has_come: Tells whether the moment has come.
        whom: "harness", "group" for all its processes, or "worker" for one of its workers, which also ends the harness.
        folder: The folder for temporary files.
    """
    process = begin(words, folder)
    begun = time.monotonic()
    while process.poll() is None and not has_come(time.monotonic() - begun):
        time.sleep(0.005)
    if process.poll() is None:
        targets = descendants(process.pid, b"joblib.externals.loky.backend.popen_loky") if whom == "worker" else []
        with suppress(ProcessLookupError):
            if whom == "group":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                os.kill(targets[0] if targets else process.pid, signal.SIGKILL)
    return process.wait()


def begin(words: list[str], folder: Path) -> "subprocess.Popen[bytes]":
    """Start the harness with this command and temporary files in the folder."""
    program, own = [sys.executable, str(IMPORT_ROOT / "evaluate.py")], {**os.environ, "TMPDIR": str(folder)}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [*program, *words], stdout=log, stderr=log, cwd=IMPORT_ROOT, start_new_session=True, env=own
        )


def descendants(pid: int, mark: bytes) -> list[int]:
    """Return the descendants of the process whose command line contains the mark."""
    children: dict[int, list[int]] = {}
    words: dict[int, bytes] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            children.setdefault(parent_of(int(process.name)) or 0, []).append(int(process.name))
            words[int(process.name)] = (process / "cmdline").read_bytes()
    marked, left = [], list(children.get(pid, []))
    while left:
        child = left.pop()
        marked += [child] if mark in words.get(child, b"") else []
        left += children.get(child, [])
    return sorted(marked)


def parent_of(pid: int) -> int | None:
    """Return the parent of a process; None if it has ended."""
    with suppress(OSError, ValueError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return None


def survivors(folder: Path) -> list[str]:
    """Return the processes that still work in the folder, after giving those that are ending time to end."""
    until = time.monotonic() + LEAVING_S
    while (names := [process.name for process in Path("/proc").glob("[0-9]*") if works_in(process, folder)]) and (
        time.monotonic() < until
    ):
        time.sleep(0.05)
    return names


def works_in(process: Path, folder: Path) -> bool:
    try:
        return str((process / "cwd").readlink()).startswith(f"{folder}/")
    except OSError:
        return False


def differences(run: Path, expected: dict[str, bytes]) -> list[str]:
    """Return the names of the files that differ from the expected ones or should not exist."""
    contents = content(run)
    return [name for name in sorted(contents.keys() | expected.keys()) if contents.get(name) != expected.get(name)]
