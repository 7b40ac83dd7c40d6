"""Files of prior probabilities of answers: CSV with a word and its probability on each line."""

import csv
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.core import bounded
from wordpl.core.messages import UserError
from wordpl.core.paths import DATA

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

HEADER = ["word", "probability"]
BUNDLED = {"default": "prior.csv"}
"""The file names of the bundled priors, by the name of the prior."""


def find(text: str) -> Path:
    """Return the path of a prior, given its path or the name of a bundled prior.

    Raises:
        UserError: There is no such file, and no bundled prior of this name.
    """
    if text in BUNDLED or Path(text).exists():
        return DATA / BUNDLED[text] if text in BUNDLED else Path(text)
    raise UserError(
        f"there is no prior {text!r}. Give a CSV file with the header {','.join(HEADER)}, or the name of a bundled "
        f"prior: {', '.join(BUNDLED)}."
    )


def load(path: Path, answers: "Sequence[str]") -> "np.ndarray":
    """Return the prior probability of each answer, float64[n_answers], with sum 1.

    The file has the header `word,probability` and one line per word. Lines that start with # are comments. Answers
    without a line have probability 0.

    Raises:
        UserError: The file has another format, or gives all answers probability 0.
    """
    import numpy as np  # a command's help does not need it

    weights = read_file(path)
    prior: np.ndarray = np.array([weights.get(word, 0.0) for word in answers])
    if not prior.sum() > 0:
        raise UserError(f"{path} gives all {len(answers)} answers probability 0.")
    prior /= prior.sum()
    return prior


def read_file(path: Path) -> dict[str, float]:
    """Return the weight of each word in a prior file, as written.

    Raises:
        UserError: The file is not a prior.
    """
    try:
        text = bounded.read_text(bounded.WORD_LIST, path, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the prior {path}: {error}.") from None
    rows = list(csv.reader(line for line in text.splitlines() if line.strip() and not line.startswith("#")))
    if not rows or rows[0] != HEADER:
        raise UserError(f"{path} is not a prior: its first line should be {','.join(HEADER)}.")
    return dict(_pair(row, path) for row in rows[1:])


def _pair(row: list[str], path: Path) -> tuple[str, float]:
    try:
        word, weight = row[0], float(row[1])
    except (IndexError, ValueError):
        weight = -1.0
    if not (len(row) == 2 and isfinite(weight) and weight >= 0):
        raise UserError(f"{path}: {','.join(row)[:60]!r} should be a word and a number not below 0, like crane,0.25.")
    return word, weight
