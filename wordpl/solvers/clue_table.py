"""Tables of clues and letters for searches, built once per process and shared."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from wordpl.core.clue_matrix import matrix_of
from wordpl.core.words import WordLists, letters


@dataclass(frozen=True, eq=False)
class ClueTable:
    """Tables of all guesses and answers.

    Attributes:
        matrix: clue numbers, [n_guesses, n_answers]
        columns: the transposed matrix, [n_answers, n_guesses], which is faster for few answers and many guesses
        guesses, answers: letter codes, uint8[n, length]
        independent: whether each mark depends only on its own letter, as under the rule "anywhere"
    """

    matrix: np.ndarray
    columns: np.ndarray
    guesses: np.ndarray
    answers: np.ndarray
    independent: bool

    @property
    def length(self) -> int:
        """The number of letters of every word."""
        return int(self.answers.shape[1])

    @staticmethod
    @cache
    def of(lists: WordLists, rule: str) -> "ClueTable":
        """Return the table of these lists for a clue rule, a key of `clues.CLUE_RULES`."""
        matrix = matrix_of(lists, rule)
        columns = np.ascontiguousarray(matrix.T)
        columns.flags.writeable = False
        guesses, answers = (letters(words).copy() for words in (lists.guesses, lists.answers))
        return ClueTable(matrix, columns, guesses, answers, rule == "anywhere")
