"""Extraction of the decision tree that a search has found, as words."""

from collections.abc import Callable, Sequence

import numpy as np

from wordpl.solvers.search.board import Group, SearchBoard
from wordpl.solvers.search.partitions import allocate_parts, group_of, split
from wordpl.solvers.search.pruning import child_board, renumbered
from wordpl.solvers.search.search import Search
from wordpl.solvers.trees import Tree


def tree_of(search: Search, guess: int, words: Sequence[str], clue: Callable[[str, str], str]) -> Tree:
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
    def __init__(self, search: Search, words: Sequence[str], clue: Callable[[str, str], str]):
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
