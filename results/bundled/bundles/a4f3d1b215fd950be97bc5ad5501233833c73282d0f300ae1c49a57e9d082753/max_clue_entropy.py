"""Guess the word whose noisy clue has the largest entropy, a few times; then answer the likeliest word.

The idea is DarthPumpkin's, in the original WORDPL contest; here the best of all valid words is found, and exactly.
"""

from dataclasses import InitVar, dataclass

from wordpl import Posterior, Strategy
from wordpl.solvers import ClueTable
from wordpl.solvers.noisy import information


@dataclass
class MaxClueEntropy(Strategy):
    """Guesses that are expected to say most, each at the same price.

    n_guesses: guesses before the answer
    epsilon_per_guess: budget spent on every guess
    monte_carlo: how many clues the original draws to estimate an entropy; here it changes nothing, as all are counted
    """

    n_guesses: int = 3
    epsilon_per_guess: float = 13.5
    monte_carlo: InitVar[int | None] = None

    def __post_init__(self, monte_carlo):
        self.known_guesses = {}

    def first_move(self):
        self.posterior = Posterior.uniform(self.lists, self.clue_rule)
        self.clues_so_far = ()
        return self.best_guess(), self.epsilon_per_guess

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        self.clues_so_far += (clues,)
        if len(self.clues_so_far) >= self.n_guesses:
            return self.posterior.best()[0], 0
        return self.best_guess(), self.epsilon_per_guess

    def best_guess(self):
        """Return the best guess; the first is always the same, and the second one of few, so these are kept."""
        if len(self.clues_so_far) > 1:
            return self.find_best_guess()
        situation = (self.lists, self.clue_rule, self.clues_so_far)
        if situation not in self.known_guesses:
            self.known_guesses[situation] = self.find_best_guess()
        return self.known_guesses[situation]

    def find_best_guess(self):
        words = ClueTable.of(self.lists, self.clue_rule)
        return self.lists.guesses[information.best_guess(words, self.posterior.probabilities, self.epsilon_per_guess)]


ENTRIES = [MaxClueEntropy()]
