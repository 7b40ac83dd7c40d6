"""Measure a fixed set of figures, append them to benchmarks/track.csv as one line per commit, and draw them.

    python -m benchmarks.track                        measure, append and draw
    python -m benchmarks.track --only help --runs 9   print some figures only
    python -m benchmarks.track --draw-only            draw what has been measured

A figure is the CPU time (user and system) of a whole command with the processes that it has waited for: the smallest of
five runs, in seconds. Commands that compile run once each, with an empty cache of kernels. So that lines of different
machines and of busy hours can be compared, each has the time of a calibration loop, measured between the commands, and
the drawing shows figures as multiples of it. docs/performance.md explains them.
"""

import csv
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import click

HOME = Path(__file__).resolve().parents[1]
TABLE = HOME / "benchmarks" / "track.csv"
PICTURE = HOME / "docs" / "images" / "track.svg"
CALIBRATION_STEPS = 1_000_000
N_GAMES = 20_000
ENTRIES = {
    "nop": """
        def first_move(self):
            return "crane", 0

        def next_move(self, guess, epsilon, clues):
            return "crane", 0
    """,
    "three": """
        def first_move(self):
            self.n = 0
            return "crane", 8.0

        def next_move(self, guess, epsilon, clues):
            self.n += 1
            return ("crane", 8.0) if self.n < 3 else ("crane", 0)
    """,
    "first": """
        def first_move(self):
            self.posterior = Posterior.uniform()
            return self.rng.choice(self.guesses), 5.0

        def next_move(self, guess, epsilon, clues):
            self.posterior.update(guess, epsilon, clues)
            word, probability = self.posterior.best()
            return (word, 0) if probability >= 0.9 else (self.rng.choice(self.guesses), 5.0)
    """,
}


@dataclass(frozen=True)
class Figure:
    """A command to measure.

    Attributes:
        name: The name of its column.
        arguments: The command line after `python`; `{}` is the folder with the entries, and ~ a space in an argument.
        is_cold: Whether it starts with an empty cache of kernels, and runs once.
        per: What to divide the time by, such as a number of games.
    """

    name: str
    arguments: str
    is_cold: bool = False
    per: int = 1


RUN = "evaluate.py {}/%s.py --repeats 0 --results {}/results --games %d"
CLUES = "tares ....i crony ..c.."
FIGURES = (
    Figure("import_numpy", "-c import~numpy"),
    Figure("import_numba", "-c import~numba"),
    Figure("import_pandas", "-c import~pandas"),
    Figure("import_wordpl", "-c import~wordpl.contest"),
    Figure("help", "evaluate.py --help"),
    Figure("list", "evaluate.py {}/nop.py --list --trust"),
    Figure("one_game_trusted", f"{RUN % ('nop', 1)} --trust"),
    Figure("one_game", RUN % ("nop", 1)),
    Figure("game_trusted", f"{RUN % ('three', N_GAMES)} --trust --no-report", per=N_GAMES),
    Figure("game_one_job", f"{RUN % ('three', N_GAMES)} --jobs 1 --no-report", per=N_GAMES),
    Figure("game_two_jobs", f"{RUN % ('three', N_GAMES)} --jobs 2 --no-report", per=N_GAMES),
    Figure("posterior_100_games", RUN % ("first", 100)),
    Figure("verify", "-m wordpl verify results/official-50"),
    Figure("report", "-m wordpl report results/bundled -o {}/report.html"),
    Figure("suggest", f"-m wordpl suggest {CLUES}"),
    Figure("check", "-m wordpl check {}/first.py"),
    Figure("cold_check", "-m wordpl check {}/first.py", is_cold=True),
    Figure("cold_n_guess", "evaluate.py {}/first.py n_guess --games 200 --results {}/results", is_cold=True),
    Figure("cold_suggest", "-m wordpl suggest tares ....i", is_cold=True),
    Figure("cold_warm_up", "-m wordpl warm-up", is_cold=True),
)


def write_entries(folder: Path) -> None:
    """Write the entries, each in a file of its name."""
    for name, methods in ENTRIES.items():
        head = f"from wordpl import Posterior, Strategy\n\n\nclass {name.title()}(Strategy):"
        if name != "first":
            head = head.replace("Posterior, ", "")
        body = "\n".join(line[4:] for line in methods.splitlines())
        (folder / f"{name}.py").write_text(f"{head}\n{body}\n")


