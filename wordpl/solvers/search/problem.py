"""A problem for the search in terms of words, and the decision tree that a search has found for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordpl.core.clues import CLUE_RULES, encode
from wordpl.core.messages import UserError, amount
from wordpl.core.words import WordLists, letters
from wordpl.kernels.clue_matrix import answer_rows, clue_row, guess_rows, matrix_of
from wordpl.solvers.hints import usable
from wordpl.solvers.search.board import INFEASIBLE, Group, SearchBoard
from wordpl.solvers.search.partitions import allocate_parts, child_board, group_of, renumbered, split
from wordpl.solvers.search.position import Position
from wordpl.solvers.search.search import ClassicSearch, Rating
from wordpl.solvers.trees import Tree


def tree_of(search: ClassicSearch, guess: int, words: Sequence[str], clue: Callable[[str, str], str]) -> Tree:
    """Return the tree that begins with a guess whose total the search has found.

    Args:
        search: The search.
        guess: The row of the guess.
        words: The words of all guesses, by row of the clue matrix.
        clue: The clue rule: (guess, secret) -> clue.

    Raises:
        ValueError: The search has found no tree.
    """
    with search.plainly_if_small():
        return _TreeReader(search, words, clue).subtree(search.board, search.group, guess)


class _TreeReader:
    def __init__(self, search: ClassicSearch, words: Sequence[str], clue: Callable[[str, str], str]):
        self.search, self.words, self.clue = search, words, clue

    def subtree(self, board: SearchBoard, group: Group, guess: int) -> Tree:
        if guess < 0:
            raise ValueError("the search has found no tree: the guesses left are not enough")
        if len(group.rows) == 1 and board.guesses[board.own[group.rows[0]]] == guess:
            return Tree(self.words[guess], {}, True)
        tried = group._replace(only=self.search.column(board, guess))
        parts, branches, is_answer = allocate_parts(len(group.rows)), {}, False
        for part in range(split(board, tried, parts, self.search.tools)):
            child = as_group(group_of(tried, parts, part))
            answer = int(board.guesses[board.own[child.rows[0]]])
            if answer == guess:
                is_answer = True
            else:
                branches[self.clue(self.words[guess], self.words[answer])] = self._after(board, tried, child)
        return Tree(self.words[guess], branches, is_answer)

    def _after(self, board: SearchBoard, tried: Group, child: Group) -> Tree:
        if self.search.tools.terms.is_hard and len(child.rows) > 1:
            board, child = child_board(board, tried, child, self.search.tools), as_group(renumbered(child))
        return self.subtree(board, child, self.search.choice(board, child))


def as_group(group: Group) -> Group:
    """Return a group from a kernel with its hashes converted back to uint64, the type that kernels expect."""
    return group._replace(key=np.uint64(group.key), check=np.uint64(group.check))


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
        if self.limit is not None and len(self.hints) >= self.limit:
            guesses = amount(len(self.hints), "guess", "guesses")
            raise UserError(f"{guesses} made, and the limit is {self.limit}: none is left.")
        codes = letters(self.lists.guesses)
        return Position(
            matrix_of(self.lists, RULE),
            candidates,
            answer_rows(self.lists)[candidates],
            guesses=usable(codes, coded) if self.is_hard and coded else None,
            weights=weights,
            left=None if self.limit is None else self.limit - len(self.hints),
            letters=codes if self.is_hard else None,
        )

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

    def tree(self, search: ClassicSearch, guess: int) -> "Tree":
        """Return the tree of words that the search has found for a guess."""
        return tree_of(search, guess, self.lists.guesses, CLUE_RULES[RULE])


def least_limit(position: Position, guess: int | None, width: int | None) -> tuple[ClassicSearch, Rating] | None:
    """Return a search with the smallest number of guesses that is enough for every answer, and its result.

    Among all trees of this depth, the result has the smallest total.

    Args:
        guess: The row of the first guess; None for the best one.
        width: How many of the most promising guesses to try for each group of answers; None for all.

    Returns:
        The search and its result, or None if no tree was found.
    """
    for left in range(1, MAX_GUESSES + 1):
        search = ClassicSearch(replace(position, left=left), width)
        rating = search.best() if guess is None else search.rate(guess)
        if rating.bound < INFEASIBLE:
            return search, rating
    return None
