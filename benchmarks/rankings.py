"""Measure the cost of rankings, and how well they recover known strengths.

Run `python benchmarks/rankings.py`. Times are CPU seconds of one process after compilation, which other programs hardly
affect. Memory is the process's peak, which includes 200 MiB of imports.
"""

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import click
import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from tqdm import tqdm

from wordpl.core.intervals import proportion_interval
from wordpl.stats.rankings import RANKINGS, Sheet

MIB = 1024  # ru_maxrss counts in KiB
ATTENDANCE = 0.7
SPEED = [
    ("map-elo", 2_000, 1000, 0),
    ("map-elo", 2_000, 1000, 200),
    ("map-elo", 10_000, 1000, 0),
    ("mean", 10_000, 1000, 200),
    ("mean-ridge", 2_000, 1000, 200),
    ("elo-batch", 2_000, 1000, 0),
    ("elo", 300, 1000, 0),
    ("elo", 12, 300, 200),
    ("plackett-luce", 12, 300, 100),
    ("plackett-luce", 300, 300, 0),
    ("through-time", 12, 300, 200),
    ("through-time", 40, 100, 200),
]
STRENGTHS = np.linspace(3.2, 4.8, 10)
N_DAYS = 120


def league(strengths: np.ndarray, n_days: int, rng: np.random.Generator, attendance: float = ATTENDANCE) -> Sheet:
    """Return a league whose players take about strengths[i] guesses, with some days that are hard for all."""
    shape = n_days, len(strengths)
    guesses = strengths + rng.normal(0, 0.5, (n_days, 1)) + rng.normal(0, 1, shape)
    guesses = np.where(rng.random(shape) < attendance, np.clip(guesses.round(), 1, 7), np.nan)
    return Sheet(np.array([f"p{i:05}" for i in range(len(strengths))], object), np.arange(n_days), guesses)


def measured(name: str, n_players: int, n_days: int, draws: int) -> tuple[float, float]:
    """Return the CPU seconds and MiB of a table, measured in its own process."""
    ranking = RANKINGS[name].with_settings(draws=draws)
    rng = np.random.default_rng(1)
    ranking.table(league(np.full(3, 4.0), 10, rng), rng)
    sheet = league(rng.normal(4, 0.4, n_players), n_days, rng)
    began = time.process_time()
    ranking.table(sheet, rng)
    took = time.process_time() - began
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB


def recovery(name: str, n_leagues: int) -> pd.Series:
    """Return how well a ranking recovers the strengths of 10 players in leagues of 120 days."""
    tables, wait = [], tqdm(range(n_leagues), desc=name, delay=2, disable=None, leave=False)
    for seed in wait:
        rng = np.random.default_rng(seed)
        tables.append(RANKINGS[name].table(league(STRENGTHS, N_DAYS, rng, 0.8), rng).sort_values("player"))
    ratings = np.array([table["rating"] for table in tables])
    usual, place = ratings.mean(axis=0), np.arange(1, len(STRENGTHS) + 1)
    correlations = [abs(spearmanr(row, STRENGTHS)[0]) for row in ratings]
    shares_held = [((table["low"] <= usual) & (usual <= table["high"])).mean() for table in tables]
    places = [((table["place_low"] <= place) & (place <= table["place_high"])).mean() for table in tables]
    return pd.Series(
        {
            "rank correlation": np.mean(correlations),
            "its error": np.std(correlations, ddof=1) / np.sqrt(n_leagues),
            "ratings held": np.mean(shares_held),
            "held, error": np.std(shares_held, ddof=1) / np.sqrt(n_leagues),
            "places held": np.mean(places),
            "tiers": np.mean([table["tier"].max() for table in tables]),
        }
    )


NEAR_TIES = 4 + 0.05 * np.arange(10)


def places(name: str, strengths: np.ndarray, n_leagues: int) -> pd.Series:
    """Return the percentage of leagues of 60 days with a false claim, and with all true places in their intervals."""
    wait = tqdm(range(n_leagues), desc=name, delay=2, disable=None, leave=False)
    below = np.array([(strengths < strength).sum() for strength in strengths])
    above = np.array([(strengths > strength).sum() for strength in strengths])
    n_left_out, n_held = 0, 0
    for seed in wait:
        rng = np.random.default_rng(seed)
        table = RANKINGS[name].table(league(strengths, 60, rng), rng).sort_values("player")
        n_left_out += bool((table["tier"] > 1).any())
        low, high = table["place_low"].to_numpy(), table["place_high"].to_numpy()
        n_held += bool(((low <= 1 + below) & (len(strengths) - above <= high)).all())
    found = {}
    for what, n in (("someone out of tier 1", n_left_out), ("all places held", n_held)):
        bounds = proportion_interval(n, n_leagues)
        found[what] = f"{100 * n / n_leagues:.1f} ({100 * bounds[0]:.1f}-{100 * bounds[1]:.1f})"
    return pd.Series(found)


