"""Ranking of all words of a list by similarity to the known answers, with a model, feature sets and a seed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.lexicon import LIGHT_FEATURES, cross_validation, features, models


@dataclass(frozen=True)
class Method:
    """How words are ranked.

    Attributes:
        model: One of MODEL_NAMES.
    """

    model: str = "blend"
    sets: tuple[str, ...] = LIGHT_FEATURES
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of the method in tables."""
        sets = "light" if self.sets == LIGHT_FEATURES else " + ".join(self.sets)
        return f"{self.model}, {sets}"

    def rng(self) -> np.random.Generator:
        """Return a new random generator with the method's seed."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True, eq=False)
class WordRanking:
    """Held-out ranks and probabilities of words.

    Attributes:
        table: Their features, one row per word.
        known: Which words are known answers, bool[n_words].
        held_out: Ranks and scores of each word by fits that did not know it as an answer.
        chances: The probability of each word of being a known answer, from these scores, float64[n_words].
    """

    words: tuple[str, ...]
    table: pd.DataFrame
    known: np.ndarray
    held_out: cross_validation.HoldOutRanks
    chances: np.ndarray

    @property
    def places(self) -> np.ndarray:
        """The rank of each word by its held-out score, from 1, int64[n_words]."""
        return cross_validation.ranks_of(self.held_out.scores)

    def best(self, n_words: int) -> set[str]:
        """Return the words with the best `n_words` ranks."""
        return {self.words[at] for at in np.flatnonzero(self.places <= n_words)}


def rank(
    words: Sequence[str], known: Collection[str], method: Method, progress: cross_validation.Progress = iter
) -> WordRanking:
    """Return the method's ranking of the words.

    Args:
        progress: Wraps the fits to show progress, like tqdm.

    Raises:
        UserError: There are no words.
    """
    if not words:
        raise UserError("there are no words to rank: remove a filter, or lower its threshold.")
    table = features.table(words, method.sets)
    mask = np.isin(words, list(known))
    hidden = cross_validation.hold_out(mask, scorer(table, method), method.rng(), progress)
    return WordRanking(tuple(words), table, mask, hidden, cross_validation.probabilities(hidden.scores, mask))


def scorer(table: pd.DataFrame, method: Method) -> cross_validation.Scorer:
    """Return a function that fits the method's model to known answers and scores all words of the table."""
    numbers = table.to_numpy()
    return lambda known, rng: models.score(method.model, numbers, known, rng)
