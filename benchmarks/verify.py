"""Measure `wordpl verify` in games per CPU second.

`python -m benchmarks.verify` plays a noisy run with three moves per game and a classic run, then replays each several
times in one process; tables are not included. `python -m benchmarks.verify --run results/official --against ../older`
runs the whole command without cached results, start included, in this checkout and an older one by turns, so that other
load affects both alike.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks.million import measure
from wordpl.core import words
from wordpl.core.paths import IMPORT_ROOT
from wordpl.run import records
from wordpl.run.folder import Run
from wordpl.verify import verify
from wordpl.verify.rules import adversary_clue, anywhere, counted

ENTRIES = ("NGuess(epsilon=8.4, n_guesses=2)", "LetterFrequency()")


def played(entry: str, n_games: int, parent: str) -> Run:
    """Return a run of one entry in a new folder in `parent`."""
    results = Path(parent) / entry.split("(", maxsplit=1)[0]
    options = ["--games", str(n_games), "--seed", "benchmark", "--trust", "--results", str(results)]
    subprocess.run([sys.executable, "evaluate.py", entry, *options], cwd=IMPORT_ROOT, check=True, capture_output=True)
    return Run(next(results.glob("2*")))


def seconds(run: Run) -> float:
    """Return the CPU time of a verification without caches of an earlier one."""
    for cached in (anywhere, counted, adversary_clue):
        cached.cache_clear()
    started = time.process_time()
    findings = verify(run, words.load())
    took = time.process_time() - started
    assert not findings.differences
    return took


def shown(rates: list[float]) -> str:
    """Return the median, the slowest and the fastest of rates in games per second."""
    rates = sorted(rates)
    return f"{rates[len(rates) // 2]:8,.0f} games/s ({rates[0]:,.0f} to {rates[-1]:,.0f})"


def replay(n_games: int, times: int) -> None:
    """Print the rate at which the games of two runs are replayed, and the size of a record."""
    with TemporaryDirectory() as parent:
        for entry in ENTRIES:
            run = played(entry, n_games, parent)
            rates = [n_games / seconds(run) for _ in range(times)]
            (of_run,) = run.entries
            size = len(records.content(of_run.records_path, n_games)) / n_games
            click.echo(f"{entry:36} {shown(rates)}, {size:.0f} bytes a game")


def command(path: Path, checkouts: list[Path], times: int) -> None:
    """Print the rate of the whole command in each checkout, and its largest memory."""
    info = Run(path).info
    n_games = info.config.n_games * len(info.entries)
    found: dict[Path, list[tuple[float, float]]] = {checkout: [] for checkout in checkouts}
    for number in range(times + 1):
        for checkout in random.sample(checkouts, len(checkouts)):
            with TemporaryDirectory() as cache:
                verified = [sys.executable, "-m", "wordpl", "verify", str(path.resolve())]
                result = measure(verified, Path(cache), checkout)
            if number:  # the first may compile
                found[checkout].append(result)
    for checkout, results in found.items():
        rates, sizes = zip(*((n_games / cpu_s, mib) for cpu_s, mib in results), strict=True)
        click.echo(f"{os.path.relpath(checkout):36} {shown(list(rates))}, {max(sizes):.0f} MiB")


@click.command()
@click.option("--games", "n_games", default=20_000, help="Games of each run.")
@click.option("--times", default=7, help="Verifications of each run.")
@click.option("--run", "path", type=click.Path(exists=True, path_type=Path), help="Verify this run by the command.")
@click.option("--against", type=click.Path(exists=True, path_type=Path), help="Also do so in this checkout.")
def main(n_games: int, times: int, path: Path | None, against: Path | None) -> None:
    """Print games per second of CPU time: the median, the slowest and the fastest."""
    if path is None:
        replay(n_games, times)
    else:
        command(path, [Path(IMPORT_ROOT), *([against.resolve()] if against else [])], times)


if __name__ == "__main__":
    main()
