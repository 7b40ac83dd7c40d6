"""Measure by simulation what boards and leagues claim with known truth: `python -m benchmarks.boards`.

- chances: P(best) at p50 of four entries that always spend the same budget and win about half of their games.
- predictions: the intervals that compare the predictions of rankings.
"""

from collections.abc import Iterator
from itertools import pairwise

import click
import numpy as np
import pandas as pd
from tqdm import tqdm

from wordpl.core.intervals import proportion_interval
from wordpl.stats import compare
from wordpl.stats.rankings import RANKINGS, compare_methods

ATTENDANCE = 0.7
METHODS = ("mean", "mean-ridge", "elo-batch")


def share(hits: int, n: int) -> str:
    """Return the share with its exact 95% interval."""
    low, high = proportion_interval(hits, n)
    return f"{100 * hits / n:.1f}% ({100 * low:.1f}-{100 * high:.1f})"


def chances(rng: np.random.Generator, n_boards: int) -> Iterator[str]:
    """Yield the calibration of P(best) over boards of randomly drawn entries."""
    yield "| P(win) is 0.5 +- | P(best) | mean | was the best | entries |\n|--:|---|--:|---|--:|"
    for spread in (0.2, 0.03):
        predicted, outcomes = best_of_boards(rng, 5 * n_boards, spread)
        for low, high in pairwise((0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0001)):
            in_group = (predicted >= low) & (predicted < high)
            if n := int(in_group.sum()):
                hits = share(int(outcomes[in_group].sum()), n)
                said = predicted[in_group].mean()
                yield f"| {spread:g} | {low:.2f}-{min(high, 1):.2f} | {said:.3f} | {hits} | {n:,} |"


def best_of_boards(rng: np.random.Generator, n_boards: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Return P(best) of each entry of the boards, and whether it was the best.

    Args:
        rng: The random generator.
        n_boards: The number of boards.
        spread: How widely the probabilities of winning are spread around 50 %.
    """
    predicted, outcomes = [], []
    for _ in tqdm(range(n_boards), desc="P(best)", leave=False, disable=None):
        p_win = rng.uniform(0.5 - spread, 0.5 + spread, 4)
        budgets = np.sort(rng.uniform(30, 45, 4))
        run = pd.concat([entry(rng, *each) for each in zip("abcd", p_win, budgets, strict=True)], ignore_index=True)
        predicted.append(compare.pairwise_significance(run, rng, draws=1000)["p50"].p_best)
        able = np.flatnonzero(p_win >= 0.5)
        outcomes.append(np.arange(4) == (able[0] if len(able) else -1))
    return np.concatenate(predicted), np.concatenate(outcomes)


def entry(rng: np.random.Generator, name: str, p_win: float, budget: float) -> pd.DataFrame:
    """Return 501 games of an entry that always spends the same."""
    cost = np.where(rng.random(501) < p_win, budget, np.inf)
    verdict = np.where(np.isfinite(cost), "won", "wrong")
    facts = {"entry": name, "rules": "wordpl/1", "measure": "budget"}
    return pd.DataFrame(facts | {"game": np.arange(501), "cost": cost, "verdict": verdict})


def results(rng: np.random.Generator, strengths: np.ndarray, n_days: int) -> pd.DataFrame:
    """Return the results of a league with some hard days, in which everybody plays on 70 % of the days."""
    shape = n_days, len(strengths)
    guesses = np.clip((strengths + rng.normal(0, 0.5, (n_days, 1)) + rng.normal(0, 1, shape)).round(), 1, 7)
    day, player = np.nonzero(rng.random(shape) < ATTENDANCE)
    return pd.DataFrame({"player": [f"p{number:02}" for number in player], "day": day, "guesses": guesses[day, player]})


def predictions(rng: np.random.Generator, n_leagues: int) -> Iterator[str]:
    """Yield how often the intervals of `compare_methods` contain the mean over all leagues of the same 12 players."""
    yield "| days | ranking | mean log loss | interval holds it |\n|--:|---|--:|---|"
    methods = {name: RANKINGS[name] for name in METHODS}
    strengths = np.random.default_rng(0).normal(4, 0.3, 12)
    for n_days in (60, 120):
        leagues = (results(rng, strengths, n_days) for _ in range(n_leagues))
        waited = tqdm(leagues, desc=f"leagues of {n_days} days", total=n_leagues, leave=False, disable=None)
        comparisons = pd.concat([compare_methods(league, methods) for league in waited])
        for name in methods:
            rows = comparisons[comparisons["method"] == name]
            usual = rows["log_loss"].mean()
            n_held = int(((rows["low"] <= usual) & (usual <= rows["high"])).sum())
            yield f"| {n_days} | {name} | {usual:.4f} | {share(n_held, n_leagues)} |"


PARTS = {"chances": chances, "predictions": predictions}


@click.command()
@click.option("--boards", "n_boards", default=200, show_default=True, help="Boards or leagues for each line.")
@click.option("--seed", default=1, show_default=True)
@click.option("--part", type=click.Choice(["all", *PARTS]), default="all", show_default=True)
def main(n_boards: int, seed: int, part: str) -> None:
    """Print the tables of the chosen part."""
    for name, lines in PARTS.items():
        if part in ("all", name):
            for line in lines(np.random.default_rng(seed), n_boards):
                click.echo(line)
            click.echo()


if __name__ == "__main__":
    main()
