"""Compare first words at 50 % and 95 %: `python -m benchmarks.first_words p50 --save benchmarks/first_words.csv`.

All words are ranked by the information of their noisy clue, and the best of them by the information of the first two
clues together, with the most informative second guess after each first clue that is followed. The ten best of these are
rated by P(win): at 50 % by a lookahead after each first clue, at 95 % by playing the same games with each
(`wordpl plan p95 --splits`). `wordpl plan` has rated all first words at 5 % exactly; see docs/records.md.
"""

from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np
import pandas as pd

from wordpl.core import words
from wordpl.kernels.clue_matrix import guess_rows
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import clue_entropy, information
from wordpl.solvers.plans import plan_file, quick_best_of_two, splits
from wordpl.solvers.plans.recipes import RECIPES, Changes, recipe_for
from wordpl.solvers.plans.states import State, after_first

LISTS = words.load()
TABLE = ClueTable.of(LISTS, "anywhere")
FOLLOWED = 0.9
"""Total probability of the first clues that are followed; the average over them stands for the others."""
N_FINALISTS = 10


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
    states, seconds = followed(row, epsilons[0], FOLLOWED), []
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


@click.command()
@click.argument("plan", type=click.Choice(["p50", "p95"]))
@click.option("--budget", type=float, help="[default: the plan's]")
@click.option("--screened", default=300, show_default=True, type=click.IntRange(N_FINALISTS))
@click.option("--games", default=1500, show_default=True, type=click.IntRange(2), help="At 95 %, for each word.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), help="Append the table to this file.")
def main(plan: str, budget: float | None, screened: int, games: int, save: Path | None) -> None:
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
