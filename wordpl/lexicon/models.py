"""Models that learn from positive and unlabelled words, and score every word by its similarity to known answers.

A model is trained to separate known answers from all other words, as if none of those were an answer. Unknown answers
get high scores nevertheless; the ranking is correct if the known answers are a random sample of all answers (Elkan and
Noto, Learning classifiers from only positive and unlabeled data, 2008).
"""

from collections.abc import Callable

import numpy as np

from wordpl.core.errors import UserError
from wordpl.lexicon import MODEL_NAMES, spy_em
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


def blend(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the mean of the standardized scores of logistic regression and gradient boosting."""
    both = [fit(table, known, rng) for fit in (logistic, boosting)]
    mean: np.ndarray = np.mean([(scores - scores.mean()) / (scores.std() or 1) for scores in both], axis=0)
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
