"""How often is a forecast of the games that would decide a pair right? `python benchmarks/forecasts.py`

A pair has a mean difference from 0.02 to 0.2, log-uniform, and differences that are won or lost games or vary little.
After 100 or 500 games the open test forecasts how many more it needs; then it plays on until it decides. The
lines are appended to benchmarks/forecasts.csv with the date.
"""

import csv
from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np

from wordpl.core.intervals import proportion_interval
from wordpl.stats.compare.sequential import LOG_MEAN_THRESHOLD, forecast, log_capital, log_capitals, mean_test

CSV = Path(__file__).with_suffix(".csv")
MOST = 80_000


def draw(rng: np.random.Generator, mean: float, is_counted: bool, n: int) -> np.ndarray:
    """Return differences of two entries, in [-1, 1]."""
    if is_counted:
        chance = rng.random(n)
        return np.where(chance < 0.2 + mean / 2, 1.0, np.where(chance < 0.4, -1.0, 0.0))
    return np.clip(mean + 0.2 * rng.standard_normal(n), -1, 1)


def needed(values: np.ndarray) -> float:
    """Return after how many values the test decides; infinite if it does not."""
    first = np.inf
    for signed in (values, -values):
        reached = np.flatnonzero(log_capital(log_capitals(signed)) >= LOG_MEAN_THRESHOLD)
        first = min(first, float(reached[0] + 1) if len(reached) else np.inf)
    return first


@click.command()
@click.option("--pairs", default=200, show_default=True, help="Pairs of each line.")
def main(pairs: int) -> None:
    """Print how often the interval held, and append it to forecasts.csv."""
    for is_counted in (True, False):
        for n in (100, 500):
            rng, held, ratios, widths = np.random.default_rng([is_counted, n]), [], [], []
            while len(held) < pairs:
                mean = float(np.exp(rng.uniform(np.log(0.02), np.log(0.2))))
                seen = draw(rng, mean, is_counted, n)
                if mean_test(seen).verdict != "open":
                    continue
                said, values, rest = forecast(seen), seen, 5000
                while not np.isfinite(after := needed(values)) and len(values) < MOST:
                    values, rest = np.concatenate([values, draw(rng, mean, is_counted, rest)]), 4 * rest
                more = after - n
                held.append(said.low <= more <= said.high or (not np.isfinite(more) and said.high > MOST))
                ratios.append(said.n_more / more)
                widths.append(said.high / max(1.0, said.low))
            low, high = proportion_interval(sum(held), len(held))
            line = ("won or lost" if is_counted else "vary little", n, len(held),
                    f"{100 * np.mean(held):.1f}% ({100 * low:.1f}-{100 * high:.1f})",
                    f"{np.median(ratios):.2f}", f"{np.median(widths):.0f}")  # fmt: skip
            click.echo("| " + " | ".join(map(str, line)) + " |")
            with CSV.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow([f"{datetime.now(UTC):%Y-%m-%d}", *line])


if __name__ == "__main__":
    main()
