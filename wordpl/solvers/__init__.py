"""Solvers that find good guesses: pure functions on arrays, independent of any game in progress.

Words are numbers here: an answer is its column in the clue matrix, a guess is its row, and a hint is a pair (row, clue
number). `wordpl.Solver` is the interface for words. The modules and names in `__all__` are public; they are imported on
first use.
"""

from typing import TYPE_CHECKING

from wordpl.core import lazy_getattr

if TYPE_CHECKING:
    from wordpl.core.clues import decode, encode
    from wordpl.core.words import letters
    from wordpl.kernels.clue_matrix import ClueTable, answer_rows, guess_rows, matrix_of
    from wordpl.solvers import absurdle, entropy, frequency, hints, noisy, plans, search, trees, weighted

__all__ = [
    "ClueTable",
    "absurdle",
    "answer_rows",
    "decode",
    "encode",
    "entropy",
    "frequency",
    "guess_rows",
    "hints",
    "letters",
    "matrix_of",
    "noisy",
    "plans",
    "search",
    "trees",
    "weighted",
]

__getattr__ = lazy_getattr(
    __name__,
    {name: f"{__name__}.{name}" for name in __all__}
    | {"ClueTable": "wordpl.kernels.clue_matrix", "letters": "wordpl.core.words"}
    | dict.fromkeys(("answer_rows", "guess_rows", "matrix_of"), "wordpl.kernels.clue_matrix")
    | dict.fromkeys(("decode", "encode"), "wordpl.core.clues"),
)
