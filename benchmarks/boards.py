"""Measure by simulation how often the statistics of a leaderboard are wrong: `python benchmarks/boards.py`.

The simulated boards have entries with known true scores: some always spend the same budget, for others each game has a
difficulty that is common to all of them. The simulated leagues have players of known strength.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

import click
import numpy as np
import pandas as pd
from tqdm import tqdm

from wordpl.core.intervals import proportion_interval
from wordpl.games import game_class
from wordpl.stats import compare
from wordpl.stats.compare.head_to_head import pairs
from wordpl.stats.rankings import RANKINGS, Sheet, compare_methods
from wordpl.stats.scores import scores_for

NAMES = ("p05", "p50", "p95", "won", "mean_cost")
SCORES = {score.name: score for score in scores_for(game_class("wordpl/1").facts) if score.name in NAMES}
FIXED = {14.6: 0.053, 36.7: 0.517, 36.9: 0.49, 43.5: 0.55, 69.9: 0.955, 75.0: 0.947}
FACTORS = (1.0, 1.02, 1.05, 1.1, 1.2, 1.4, 1.8)
TRUTH_GAMES = 1_000_000
ATTENDANCE = 0.7
DRIFTS = (0.0, 0.02, 0.05, 0.1, 0.2)
PARTS = ("orders", "chances", "predictions", "drift")


def costs(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Return the costs of n games of 13 entries: six with a fixed budget, seven that adapt to the game."""
    hardness = rng.gamma(3, 10, n)
    costs_of = {f"fixed {budget}": np.where(rng.random(n) < p, budget, np.inf) for budget, p in FIXED.items()}
    for number, factor in enumerate(FACTORS):
        step = 5.0 if number % 2 else 0.001
        spent = np.ceil((hardness * rng.gamma(5, 0.2, n) * factor + 5) / step) * step
        costs_of[f"adaptive {factor}"] = np.where(rng.random(n) < 0.03, np.inf, spent)
    return costs_of


