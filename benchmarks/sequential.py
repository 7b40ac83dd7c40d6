"""Measure by simulation how often the tests of wordpl.stats.compare are wrong, and how soon they end.

Run `python benchmarks/sequential.py`. Runs of 20,000 games with the same probability of winning are evaluated after
every game by the sequential test. They are also evaluated by the rule for a fixed number of games: at the end, as
intended, and every 100 games, which is wrong.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

import click
import numpy as np
from scipy.stats import binom
from tqdm import tqdm

from wordpl.core.intervals import proportion_interval
from wordpl.stats.compare.sequential import LOG_THRESHOLD, log_evidence

N_GAMES = 20_000
LOOK_EVERY = 100
CHANCES = {0.05: (0.045, 0.05, 0.055, 0.06), 0.5: (0.48, 0.5, 0.51, 0.52), 0.95: (0.94, 0.95, 0.955, 0.96)}
BLOCK = 250
SPLITS = ((0.1, 0.1), (0.11, 0.09), (0.12, 0.08))
"""How often only the first, and only the second, of two entries wins."""


def wins_needed(n_games: int, q: float) -> np.ndarray:
    """Return the number of wins at which the test decides for P(win) > q after 1 to `n_games` games, int[n_games].

    It is larger than the number of games if winning all of them is not enough.
    """
    n = np.arange(1, n_games + 1)
    low, high = np.zeros(n_games, int), n + 1  # high is sufficient, or larger than n
    while (low < high).any():
        middle = (low + high) // 2
        enough = log_evidence(np.minimum(middle, n), n, q) >= LOG_THRESHOLD
        low, high = np.where((low < high) & ~enough, middle + 1, low), np.where((low < high) & enough, middle, high)
    return low


needed = cache(wins_needed)


def wins(rng: np.random.Generator, chance: float, n_runs: int) -> Iterator[np.ndarray]:
    """Yield how many games have been won after each game, int[part of the runs, N_GAMES] at a time."""
    for start in range(0, n_runs, BLOCK):
        won = rng.random((min(BLOCK, n_runs - start), N_GAMES), np.float32) < chance
        yield np.cumsum(won, axis=1, dtype=np.int32)


def ends(rng: np.random.Generator, q: float, chance: float, n_runs: int) -> tuple[list[np.ndarray], Counter]:
    """Return after how many games each run is significantly above and below q, and the verdicts of the fixed rule."""
    n = np.arange(1, N_GAMES + 1)
    above, below = needed(N_GAMES, q), needed(N_GAMES, 1 - q)
    fixed = binom.ppf(0.95, n, q) + 1
    ends_of_side: list[list[np.ndarray]] = [[], []]
    passed: Counter = Counter()
    for n_won in wins(rng, chance, n_runs):
        for side, hits in enumerate((n_won >= above, n - n_won >= below)):
            ends_of_side[side].append(np.where(hits.any(axis=1), hits.argmax(axis=1) + 1, N_GAMES + 1))
        passes = n_won >= fixed
        passed["at the end"] += int(passes[:, -1].sum())
        passed["every 100"] += int(passes[:, LOOK_EVERY - 1 :: LOOK_EVERY].any(axis=1).sum())
    return [np.concatenate(blocks) for blocks in ends_of_side], passed


def share(hits: int, n: int) -> str:
    """Return the share with its exact 95% interval."""
    low, high = proportion_interval(hits, n)
    return f"{100 * hits / n:5.2f}% ({100 * low:.2f}-{100 * high:.2f})"


def middle(after: Sequence[int]) -> str:
    """Return the median number of games that runs took, as text."""
    median = float(np.median(after))
    return f"{median:,.0f}" if median <= N_GAMES else f"over {N_GAMES:,}"


def show_chances(rng: np.random.Generator, n_runs: int) -> None:
    """Print a line for each quantile and each true probability."""
    click.echo("| q | P(win) | above | below | games, median | fixed number | fixed rule, every 100 games |")
    click.echo("|---|---|---|---|---|---|---|")
    cells = [(q, chance) for q, chances in CHANCES.items() for chance in chances]
    for q, chance in tqdm(cells, unit="chance", leave=False):
        (above, below), passed = ends(rng, q, chance, n_runs)
        first = np.minimum(above, below)
        sides = (int(((end == first) & (end <= N_GAMES)).sum()) for end in (above, below))
        shares = [share(hits, n_runs) for hits in (*sides, passed["at the end"], passed["every 100"])]
        tqdm.write(f"| {q} | {chance} | {shares[0]} | {shares[1]} | {middle(first)} | {shares[2]} | {shares[3]} |")


def show_pairs(rng: np.random.Generator, n_runs: int) -> None:
    """Print a line for each way in which the games of two entries are split."""
    click.echo("\n| only the first | only the second | first wins more | second wins more | games, median |")
    click.echo("|---|---|---|---|---|")
    for split in SPLITS:
        verdicts, after = Counter(), []
        for _ in tqdm(range(n_runs), unit="run", leave=False):
            drawn = rng.random(N_GAMES, np.float32)
            differing = np.flatnonzero(drawn < sum(split))
            of_first = np.cumsum(drawn[differing] < split[0])
            of_second = np.arange(1, len(differing) + 1) - of_first
            enough = needed(N_GAMES, 0.5)[: len(differing)]
            clear = np.flatnonzero((of_first >= enough) | (of_second >= enough))
            if len(clear):
                verdicts["first" if of_first[clear[0]] > of_second[clear[0]] else "second"] += 1
            after.append(differing[clear[0]] + 1 if len(clear) else N_GAMES + 1)
        shares = [share(verdicts[verdict], n_runs) for verdict in ("first", "second")]
        tqdm.write(f"| {split[0]} | {split[1]} | {shares[0]} | {shares[1]} | {middle(after)} |")


@click.command()
@click.option("--runs", "n_runs", default=10_000, show_default=True, help="Runs per probability.")
@click.option("--pairs", "n_pairs", default=10_000, show_default=True, help="Pairs per split.")
@click.option("--seed", default=1, show_default=True)
def main(n_runs: int, n_pairs: int, seed: int) -> None:
    """Print the shares of runs in which each test decides that P(win) is above or below the quantile."""
    rng = np.random.default_rng(seed)
    show_chances(rng, n_runs)
    show_pairs(rng, n_pairs)


if __name__ == "__main__":
    main()
