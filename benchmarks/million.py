"""Measure the CPU time and memory to write, settle, seal, compress, score and report a run of millions of games.

Run `python benchmarks/million.py --entries 20 --games 100000`. The records are made up, for entries that use two to
four guesses, and written by the host's own writer. Each step runs in its own process, so that its memory can be
measured, and prints a line. CPU times are reliable on a busy machine, wall times are not.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from wordpl import load_run
from wordpl.contest import run_folder
from wordpl.contest.chunks import Outcome
from wordpl.contest.runner import EntryQueue, Host
from wordpl.core import commitments, words
from wordpl.core.game_kinds import Measure
from wordpl.core.records import Duration, EntryInfo, Run, RunInfo

CHUNK = 300
PRICES = (4.2, 5.0, 6.1, 7.4)
SHAPE = (0.2, 0.5, 0.3)
"""Shares of games with two, three and four guesses."""


def new_run(folder: Path, n_entries: int, n_games: int) -> Run:
    """Return a run without games."""
    lists = words.load()
    files = {"answers": "answers.txt", "guesses": "valid.txt"}
    names = [f"Made(price={PRICES[number % 4]:.1f}, number={number})" for number in range(n_entries)]
    info = RunInfo(
        seed="millions", n_games=n_games, timeout_s=5.0, enforced_s=5.5, warmup_s=60, memory_mb=1024, player="process",
        level="A", versions=run_folder.versions(), machine={}, started=run_folder.now(),
        lists={name: {"file": file, "words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
               for name, file in files.items()},
        entries=[EntryInfo(name, f"made-{number}", "wordpl/1", Measure.BUDGET, "made.py", name, "0" * 64)
                 for number, name in enumerate(names)],
    )  # fmt: skip
    return Run.create(folder, info)


def lines(index: int, n_games: int, block: np.ndarray, rng: np.random.Generator) -> Iterator[bytes]:
    """Yield the records of the games in `block` of the entry `index`."""
    lists = words.load()
    n = len(block)
    secrets = np.random.default_rng(5).integers(len(lists.answers), size=n_games)[block]
    n_guesses = rng.choice((2, 3, 4), size=n, p=SHAPE)
    guesses, clues = rng.integers(200, size=(n, 4)), rng.integers(3, size=(n, 4, 5))
    won = rng.random(n) < 0.25 + index / 50
    price = PRICES[index % 4] + index / 10
    marks = np.array(list(".ic"))[clues]
    for game in range(n):
        moves = ",".join(
            f'["{lists.answers[guesses[game, move] * 7]}",{price + move / 2:g},"{"".join(marks[game, move])}"]'
            for move in range(n_guesses[game])
        )
        secret = lists.answers[secrets[game]]
        answer, verdict = (secret, "won") if won[game] else ("zebra", "wrong")
        yield (f'{{"game":{block[game]},"secret":"{secret}","moves":[{moves},["{answer}",0,""]],'
               f'"verdict":"{verdict}"}}\n').encode()  # fmt: skip


def write(run: Run) -> None:
    """Write made-up records of all games in the order of play."""
    n_games = run.info.n_games
    order = np.random.default_rng(1).permutation(n_games)
    for index, entry in enumerate(run.entries):
        host = Host(run, [EntryQueue(queued, bytearray(n_games), None) for queued in run.entries])  # type: ignore[arg-type]
        rng = np.random.default_rng(index)
        for begin in range(0, n_games, 50 * CHUNK):
            records = list(lines(index, n_games, order[begin : begin + 50 * CHUNK], rng))
            numbers = order[begin : begin + 50 * CHUNK].tolist()
            for first in range(0, len(records), CHUNK):
                games = tuple(numbers[first : first + CHUNK])
                times = [Duration(number, 0.0015, 0.002) for number in games]
                host.write(Outcome(index, 1 + first, games, records=records[first : first + CHUNK], durations=times))
        host.close()
        assert run.path(entry).stat().st_size


def seal(run: Run) -> None:
    commitments.finish(run, run_folder.now())


def compress(run: Run) -> None:
    commitments.compress(run)


def load(run: Run) -> None:
    table = load_run(run.folder, columns=["entry", "game", "verdict", "cost"])
    assert len(table) == run.info.n_games * len(run.entries)


def report(run: Run) -> None:
    from wordpl.core.run_records import RunRecords
    from wordpl.reports.run_report import RunReport

    RunReport(RunRecords(run)).write()


STEPS: dict[str, Callable[[Run], None]] = {
    "written and settled": write, "sealed": seal, "compressed": compress, "loaded, four columns": load,
    "scored, compared, reported": report,
}  # fmt: skip


@click.command()
@click.option("--entries", "n_entries", default=20, show_default=True)
@click.option("--games", "n_games", default=100_000, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Folder of the run. [default: a temporary folder]")
@click.option("--step", "only", help="Only this step, with an existing run.")
def main(n_entries: int, n_games: int, folder: Path | None, only: str | None) -> None:
    """Measure each step."""
    if only is not None:
        assert folder is not None
        run, began = Run(folder), time.process_time()
        STEPS[only](run)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        click.echo(f"{only:30} {time.process_time() - began:8.1f} CPU s {memory:8.0f} MiB")
        return
    with TemporaryDirectory() as name:
        chosen = folder or Path(name) / "run"
        new_run(chosen, n_entries, n_games)
        click.echo(f"{n_entries} entries x {n_games:,} games")
        for step in STEPS:
            done = subprocess.run([sys.executable, __file__, "--folder", chosen, "--step", step], check=False)
            if done.returncode:
                raise SystemExit(done.returncode)
            size = sum(path.stat().st_size for path in chosen.rglob("*") if path.is_file())
            click.echo(f"{'':30} {size / 1e6:8.0f} MB on disk")


if __name__ == "__main__":
    main()
