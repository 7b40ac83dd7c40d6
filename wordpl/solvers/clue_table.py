"""Clues and letters of all words as arrays, built once per process and shared by the solvers."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from wordpl.core.words import WordLists, letters
from wordpl.kernels.clue_matrix import matrix_of


@dataclass(frozen=True, eq=False)
class ClueTable:
    """The clues and letters of all guesses and answers.

    Attributes:
        matrix: Clue numbers, [n_guesses, n_answers].
        columns: The transposed matrix, [n_answers, n_guesses], for access to few answers and many guesses.
        guesses: Letter codes of the guesses, uint8[n_guesses, length].
        answers: Letter codes of the answers, uint8[n_answers, length].
        independent: Whether each mark depends on its own letter only, as under the rule "anywhere".
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
        """Return the table of these word lists for a clue rule, one of the keys of `clues.CLUE_RULES`."""
        matrix = matrix_of(lists, rule)
        columns = np.ascontiguousarray(matrix.T)
        columns.flags.writeable = False
        guesses, answers = (letters(words).copy() for words in (lists.guesses, lists.answers))
        return ClueTable(matrix, columns, guesses, answers, rule == "anywhere")
