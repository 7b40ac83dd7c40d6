"""Measure `wordpl verify` in games per CPU second: `python -m benchmarks.verify`.

A noisy run with three moves per game and a classic run are played, then each is replayed several times in one process;
tables are not included. `python -m benchmarks.interleaved` compares the whole command with that of another checkout.
"""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import click

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


@click.command()
@click.option("--games", "n_games", default=20_000, help="Games of each run.")
@click.option("--times", default=7, help="Verifications of each run.")
def main(n_games: int, times: int) -> None:
    """Print games per second of CPU time: the median, the slowest and the fastest; and the size of a record."""
    with TemporaryDirectory() as parent:
        for entry in ENTRIES:
            run = played(entry, n_games, parent)
            rates = sorted(n_games / seconds(run) for _ in range(times))
            (of_run,) = run.entries
            size = len(records.content(of_run.records_path, n_games)) / n_games
            spread = f"{rates[len(rates) // 2]:8,.0f} games/s ({rates[0]:,.0f} to {rates[-1]:,.0f})"
            click.echo(f"{entry:36} {spread}, {size:.0f} bytes a game")


if __name__ == "__main__":
    main()
