"""Measure the CPU time and memory of everything that reads a run of millions of games.

Run `python -m benchmarks.million --games 2000 --games 20000 --games 100000`. Simple strategies play the games of 20
entries in one process, and the host's own writer writes the records. Each step runs in its own process, so that its
memory can be measured, and prints a line. CPU times are reliable on a busy machine, wall times are not.
"""

import sys
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks.interleaved import measure
from wordpl.contest import run_folder
from wordpl.contest.chunks import Outcome
from wordpl.contest.match import play
from wordpl.contest.runner import EntryQueue, Host
from wordpl.core import seeds, words
from wordpl.core.moves import Move
from wordpl.games import Game, game_class, make_game
from wordpl.players.base import Player, TimeLimits
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import Duration, encode

BLOCK = 5000
GUESSES = ("crane", "moist", "pudgy")
"""The guesses of all entries, of which each uses the first two or all three."""


def epsilons(number: int) -> tuple[float, ...]:
    """Return what an entry pays for its guesses: enough for clues with few errors, so that it wins some games."""
    return (24.0 + number, 20.0 + number / 2, 16.0)[: 2 + number % 2]


def new_run(folder: Path, n_entries: int, n_games: int) -> Run:
    """Return a run without games."""
    names = [f"Fixed(epsilon={sum(epsilons(number)):g}, number={number})" for number in range(n_entries)]
    info = RunInfo(
        config=RunConfig(n_games=n_games, repeats=0).resolved("A"), seed="millions",
        versions=run_folder.versions(), machine={}, started=run_folder.now(),
        entries=[EntryInfo(name, f"fixed-{number}", game_class("wordpl/1").facts, "fixed.py", name, "0" * 64)
                 for number, name in enumerate(names)],
    )  # fmt: skip
    return Run.create(folder, info)


def answers_by_clues(game: Game, guesses: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Return the first answer with each clues, if they had no noise."""
    found: dict[tuple[str, ...], str] = {}
    for answer in game.lists.answers:
        found.setdefault(tuple(game.clue(guess, answer) for guess in guesses), answer)
    return found


class FixedGuesses(Player):
    """Makes the same guesses in every game, and proposes an answer that fits the clues, if there is one."""

    def __init__(self, number: int, answers: Mapping[tuple[str, ...], str]):
        self._moves = list(zip(GUESSES, epsilons(number), strict=False))
        self._answers = answers
        self._clues: list[str] = []

    def prepare(self) -> bool:
        return False

    def first_move(self, seed: int, allowance: TimeLimits) -> tuple[str, float]:
        self._clues = []
        return self._moves[0]

    def next_move(self, move: Move) -> tuple[str, float]:
        self._clues.append(move.clues)
        if len(self._clues) < len(self._moves):
            return self._moves[len(self._clues)]
        return self._answers.get(tuple(self._clues), "zebra"), 0

    def duration(self, game: int) -> Duration:
        return Duration(game, 0.0015, 0.002)

    def close(self) -> None:
        pass


def write(run: Run) -> None:
    """Play all games with simple strategies in this process, in the order of play, and write their records."""
    info, game = run.info, make_game("wordpl/1", words.load())
    key = seeds.run_key(str(info.seed))
    order = seeds.order(key, info.config.n_games)
    for index in range(len(info.entries)):
        host = Host(run, [EntryQueue(entry, bytearray(info.config.n_games), array("q")) for entry in info.entries])
        player = FixedGuesses(index, answers_by_clues(game, GUESSES[: len(epsilons(index))]))
        for serial, first in enumerate(range(0, len(order), BLOCK), 1):
            numbers = tuple(order[first : first + BLOCK])
            records = [encode(play(game, player, number, key, info.config)) for number in numbers]
            durations = [player.duration(number) for number in numbers]
            host.write(Outcome(index, serial, numbers, records=records, durations=durations))
        host.close()


def finish(run: Run) -> None:
    """Seal the run and compress its records."""
    run.finish(run_folder.now())
    run.compress()


PYTHON_STEPS = {
    "write": "from benchmarks import million as m; m.write(m.Run(FOLDER))",
    "seal, compress": "from benchmarks import million as m; m.finish(m.Run(FOLDER))",
    "load_run": "from wordpl import load_run; load_run(FOLDER)",
    "load_run, four columns": "from wordpl import load_run; load_run(FOLDER, ['entry', 'game', 'verdict', 'cost'])",
}
COMMANDS = {
    "scoring": ["report", "RUN", "--boards"],
    "verify": ["verify", "RUN"],
    "report": ["report", "RUN", "-o", "PAGE"],
    "export": ["export", "RUN", "--parquet", "PAGE"],
}


def steps(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the command of each step."""
    for name, source in PYTHON_STEPS.items():
        yield name, [sys.executable, "-c", f"from pathlib import Path; FOLDER = Path({str(folder)!r}); {source}"]
    places = {"RUN": str(folder.resolve()), "PAGE": str(folder.parent / "page")}
    for name, arguments in COMMANDS.items():
        yield name, [sys.executable, "-m", "wordpl", *(places.get(word, word) for word in arguments)]


@click.command()
@click.option("--entries", "n_entries", default=20, show_default=True)
@click.option("--games", "sizes", default=[2_000, 20_000, 100_000], multiple=True, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Where to keep the runs. [default: a temporary folder]")
@click.option("--step", "chosen", multiple=True, help="Only these steps.")
def main(n_entries: int, sizes: list[int], folder: Path | None, chosen: tuple[str, ...]) -> None:
    """Measure each step, and print the results as CSV."""
    click.echo("games;step;cpu_s;peak_mib")
    with TemporaryDirectory() as name:
        for n_games in sizes:
            run_path = (folder or Path(name)) / f"{n_entries}x{n_games}" / "run"
            if not run_path.exists():
                new_run(run_path, n_entries, n_games)
            for step, command in steps(run_path):
                if step in PYTHON_STEPS and Run(run_path).info.finished and not step.startswith("load_run"):
                    continue
                if not chosen or step in chosen:
                    cpu_s, mib = measure(command, Path(name) / f"{n_games}-{step}")
                    click.echo(f"{n_entries * n_games};{step};{cpu_s:.1f};{mib:.0f}")


if __name__ == "__main__":
    main()
