"""Play a few guesses of a classic decision tree as if clues were true, then answer the posterior's likeliest word.

The idea is marcpare's, whose NGuess reads an optimal tree of Wordle; this tree takes the guess with most information,
and grows where games go.
"""

from dataclasses import InitVar, dataclass

from wordpl import Posterior, Strategy
from wordpl.solvers import answer_rows, encode, entropy, guess_rows, hints, matrix_of


@dataclass
class NGuess(Strategy):
    """Guesses from a classic tree, each at the same price.

    epsilon: budget spent on every guess
    n_guesses: guesses before the answer
    G: in place of n_guesses, the name it has in the original contest, where the answer's round is counted too
    """

    epsilon: float = 8.4
    n_guesses: int = 2
    G: InitVar[int | None] = None

    def __post_init__(self, G):
        if G is not None:
            self.n_guesses = G - 1
        self.tree = {}

    def first_move(self):
        self.posterior = Posterior.uniform(self.lists, self.clue_rule)
        self.hints = ()
        return self.tree_guess(), self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        self.hints += ((guess_rows(self.lists)[guess], encode(clues)),)
        likeliest = self.posterior.best()[0]
        if len(self.hints) >= self.n_guesses:
            return likeliest, 0
        return self.tree_guess() or likeliest, self.epsilon

    def tree_guess(self):
        """Return the tree's guess after the clues so far, or None when no word gives them all."""
        place = (self.lists, self.clue_rule, self.hints)
        if place not in self.tree:
            self.tree[place] = self.grow()
        return self.tree[place]

    def grow(self):
        if not self.hints:
            return self.lists.guesses[entropy.opening(self.lists, self.clue_rule)]
        matrix = matrix_of(self.lists, self.clue_rule)
        left = hints.consistent(matrix, self.hints)
        if not len(left):
            return None
        return self.lists.guesses[entropy.best_guess(matrix, left, answer_rows(self.lists)[left])]


ENTRIES = [NGuess(), NGuess(epsilon=14.5, n_guesses=3), NGuess(epsilon=24.0, n_guesses=4)]
