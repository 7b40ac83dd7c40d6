"""Measure the overhead of the harness in games per second and microseconds per move, with a strategy that does nothing.

Run `python benchmarks/harness.py`. Every figure is a median over chunks of games after a warm-up, with the smallest and
the largest. Ratios are taken within one run, so that they hold on slow or shared machines.
"""

import os
import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import click
import msgspec
from joblib import Parallel, delayed

from wordpl.contest import official, run_worker, runner
from wordpl.contest.run_worker import WORKER, Chunk, RunTask, run_chunk_with_journal
from wordpl.core import words
from wordpl.core.paths import IMPORT_ROOT
from wordpl.games import game_class
from wordpl.players import source_facts
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.entry import RecordWriter
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo, SeedSource

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
HONEST = IMPORT_ROOT / "strategies" / "bayesian_random.py"
N_STARTS, N_RUNS, N_GAMES, N_EXCHANGES = 20, 3, 5000, 1000


def new_run(parent: Path, file: Path, make: str, level: Level | None, n_games: int = 1) -> Run:
    """Return a new run of one entry in its own folder in `parent`, at a sandbox level or, without one, trusted."""
    bundle = Bundle.of(file)
    entry = EntryInfo(make, "entry", game_class("wordpl/1").facts, str(file), make, bundle.digest)
    sources = source_facts.Sources.of_tree(bundle, bundle.main, bundle.digest)
    (uses,) = source_facts.uses_of(source_facts.read([sources]))
    entry = msgspec.structs.replace(entry, uses=uses)
    info = RunInfo(
        config=RunConfig(
            n_games=n_games, repeats=0, player=PlayerKind.PROCESS if level else PlayerKind.TRUSTED
        ).resolved(level or ""),
        seed="benchmark",
        seed_source=SeedSource.TYPED,
        entries=[entry],
        versions={},
        machine={},
        started="",
    )
    run = Run.create(parent / f"{len(list(parent.iterdir()))}", info)
    run.store.add(bundle)
    return run


def paces(run: Run, parent: Path, jobs: int, chunk: int, n_chunks: int) -> list[float]:
    """Return the seconds per game in each chunk of games while `jobs` workers play."""
    chunks = [tuple(range(index * chunk, (index + 1) * chunk)) for index in range(jobs * (n_chunks + WARM_UP_CHUNKS))]
    task = RunTask(folder=run.folder, parent=parent, draws=official.draws(run))
    play = delayed(run_chunk_with_journal)
    tasks = (play(task, Chunk(0, numbers, serial=index)) for index, numbers in enumerate(chunks))
    outcomes = Parallel(n_jobs=jobs, batch_size=1, pre_dispatch=2 * jobs)(tasks)
    WORKER.close()
    if jobs > 1:
        run_worker.dismiss_workers()
    writer = RecordWriter(run.entries[0])
    for outcome in outcomes:
        writer.add(outcome.records, outcome.durations)
    writer.close()
    return [outcome.pace_s for outcome in outcomes[jobs * WARM_UP_CHUNKS :]]


def row(name: str, seconds: Sequence[float], jobs: int, n_moves: float) -> float:
    """Print a line of the table and return the games per second."""
    rate = jobs / median(seconds)
    low, middle, high = (1e6 * pace / n_moves for pace in (min(seconds), median(seconds), max(seconds)))
    click.echo(f"{name:44} {jobs:4} {rate:10,.0f} {middle:9.1f} ({low:.1f} to {high:.1f})")
    return rate


