"""Play the runs that are kept in results/ anew, and write what is made from them.

    python -m benchmarks.kept_runs                     all of them: about 80 minutes on two cores
    python -m benchmarks.kept_runs bundled official    these
    python -m benchmarks.kept_runs --pages             only write the tables, records and pictures again

Play them again after a change of the format of a run, of the rules, or of an entry that played. A run is replaced when
it is complete, so that the old one stays if you interrupt the command. The official runs draw new seeds, so that their
figures change: docs/records.md quotes some of them in its text.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import click

from wordpl.core import paths
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import Run, RunRecords

RESULTS = Path("results")
UNFINISHED = RESULTS / ".kept"
OFFICIAL = ("--official", "--games", "20000")
RUNS = {
    "bundled": (
        "bayesian_random", "entropy", "letter_frequency", "max_clue_entropy", "n_guess",
        "--games", "1001", "--seed", "2026", "--repeats", "0",
    ),
    "official": (
        "schedule:Schedule('p05', 14.9)", "schedule:Schedule('p50', 36.7)", "schedule:Schedule('p95', 69.0)",
        "published", *OFFICIAL,
    ),
    "official-05": ("schedule:Schedule('p05', 14.9)", "published:G3()", *OFFICIAL),
    "official-50": ("schedule:Schedule('p50', 36.7)", "published:D95('d95_12')", *OFFICIAL),
    "official-95": ("strategies/_lookahead.py", "--official", "--games", "66000"),
}  # fmt: skip
"""The arguments of `wordpl evaluate` for each run."""
RECORDS = [str(RESULTS / name) for name in RUNS if name.startswith("official-")]


def play(name: str) -> None:
    """Play the run with this name, and put it in the place of the one that is kept."""
    shutil.rmtree(UNFINISHED / name, ignore_errors=True)
    entries = [_with_file(word) for word in RUNS[name]]
    _wordpl("evaluate", *entries, "--results", str(UNFINISHED / name), "--no-report")
    (played,) = (UNFINISHED / name).iterdir()
    shutil.rmtree(RESULTS / name, ignore_errors=True)
    played.rename(RESULTS / name)
    shutil.rmtree(UNFINISHED)
    (RESULTS / name / ".lock").unlink(missing_ok=True)
    RunReport(RunRecords(Run(RESULTS / name))).write()  # the page names the folder


def write_pages() -> None:
    """Write the tables of records and the pictures that show kept runs."""
    _wordpl("report", "results/bundled", "results/official", "--boards")
    _wordpl("record", *RECORDS, "--evidence", "results/evidence", "--write", "results/LEADERBOARD.md")
    subprocess.run([sys.executable, "docs/draw_screens.py"], check=True)


def _with_file(word: str) -> str:
    """Return an entry `NAME:EXPRESSION` with the path of its file or folder; other words stay as they are."""
    name, colon, expression = word.partition(":")
    place = Path("strategies", name)
    return f"{place if place.is_dir() else place.with_suffix('.py')}:{expression}" if colon else word


def _wordpl(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "wordpl", *words], check=True)


@click.command(help=__doc__.partition("\n")[0])
@click.argument("names", nargs=-1, type=click.Choice(list(RUNS)))
@click.option("--pages", "only_pages", is_flag=True, help="Play nothing; write the pages and pictures again.")
def main(names: tuple[str, ...], only_pages: bool) -> None:
    """Play the runs one after the other, then write the pages."""
    if Path.cwd() != paths.bundled():
        raise click.UsageError(f"change to {paths.bundled()} first: the paths in run.json are relative to it.")
    for name in () if only_pages else names or tuple(RUNS):
        play(name)
    write_pages()


if __name__ == "__main__":
    main()
