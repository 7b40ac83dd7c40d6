"""Spend a fixed budget on a few guesses by a plan computed ahead, and choose each of them by exact Bayes.

The first guesses are those whose noisy clue says most, as in DarthPumpkin's MaxClueEntropy; the last is the guess after
which the likeliest word is most often right. Second guesses stand in the plan, as marcpare's tables have them; `wordpl
plan` computes plans, and docs/records.md tells what each part of one is worth.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wordpl import Posterior, Strategy
from wordpl.solvers import ClueTable, plans
from wordpl.solvers.noisy import next_guess


@dataclass
class Schedule(Strategy):
    """A plan's rounds.

    plan: a file schedule-PLAN.json in this folder
    budget: spent on all guesses together, in the plan's shares; the plan's own where none is given
    """

    plan: str = "p95"
    budget: float | None = None

    def __post_init__(self):
        self.made = plans.load(Path(__file__).parent / f"schedule-{self.plan}.json")
        self.budget = self.budget or self.made.budget
        self.epsilons = self.made.epsilons(self.budget)

    @cached_property
    def second(self):
        return self.made.second if self.made.fits(self.lists, self.clue_rule) else {}

    def first_move(self):
        self.posterior = Posterior.uniform(self.lists, self.clue_rule)
        self.left, self.n_clues = self.epsilons, 0
        if self.made.first in self.lists.guess_set:
            return self.made.first, self.left[0]
        return self.best_move()

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        self.left, self.n_clues = self.left[1:], self.n_clues + 1
        if not self.left:
            return self.posterior.best()[0], 0
        if self.n_clues == 1 and clues in self.second:
            self.left = self.made.after(clues, self.left)
            return self.second[clues], self.left[0]
        return self.best_move()

    def best_move(self):
        words = ClueTable.of(self.lists, self.clue_rule)
        row = next_guess(words, self.posterior.probabilities, self.left)
        return self.lists.guesses[row], self.left[0]


# Budgets for a run of 1,001 games: with 99% probability the percentile that each is made for is finite, which takes
# P(win) of .0683, .5367 and .9639 (binomial law). `wordpl estimate` gives, without luck, .0692 ± .0004 (1,500 games),
# .5448 ± .0017 and .9692 ± .0007 (4,000). What holds the records, at smaller budgets, is in docs/records.md.
ENTRIES = [Schedule("p05", 16.2), Schedule("p50", 38), Schedule("p95", 74.5)]
