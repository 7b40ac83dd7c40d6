"""Measure what a lookahead before the last guess gains at 95 %, and compare first words.

`python -m benchmarks.lookahead gain --games 60` plays games of the plan p95 up to their third guess. There the
probability of winning is computed exactly, for the most informative guess and for the choice of each search: the sum
over all clues of the best last guess among all words. Two searches therefore differ only in their choices. With --rows,
the figures of each game are appended to a CSV file; a later run with another --start extends it.

`python -m benchmarks.lookahead words p95 --budget 69` ranks all first words by the information of their noisy clue, and
the best of them by the information of the first two clues together, with the most informative second guess after each
first clue that is followed. The ten best of these are rated by P(win): at 50 % by a lookahead after each first clue, at
95 % by playing the same games with each.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import process_time

import click
import numpy as np
import pandas as pd

from wordpl.core import paths, words
from wordpl.core.clues import decode
from wordpl.kernels.clue_matrix import ClueTable, guess_rows
from wordpl.solvers.noisy import clue_entropy, final_guess, information, lookahead
from wordpl.solvers.plans import plan_file, splits
from wordpl.solvers.plans.plan_file import shifted
from wordpl.solvers.plans.recipes import RECIPES, Changes, recipe_for
from wordpl.solvers.plans.search import Choice, Search, State, after_first, best_of_two, quick_best_of_two, updated
from wordpl.solvers.plans.splits import noisy_clue

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
FOLLOWED_FIRST = 0.9
"""Total probability of the first clues that are followed; the average over them stands for the others."""
N_FINALISTS = 10


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


@click.group()
def main() -> None:
    """Measure a lookahead, or compare first words."""


@main.command()
@click.option("--games", default=40, show_default=True, type=click.IntRange(2))
@click.option("--start", default=0, show_default=True, type=click.IntRange(0), help="The first game.")
@click.option("--budget", default=69.0, show_default=True)
@click.option(
    "--rows", type=click.Path(dir_okay=False, path_type=Path), help="Append the figures of each game to this file."
)
def gain(games: int, start: int, budget: float, rows: Path | None) -> None:
    plan = plan_file.load(paths.bundled() / "strategies" / "schedule-p95.json")
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


def followed(row: int, epsilon: float, share: float) -> list[State]:
    """Return the likeliest states after a first guess, up to this total probability."""
    states, total = [], 0.0
    for state in after_first(TABLE, row, epsilon):
        if total >= share:
            break
        states.append(state)
        total += state.chance
    return states


def average(states: list[State], values: list[float]) -> float:
    return float(np.average(values, weights=[state.chance for state in states]))


def information_of_two(row: int, epsilons: tuple[float, ...]) -> float:
    """Return the bits that the first two noisy clues give together, with the best second guess."""
    states, seconds = followed(row, epsilons[0], FOLLOWED_FIRST), []
    for state in states:
        best = information.best_guesses(TABLE, state.posterior, epsilons[1], 1)
        seconds.append(float(clue_entropy.clue_entropies(TABLE.matrix[best], state.posterior, epsilons[1], 5)[0]))
    n = len(LISTS.answers)
    first = clue_entropy.clue_entropies(TABLE.matrix[[row]], np.full(n, 1 / n), epsilons[0], 5)[0]
    noise = [clue_entropy.clue_entropies(TABLE.matrix[[row]], np.eye(n)[0], epsilon, 5)[0] for epsilon in epsilons[:2]]
    return float(first - noise[0] + average(states, seconds) - noise[1])


def value_of_three(row: int, epsilons: tuple[float, ...]) -> float:
    """Return about how often a plan of three guesses wins, with a quick lookahead after each first clue."""
    states = followed(row, epsilons[0], 1.0)
    return average(states, [quick_best_of_two(TABLE, state.posterior, epsilons[1:]).value for state in states])


@main.command(name="words")
@click.argument("plan", type=click.Choice(["p50", "p95"]))
@click.option("--budget", type=float, help="[default: the plan's]")
@click.option("--screened", default=300, show_default=True, type=click.IntRange(N_FINALISTS))
@click.option("--games", default=1500, show_default=True, type=click.IntRange(2), help="At 95 %, for each word.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="Append the table to this file.")
def first_words(plan: str, budget: float | None, screened: int, games: int, save: Path | None) -> None:
    recipe = recipe_for(plan, Changes(budget=budget), LISTS)
    epsilons = plan_file.Plan(
        rule="anywhere", sha256=LISTS.sha256, first=recipe.first, budget=recipe.budget, shares=recipe.shares
    ).epsilons()
    n = len(LISTS.answers)
    entropies = clue_entropy.clue_entropies(TABLE.matrix, np.full(n, 1 / n), epsilons[0], 5)
    rows = np.argsort(-entropies, kind="stable")[:screened]
    bits = {LISTS.guesses[row]: information_of_two(int(row), epsilons) for row in rows}
    best = sorted(bits, key=lambda word: (word != RECIPES[plan].first, -bits[word]))[:N_FINALISTS]
    if plan == "p50":
        found = {word: {"wins": value_of_three(guess_rows(LISTS)[word], epsilons)} for word in best}
    else:
        recipes = [recipe_for(plan, Changes(first=word, budget=budget), LISTS) for word in best]
        table = splits.compare(LISTS, recipes, games, lambda: None).set_index("first")
        found = {str(word): dict(row) for word, row in table[["wins", "gain", "gain_error", "games"]].iterrows()}
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    result = pd.DataFrame([
        {"date": day, "plan": plan, "budget": recipe.budget, "word": word, "bits_of_two": bits[word]}
        | found.get(word, {})
        for word in sorted(bits, key=lambda word: -bits[word])
    ]).round(5)  # fmt: skip
    print(result.head(2 * N_FINALISTS).to_string(index=False))
    if save is not None:
        result.to_csv(save, mode="a", header=not save.exists(), index=False)


if __name__ == "__main__":
    main()