def children_cpu_s() -> float:
    """Return the CPU time of all children that this process has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def calibration_s() -> float:
    """Return the CPU time of a loop that stands for the speed of this machine now."""
    began, total = time.process_time(), 0
    for step in range(CALIBRATION_STEPS):
        total += step * step % 7
    return time.process_time() - began


def measured(figure: Figure, folder: Path) -> float:
    """Return the CPU time of one run of a command."""
    arguments = [text.replace("{}", str(folder)).replace("~", " ") for text in figure.arguments.split()]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if figure.is_cold:
        cache = folder / "kernels"
        rmtree(cache, ignore_errors=True)
        environment["NUMBA_CACHE_DIR"] = str(cache)
    before = children_cpu_s()
    subprocess.run(
        [sys.executable, *arguments], cwd=HOME, env=environment, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return (children_cpu_s() - before) / figure.per


def lines(table: Path) -> list[dict[str, str]]:
    """Return the lines of the table."""
    if not table.exists():
        return []
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


def append(row: dict[str, str], table: Path) -> None:
    """Add a line to the table, in place of an older one of the same commit."""
    kept = [line for line in lines(table) if line["commit"] != row["commit"]]
    names = list(dict.fromkeys([*row, *(name for line in kept for name in line)]))
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows([*kept, row])


def commit() -> str:
    """Return the checked-out commit, with a + if files have changed since."""
    shown = subprocess.run(["git", "describe", "--always", "--dirty=+"], cwd=HOME, capture_output=True, text=True)
    return shown.stdout.strip() or "unknown"


def draw(table: Path, picture: Path) -> None:
    """Draw each figure by commit, as a multiple of the calibration loop of its line."""
    import matplotlib.pyplot as plt

    rows = lines(table)
    columns = 3
    figure, axes = plt.subplots(-(-len(FIGURES) // columns), columns, figsize=(10, 14), sharex=True, squeeze=False)
    for shown, axis in zip(FIGURES, axes.flat, strict=False):
        points = [(i, float(row[shown.name]) / float(row["calibration"])) for i, row in enumerate(rows)
                  if row.get(shown.name)]  # fmt: skip
        axis.plot(*zip(*points, strict=True) if points else ([], []), marker="o", markersize=3, linewidth=1)
        axis.set_title(shown.name, fontsize=8)
        axis.set_ylim(bottom=0)
        axis.tick_params(labelsize=7)
        axis.set_xticks(range(len(rows)), [row["commit"] for row in rows], rotation=90)
    figure.suptitle("CPU time as a multiple of the calibration loop", fontsize=9)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


def chosen(only: tuple[str, ...]) -> Iterator[Figure]:
    """Yield the figures with these names, or all of them."""
    yield from (figure for figure in FIGURES if not only or figure.name in only)


@click.command(help=__doc__.partition("\n")[0])
@click.option(
    "--only", multiple=True, type=click.Choice([figure.name for figure in FIGURES]), help="Print this figure."
)
@click.option("--runs", default=5, show_default=True, type=click.IntRange(1), help="Runs of each command.")
@click.option("--draw-only", is_flag=True, help="Draw what has been measured.")
def main(only: tuple[str, ...], runs: int, draw_only: bool) -> None:
    """Measure, print, append and draw."""
    if not draw_only:
        row = {"date": f"{datetime.now(UTC):%Y-%m-%d %H:%M}", "commit": commit(), "load": f"{os.getloadavg()[0]:.1f}"}
        loops = [calibration_s() for _ in range(runs)]
        with TemporaryDirectory(prefix="wordpl-track-") as name:
            folder = Path(name)
            write_entries(folder)
            for figure in chosen(only):
                if not figure.is_cold:
                    measured(figure, folder)  # compiles what is missing
                times = [measured(figure, folder) for _ in range(1 if figure.is_cold else runs)]
                loops.append(calibration_s())
                row[figure.name] = f"{min(times):.3g}"
                click.echo(f"{figure.name:20} {min(times):9.4g} s, median {sorted(times)[len(times) // 2]:.4g} s")
        row["calibration"] = f"{min(loops):.4g}"
        click.echo(f"{'calibration':20} {row['calibration']} s, load {row['load']}")
        if only:
            return
        append(row, TABLE)
    draw(TABLE, PICTURE)


if __name__ == "__main__":
    main()
