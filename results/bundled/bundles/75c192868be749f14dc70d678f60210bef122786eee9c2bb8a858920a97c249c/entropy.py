"""Guess the word whose clue says most about the secret: one-step information, the classic way to play Wordle.

The idea became known through 3Blue1Brown's (Grant Sanderson's) film on Wordle and information theory.
"""

from dataclasses import dataclass
from functools import cache

from wordpl import Strategy, games, priors
from wordpl.solvers import answer_rows, encode, entropy, guess_rows, hints, letters, matrix_of, weighted

NEVER_RULED_OUT = 1e-9
"""What an answer weighs that the prior does not have, beside all others' 1: it is guessed when no other is left."""


@dataclass
class ByHints(Strategy):
    """A base for strategies that guess by the hints so far alone: each situation is thought over once."""

    game = "wordle/1"

    def __post_init__(self):
        self.known_guesses = {}

    def first_move(self):
        self.hints = ()
        return self.guess()

    def next_move(self, guess, clues):
        self.hints += ((guess_rows(self.lists)[guess], encode(clues)),)
        return self.guess()

    def guess(self):
        situation = (self.lists, self.rules, self.hints)
        if situation not in self.known_guesses:
            matrix = matrix_of(self.lists, self.clue_rule)
            left = hints.consistent(matrix, self.hints)
            own = answer_rows(self.lists)[left]
            self.known_guesses[situation] = self.lists.guesses[self.choose(matrix, left, own)]
        return self.known_guesses[situation]

    def choose(self, matrix, left, own):
        """Return the row of the guess; left: columns of the answers still possible, own: their rows as guesses."""
        raise NotImplementedError

    def allowed(self, own):
        """Return the rows worth a guess by the rules, None for all."""
        if len(self.hints) + 1 == games.game_class(self.rules).max_guesses:
            return own  # the last guess can only win by being the secret
        if games.game_class(self.rules).uses_hints:
            return hints.usable(letters(self.lists.guesses), self.hints)
        return None


@dataclass
class Entropy(ByHints):
    """The guess with most information, a possible secret among equals; under hard rules, of those that are allowed.

    prior: how likely each answer is, a file or "default" for the one that comes with wordpl; all equally where None
    """

    prior: str | None = None

    def __repr__(self):
        return "Entropy()" if self.prior is None else f"Entropy(prior={self.prior!r})"

    def choose(self, matrix, left, own):
        if self.prior is None and not self.hints:
            return entropy.opening(self.lists, self.clue_rule)
        if self.prior is None:
            return entropy.best_guess(matrix, left, own, self.allowed(own))
        weights = weights_of(self.prior, self.lists)[left]
        return weighted.best_guess(matrix, left, own, weights, self.allowed(own))


@cache
def weights_of(prior, lists):
    """Return what each answer weighs by a prior, one that it does not have next to nothing."""
    return priors.load(priors.find(prior), lists.answers) + NEVER_RULED_OUT


ENTRIES = [Entropy()]
