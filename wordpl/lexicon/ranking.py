"""Ranking of all words of a list by their similarity to the known answers, by models with feature sets and a seed.

A model is trained to separate known answers from all other words, as if none of those were an answer. Unknown answers
get high scores nevertheless; the ranking is correct if the known answers are a random sample of all answers (Elkan and
Noto, Learning classifiers from only positive and unlabeled data, 2008).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.lexicon import LIGHT_FEATURES, MODEL_NAMES, cross_validation, features, spy_em
from wordpl.lexicon.sources import import_library

Model = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
"""(features float64[n_words, n_features], known bool[n_words], rng) -> log odds of each word, float64[n_words]."""

STRENGTH = 0.1
MIN_CHANCE = 1e-9


def logistic(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the log odds of a logistic regression."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaled = StandardScaler().fit_transform(table)
    model = LogisticRegression(C=STRENGTH, max_iter=3000, tol=1e-3).fit(scaled, known)
    odds: np.ndarray = model.decision_function(scaled)
    return odds


def boosting(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the log odds of gradient-boosted trees, which are kept small to prevent overfitting to known answers."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    trees = HistGradientBoostingClassifier(
        max_iter=80,
        learning_rate=0.08,
        max_leaf_nodes=8,
        min_samples_leaf=min(40, 1 + len(known) // 20),
        l2_regularization=5.0,
        early_stopping=False,
        random_state=int(rng.integers(2**32)),
    )
    odds: np.ndarray = trees.fit(table, known).decision_function(table)
    return odds


DEFAULT_RECALL = 0.99
"""The share of held-out answers for which a list of predicted answers is made."""


def blend(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the mean of the standardized scores of logistic regression and gradient boosting."""
    score_sets = [fit(table, known, rng) for fit in (logistic, boosting)]
    mean: np.ndarray = np.mean([(scores - scores.mean()) / (scores.std() or 1) for scores in score_sets], axis=0)
    return mean


def by_spy_em(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the log odds of Spy-EM."""
    probabilities = spy_em.fit(table, known, rng).probabilities.clip(MIN_CHANCE, 1 - MIN_CHANCE)
    odds: np.ndarray = np.log(probabilities / (1 - probabilities))
    return odds


MODELS: dict[str, Model] = dict(zip(MODEL_NAMES, (blend, boosting, logistic, by_spy_em), strict=True))


def score(name: str, table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the model's score of each word, float64[n_words]; words more similar to known answers score higher.

    Args:
        name: One of MODEL_NAMES.
        table: The features, float64[n_words, n_features].
        known: Which words are known answers, bool[n_words].

    Raises:
        UserError: There is no such model, or there are too few known answers or no other words.
    """
    if name not in MODELS:
        raise UserError(f"there is no model {name!r}: use {', '.join(MODELS)}.")
    if known.sum() < 2 or known.all():
        raise UserError(
            f"{known.sum():,} of {len(known):,} words are known answers: "
            "a model needs at least two, and other words, to learn from."
        )
    import_library("sklearn")
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    with threadpool_limits(1):  # a fixed order of summation makes results reproducible
        return MODELS[name](table, known, rng)


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
        return {self.words[index] for index in np.flatnonzero(self.places <= n_words)}


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
    return lambda known, rng: score(method.model, numbers, known, rng)