def equal_costs(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Return the costs of n games of 13 equally good entries."""
    hardness = rng.gamma(3, 10, n)
    spent = hardness * rng.gamma(5, 0.2, (13, n))
    spent[rng.random((13, n)) < 0.06] = np.inf
    return {f"entry {number}": row for number, row in enumerate(spent)}


def frame(costs_of: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return a run with these costs of each entry's games."""
    parts = [
        pd.DataFrame({"entry": name, "rules": "wordpl/1", "measure": "budget", "game": np.arange(len(row)), "cost": row,
                      "verdict": np.where(np.isfinite(row), "won", "wrong")})
        for name, row in costs_of.items()
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def true_scores() -> dict[str, np.ndarray]:
    """Return the true score of each entry of `costs`, from a million games or exactly for fixed budgets."""
    run = costs(np.random.default_rng(0), TRUTH_GAMES)
    games = {name: pd.DataFrame({"cost": row, "verdict": np.where(np.isfinite(row), "won", "wrong")})
             for name, row in run.items()}  # fmt: skip
    scores = {name: np.array([score(score.per_game(rows)).value for rows in games.values()])
             for name, score in SCORES.items()}  # fmt: skip
    for index, (budget, p) in enumerate(FIXED.items()):
        for name, q in (("p05", 0.05), ("p50", 0.5), ("p95", 0.95)):
            scores[name][index] = budget if p >= q else np.inf
    return scores


def share(hits: int, n: int) -> str:
    """Return the share with its exact 95% interval."""
    low, high = proportion_interval(hits, n)
    return f"{100 * hits / n:.1f}% ({100 * low:.1f}-{100 * high:.1f})"


def rank_intervals(rng: np.random.Generator, n_games: int, n_boards: int) -> None:
    """Print how often all rank intervals of a board contain the true ranks, and how many pairs differ significantly."""
    truth = true_scores()
    n_held, apart = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)
    for _ in tqdm(range(n_boards), desc=f"ranks, {n_games} games", leave=False, disable=None):
        significances = compare.pairwise_significance(frame(costs(rng, n_games)), rng, draws=1)
        for name, significance in significances.items():
            worth = -truth[name] if SCORES[name].lower_is_better else truth[name]
            low = np.array([1 + (worth > own).sum() for own in worth])
            high = np.array([(worth >= own).sum() for own in worth])
            places, last = np.array(significance.places), np.array(significance.last_places)
            n_held[name] += bool(((places <= low) & (high <= last)).all())
            apart[name] += int(significance.better.sum())
    for name in NAMES:
        click.echo(f"| {n_games:,} | {name} | {share(n_held[name], n_boards)} | {apart[name] / n_boards:.1f} of 78 |")


def false_marks(rng: np.random.Generator, n_games: int, n_boards: int) -> None:
    """Print on how many boards of 13 equal entries any entry is marked as worse than another."""
    wrong = dict.fromkeys(NAMES, 0)
    for _ in tqdm(range(n_boards), desc=f"equal entries, {n_games} games", leave=False, disable=None):
        significances = compare.pairwise_significance(frame(equal_costs(rng, n_games)), rng, draws=1)
        for name, significance in significances.items():
            wrong[name] += bool(significance.better.any())
    click.echo(f"| {n_games:,} | " + " | ".join(share(wrong[name], n_boards) for name in NAMES) + " |")


def best_entry(rng: np.random.Generator, n_boards: int, spread: float) -> None:
    """Print the calibration of P(best) over boards of randomly drawn entries.

    Args:
        rng: The random generator.
        n_boards: The number of boards.
        spread: How widely the probabilities of winning are spread around 50 %.
    """
    predicted: list[float] = []
    true: list[float] = []
    for _ in tqdm(range(n_boards), desc="P(best)", leave=False, disable=None):
        chances = rng.uniform(0.5 - spread, 0.5 + spread, 4)
        budgets = np.sort(rng.uniform(30, 45, 4))
        run = {f"e{i}": np.where(rng.random(501) < p, b, np.inf)
               for i, (p, b) in enumerate(zip(chances, budgets, strict=True))}  # fmt: skip
        significance = compare.pairwise_significance(frame(run), rng, draws=1000)["p50"]
        able = np.flatnonzero(chances >= 0.5)
        best = np.zeros(4)
        if len(able):
            best[able[0]] = 1
        predicted.extend(significance.p_best)
        true.extend(best)
    edges = np.array([0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0001])
    values, outcomes = np.array(predicted), np.array(true)
    for low, high in pairwise(edges):
        in_group = (values >= low) & (values < high)
        if in_group.any():
            n, mean = int(in_group.sum()), values[in_group].mean()
            hits = share(int(outcomes[in_group].sum()), n)
            click.echo(f"| {spread:g} | {low:.2f}-{min(high, 1):.2f} | {mean:.3f} | {hits} | {n:,} |")


def share_differences(rng: np.random.Generator, n_runs: int) -> Iterator[str]:
    """Yield the coverage of the confidence interval for differences of shares near 1."""
    for n in (20, 100, 1001):
        differences = [pairs(rng.random(n) < 0.995, rng.random(n) < 0.99) for _ in range(n_runs)]
        n_held = sum(difference.low <= 0.005 <= difference.high for difference in differences)
        yield f"| {n:,} | {share(n_held, n_runs)} |"


def results(rng: np.random.Generator, strengths: np.ndarray, n_days: int) -> pd.DataFrame:
    """Return the results of a league with some hard days, in which everybody plays on 70 % of the days."""
    shape = n_days, len(strengths)
    guesses = np.clip((strengths + rng.normal(0, 0.5, (n_days, 1)) + rng.normal(0, 1, shape)).round(), 1, 7)
    day, player = np.nonzero(rng.random(shape) < ATTENDANCE)
    return pd.DataFrame({"player": [f"p{number:02}" for number in player], "day": day, "guesses": guesses[day, player]})


def predictions(rng: np.random.Generator, n_leagues: int) -> Iterator[str]:
    """Yield how often the intervals of `compare_methods` contain the mean over all leagues of the same 12 players."""
    methods = {name: RANKINGS[name] for name in ("mean", "mean-ridge", "elo-batch")}
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


def drifting(drift: float, n_leagues: int) -> str:
    """Return how many intervals of `through-time` hold the strengths on the last day, and all true places.

    The leagues have 8 players and 100 days. Strengths, of which only those relative to the mean show, begin with a
    standard deviation of 1 and change each day by normal steps of `drift`; a day's form has the deviation 1.
    """
    held, widths, n_places = [], [], 0
    for seed in range(n_leagues):
        rng = np.random.default_rng(seed)
        steps = drift * rng.standard_normal((99, 8))
        strengths = rng.standard_normal(8) + np.cumsum(np.vstack([np.zeros((1, 8)), steps]), axis=0)
        guesses = np.clip((4.2 - 0.9 * (strengths + rng.standard_normal((100, 8)))).round(), 1, 7)
        guesses = np.where(rng.random((100, 8)) < ATTENDANCE, guesses, np.nan)
        sheet = Sheet(np.array([f"p{i}" for i in range(8)], object), np.arange(100), guesses)
        table = RANKINGS["through-time"].table(sheet, rng).sort_values("player")
        true, half_width = strengths[-1] - strengths[-1].mean(), (table["high"] - table["low"]).to_numpy() / 2
        held.append(np.mean(np.abs(table["rating"] - table["rating"].mean() - true) <= half_width))
        widths.append(half_width.mean())
        place = 1 + (true[:, None] < true).sum(axis=1)
        n_places += bool(((table["place_low"] <= place) & (place <= table["place_high"])).all())
    error = np.std(held, ddof=1) / np.sqrt(n_leagues)
    held_text = f"{100 * np.mean(held):.1f} ± {100 * error:.1f}%"
    return f"| {drift:g} | {held_text} | {np.mean(widths):.2f} | {share(n_places, n_leagues)} |"


def show_orders(rng: np.random.Generator, n_boards: int) -> None:
    """Print how often ranks are wrong."""
    click.echo("| games | score | all rank intervals hold | pairs told apart |\n|--:|---|---|--:|")
    for n_games in (101, 1001):
        rank_intervals(rng, n_games, n_boards)
    click.echo("\n| games | " + " | ".join(NAMES) + " |\n|--:|---|---|---|---|---|")
    for n_games in (101, 1001):
        false_marks(rng, n_games, n_boards)


def show_chances(rng: np.random.Generator, n_boards: int) -> None:
    """Print the calibration of P(best), and the coverage of the intervals of differences of shares."""
    click.echo("\n| P(win) is 0.5 +- | P(best) | mean | was the best | entries |\n|--:|---|--:|---|--:|")
    for spread in (0.2, 0.03):
        best_entry(rng, 5 * n_boards, spread)
    click.echo("\n| games | interval of a difference of shares, .995 and .99 |\n|--:|---|")
    for line in share_differences(rng, 5 * n_boards):
        click.echo(line)


def show_predictions(rng: np.random.Generator, n_leagues: int) -> None:
    """Print the coverage of the intervals of predictions."""
    click.echo("\n| days | ranking | mean log loss | interval holds it |\n|--:|---|--:|---|")
    for line in predictions(rng, n_leagues):
        click.echo(line)


def show_drift(rng: np.random.Generator, n_leagues: int) -> None:
    """Print the coverage of intervals of strengths that drift."""
    click.echo("\n| drift a day | intervals that hold the strength | half their width | all true places held |")
    click.echo("|--:|--:|--:|--:|")
    for drift in DRIFTS:
        click.echo(drifting(drift, n_leagues))


@click.command()
@click.option("--boards", "n_boards", default=200, show_default=True, help="Boards or leagues for each line.")
@click.option("--seed", default=1, show_default=True)
@click.option("--part", type=click.Choice(["all", *PARTS]), default="all", show_default=True)
def main(n_boards: int, seed: int, part: str) -> None:
    """Print the tables of the chosen part."""
    rng = np.random.default_rng(seed)
    for name, show in zip(PARTS, (show_orders, show_chances, show_predictions, show_drift), strict=True):
        if part in ("all", name):
            show(rng, n_boards)


if __name__ == "__main__":
    main()
