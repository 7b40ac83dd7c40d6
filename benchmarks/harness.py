"""What the harness itself costs: games a second and microseconds a move, for a strategy that does nothing.

Run `python benchmarks/harness.py`. Every figure is a median over chunks of games, after a warm-up, with the smallest
and the largest; ratios come from the same run, so that they hold when the machine is slow or shared.
"""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click
from joblib import Parallel, delayed

from wordpl import runner, words
from wordpl.players.house import PROCESS, TRUSTED
from wordpl.records import EntryInfo, Run, RunInfo

NOTHING = """
class Nothing:
    def __init__(self, n_guesses):
        self.n_guesses = n_guesses

    def first_move(self):
        self.left = self.n_guesses
        return self.next_move("", 0, "")

    def next_move(self, guess, epsilon, clues):
        self.left -= 1
        return ("crane", 5.0) if self.left >= 0 else ("abide", 0)
"""
WARM_UP_CHUNKS = 2


def new_run(parent: Path, file: Path, make: str, player: str) -> Run:
    """Return a run of one entry, in a folder of its own in `parent`."""
    lists = words.load()
    files = {"answers": "answers.txt", "guesses": "valid.txt"}
    entry = EntryInfo(make, "entry", "wordpl/1", "budget", str(file), make, sha256(file.read_bytes()).hexdigest())
    info = RunInfo(
        seed="benchmark",
        n_games=1,
        timeout_s=5,
        warmup_s=60,
        memory_mb=1024,
        player=player,
        lists={name: {"file": path, "sha256": lists.sha256[name]} for name, path in files.items()},
        entries=[entry],
        versions={},
        machine={},
        started="",
    )
    return Run.create(parent / f"{len(list(parent.iterdir()))}", info)


def paces(run: Run, parent: Path, jobs: int, chunk: int, n_chunks: int) -> list[float]:
    """Return the seconds a game took in each chunk of games, while `jobs` workers played."""
    chunks = [tuple(range(at * chunk, (at + 1) * chunk)) for at in range(jobs * (n_chunks + WARM_UP_CHUNKS))]
    tasks = (delayed(runner.play_chunk)(run.folder, parent, 0, numbers) for numbers in chunks)
    outcomes = Parallel(n_jobs=jobs, batch_size=1, pre_dispatch=2 * jobs)(tasks)
    runner.leave_seat()
    if jobs > 1:
        runner.dismiss_workers()
    return [outcome.pace_s for outcome in outcomes[jobs * WARM_UP_CHUNKS :]]


def row(name: str, found: Sequence[float], jobs: int, n_moves: float) -> float:
    """Print a line of the table; return the games a second."""
    rate = jobs / median(found)
    low, middle, high = (1e6 * pace / n_moves for pace in (min(found), median(found), max(found)))
    click.echo(f"{name:44} {jobs:4} {rate:10,.0f} {middle:9.1f} ({low:.1f} to {high:.1f})")
    return rate


@click.command()
@click.option("--chunk", default=700, help="Games a chunk.")
@click.option("--chunks", "n_chunks", default=9, help="Chunks measured for each figure.")
def main(chunk: int, n_chunks: int) -> None:
    """Print games a second and microseconds a move."""
    click.echo(f"{'strategy and player':44} jobs    games/s  us a move (smallest to largest chunk)")
    with TemporaryDirectory(prefix="wordpl-benchmark-") as name:
        parent = Path(name)
        file = parent / "nothing.py"
        file.write_text(NOTHING)
        rates = {}
        for player, size in ((PROCESS, chunk), (TRUSTED, 5 * chunk)):
            for jobs in (1, 2):
                found = paces(new_run(parent, file, "Nothing(2)", player), parent, jobs, size, n_chunks)
                rates[player, jobs] = row(f"does nothing, three moves, {player}", found, jobs, 3)
        found = paces(new_run(parent, file, "Nothing(0)", TRUSTED), parent, 1, 5 * chunk, n_chunks)
        row("does nothing, one move, trusted", found, 1, 1)
        for player in (PROCESS, TRUSTED):
            click.echo(f"2 jobs against 1, {player}: {rates[player, 2] / rates[player, 1]:.2f} times")
        bayesian(parent, chunk // 2, n_chunks)


def bayesian(parent: Path, chunk: int, n_chunks: int) -> None:
    """Print what a whole strategy costs, its own work included."""
    run = new_run(parent, words.HOME / "strategies" / "bayesian_random.py", "BayesianRandom()", PROCESS)
    found = paces(run, parent, 1, chunk, n_chunks)
    records = run.read(run.info.entries[0])
    row("BayesianRandom(), process", found, 1, sum(len(record.moves) for record in records) / len(records))


if __name__ == "__main__":
    main()
