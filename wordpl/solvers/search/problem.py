"""What is to be solved, in words: lists, clues so far, a limit of guesses, hard mode, a prior."""

from dataclasses import dataclass, replace

import numpy as np

from wordpl.core.clue_matrix import answer_rows, guess_rows, matrix_of
from wordpl.core.clues import CLUE_RULES, encode
from wordpl.core.errors import UserError
from wordpl.core.words import WordLists, letters
from wordpl.solvers.hints import consistent, usable
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.extract import tree_of
from wordpl.solvers.search.position import Position
from wordpl.solvers.search.search import Rating, Search
from wordpl.solvers.trees import Tree

RULE = "counted"
WEIGHTS = 1 << 26
"""Probabilities are rounded to so many parts, that sums of them are whole numbers and exact."""
MAX_GUESSES = 63


@dataclass(frozen=True, eq=False)
class Problem:
    """A game of Wordle, at its beginning or after some clues.

    hints: guesses with their clues as text; limit: the most guesses from the beginning, None for any number
    prior: the probability of each answer, None where all are alike; answers that have none are left out
    """

    lists: WordLists
    hints: tuple[tuple[str, str], ...] = ()
    limit: int | None = 6
    is_hard: bool = False
    prior: np.ndarray | None = None

    def position(self) -> Position:
        """Return the position for a search. Raises UserError where no answer gives these clues."""
        matrix = matrix_of(self.lists, RULE)
        coded = [(guess_rows(self.lists)[guess], encode(clue)) for guess, clue in self.hints]
        candidates = consistent(matrix, coded)
        weights = None
        if self.prior is not None:
            candidates = candidates[self.prior[candidates] > 0]
            scaled = self.prior[candidates] / max(self.prior[candidates].sum(), np.finfo(float).tiny)
            weights = np.maximum(1, np.rint(scaled * WEIGHTS)).astype(np.int64)
        if not len(candidates):
            raise UserError(self._contradiction(matrix, coded))
        codes = letters(self.lists.guesses)
        return Position(
            matrix,
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
            raise UserError(f"{len(self.hints)} guesses are made, and {self.limit} is the limit: none is left.")
        return self.limit - len(self.hints)

    def _contradiction(self, matrix: np.ndarray, coded: list[tuple[int, int]]) -> str:
        n_given = next((n for n in range(1, len(coded) + 1) if not len(consistent(matrix, coded[:n]))), len(coded))
        if not n_given:
            return "The prior gives no answer a probability."
        guess, clue = self.hints[n_given - 1]
        before = f" after {', '.join(':'.join(hint) for hint in self.hints[: n_given - 1])}" if n_given > 1 else ""
        return (
            f"No answer gives {guess}:{clue}{before}. Look for a mistake in the clues; wordpl suggest --help shows how."
        )

    def tree(self, search: Search, guess: int) -> Tree:
        """Return the tree that the search has found for the guess, as words."""
        return tree_of(search, guess, self.lists.guesses, CLUE_RULES[RULE])


def least_limit(position: Position, guess: int | None, width: int | None) -> tuple[Search, Rating] | None:
    """Return a search with the fewest guesses left that are enough for every answer, and what it found.

    Of all trees that are as deep, it is the one with the least total; guess: the first, None for the best
    """
    for left in range(1, MAX_GUESSES + 1):
        search = Search(replace(position, left=left), width)
        rating = search.best() if guess is None else search.rate(guess)
        if rating.bound < INFEASIBLE:
            return search, rating
    return None
