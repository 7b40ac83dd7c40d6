"""Compare the first words of a plan: `python -m benchmarks.first_words p95 --budget 69 --save FILE`.

All first words are ranked by the exact entropy of their noisy clue, then the best `--screened` by the exact entropy of
the first two clues (second guesses are the most informative ones), and the best `--played` of these by the probability
of winning. This is estimated from a systematic sample of all pairs of clues, in the order of the likeliest answer's
probability: later clues are drawn, and before the last one the probability of winning is exact. Second guesses are not
those of a table, which exists for one first word only. Each figure of a word is saved as a line; finished ones are not
computed again. Other shares of the budget are not tried.
"""

from pathlib import Path
from time import process_time

import click
import numpy as np
import pandas as pd

from wordpl.core import words
from wordpl.kernels.clue_matrix import ClueTable, guess_rows
from wordpl.solvers.noisy import information
from wordpl.solvers.noisy.clue_entropy import channel, clue_entropies
from wordpl.solvers.noisy.final_guess import next_guess
from wordpl.solvers.plans import Plan
from wordpl.solvers.plans.recipes import RECIPES, RULE, chance_to_win
from wordpl.solvers.plans.search import after_first, updated

LISTS = words.load()
TABLE = ClueTable.of(LISTS, RULE)
ROWS = guess_rows(LISTS)
N_GROUPS = 20
"""Independent systematic samples, from whose spread the standard error is estimated."""


class FirstWord:
    """All pairs of the first two clues after a first word.

    Attributes:
        bits: The entropy of the two shown clues.
        chances: The probability of each pair of clues, float64[n], in the order of `pairs`.
        pairs: The state after the first clue, and the number of the second clue.
    """

    def __init__(self, word: str, epsilons: tuple[float, ...]):
        self.epsilons = epsilons
        self.states = list(after_first(TABLE, ROWS[word], epsilons[0]))
        self.second = [information.best_guess(TABLE, state.posterior, epsilons[1]) for state in self.states]
        likeliest, chances = [], []
        for state, row in zip(self.states, self.second, strict=True):
            joint = channel(epsilons[1], TABLE.length)[:, TABLE.matrix[row]] * (state.posterior * state.chance)
            chances.append(joint.sum(axis=1))
            likeliest.append(joint.max(axis=1) / chances[-1])
        order = np.argsort(np.concatenate(likeliest), kind="stable")
        self.chances = np.concatenate(chances)[order]
        self.pairs = np.divmod(order, 3**TABLE.length)
        self.bits = float(-(self.chances * np.log2(self.chances)).sum())

    def wins(self, n_states: int, rng: np.random.Generator) -> tuple[float, float]:
        """Return the estimated probability of winning and its standard error, from `n_states` pairs of clues."""
        ends, n = np.cumsum(self.chances), n_states // N_GROUPS
        groups = [
            np.mean([self._value(i, rng) for i in np.searchsorted(ends, (np.arange(n) + rng.random()) / n * ends[-1])])
            for _ in range(N_GROUPS)
        ]
        return float(np.mean(groups)), float(np.std(groups, ddof=1) / N_GROUPS**0.5)

    def _value(self, pair: int, rng: np.random.Generator) -> float:
        state, clue = (int(part[pair]) for part in self.pairs)
        posterior, row = self.states[state].posterior, self.second[state]
        for number, epsilon in enumerate(self.epsilons[1:-1], 1):
            if number > 1:
                shown = channel(epsilon, TABLE.length)[:, TABLE.matrix[row]] @ posterior
                clue = int(np.searchsorted(np.cumsum(shown), rng.random() * shown.sum()))
            posterior = updated(posterior, TABLE.matrix[row], clue, epsilon, TABLE.length)
            row = next_guess(TABLE, posterior, self.epsilons[number + 1 :])
        return chance_to_win(TABLE, posterior, row, self.epsilons[-1])


@click.command()
@click.argument("plan", type=click.Choice(["p50", "p95"]))
@click.option("--budget", type=float, required=True)
@click.option("--screened", default=80, show_default=True, help="Words of which two clues are computed.")
@click.option("--played", default=10, show_default=True, help="Words whose probability of winning is estimated.")
@click.option("--states", default=4000, show_default=True, help="Pairs of clues for each estimate.")
@click.option("--seconds", default=500.0, show_default=True, help="Stop after this much CPU time; to be continued.")
@click.option("--save", type=click.Path(dir_okay=False, path_type=Path), required=True)
def main(plan: str, budget: float, screened: int, played: int, states: int, seconds: float, save: Path) -> None:
    """Compare first words."""
    shares = RECIPES[plan].shares
    epsilons = Plan(rule=RULE, sha256=LISTS.sha256, first="trace", budget=budget, shares=shares).epsilons()
    n = len(LISTS.answers)
    one = clue_entropies(TABLE.matrix, np.full(n, 1 / n), epsilons[0], TABLE.length)
    if not save.exists():
        save.write_text("word,bits_1,bits_2,wins,error,states\n")

    def saved(column: str) -> pd.Series:
        return pd.read_csv(save).dropna(subset=[column]).set_index("word")[column]

    def add(word: str, first: FirstWord, wins: tuple[float, float] | None = None) -> None:
        figures = "" if wins is None else f"{wins[0]:.5f},{wins[1]:.5f},{states}"
        with save.open("a") as file:
            file.write(f"{word},{one[ROWS[word]]:.5f},{first.bits:.5f},{figures or ',,'}\n")

    for row in np.argsort(-one, kind="stable")[:screened]:
        if (word := LISTS.guesses[row]) not in saved("bits_2") and process_time() < seconds:
            add(word, FirstWord(word, epsilons))
    best = list(saved("bits_2").groupby("word").first().sort_values(ascending=False).index[:played])
    for word in dict.fromkeys(["trace", *best]):
        if word not in saved("wins") and process_time() < seconds:
            first = FirstWord(word, epsilons)
            add(word, first, first.wins(states, np.random.default_rng([1, ROWS[word]])))
    print(pd.read_csv(save).dropna().sort_values("wins", ascending=False).to_string())


if __name__ == "__main__":
    main()