@click.command()
@click.option("--chunk", default=700, help="Games per chunk.")
@click.option("--chunks", "n_chunks", default=9, help="Chunks per figure.")
def main(chunk: int, n_chunks: int) -> None:
    """Print games per second and microseconds per move."""
    click.echo(f"{'strategy and player':44} jobs    games/s  us a move (smallest to largest chunk)")
    with TemporaryDirectory(prefix="wordpl-benchmark-") as name:
        parent = Path(name)
        file = parent / "nothing.py"
        file.write_text(NOTHING)
        exchanges()
        rates = {}
        levels = [level for level in Level if level >= probe.probe().level]
        for level, jobs in [*product([*levels, None], (1, 2))]:
            size = chunk if level else 5 * chunk
            seconds = paces(new_run(parent, file, "Nothing(2)", level), parent, jobs, size, n_chunks)
            rates[level, jobs] = row(f"does nothing, three moves, {level or PlayerKind.TRUSTED}", seconds, jobs, 3)
        seconds = paces(new_run(parent, file, "Nothing(0)", None), parent, 1, 5 * chunk, n_chunks)
        row("does nothing, one move, trusted", seconds, 1, 1)
        for level in (*levels, None):
            click.echo(
                f"2 jobs against 1, {level or PlayerKind.TRUSTED}: {rates[level, 2] / rates[level, 1]:.2f} times"
            )
        bayesian(parent, chunk // 2, n_chunks)
        starts(parent, file, levels)
        whole_runs(parent, levels)


def exchanges() -> None:
    """Print how long two bare processes on one processor take to exchange a line, with and without a time limit."""
    line = b'{"move":["crane",5.0],"clues":"....."}\n'
    with pinned():
        for name, waits in {"read": False, "poll and read": True}.items():
            (requests, own_requests), (own_replies, replies) = os.pipe(), os.pipe()
            if not os.fork():
                os.close(own_requests)
                while line := os.read(requests, 4096):
                    os.write(replies, line)
                os._exit(0)
            poll, times = select.poll(), []
            poll.register(own_replies, select.POLLIN)
            for _ in range(N_STARTS):
                started = perf_counter()
                for _ in range(N_EXCHANGES):
                    os.write(own_requests, line)
                    if waits:
                        poll.poll(1000)
                    os.read(own_replies, 4096)
                times.append((perf_counter() - started) / N_EXCHANGES)
            for file in (requests, own_requests, own_replies, replies):
                os.close(file)
            os.wait()
            row(f"two bare processes, {name}", times, 1, 1)


@contextmanager
def pinned() -> Iterator[None]:
    """Keep this process, and those that it starts, on one processor in the block."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def bayesian(parent: Path, chunk: int, n_chunks: int) -> None:
    """Print the cost of a complete strategy, its own computations included."""
    run = new_run(parent, HONEST, "BayesianRandom()", probe.probe().level, chunk * (n_chunks + WARM_UP_CHUNKS))
    seconds = paces(run, parent, 1, chunk, n_chunks)
    records = run.entry(run.info.entries[0]).read()
    row(
        f"BayesianRandom(), {run.info.config.level}",
        seconds,
        1,
        sum(len(record.moves) for record in records) / len(records),
    )


def starts(parent: Path, file: Path, levels: Sequence[Level]) -> None:
    """Print how long a fresh process takes to be ready at each sandbox level."""
    for level in levels:
        run = new_run(parent, file, "Nothing(2)", level)
        with PlayerPool(words.load(), parent, store=run.store) as pool:
            times = []
            for _ in range(N_STARTS):
                player = pool.isolated(run.info.entries[0], run.info.config)
                started = perf_counter()
                player.prepare()
                times.append(1000 * (perf_counter() - started))
                player.close()
        low, middle, high = min(times[1:]), median(times[1:]), max(times[1:])  # the first waits for the fork server
        click.echo(f"a fresh process is ready, {level}: {middle:.1f} ms ({low:.1f} to {high:.1f})")


def whole_runs(parent: Path, levels: Sequence[Level]) -> None:
    """Print how long whole runs take, including start and end, at the best and the worst level in turn."""
    times: dict[Level, list[float]] = {levels[0]: [], levels[-1]: []}
    for _, level in product(range(N_RUNS), times):
        run = new_run(parent, HONEST, "BayesianRandom()", level, N_GAMES)
        started = perf_counter()
        runner.play_run(run, official.draws(run), 2)
        times[level].append(perf_counter() - started)
    best, worst = (median(seconds) for seconds in times.values())
    click.echo(
        f"a run of {N_GAMES} games of BayesianRandom(), 2 jobs: {best:.2f} s at {levels[0]}, {worst:.2f} s at "
        f"{levels[-1]}, {best / worst:.2f} times (medians of {N_RUNS})"
    )


if __name__ == "__main__":
    main()
