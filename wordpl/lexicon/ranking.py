"""All words of a list ranked by how like the known answers they are, from features, a model and a seed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.lexicon import LIGHT_FEATURES, cross_validation, features, models


@dataclass(frozen=True)
class Method:
    """How words are ranked: the model, the feature sets, and the seed of every draw."""

    model: str = "blend"
    sets: tuple[str, ...] = LIGHT_FEATURES
    seed: int = 0

    @property
    def name(self) -> str:
        """The method as tables show it."""
        sets = "light" if self.sets == LIGHT_FEATURES else " + ".join(self.sets)
        return f"{self.model}, {sets}"

    def rng(self) -> np.random.Generator:
        """Return the generator of its draws, at their beginning."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True, eq=False)
class WordRanking:
    """What a method says of words when it was not told which are answers.

    Attributes:
        table: the features, one row a word
        known: which words are known answers
        held_out: ranks and scores of fits that did not know the word for an answer
        chances: of each word to be an answer, from those scores
    """

    words: tuple[str, ...]
    table: pd.DataFrame
    known: np.ndarray
    held_out: cross_validation.HeldOut
    chances: np.ndarray

    @property
    def places(self) -> np.ndarray:
        """The place of each word among all, by its score when it was not known for an answer; the first is 1."""
        return cross_validation.ranks_of(self.held_out.scores)

    def best(self, n_words: int) -> set[str]:
        """Return the words at the first places."""
        return {self.words[at] for at in np.flatnonzero(self.places <= n_words)}


def rank(
    words: Sequence[str], known: Collection[str], method: Method, progress: cross_validation.Progress = iter
) -> WordRanking:
    """Return how the method ranks the words.

    Args:
        progress: wraps the fits to show how far it is, like tqdm
    """
    if not words:
        raise UserError("there is no word to rank: leave a filter out, or set it lower.")
    table = features.table(words, method.sets)
    mask = np.isin(words, list(known))
    hidden = cross_validation.hold_out(mask, scorer(table, method), method.rng(), progress)
    return WordRanking(tuple(words), table, mask, hidden, cross_validation.probabilities(hidden.scores, mask))


def scorer(table: pd.DataFrame, method: Method) -> cross_validation.Scorer:
    """Return what scores the words of the table when it is told which are known."""
    numbers = table.to_numpy()
    return lambda known, rng: models.score(method.model, numbers, known, rng)
