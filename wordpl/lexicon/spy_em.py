"""Spy-EM: logistic regression on positive and unlabelled words, as described by the WeekendWordle solver.

A share of the known answers, the spies, is hidden among the unlabelled words; their probabilities show how the model
treats answers that nobody knows yet (after Liu, Lee, Yu and Li, Partially supervised classification of text documents,
2002). Each round fits known answers with weight 1 against unlabelled words, whose weight is 0.5 in the first round.
After it, the weight of an unlabelled word is its probability divided by the mean probability of the spies.
"""

from dataclasses import dataclass

import numpy as np

TOLERANCE = 0.01
MAX_ROUNDS = 200
SHARE_OF_SPIES = 0.15
THRESHOLD = 0.07
FIRST_WEIGHT = 0.5
STRENGTH = 0.1
"""Inverse of the penalty on coefficients; with 1, about 140 fewer words reach the threshold."""
CLAIM = "4,161 words and 99.4 %"
"""WeekendWordle's own figures for its model at the threshold; most of that is recall of words it was trained on."""


@dataclass(frozen=True, eq=False)
class SpyEmFit:
    """The result of Spy-EM.

    Attributes:
        probabilities: The probability of each word, float64[n_words].
        is_spy: Which known answers were spies, bool[n_words].
    """

    probabilities: np.ndarray
    is_spy: np.ndarray
    n_rounds: int

    @property
    def n_kept(self) -> int:
        """How many words reach the threshold."""
        return int((self.probabilities >= THRESHOLD).sum())

    @property
    def spies_kept(self) -> tuple[int, int]:
        """How many spies reach the threshold, and how many there are."""
        return int((self.probabilities[self.is_spy] >= THRESHOLD).sum()), int(self.is_spy.sum())


def fit(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> SpyEmFit:
    """Return Spy-EM's probabilities of all words.

    Args:
        table: The features, float64[n_words, n_features].
        known: Which words are known answers, bool[n_words].
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    answers = np.flatnonzero(known)
    n_spies = max(1, round(SHARE_OF_SPIES * len(answers)))
    is_spy = np.zeros(len(known), bool)
    is_spy[rng.choice(answers, n_spies, replace=False)] = True
    training, unlabelled = ~is_spy, ~known
    scaled = StandardScaler().fit(table[training]).transform(table)
    weights = np.where(known, 1.0, FIRST_WEIGHT)
    model = LogisticRegression(C=STRENGTH, max_iter=2000, warm_start=True)
    n_rounds, change = 0, np.inf
    while change >= TOLERANCE and n_rounds < MAX_ROUNDS:
        n_rounds += 1
        model.fit(scaled[training], known[training], sample_weight=weights[training])
        probabilities = model.predict_proba(scaled)[:, 1]
        new = np.clip(probabilities[unlabelled] / probabilities[is_spy].mean(), 0, 1)
        change = np.abs(new - weights[unlabelled]).sum()
        weights[unlabelled] = new
    return SpyEmFit(probabilities, is_spy, n_rounds)