DRIFTS = (0.0, 0.02, 0.05, 0.1, 0.2)


def drifting(name: str, drift: float, n_leagues: int) -> str:
    """Return how many intervals hold the strengths on the last day, relative to the mean, and all true places.

    The leagues have 8 players and 100 days. Strengths begin with a standard deviation of 1 and change each day by
    normal steps of `drift`; a day's form has the deviation 1, and results are rounded to guesses.
    """
    held, widths, n_places = [], [], 0
    for seed in range(n_leagues):
        rng = np.random.default_rng(seed)
        steps = drift * rng.standard_normal((99, 8))
        strengths = rng.standard_normal(8) + np.cumsum(np.vstack([np.zeros((1, 8)), steps]), axis=0)
        guesses = np.clip((4.2 - 0.9 * (strengths + rng.standard_normal((100, 8)))).round(), 1, 7)
        guesses = np.where(rng.random((100, 8)) < ATTENDANCE, guesses, np.nan)
        sheet = Sheet(np.array([f"p{i}" for i in range(8)], object), np.arange(100), guesses)
        table, true = RANKINGS[name].table(sheet, rng).sort_values("player"), strengths[-1] - strengths[-1].mean()
        half_width = (table["high"] - table["low"]).to_numpy() / 2
        held.append(np.mean(np.abs(table["rating"] - table["rating"].mean() - true) <= half_width))
        widths.append(half_width.mean())
        place = 1 + (true[:, None] < true).sum(axis=1)
        n_places += bool(((table["place_low"] <= place) & (place <= table["place_high"])).all())
    bounds = proportion_interval(n_places, n_leagues)
    error = np.std(held, ddof=1) / np.sqrt(n_leagues)
    return (f"| {drift:g} | {100 * np.mean(held):.1f} ± {100 * error:.1f}% | {np.mean(widths):.2f} | "
            f"{100 * n_places / n_leagues:.1f}% ({100 * bounds[0]:.1f}-{100 * bounds[1]:.1f}) |")  # fmt: skip


@click.command()
@click.option("--drift", "drift_leagues", default=0, help="Leagues for each drift of strengths through time.")
@click.option("--places", "place_leagues", default=0, help="Leagues for the tiers and places of equals and near ties.")
@click.option("--leagues", default=100, show_default=True, help="Leagues for each figure of recovery; 0 for none.")
@click.option("--slow", default=20, show_default=True, help="The same for plackett-luce and through-time.")
@click.option("--speed/--no-speed", default=True, help="Measure times.")
def main(drift_leagues: int, place_leagues: int, leagues: int, slow: int, speed: bool) -> None:
    """Print CPU seconds, memory, recovery, and what intervals, tiers and places promise."""
    for drift in DRIFTS if drift_leagues else ():
        click.echo(drifting("through-time", drift, drift_leagues))
    for kind, strengths in (("equal players", np.full(10, 4.0)), ("near ties", NEAR_TIES)) if place_leagues else ():
        rows = {name: places(name, strengths, place_leagues) for name in ("mean", "mean-ridge", "map-elo", "elo-batch")}
        click.echo(f"\n10 {kind}, 60 days, {place_leagues} leagues, % (95% interval):")
        click.echo(pd.DataFrame(rows).T.to_string())
    if speed:
        click.echo(f"{'ranking':16} {'players':>8} {'days':>5} {'resamples':>9} {'CPU s':>8} {'MiB':>6}")
        for name, *size in SPEED:
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                took, memory = pool.submit(measured, name, *size).result()
            click.echo(f"{name:16} {size[0]:8,} {size[1]:5,} {size[2]:9} {took:8.2f} {memory:6,.0f}")
    if leagues:
        few = ("plackett-luce", "through-time")
        rows = {name: recovery(name, slow if name in few else leagues) for name in RANKINGS}
        click.echo(f"\n10 players, 120 days, {leagues} leagues ({slow} for {' and '.join(few)}):")
        click.echo(pd.DataFrame(rows).T.round(3).to_string())


if __name__ == "__main__":
    main()
