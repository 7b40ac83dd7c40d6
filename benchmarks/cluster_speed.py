"""Compare the speed of a cluster of two workers with that of two jobs, and time the end of runs after their last game.

Run `python benchmarks/cluster_speed.py` on a machine with at least two processors. The workers run on this machine and
are started before the first game; rounds alternate. Each round plays one entry whose games take some milliseconds. Its
rate is measured from the first to the last chunk that is returned, its end from there until the run is sealed, without
repeats and reports.
"""

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

from wordpl import Contest, Observer, RunConfig
from wordpl.contest.cluster import ClusterAddress, certificates, service
from wordpl.contest.runner import EntryProgress

BOT = """
from wordpl import Strategy


class Bot(Strategy):
    def first_move(self):
        sum(range({work}))
        return "crane", 5.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""


class Times(Observer):
    """The times at which games were returned, and how many there were at each."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, int]] = []

    def progress(self, progress: EntryProgress) -> None:
        """Record the current number of games."""
        if progress.n_played:
            self.seen.append((time.monotonic(), progress.n_played))


def play(folder: Path, n_games: int, cluster: ClusterAddress | None) -> tuple[float, float, Path]:
    """Play a run; return games per second, seconds from the last game to the end, and the run's folder."""
    times = Times()
    config = RunConfig(n_games=n_games, seed="7", repeats=0, results=folder / "results")
    run = Contest(config, [str(folder / "bot.py")], jobs=2, cluster=cluster).play(times)
    end = time.monotonic()
    (first, n_first), (last, n_last) = times.seen[0], times.seen[-1]
    return (n_last - n_first) / (last - first), end - last, run.folder


@click.command()
@click.option("--games", "n_games", default=20_000, show_default=True)
@click.option("--rounds", default=5, show_default=True)
@click.option("--work", default=80_000, show_default=True, help="Numbers that the entry sums in a game.")
def main(n_games: int, rounds: int, work: int) -> None:
    """Print each round and the medians."""
    rates: dict[str, list[float]] = {"2 jobs": [], "cluster of 2": []}
    ends: dict[str, list[float]] = {"2 jobs": [], "cluster of 2": []}
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bot.py").write_text(BOT.format(work=work))
        certificates.make(folder / "certificates")
        with service.local(2, folder / "certificates", folder / "store") as address:
            for number in range(rounds):
                records = []
                for kind, cluster in (("2 jobs", None), ("cluster of 2", address)):
                    rate, end_s, run = play(folder, n_games, cluster)
                    rates[kind].append(rate)
                    ends[kind].append(end_s)
                    records.append([path.read_bytes() for path in sorted((run / "records").iterdir())])
                    click.echo(f"{kind:12} {rate:8,.0f} games/s, ended {end_s:.2f} s after the last game")
                if records[0] != records[1]:
                    raise click.ClickException(f"round {number + 1}: the cluster's records differ")
    medians = {kind: median(some) for kind, some in rates.items()}
    click.echo(f"medians: {medians['2 jobs']:,.0f} and {medians['cluster of 2']:,.0f} games/s, ratio "
               f"{medians['cluster of 2'] / medians['2 jobs']:.2f}; ends at most {max(ends['2 jobs']):.2f} s and "
               f"{max(ends['cluster of 2']):.2f} s after the last game; all records alike")  # fmt: skip


if __name__ == "__main__":
    main()
