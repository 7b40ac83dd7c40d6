"""Measure what a lookahead before the last guess gains at 95 %.

`python -m benchmarks.lookahead --games 60` plays games of the plan p95 up to their third guess. There the
probability of winning is computed exactly, for the most informative guess and for the choice of each search: the sum
over all clues of the best last guess among all words. Two searches therefore differ only in their choices. With --rows,
the figures of each game are appended to a CSV file; a later run with another --start extends it.
"""

from collections.abc import Callable
from pathlib import Path
from time import process_time

import click
import numpy as np
import pandas as pd

from wordpl.core import paths, words
from wordpl.core.clues import decode
from wordpl.kernels.clue_matrix import ClueTable, guess_rows
from wordpl.solvers.noisy import final_guess, information, lookahead
from wordpl.solvers.plans import plan_file
from wordpl.solvers.plans.plan_file import shifted
from wordpl.solvers.plans.recipes import noisy_clue
from wordpl.solvers.plans.search import Choice, Search, best_of_two, quick_best_of_two, updated

LISTS = words.load()
TABLE = ClueTable.of(LISTS, "anywhere")
ROWS = guess_rows(LISTS)
SPLITS = (0.0, -0.36, -0.24, -0.12, 0.12, 0.24, 0.36)
SEARCHES: dict[str, Callable[[np.ndarray, tuple[float, ...]], Choice]] = {
    "quick": lambda posterior, epsilons: quick_best_of_two(TABLE, posterior, epsilons),
    "thorough": lambda posterior, epsilons: best_of_two(TABLE, posterior, epsilons, Search(32, 20, SPLITS)),
}
FOLLOWED = 0.998
"""Total probability of the clues that are followed; for the others, the likeliest word before the last guess counts."""


def third_state(plan: plan_file.Plan, epsilons: tuple[float, ...], seed: int) -> np.ndarray:
    """Return the probability of each answer before the third guess of a game."""
    rng, n = np.random.default_rng(seed), len(LISTS.answers)
    secret, noise, posterior = int(rng.integers(n)), rng.random((2, LISTS.length)), np.full(n, 1 / n)
    guess = plan.first
    for epsilon, draws in zip(epsilons[:2], noise, strict=True):
        clues = TABLE.matrix[ROWS[guess]]
        noisy = noisy_clue(int(clues[secret]), epsilon, draws)
        posterior = updated(posterior, clues, noisy, epsilon, LISTS.length)
        guess = plan.second[decode(noisy, LISTS.length)]
    return posterior


def chance_to_win(posterior: np.ndarray, row: int, epsilons: tuple[float, ...]) -> float:
    """Return the probability of winning a game with this guess and the best last guess."""
    won, left = 0.0, 1.0
    for chance, after in lookahead.after_clues(TABLE, posterior, row, epsilons[0], 3**LISTS.length):
        if left < 1 - FOLLOWED:
            won += chance * after.max()
            continue
        left -= chance
        last = final_guess.best_guess(TABLE, after, epsilons[1])
        won += chance * final_guess.win_chances(TABLE.columns[:, last : last + 1], after, epsilons[1], LISTS.length)[0]
    return won


def compare(posterior: np.ndarray, epsilons: tuple[float, ...]) -> dict[str, float]:
    """Return the probability of winning without a lookahead, and the gain and the CPU seconds of each search."""
    plain = information.best_guess(TABLE, posterior, epsilons[0])
    chances = {(plain, 0.0): chance_to_win(posterior, plain, epsilons)}
    figures = {"plain": chances[plain, 0.0]}
    for name, search in SEARCHES.items():
        started = process_time()
        row, moved, _ = search(posterior, epsilons)
        figures[f"{name}: s"] = process_time() - started
        if (row, moved) not in chances:
            chances[row, moved] = chance_to_win(posterior, row, shifted(epsilons, moved))
        figures[name] = chances[row, moved] - figures["plain"]
    return figures


@click.command()
@click.option("--games", default=40, show_default=True, type=click.IntRange(2))
@click.option("--start", default=0, show_default=True, type=click.IntRange(0), help="The first game.")
@click.option("--budget", default=69.0, show_default=True)
@click.option(
    "--rows", type=click.Path(dir_okay=False, path_type=Path), help="Append the figures of each game to this file."
)
def main(games: int, start: int, budget: float, rows: Path | None) -> None:
    """Measure a lookahead."""
    plan = plan_file.load(paths.bundled() / "strategies" / "schedule" / "schedule-p95.json")
    epsilons = plan.epsilons(budget)
    quick_best_of_two(TABLE, third_state(plan, epsilons, start), epsilons[2:])  # compiles
    table = pd.DataFrame([
        {"game": seed} | compare(third_state(plan, epsilons, seed), epsilons[2:])
        for seed in range(start, start + games)
    ])  # fmt: skip
    if rows is not None:
        table.to_csv(rows, mode="a", header=not rows.exists(), index=False)
        table = pd.read_csv(rows)
    measured = table.drop(columns="game").agg(["mean", "sem", "max"]).T
    print(f"{len(table)} games, {budget:g} epsilons\n{measured.to_string(float_format=lambda value: f'{value:.5f}')}")


if __name__ == "__main__":
    main()
