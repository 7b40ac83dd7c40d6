"""Groups games by how many answers differ from the secret in one letter. Clues tell such words apart last."""

from collections import Counter

import numpy as np
import pandas as pd

from wordpl.core.words import WordLists
from wordpl.stats.losses import GameGroup

GROUPS = ((0, "no neighbour"), (1, "1 or 2 neighbours"), (3, "3 to 5 neighbours"), (6, "6 or more neighbours"))


def n_neighbours(lists: WordLists) -> dict[str, int]:
    """Return for each answer how many others differ from it in exactly one letter.

    >>> lists = WordLists(("light", "night", "crane"), ("light", "night", "crane"))
    >>> n_neighbours(lists)
    {'light': 1, 'night': 1, 'crane': 0}
    """
    patterns = Counter(pattern for word in lists.answers for pattern in _patterns(word))
    return {word: sum(patterns[pattern] - 1 for pattern in _patterns(word)) for word in lists.answers}


def _patterns(word: str) -> list[str]:
    return [f"{word[:at]}_{word[at + 1 :]}" for at in range(len(word))]


def by_neighbours(rows: pd.DataFrame, lists: WordLists) -> list[GameGroup]:
    """Group the games of an entry by the number of neighbours of their secrets.

    Args:
        rows: The rows of one entry from `run_records.load_run`.
        lists: The word lists of the run.
    """
    known = n_neighbours(lists)
    drawn = rows[rows["secret"] != ""]
    counts = drawn["secret"].map(lambda word: known.get(word, 0)).to_numpy(int)
    costs = drawn["cost"].to_numpy(float)
    found = []
    for at, (least, name) in enumerate(GROUPS):
        most = GROUPS[at + 1][0] if at + 1 < len(GROUPS) else np.inf
        here = costs[(counts >= least) & (counts < most)]
        won = here[np.isfinite(here)]
        if len(here):
            mean = float(won.mean()) if len(won) else float("nan")
            found.append(GameGroup(str(drawn["entry"].iloc[0]), name, at, len(here), len(here) - len(won), mean))
    return found
