"""The clue rules in plain Python: what a guess reveals about the secret, how noise changes it, and how it is written.

A clue is a string with one mark per letter: `c` for the right place, `i` for a letter that is elsewhere in the word,
`.` for a letter that is not in it. `wordpl.kernels.clue_matrix` implements the same rules in compiled code. Users may
also write clues with the letters of published decision trees, or as coloured squares.

A channel turns the clue that a guess truly gives into the clue that the player sees. It has no memory: what it shows
depends on the true clue of the same move, and on the move's epsilon if it has one. Its clues are numbers, see `encode`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING

from wordpl.core.messages import UserError, sanitize_untrusted_text

if TYPE_CHECKING:
    import numpy as np

    from wordpl.core.moves import Move

MARKS = ".ic"
OTHER_MARKS = {".": "ic", "i": "c.", "c": ".i"}
DRAW_LIMIT = 1 << 32

SQUARES = {"⬛": ".", "⬜": ".", "🟨": "i", "🟦": "i", "🟩": "c", "🟧": "c"}
"""The squares of Wordle's dark, light and high-contrast modes."""
LETTERS = {"B": ".", "Y": "i", "G": "c"}
VARIATION_SELECTOR = "\ufe0f"
"""An invisible character that some keyboards add after a square."""
SHOWN_CHARACTERS = 60


def anywhere(guess: str, secret: str) -> str:
    """Return the clue under the rule that marks a misplaced letter `i` wherever it occurs in the secret.

    >>> anywhere("speed", "abide")
    '..iii'
    """
    return "".join("c" if g == s else "i" if g in secret else "." for g, s in zip(guess, secret, strict=True))


def counted(guess: str, secret: str) -> str:
    """Return the clue under Wordle's rule: each letter of the secret accounts for at most one mark.

    >>> counted("speed", "abide")
    '..i.i'
    """
    unexplained = [s for g, s in zip(guess, secret, strict=True) if g != s]
    marks = []
    for g, s in zip(guess, secret, strict=True):
        if g == s:
            marks.append("c")
        elif g in unexplained:
            unexplained.remove(g)
            marks.append("i")
        else:
            marks.append(".")
    return "".join(marks)


CLUE_RULES = {"anywhere": anywhere, "counted": counted}


def encode(clues: str) -> int:
    """Return the clue as a base-3 number; the first letter's mark is the most significant digit.

    >>> encode("..i.c")
    11
    """
    code = 0
    for mark in clues:
        code = 3 * code + MARKS.index(mark)
    return code


def decode(code: int, length: int) -> str:
    """Return the clue of `length` letters whose number is `code`.

    >>> decode(11, 5)
    '..i.c'
    """
    marks = ""
    for _ in range(length):
        code, mark = divmod(code, 3)
        marks = MARKS[mark] + marks
    return marks


def keep_probability(epsilon: float, length: int = 5) -> float:
    """Return the probability that a mark is shown unchanged, e^(epsilon/length) / (2 + e^(epsilon/length)).

    >>> round(keep_probability(8.0), 3)
    0.712
    """
    return 1 / (1 + 2 * exp(-epsilon / length))


def noisy(clues: str, epsilon: float, draws: Sequence[int]) -> str:
    """Return the clue after randomized response on each mark.

    Args:
        clues: The true clue.
        epsilon: The budget spent on the guess.
        draws: For each letter, a uniformly random integer below 2^32. A mark is kept if its draw lies below
            `keep_probability` times 2^32; the rest of the range is divided equally between the two other marks.
    """
    first, middle = _shares(epsilon, len(clues))
    if max(draws) < first:
        return clues
    shown = ""
    for mark, draw in zip(clues, draws, strict=True):
        shown += mark if draw < first else OTHER_MARKS[mark][draw >= middle]
    return shown


@lru_cache(maxsize=1024)
def _shares(epsilon: float, length: int) -> tuple[float, float]:
    """Return the bounds of the draws that keep a mark, and of those that show the first of the other marks."""
    keep = keep_probability(epsilon, length)
    return keep * DRAW_LIMIT, (1 + keep) / 2 * DRAW_LIMIT


def read_clues(text: str, length: int) -> str:
    """Return the clue that a text stands for, in the game's marks.

    Raises:
        UserError: The text is not a clue for a word of `length` letters.

    >>> [read_clues(text, 5) for text in (".i..c", "BYBBG", "bybbg", "⬛🟨⬛⬛🟩")]
    ['.i..c', '.i..c', '.i..c', '.i..c']
    """
    clues = "".join((SQUARES | LETTERS).get(mark, mark) for mark in _capitals(text.replace(VARIATION_SELECTOR, "")))
    if len(clues) != length or set(clues) - set(MARKS):
        example = ".i..c" + "." * (length - 5) if length >= 5 else ".ic"
        excerpt = sanitize_untrusted_text(text, SHOWN_CHARACTERS)
        raise UserError(
            f"{excerpt!r} is not a clue for {length} letters: write one mark per letter, c for the right "
            f"place, i for another place, . for not in the word ({example}), or B, Y and G, or coloured squares."
        )
    return clues


def _capitals(text: str) -> str:
    """Return the letters b, y and g as capitals; the marks c and i stay as they are."""
    return "".join(mark.upper() if mark.upper() in LETTERS else mark for mark in text)


MAX_TABLE_LENGTH = 7
"""The longest words for which the table of all pairs of clues is small enough to be kept."""

MAX_TABLES = 16
"""The maximum number of tables in memory, one per epsilon."""

Outcomes = tuple[Sequence[int], Sequence[float]]
"""The clues that may be shown, each once, and their probabilities."""


