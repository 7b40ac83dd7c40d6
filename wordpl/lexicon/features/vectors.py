"""Word vectors from a file of one's own, such as GloVe's: an option, since the light features do better."""

from collections.abc import Sequence
from pathlib import Path

from wordpl.core.errors import UserError

SOURCES = ()
LEAKAGE = "what the file was trained on"


def columns(words: Sequence[str], path: Path | None = None) -> list[dict[str, float]]:
    """Return the vector of each word, zeros for one that the file does not have, and whether it has it.

    Args:
        path: a text file with a line for a word: the word and its numbers, blanks between
    """
    if path is None:
        raise UserError("vectors come from a file: give its path as a feature set, like --features glove.txt")
    wanted, found = set(words), {}
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            word, _, rest = line.partition(" ")
            if word in wanted:
                found[word] = _numbers(rest, f"{path}, line {number}")
    sizes = {len(vector) for vector in found.values()}
    if len(sizes) != 1:
        raise UserError(f"{path} is no file of word vectors: its lines should be a word and equally many numbers.")
    nothing = [0.0] * sizes.pop()
    return [dict(_named(found.get(word, nothing)), missing=word not in found) for word in words]


def _numbers(text: str, where: str) -> list[float]:
    try:
        return [float(number) for number in text.split()]
    except ValueError:
        raise UserError(f"{where}: {text[:40]!r} should be numbers with blanks between.") from None


def _named(vector: Sequence[float]) -> dict[str, float]:
    return {f"v{at}": value for at, value in enumerate(vector)}
