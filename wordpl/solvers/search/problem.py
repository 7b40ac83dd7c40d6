"""A problem for the search in terms of words: word lists, clues so far, limit of guesses, hard mode and prior."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from wordpl.core.clues import CLUE_RULES, encode
from wordpl.core.errors import UserError
from wordpl.core.messages import amount
from wordpl.core.words import WordLists, letters
from wordpl.kernels.clue_matrix import answer_rows, clue_row, guess_rows, matrix_of
from wordpl.solvers.hints import usable
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import Position
from wordpl.solvers.search.search import Rating, Search

if TYPE_CHECKING:
    from wordpl.solvers.trees import Tree

RULE = "counted"
WEIGHTS = 1 << 26
"""Probabilities are rounded to multiples of 1/WEIGHTS, so that sums are exact integers."""
MAX_GUESSES = 63


@dataclass(frozen=True, eq=False)
class Problem:
    """A game of Wordle, at its beginning or after some clues.

    Attributes:
        lists: The word lists.
        hints: Guesses with their clues as text.
        limit: The largest number of guesses in the game; None for any number.
        is_hard: Whether it is played in hard mode.
        prior: The probability of each answer, float64[n_answers]; None if all are equally likely. Answers with
            probability 0 are left out.
    """

    lists: WordLists
    hints: tuple[tuple[str, str], ...] = ()
    limit: int | None = 6
    is_hard: bool = False
    prior: np.ndarray | None = None

    def position(self) -> Position:
        """Return the position for a search.

        Raises:
            UserError: No answer gives these clues, or no guesses are left.
        """
        coded = [(guess_rows(self.lists)[guess], encode(clue)) for guess, clue in self.hints]
        candidates = self._consistent(len(self.hints))
        weights = None
        if self.prior is not None:
            candidates = candidates[self.prior[candidates] > 0]
            scaled = self.prior[candidates] / max(self.prior[candidates].sum(), np.finfo(float).tiny)
            weights = np.maximum(1, np.rint(scaled * WEIGHTS)).astype(np.int64)
        if not len(candidates):
            raise UserError(self._contradiction())
        codes = letters(self.lists.guesses)
        return Position(
            matrix_of(self.lists, RULE),
            candidates,
            answer_rows(self.lists)[candidates],
            guesses=usable(codes, coded) if self.is_hard and coded else None,
            weights=weights,
            left=self._left(),
            letters=codes if self.is_hard else None,
        )

    def _left(self) -> int | None:
        if self.limit is None:
            return None
        if len(self.hints) >= self.limit:
            guesses = amount(len(self.hints), "guess", "guesses")
            raise UserError(f"{guesses} made, and the limit is {self.limit}: none is left.")
        return self.limit - len(self.hints)

    def _consistent(self, n_hints: int) -> np.ndarray:
        """Return the columns of the answers that give the first hints, int64[n] in ascending order."""
        fits = np.ones(len(self.lists.answers), np.bool_)
        for guess, clue in self.hints[:n_hints]:
            fits &= clue_row(self.lists, RULE, guess) == encode(clue)
        return np.flatnonzero(fits)

    def _contradiction(self) -> str:
        n_hints = len(self.hints)
        n_given = next((n for n in range(1, n_hints + 1) if not len(self._consistent(n))), n_hints)
        if not n_given:
            return "The prior gives every answer probability 0."
        guess, clue = self.hints[n_given - 1]
        before = f" after {', '.join(':'.join(hint) for hint in self.hints[: n_given - 1])}" if n_given > 1 else ""
        return f"No answer gives {guess}:{clue}{before}. Check the clues; wordpl suggest --help explains the notation."

    def tree(self, search: Search, guess: int) -> "Tree":
        """Return the tree of words that the search has found for a guess."""
        from wordpl.solvers.search.extract import tree_of  # on first use: a suggestion needs no tree

        return tree_of(search, guess, self.lists.guesses, CLUE_RULES[RULE])


def least_limit(position: Position, guess: int | None, width: int | None) -> tuple[Search, Rating] | None:
    """Return a search with the smallest number of guesses that is enough for every answer, and its result.

    Among all trees of this depth, the result has the smallest total.

    Args:
        guess: The row of the first guess; None for the best one.
        width: How many of the most promising guesses to try for each group of answers; None for all.

    Returns:
        The search and its result, or None if no tree was found.
    """
    for left in range(1, MAX_GUESSES + 1):
        search = Search(replace(position, left=left), width)
        rating = search.best() if guess is None else search.rate(guess)
        if rating.bound < INFEASIBLE:
            return search, rating
    return None
