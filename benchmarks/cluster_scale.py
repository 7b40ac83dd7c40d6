"""Simulate a cluster of many workers from measured costs, to see where time goes and what the first bottleneck is.

Run `python benchmarks/cluster_scale.py`. Workers ask for chunks; the scheduler and the host each serve one request at a
time. The default costs are CPU times measured on two shared processors; pass others to see their effect.
"""

import heapq
import random
from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Pieces:
    """The measured costs.

    Attributes:
        scheduler_s: CPU time of a chunk in dask's scheduler, in seconds.
        host_s: CPU time of a chunk in the host's dask client, in seconds.
        write_chunk_s: CPU time of the host for writing a chunk, in seconds.
        write_game_s: CPU time of the host for writing a game, in seconds.
        bytes_a_game: Bytes that a worker returns for a game.
    """

    scheduler_s: float = 0.0053
    host_s: float = 0.0028
    write_chunk_s: float = 0.00005
    write_game_s: float = 2.0e-6
    bytes_a_game: float = 187.0


def simulate(n_workers: int, chunk_s: float, game_s: float, pieces: Pieces, seconds: float = 60.0) -> dict[str, float]:
    """Return the share of time in which workers play, and in which the scheduler and the host are busy.

    Each worker has one chunk that it plays and one in its queue.
    """
    chance = random.Random(1)
    n_games = max(1, int(chunk_s / game_s))
    host_s = pieces.host_s + pieces.write_chunk_s + n_games * pieces.write_game_s
    scheduler_free, host_free, played, busy_scheduler, busy_host = 0.0, 0.0, 0.0, 0.0, 0.0
    ends = [
        (chance.uniform(0, chunk_s), worker, 1) for worker in range(n_workers)
    ]  # (time, worker, chunks in its queue)
    heapq.heapify(ends)
    arrivals: dict[int, float] = {}
    while ends[0][0] < seconds:
        now, worker, _ = heapq.heappop(ends)
        played += chunk_s
        scheduler_free = max(scheduler_free, now) + pieces.scheduler_s
        host_free = max(host_free, scheduler_free) + host_s
        busy_scheduler, busy_host = busy_scheduler + pieces.scheduler_s, busy_host + host_s
        begins = max(now, arrivals.get(worker, 0.0))  # when the chunk assigned before this one ends
        arrivals[worker] = host_free
        heapq.heappush(ends, (begins + chunk_s * chance.uniform(0.9, 1.1), worker, 1))
    return {"workers": played / (n_workers * seconds), "scheduler": min(1.0, busy_scheduler / seconds),
            "host": min(1.0, busy_host / seconds), "games": played / game_s / seconds}  # fmt: skip


@click.command()
@click.option("--game-s", default=0.002, show_default=True, help="Seconds per game.")
@click.option("--entries", default=1000, show_default=True)
@click.option("--games", default=1_000_000, show_default=True)
def main(game_s: float, entries: int, games: int) -> None:
    """Print a table over workers and chunk sizes, and the resources of a whole run."""
    pieces = Pieces()
    click.echo("workers  chunk s  workers play  scheduler busy  host busy   games/s   MB/s")
    for n_workers in (2, 30, 100, 300, 1000):
        for chunk_s in sorted({0.3, max(0.3, 0.01 * n_workers)}):
            rates = simulate(n_workers, chunk_s, game_s, pieces)
            rate = rates["games"]
            click.echo(f"{n_workers:7} {chunk_s:8.1f} {rates['workers']:13.0%} {rates['scheduler']:15.0%} "
                       f"{rates['host']:10.0%} {rate:9,.0f} {rate * pieces.bytes_a_game / 1e6:6.1f}")  # fmt: skip
    total = entries * games
    click.echo(f"{entries:,} x {games:,} games: {total * game_s / 3600:,.0f} processor hours, "
               f"{total * pieces.bytes_a_game / 1e12:.2f} TB, {total * pieces.write_game_s / 3600:.1f} h of the "
               "host's writing")  # fmt: skip


if __name__ == "__main__":
    main()
