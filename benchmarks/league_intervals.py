"""How often does the 95% interval of a player's mean hold in a league? `python benchmarks/league_intervals.py`

True means have a standard deviation of 0.35 or 0.2 guesses, days are harder or easier for all, and a player plays 70%
of the days. The table has a line for each fifth of the players of a league by their true means, the best
first, and one for the players in the first and in the last place of the table. It is appended to
benchmarks/league_intervals.csv.
"""

import csv
from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np
import pandas as pd
from scipy.special import ndtr

from wordpl import rankings
from wordpl.core.intervals import proportion_interval

CSV = Path(__file__).with_suffix(".csv")
MIDDLE, OF_DAYS, OF_GAMES, PRESENT = 4.1, 0.4, 0.95, 0.7

LEAGUES = ((10, 30, 0.35), (10, 30, 0.2), (20, 60, 0.35), (20, 60, 0.2), (50, 120, 0.35))
"""The numbers of players and days, and the standard deviation of true means."""


def true_mean(skill: np.ndarray) -> np.ndarray:
    """Return the mean number of guesses of players over all days: rounded normal variables from 1 to 7."""
    bounds = np.arange(1.5, 7)
    return 1 + ndtr((skill[..., None] - bounds) / np.hypot(OF_DAYS, OF_GAMES)).sum(axis=-1)


def league(rng: np.random.Generator, n_players: int, n_days: int, spread: float) -> tuple[np.ndarray, pd.DataFrame]:
    """Return the true means of players, and their results."""
    skill = MIDDLE + spread * rng.standard_normal(n_players)
    latent = skill + OF_DAYS * rng.standard_normal((n_days, 1)) + OF_GAMES * rng.standard_normal((n_days, n_players))
    day, player = np.nonzero(rng.random(latent.shape) < PRESENT)
    guesses = np.clip(np.rint(latent), 1, 7).astype(int)[day, player]
    results = pd.DataFrame({"player": [f"p{number:03}" for number in player], "day": day, "guesses": guesses})
    return true_mean(skill), results


@click.command()
@click.option("--leagues", default=150, show_default=True)
@click.option("--tree", default="2.0.0", show_default=True, help="The measured release.")
def main(leagues: int, tree: str) -> None:
    """Print a table, and append it to league_intervals.csv."""
    ranking = rankings.find("mean").with_settings(day_adjustment="ridge", shrinkage="pooled")
    for n_players, n_days, spread in LEAGUES:
        held: dict[str, list[bool]] = {}
        widths = []
        for number in range(leagues):
            truth, results = league(np.random.default_rng([n_players, number]), n_players, n_days, spread)
            table = ranking(results).sort_values("player")
            own = truth[[int(name[1:]) for name in table["player"]]]
            is_held = ((table["low"] <= own) & (own <= table["high"])).to_numpy()
            widths.append(float((table["high"] - table["low"]).mean()))
            fifth = np.argsort(np.argsort(own)) * 5 // len(own)
            for part in range(5):
                held.setdefault(f"fifth {part + 1}", []).extend(is_held[fifth == part].tolist())
            places = table["rating"].to_numpy().argsort()
            held.setdefault("first place", []).append(bool(is_held[places[0]]))
            held.setdefault("last place", []).append(bool(is_held[places[-1]]))
        for name, hits in held.items():
            low, high = proportion_interval(sum(hits), len(hits))
            held_in = f"{100 * np.mean(hits):.1f}% ({100 * low:.1f}-{100 * high:.1f})"
            line = (n_players, n_days, spread, name, len(hits), held_in, f"{np.mean(widths):.3f}")
            click.echo("| " + " | ".join(map(str, line)) + " |")
            with CSV.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow([f"{datetime.now(UTC):%Y-%m-%d}", tree, *line])


if __name__ == "__main__":
    main()
