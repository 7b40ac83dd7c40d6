"""The WORDPL contest's published champions, written anew from their descriptions: the rivals to beat.

G3 held the 5 % record with two guesses at 9.3 and 5.3, the second from a table of 243; D95 those for 50 and 95 % with
three guesses at one price, a table for the second and a search for the third. Both answer the posterior's likeliest
word. Their tables were not at hand: `wordpl plan` made G3's, and D95 takes the second guess whose noisy clue says most.
"""

from dataclasses import dataclass

from strategies.schedule import Schedule
from wordpl import Posterior, Strategy
from wordpl.solvers.guess_words import guess_words
from wordpl.solvers.rounds import next_move


@dataclass
class G3(Schedule):
    """Two guesses, the second from a table."""

    plan: str = "g3"


@dataclass
class D95(Strategy):
    """Three guesses at the same price.

    epsilon: budget spent on every guess
    first: the first word
    """

    epsilon: float = 25.0
    first: str = "salet"

    def __post_init__(self):
        self.second = {}

    def first_move(self):
        self.posterior = Posterior.uniform(self.lists, self.clue_rule)
        self.n_clues = 0
        return self.first if self.first in self.lists.guess_set else self.lists.guesses[0], self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        self.n_clues += 1
        if self.n_clues == 3:
            return self.posterior.best()[0], 0
        if self.n_clues == 2:
            return self.best_guess(1), self.epsilon
        situation = (self.lists, self.clue_rule, clues)
        if situation not in self.second:
            self.second[situation] = self.best_guess(2)
        return self.second[situation], self.epsilon

    def best_guess(self, n_left):
        words = guess_words(self.lists, self.clue_rule)
        row, _ = next_move(words, self.posterior.probabilities, (self.epsilon,) * n_left)
        return self.lists.guesses[row]


ENTRIES = [G3(), D95(12.3), D95(25.0)]
