"""Logistic regression on positive and unlabelled words by Spy-EM, as the WeekendWordle solver describes it.

A share of the known answers, the spies, is hidden among the unlabelled words; what the model says of them tells how it
would treat answers that nobody knows yet (after Liu, Lee, Yu and Li, Partially supervised classification of text
documents, 2002). Each round fits known answers, of weight 1, against unlabelled words, of weight 0.5 at first; c is
the spies' mean probability, and the next weight of an unlabelled word is its probability / c.
"""

from dataclasses import dataclass

import numpy as np

TOLERANCE = 0.01
MAX_ROUNDS = 200
SHARE_OF_SPIES = 0.15
THRESHOLD = 0.07
FIRST_WEIGHT = 0.5
STRENGTH = 0.1
"""The inverse of the penalty on coefficients; 1 keeps about 140 words fewer at the threshold."""
CLAIM = "4,161 words and 99.4 %"
"""What WeekendWordle says of its model at the threshold; most of that is recall of words it was trained on."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What Spy-EM found: the probability of each word, which answers were spies, and how many rounds it took."""

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


def fit(table: np.ndarray, known: np.ndarray, rng: np.random.Generator) -> Fitted:
    """Return Spy-EM's probabilities of all words.

    Args:
        table: features, float64[n_words, n_features]
        known: which words are known answers, bool[n_words]
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    answers = np.flatnonzero(known)
    n_spies = max(1, round(SHARE_OF_SPIES * len(answers)))
    is_spy = np.zeros(len(known), bool)
    is_spy[rng.choice(answers, n_spies, replace=False)] = True
    seen, unlabelled = ~is_spy, ~known
    scaled = StandardScaler().fit(table[seen]).transform(table)
    weights = np.where(known, 1.0, FIRST_WEIGHT)
    model = LogisticRegression(C=STRENGTH, max_iter=2000, warm_start=True)  # a round begins where the last ended
    n_rounds, change = 0, np.inf
    while change >= TOLERANCE and n_rounds < MAX_ROUNDS:
        n_rounds += 1
        model.fit(scaled[seen], known[seen], sample_weight=weights[seen])
        probabilities = model.predict_proba(scaled)[:, 1]
        new = np.clip(probabilities[unlabelled] / probabilities[is_spy].mean(), 0, 1)
        change = np.abs(new - weights[unlabelled]).sum()
        weights[unlabelled] = new
    return Fitted(probabilities, is_spy, n_rounds)