class Channel(ABC):
    """How true clues become shown clues. A host's own game defines `outcomes`; everything else follows from it."""

    def __init__(self, length: int):
        """Create the channel.

        Args:
            length: The number of letters of a word.
        """
        self.length = length
        self._tables: dict[float | None, np.ndarray] = {}

    @abstractmethod
    def outcomes(self, true: int, move: "Move") -> Outcomes:
        """Return the clues that may be shown in place of a true clue, and their probabilities.

        Args:
            true: The number of the true clue.
            move: The move; only its epsilon may matter.
        """

    def show(self, clues: str, move: "Move", draws: Sequence[int]) -> str:
        """Return the clues that the player sees.

        Args:
            clues: The true clues.
            move: The move.
            draws: Uniformly random integers below 2^32, one per letter.
        """
        codes, chances = self.outcomes(encode(clues), move)
        point = sum(draw / DRAW_LIMIT ** (place + 1) for place, draw in enumerate(draws[:2]))
        reached = 0.0
        for code, chance in zip(codes, chances, strict=True):
            reached += chance
            if point < reached:
                return decode(code, self.length)
        return decode(codes[-1], self.length)

    def kept(self, clues: str, move: "Move") -> float:
        """Return the mean probability with which the marks of a true clue are shown unchanged."""
        codes, chances = self.outcomes(encode(clues), move)
        shares = (sum(map(str.__eq__, decode(code, self.length), clues)) / self.length for code in codes)
        return sum(share * chance for share, chance in zip(shares, chances, strict=True))

    def likelihood(self, shown: int, move: "Move") -> "np.ndarray":
        """Return the probability of the shown clue for each true clue, float64[3**length]."""
        import numpy as np  # here and below: slow to import, and not every program needs it

        if self.length <= MAX_TABLE_LENGTH:
            return np.ascontiguousarray(self.table(move)[:, shown])
        chances = np.zeros(3**self.length)
        for true in range(3**self.length):
            codes, shares = self.outcomes(true, move)
            chances[true] = sum(share for code, share in zip(codes, shares, strict=True) if code == shown)
        return chances

    def chances(self, shown: int, move: "Move", true: "np.ndarray") -> "np.ndarray":
        """Return the probability of the shown clue for these true clues, float64[n]: `likelihood` at a few numbers.

        Args:
            shown: The number of the shown clue.
            move: The move.
            true: The numbers of true clues, int[n]. Of long words, a list of answers has only few of all clues.
        """
        import numpy as np

        if self.length <= MAX_TABLE_LENGTH or type(self).likelihood is not Channel.likelihood:
            at_true: np.ndarray = self.likelihood(shown, move)[true]
            return at_true
        numbers, where = np.unique(true, return_inverse=True)
        chances = np.zeros(len(numbers))
        for index, number in enumerate(numbers.tolist()):
            codes, shares = self.outcomes(number, move)
            chances[index] = sum(share for code, share in zip(codes, shares, strict=True) if code == shown)
        return chances[where]

    def table(self, move: "Move") -> "np.ndarray":
        """Return the probability of each shown clue for each true clue, float64[true, shown], read-only.

        Raises:
            ValueError: Words have more than MAX_TABLE_LENGTH letters.
        """
        if self.length > MAX_TABLE_LENGTH:
            raise ValueError(f"the table for {self.length} letters would be too large; use likelihood(shown, move)")
        epsilon = getattr(move, "epsilon", None)
        if epsilon not in self._tables:
            if len(self._tables) >= MAX_TABLES:
                self._tables.clear()
            self._tables[epsilon] = self._table(move)
        return self._tables[epsilon]

    def _table(self, move: "Move") -> "np.ndarray":
        import numpy as np

        table = np.zeros((3**self.length, 3**self.length))
        for true in range(len(table)):
            codes, chances = self.outcomes(true, move)
            np.add.at(table[true], np.asarray(codes, np.int64), np.asarray(chances, float))
        table.flags.writeable = False
        return table


class Exact(Channel):
    """Clues are shown as they are."""

    def outcomes(self, true: int, move: "Move") -> Outcomes:
        """Return the true clue alone."""
        return (true,), (1.0,)

    def show(self, clues: str, move: "Move", draws: Sequence[int]) -> str:
        """Return the true clues."""
        return clues

    def likelihood(self, shown: int, move: "Move") -> "np.ndarray":
        """Return 1 for the shown clue, and 0 for all others."""
        import numpy as np

        chances = np.zeros(3**self.length)
        chances[shown] = 1
        return chances


class RandomizedResponse(Channel):
    """Each mark is kept with `clues.keep_probability` of the move's epsilon, and otherwise one of the two others."""

    def outcomes(self, true: int, move: "Move") -> Outcomes:
        """Return all clues, which may all be shown."""
        keep = keep_probability(_epsilon(move), self.length)
        chances = [1.0]
        for place in range(self.length - 1, -1, -1):
            mark = true // 3**place % 3
            chances = [chance * (keep if other == mark else (1 - keep) / 2) for chance in chances for other in range(3)]
        return range(3**self.length), chances

    def kept(self, clues: str, move: "Move") -> float:
        """Return `keep_probability`, which is the same for every mark."""
        return keep_probability(_epsilon(move), self.length)

    def show(self, clues: str, move: "Move", draws: Sequence[int]) -> str:
        """Return the clues after randomized response."""
        return noisy(clues, _epsilon(move), draws)

    def likelihood(self, shown: int, move: "Move") -> "np.ndarray":
        """Return the probability of the shown clue for each true clue; the channel is symmetric."""
        import numpy as np

        return np.array(self.outcomes(shown, move)[1])


def _epsilon(move: "Move") -> float:
    epsilon: float | None = getattr(move, "epsilon", None)  # importing the class needs a library that a build lacks
    if epsilon is None:
        raise TypeError(f"randomized response needs a move with an epsilon, got {move!r}")
    return epsilon
