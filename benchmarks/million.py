"""Measure the CPU time and memory of everything that writes or reads a run of millions of games.

Run `python -m benchmarks.million --games 2000 --games 20000 --games 100000`; the largest runs are `--entries 1000
--games 1001 --step report` and `--entries 10 --games 1000000 --step report`. Simple strategies play the games of 20
entries in one process. Each step runs in its own process, so that its memory can be measured, and prints a line. CPU
times are reliable on a busy machine, wall times are not.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks.interleaved import measure
from wordpl import Contest, RunConfig, Strategy
from wordpl.core import words
from wordpl.core.clues import anywhere

GUESSES = ("crane", "moist", "pudgy")
"""The guesses of all entries, of which each uses the first two or all three."""


class Fixed(Strategy):
    """Makes the same guesses in every game, and proposes an answer that fits the clues, if there is one."""

    def __init__(self, number: int, n_entries: int = 20):
        more = 20 * number / n_entries
        # Enough for clues with few errors, so that it wins some games.
        epsilons = (24.0 + more, 20.0 + more / 2, 16.0)[: 2 + number % 2]
        self.moves, self.name = list(zip(GUESSES, epsilons, strict=False)), f"Fixed(number={number})"
        self.fitting: dict[tuple[str, ...], str] = {}
        for answer in words.load().answers:
            self.fitting.setdefault(tuple(anywhere(guess, answer) for guess, _ in self.moves), answer)

    def __repr__(self) -> str:
        return self.name

    def first_move(self) -> tuple[str, float]:
        self.clues: list[str] = []
        return self.moves[0]

    def next_move(self, guess: str, epsilon: float, clues: str) -> tuple[str, float]:
        self.clues.append(clues)
        if len(self.clues) < len(self.moves):
            return self.moves[len(self.clues)]
        return self.fitting.get(tuple(self.clues), "zebra"), 0


def play(results: str, n_entries: int, n_games: int) -> None:
    """Play a run, seal it and compress its records."""
    config = RunConfig(n_games=n_games, repeats=0, seed="millions", results=Path(results), player="trusted")
    Contest(config, [Fixed(number, n_entries) for number in range(n_entries)]).play()


PYTHON_STEPS = {
    "load_run": "from wordpl import load_run; load_run({run!r})",
    "load_moves": "from wordpl import load_moves; load_moves({run!r})",
    "load_run, four columns": "from wordpl import load_run; load_run({run!r}, ['entry', 'game', 'verdict', 'cost'])",
}
COMMANDS = {
    "scoring": "report {run} --boards --max-games 10000000",
    "verify": "verify {run} --max-games 10000000",
    "report": "report {run} -o {page} --max-games 10000000",
    "export": "export {run} --parquet {page} --max-games 10000000",
}


def steps(run: str, page: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the command of each step that reads a run."""
    for name, source in PYTHON_STEPS.items():
        yield name, [sys.executable, "-c", source.format(run=run)]
    for name, command in COMMANDS.items():
        yield name, [sys.executable, "-m", "wordpl", *(word.format(run=run, page=page) for word in command.split())]


def show_page(page: Path) -> None:
    """Print the size of the page of a run, and when it is ready in Chromium."""
    from tests.helpers.browsing import chromium

    with chromium() as browser:
        tab = browser.new_page()
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-ready=yes]", timeout=120_000)
        ready_ms = tab.evaluate("performance.getEntriesByName('ready')[0].startTime")
    click.echo(f"page of {page.stat().st_size / 1e6:.2f} MB, ready after {ready_ms:.0f} ms")


@click.command()
@click.option("--entries", "n_entries", default=20, show_default=True)
@click.option("--games", "sizes", default=[2_000, 20_000, 100_000], multiple=True, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Where to keep the runs. [default: a temporary folder]")
@click.option("--step", "chosen", multiple=True, help="Only these steps.")
@click.option("--browser", is_flag=True, help="Also open the page of the report in Chromium.")
def main(n_entries: int, sizes: list[int], folder: Path | None, chosen: tuple[str, ...], browser: bool) -> None:
    """Measure each step, and print the results as CSV."""
    with TemporaryDirectory() as name:

        def show(step: str, command: list[str], n_games: int) -> None:
            cpu_s, mib = measure(command, Path(name) / f"{n_games}-{step}")
            click.echo(f"{n_entries * n_games};{step};{cpu_s:.1f};{mib:.0f}")

        click.echo("games;step;cpu_s;peak_mib")
        for n_games in sizes:
            results = (folder or Path(name)).resolve() / f"{n_entries}x{n_games}"
            if not list(results.glob("*/run.json")):
                source = (
                    f"from benchmarks import million as m; m.play(m.Path({str(results)!r}), {n_entries}, {n_games})"
                )
                show("play", [sys.executable, "-c", source], n_games)
            (run,) = (path.parent for path in results.glob("*/run.json"))
            for step, command in steps(str(run), str(results / "page.html")):
                if not chosen or step in chosen:
                    show(step, command, n_games)
                    if browser and step == "report":
                        show_page(results / "page.html")


if __name__ == "__main__":
    main()
