"""Epsilons at the limits of the numbers that a strategy may pay."""

import sys

LIMITS = (5e-324, 1e-300, 0.1, 700.0, 1e4, 1e154, 1e308, sys.float_info.max)
PRICE = """
from dataclasses import dataclass

from wordpl import Posterior, Strategy


@dataclass
class Price(Strategy):
    epsilon: float = 1e308
    n_guesses: int = 3

    def first_move(self):
        self.posterior, self.n_made = self.new_posterior(), 0
        return "crane", self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        self.n_made += 1
        if self.n_made < self.n_guesses:
            return ["slimy", "doubt"][self.n_made - 1], self.epsilon
        return self.posterior.best()[0], 0
"""
"""An honest strategy, whose budget overflows by default."""
