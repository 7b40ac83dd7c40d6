"""Word vectors from a user's file, such as GloVe's. They are optional: the light features give better rankings."""

from collections.abc import Sequence
from pathlib import Path

from wordpl.core.messages import UserError

SOURCES = ()
LEAKAGE = "whatever the file was trained on"


def columns(words: Sequence[str], path: Path | None = None) -> list[dict[str, float]]:
    """Return the vector of each word, and whether it is missing; a missing word has the vector 0.

    Args:
        path: A text file with one line per word: the word and its numbers, separated by spaces.
    """
    if path is None:
        raise UserError("word vectors come from a file: give its path as a feature set, like --features glove.txt")
    word_set, vectors = set(words), {}
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            word, _, numbers = line.partition(" ")
            if word in word_set:
                vectors[word] = _numbers(numbers, f"{path}, line {number}")
    sizes = {len(vector) for vector in vectors.values()}
    if len(sizes) != 1:
        raise UserError(f"{path} is not a file of word vectors: each line should have a word and equally many numbers.")
    zeros = [0.0] * sizes.pop()
    return [dict(_named(vectors.get(word, zeros)), missing=word not in vectors) for word in words]


def _numbers(text: str, where: str) -> list[float]:
    try:
        return [float(number) for number in text.split()]
    except ValueError:
        raise UserError(f"{where}: {text[:40]!r} should be numbers separated by spaces.") from None


def _named(vector: Sequence[float]) -> dict[str, float]:
    return {f"v{index}": value for index, value in enumerate(vector)}
