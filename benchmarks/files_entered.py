"""Count the files of wordpl that one trusted game enters, and those that writing a leaderboard of one entry enters.

One trusted game is a contest of one game of one entry in this process, from its configuration to its finished run.

    python -m benchmarks.files_entered            print both numbers
    python -m benchmarks.files_entered --files    also the files, with the number of calls of their functions

The numbers say how many files a reader opens who follows one game, or one leaderboard. A file is entered when one of
its functions is called; code that runs on import does not count. Each walk is done once before it is traced, so that
what is done once per process, such as imports, caches and compilation, is not counted.
"""

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from msgspec.structs import replace

from wordpl import Contest, RunConfig
from wordpl.core import paths
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import Run, RunRecords

N_GAMES = 20


class Guesser:
    """An entry that does nothing but obey the rules."""

    def first_move(self) -> tuple[str, float]:
        """Guess a word."""
        return "crane", 1.0

    def next_move(self, guess: str, epsilon: float, clues: str) -> tuple[str, float]:
        """Propose the same word."""
        return "crane", 0


@contextmanager
def traced(calls: Counter[str]) -> Any:
    """Count the calls of functions of wordpl by file while the context lasts."""

    def count(frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{paths.PACKAGE}/") and code.co_name != "<module>":
            calls[code.co_filename.removeprefix(f"{paths.PACKAGE}/")] += 1

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)


def entered(walk: Callable[[], object]) -> Counter[str]:
    """Return the number of calls in each file of wordpl during the second walk."""
    calls: Counter[str] = Counter()
    walk()
    with traced(calls):
        walk()
    return calls


def walks(results: Path) -> dict[str, Callable[[], object]]:
    """Return the two walks, whose run is stored in the folder `results`."""
    config = RunConfig(n_games=N_GAMES, seed="1", results=results)
    folder = Contest(config, [Guesser()]).play().folder
    return {
        "one trusted game": lambda: Contest(replace(config, n_games=1), [Guesser()]).play(),
        "LEADERBOARD.md and scores.csv of one entry": lambda: RunReport(RunRecords(Run(folder))).write(),
    }


@click.command(help=__doc__.partition("\n")[0])
@click.option("--files", "with_files", is_flag=True, help="List the files with the number of calls.")
def main(with_files: bool) -> None:
    """Do both walks, and print the numbers."""
    with TemporaryDirectory() as results:
        for name, walk in walks(Path(results)).items():
            calls = entered(walk)
            click.echo(f"{name}: {len(calls)} files, {calls.total()} calls")
            for file, count in calls.most_common() if with_files else ():
                click.echo(f"    {count:6} {file}")


if __name__ == "__main__":
    main()
