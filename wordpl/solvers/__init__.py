"""Solvers: pure functions on arrays that find a good next guess.

Words are represented by indices: an answer by its column in the clue matrix, a guess by its row, and a hint by a pair
(row, clue number). `wordpl.Solver` has an interface for words. The modules and names in `__all__` are public, and are
imported lazily.
"""

from typing import TYPE_CHECKING

from wordpl.core.lazy_exports import lazy_getattr

if TYPE_CHECKING:
    from wordpl.core.clue_matrix import answer_rows, guess_rows, matrix_of
    from wordpl.core.clues import decode, encode
    from wordpl.core.words import letters
    from wordpl.solvers import absurdle, entropy, frequency, hints, noisy, plans, search, trees, weighted
    from wordpl.solvers.clue_table import ClueTable

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
    | {"ClueTable": f"{__name__}.clue_table", "letters": "wordpl.core.words"}
    | dict.fromkeys(("answer_rows", "guess_rows", "matrix_of"), "wordpl.core.clue_matrix")
    | dict.fromkeys(("decode", "encode"), "wordpl.core.clues"),
)
