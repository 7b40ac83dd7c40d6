"""Guess at random, keep a posterior, answer once one word is likely enough.

The idea, and the contest's first example of a strategy, are Damien Desfontaines's (TedTed), who invented WORDPL.
"""

from dataclasses import dataclass

from wordpl import Posterior, Strategy


@dataclass
class BayesianRandom(Strategy):
    """Random guesses, each at the same price.

    epsilon: budget spent on every guess
    certainty: posterior probability at which the leading word is proposed
    """

    epsilon: float = 15.0
    certainty: float = 0.8

    def first_move(self):
        self.posterior = Posterior.uniform(self.lists, self.clue_rule)
        return self.random_guess(), self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        word, probability = self.posterior.best()
        if probability >= self.certainty:
            return word, 0
        return self.random_guess(), self.epsilon

    def random_guess(self):
        # rng.choice(self.guesses) says the same, and takes five times as long.
        return self.lists.guesses[self.rng.integers(len(self.guesses))]


ENTRIES = [
    BayesianRandom(epsilon=10.0, certainty=0.05),
    BayesianRandom(),
    BayesianRandom(epsilon=15.0, certainty=0.96),
]
