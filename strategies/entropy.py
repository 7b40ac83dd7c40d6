"""Guess the word whose clue says most about the secret: one-step information, the classic way to play Wordle.

The idea became known through 3Blue1Brown's (Grant Sanderson's) film on Wordle and information theory.
"""

from dataclasses import dataclass

from wordpl import Strategy
from wordpl.clues import encode
from wordpl.kernels import answer_rows, guess_rows, matrix_of
from wordpl.solvers import entropy, hints
from wordpl.words import letters

MOST_GUESSES = 6


@dataclass
class Entropy(Strategy):
    """The guess with most information, a possible secret among equals; under hard rules, of those that are allowed."""

    game = "wordle/1"

    def __post_init__(self):
        self.known_guesses = {}

    def first_move(self):
        self.hints = ()
        return self.best_guess()

    def next_move(self, guess, clues):
        self.hints += ((guess_rows(self.lists)[guess], encode(clues)),)
        return self.best_guess()

    def best_guess(self):
        situation = (self.lists, self.rules, self.hints)
        if situation not in self.known_guesses:
            self.known_guesses[situation] = self.find_best_guess()
        return self.known_guesses[situation]

    def find_best_guess(self):
        matrix = matrix_of(self.lists, self.clue_rule)
        left = hints.consistent(matrix, self.hints)
        own = answer_rows(self.lists)[left]
        allowed = None
        if len(self.hints) == MOST_GUESSES - 1:
            allowed = own  # the last guess can only win by being the secret
        elif self.rules.startswith("wordle-hard"):
            allowed = hints.usable(letters(self.lists.guesses), self.hints)
        return self.lists.guesses[entropy.best_guess(matrix, left, own, allowed)]


ENTRIES = [Entropy()]
