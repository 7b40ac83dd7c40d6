"""Models that tell answers from other words when only some answers are known: each scores every word, known or not.

A model is fitted to known answers against all other words, as if none of those were an answer. The ones that are score
high all the same, and that ranking is the right one if answers were chosen to be known by chance alone (Elkan and Noto,
Learning classifiers from only positive and unlabeled data, 2008).
"""

from collections.abc import Callable

import numpy as np

from wordpl.core.errors import UserError
from wordpl.lexicon import MODEL_NAMES, spy_em
from wordpl.lexicon.sources import need

Model = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]
"""(features float64[n_words, n_features], known bool[n_words], rng) -> log odds of each word, float64[n_words]."""

STRENGTH = 0.1
MIN_CHANCE = 1e-9


def logistic(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the log odds by logistic regression."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scaled = StandardScaler().fit_transform(table)
    model = LogisticRegression(C=STRENGTH, max_iter=3000, tol=1e-3).fit(scaled, known)
    odds: np.ndarray = model.decision_function(scaled)
    return odds


def boosting(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the log odds by gradient-boosted trees, small ones, so that no known answer is learned by heart."""
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
    """Return the mean of what logistic regression and gradient boosting say, each with mean 0 and deviation 1."""
    said = [fit(table, known, rng) for fit in (logistic, boosting)]
    mean: np.ndarray = np.mean([(scores - scores.mean()) / (scores.std() or 1) for scores in said], axis=0)
    return mean


def by_spy_em(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the log odds by Spy-EM."""
    probabilities = spy_em.fit(table, known, rng).probabilities.clip(MIN_CHANCE, 1 - MIN_CHANCE)
    odds: np.ndarray = np.log(probabilities / (1 - probabilities))
    return odds


MODELS: dict[str, Model] = dict(zip(MODEL_NAMES, (blend, boosting, logistic, by_spy_em), strict=True))


def score(name: str, table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the score that the model gives each word, higher for what is more like the known answers.

    Raises:
        UserError: where there is no such model, or nothing to tell apart.
    """
    if name not in MODELS:
        raise UserError(f"there is no model called {name!r}; there are {', '.join(MODELS)}.")
    if known.sum() < 2 or known.all():
        raise UserError(
            f"of {len(known):,} words, {known.sum():,} are known answers: "
            "a model needs two at least, and words that are none, to learn from."
        )
    need("sklearn")
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    with threadpool_limits(1):  # sums in one order, whatever the machine
        return MODELS[name](table, known, rng)
