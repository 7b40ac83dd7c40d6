"""What do hosts gain by choosing what is published, or players of Elo by losing? Run `benchmarks/host_choices.py`.

Two equal entries win half of the games; a game is equally hard for both in half of the cases. The lines are appended to
benchmarks/host_choices.csv with the date.
"""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np
import pandas as pd

from wordpl import rankings
from wordpl.core.intervals import proportion_interval
from wordpl.stats.compare.sequential import mean_test
from wordpl.stats.hypothesis_tests import mcnemar

CSV = Path(__file__).with_suffix(".csv")
N_GAMES, N_SEEDS, EVERY = 1001, 20, 100
LEVEL = 0.025


def differences(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return the wins of the favourite minus those of the other one, each -1, 0 or 1."""
    own = (rng.random((2, *shape)) < 0.5).astype(float)
    return np.where(rng.random(shape) < 0.5, 0.0, own[0] - own[1])


def is_shown(gaps: np.ndarray) -> np.ndarray:
    """Return whether the test of a board shows in each row that the favourite is better."""
    return np.asarray(mcnemar((gaps > 0).sum(axis=-1), (gaps < 0).sum(axis=-1)) < LEVEL)


def share(hits: np.ndarray) -> str:
    low, high = proportion_interval(int(hits.sum()), len(hits))
    return f"{100 * hits.mean():.1f}% ({100 * low:.1f}-{100 * high:.1f})"


def lines(n_runs: int) -> Iterator[tuple[str, str]]:
    rng = np.random.default_rng(1)
    seeds = is_shown(differences(rng, (n_runs, N_SEEDS, N_GAMES)))
    yield "one run", share(seeds[:, 0])
    yield f"the best of {N_SEEDS} seeds", share(seeds.any(axis=1))
    gaps = differences(rng, (n_runs, 5 * N_GAMES))
    looks = [is_shown(gaps[:, :n]) for n in range(EVERY, gaps.shape[1], EVERY)]
    yield f"a board that is looked at every {EVERY} games and kept when ahead", share(np.any(looks, axis=0))
    matches = [mean_test(row).verdict == "above" for row in gaps[: n_runs // 4]]
    yield "a match that is stopped when ahead", share(np.array(matches))
    for method in ("elo", "map-elo", "mean"):
        gain = [_sandbagged(np.random.default_rng([2, run]), method) for run in range(max(2, n_runs // 40))]
        yield (f"places that who loses the first third of 60 days gains by {method}",
               f"{np.mean(gain):+.2f} ± {np.std(gain, ddof=1) / np.sqrt(len(gain)):.2f}")  # fmt: skip


def _sandbagged(rng: np.random.Generator, method: str) -> float:
    """Return how many places among ten equal players one gains by losing the first 20 of 60 days on purpose."""
    guesses = np.clip(np.rint(4 + 0.4 * rng.standard_normal((60, 1)) + rng.standard_normal((60, 10))), 1, 7).astype(int)
    places = []
    for loses in (False, True):
        played = guesses.copy()
        played[:20, 0] = 7 if loses else played[:20, 0]
        day, player = np.indices(played.shape).reshape(2, -1)
        table = pd.DataFrame({"player": [f"p{i}" for i in player], "day": day, "guesses": played.ravel()})
        found = rankings.find(method)(table, draws=0).set_index("player")
        places.append(float(found.loc["p0", "place"]))
    return places[0] - places[1]


@click.command()
@click.option("--runs", default=1000, show_default=True)
def main(runs: int) -> None:
    """Print how often the favourite is falsely shown to be better, and append it to host_choices.csv."""
    for line in lines(runs):
        click.echo("| " + " | ".join(line) + " |")
        with CSV.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow([f"{datetime.now(UTC):%Y-%m-%d}", runs, *line])


if __name__ == "__main__":
    main()
