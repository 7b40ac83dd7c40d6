"""Prior probabilities of answers, as a file holds them: a CSV of word and probability."""

import csv
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.core.errors import UserError
from wordpl.core.package_data import read_text
from wordpl.core.paths import DATA

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

HEADER = ["word", "probability"]
BUNDLED = {"default": "prior.csv"}
"""The priors that come with the package, by name."""


def find(text: str) -> Path:
    """Return the file of a prior: that of the one which comes with the package under this name, or the path itself."""
    return DATA / BUNDLED[text] if text in BUNDLED else Path(text)


def load(path: Path, answers: "Sequence[str]") -> "np.ndarray":
    """Return the prior probability of each answer, float64[n_answers], which sum to 1.

    The file has the header `word,probability` and a line for a word; lines that begin with # are remarks, and an answer
    without a line has probability 0.

    Raises:
        UserError: for a file that is not so, or gives no answer a probability.
    """
    import numpy as np  # a command's help does not need it

    weights = read_file(path)
    prior: np.ndarray = np.array([weights.get(word, 0.0) for word in answers])
    if not prior.sum() > 0:
        raise UserError(f"{path} gives no probability to any of the {len(answers)} answers.")
    prior /= prior.sum()
    return prior


def read_file(path: Path) -> dict[str, float]:
    """Return the number that the file gives each word.

    Raises:
        UserError: for a file that is no prior.
    """
    try:
        lines = [line for line in read_text(path).splitlines() if line.strip() and not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the prior {path}: {error}.") from None
    rows = list(csv.reader(lines))
    if not rows or rows[0] != HEADER:
        raise UserError(f"{path} is no prior: its first line should be {','.join(HEADER)}.")
    return dict(_pair(row, path) for row in rows[1:])


def _pair(row: list[str], path: Path) -> tuple[str, float]:
    try:
        word, weight = row[0], float(row[1])
    except (IndexError, ValueError):
        weight = -1.0
    if not (len(row) == 2 and isfinite(weight) and weight >= 0):
        raise UserError(f"{path}: {','.join(row)[:60]!r} should be a word and a number of at least 0, like crane,0.25.")
    return word, weight
