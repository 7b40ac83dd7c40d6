"""Rankings of words by their similarity to the known answers, and how many hidden answers they find."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from wordpl.apps.words import features
from wordpl.apps.words.features import import_library
from wordpl.apps.words.options import ALL_FEATURES, MODEL_NAMES
from wordpl.core import known_answers
from wordpl.core import words as lists
from wordpl.core.intervals import proportion_interval
from wordpl.core.known_answers import Days
from wordpl.core.messages import UserError

N_FOLDS = 5
DRAWS = 1000
INTERVAL = (0.025, 0.975)

Scorer = Callable[[np.ndarray, np.random.Generator], np.ndarray]
"""(known bool[n_words], rng) -> scores of all words, float64[n_words]."""
Progress = Callable[[Iterable[Any]], Iterable[Any]]
"""A function that wraps an iterable to show progress, like tqdm."""


@dataclass(frozen=True, eq=False)
class HoldOutRanks:
    """Ranks and scores of words by fits that did not know them as answers.

    Attributes:
        ranks: The rank of each known answer among all words when it was hidden, from 1: int64[n_known].
        scores: The score of each word, averaged over the fits in which it was not a known answer: float64[n_words].
    """

    ranks: np.ndarray
    scores: np.ndarray

    def kept(self, recall: float) -> int:
        """Return how many of the best words must be kept to include this share of the hidden answers."""
        return int(np.sort(self.ranks)[_position(recall, len(self.ranks))])

    def kept_interval(self, recall: float, rng: np.random.Generator) -> tuple[int, int]:
        """Return the 95% bootstrap interval of `kept`, with hidden answers resampled."""
        resampled = np.sort(rng.choice(self.ranks, (DRAWS, len(self.ranks))), axis=1)
        low, high = np.quantile(resampled[:, _position(recall, len(self.ranks))], INTERVAL, method="inverted_cdf")
        return int(low), int(high)

    def recall(self, n_kept: int) -> tuple[int, int]:
        """Return how many hidden answers are among the best `n_kept` words, and how many were hidden."""
        return int((self.ranks <= n_kept).sum()), len(self.ranks)


def _position(recall: float, n: int) -> int:
    return max(0, ceil(recall * n - 1e-9) - 1)


def hold_out(known: np.ndarray, scorer: Scorer, rng: np.random.Generator, progress: Progress = iter) -> HoldOutRanks:
    """Return the ranks and scores by cross-validation with N_FOLDS folds.

    Args:
        known: Which words are known answers, bool[n_words].
        scorer: Fits a model and scores all words.
        rng: Draws the folds, and is passed to the scorer.
        progress: Wraps the folds to show progress, like tqdm.
    """
    answers = rng.permutation(np.flatnonzero(known))
    n_folds = min(N_FOLDS, len(answers))
    ranks, sums, counts = np.zeros(len(known), np.int64), np.zeros(len(known)), np.zeros(len(known))
    for hidden in progress(np.array_split(answers, n_folds)):
        training = known.copy()
        training[hidden] = False
        scores = scorer(training, rng)
        ranks[hidden] = ranks_of(scores)[hidden]
        sums[~training] += scores[~training]
        counts[~training] += 1
    return HoldOutRanks(ranks[known], sums / counts)


def hold_out_later(known: np.ndarray, later: np.ndarray, scorer: Scorer, rng: np.random.Generator) -> HoldOutRanks:
    """Return the ranks of later answers by a fit to the other known answers.

    Args:
        known: Which words are known answers, bool[n_words].
        later: Which of them are later answers, bool[n_words].
        scorer: Fits a model and scores all words.
        rng: Passed to the scorer.
    """
    scores = scorer(known & ~later, rng)
    return HoldOutRanks(ranks_of(scores)[later], scores)


def ranks_of(scores: np.ndarray) -> np.ndarray:
    """Return the rank of each word, 1 for the highest score; ties keep the order of the words."""
    ranks = np.empty(len(scores), np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


def probabilities(scores: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the probability that a word with this score is a known answer, float64[n_words] (Platt scaling).

    Answers that nobody knows yet count as other words, so the probabilities are too small by the share of unknown
    answers.

    Args:
        scores: Held-out scores of all words, float64[n_words].
        known: Which words are known answers, bool[n_words].
    """
    from sklearn.linear_model import LogisticRegression

    # A linear spline with one knot, at the median score of the known answers.
    column = np.stack([scores, np.maximum(0, scores - np.median(scores[known]))], axis=1)
    chances: np.ndarray = LogisticRegression(C=1e6, max_iter=1000).fit(column, known).predict_proba(column)
    return chances[:, 1]


def calibration(chances: np.ndarray, known: np.ndarray, edges: Sequence[float]) -> list[tuple[float, int, int]]:
    """Return a reliability table of predicted probabilities.

    Args:
        chances: The predicted probability of each word, float64[n_words].
        known: Which words are known answers, bool[n_words].

    Returns:
        For each bin with words: mean probability, number of known answers, number of words.
    """
    rows = []
    for low, high in pairwise(edges):
        inside = (chances >= low) & (chances < high)
        if inside.any():
            rows.append((float(chances[inside].mean()), int(known[inside].sum()), int(inside.sum())))
    return rows


TOLERANCE = 0.01
MAX_ROUNDS = 200
SHARE_OF_SPIES = 0.15
THRESHOLD = 0.07
FIRST_WEIGHT = 0.5
SPY_EM_STRENGTH = 0.1
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
    model = LogisticRegression(C=SPY_EM_STRENGTH, max_iter=2000, warm_start=True)
    n_rounds, change = 0, np.inf
    while change >= TOLERANCE and n_rounds < MAX_ROUNDS:
        n_rounds += 1
        model.fit(scaled[training], known[training], sample_weight=weights[training])
        probabilities = model.predict_proba(scaled)[:, 1]
        new = np.clip(probabilities[unlabelled] / probabilities[is_spy].mean(), 0, 1)
        change = np.abs(new - weights[unlabelled]).sum()
        weights[unlabelled] = new
    return SpyEmFit(probabilities, is_spy, n_rounds)


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
    probabilities = fit(table, known, rng).probabilities.clip(MIN_CHANCE, 1 - MIN_CHANCE)
    odds: np.ndarray = np.log(probabilities / (1 - probabilities))
    return odds


MODELS: dict[str, Model] = dict(zip(MODEL_NAMES, (blend, by_spy_em), strict=True))


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
    sets: tuple[str, ...] = ALL_FEATURES
    seed: int = 0

    @property
    def name(self) -> str:
        """The name of the method in tables."""
        sets = "light" if self.sets == ALL_FEATURES else " + ".join(self.sets)
        return f"{self.model}, {sets}"

    def rng(self) -> np.random.Generator:
        """Return a new random generator with the method's seed."""
        return np.random.default_rng(self.seed)


def methods_of(models: Sequence[str], groups: Sequence[str], seed: int) -> list[Method]:
    """Return each model with each group of feature sets.

    Without groups, each model gets all feature sets.

    Args:
        models: The names of the models.
        groups: The names of the feature sets of a group, joined by +.
        seed: The seed of the models.
    """
    if groups:
        return [Method(model, tuple(group.split("+")), seed) for group in groups for model in models]
    return [Method(model, seed=seed) for model in models]


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
    held_out: HoldOutRanks
    chances: np.ndarray

    @property
    def places(self) -> np.ndarray:
        """The rank of each word by its held-out score, from 1, int64[n_words]."""
        return ranks_of(self.held_out.scores)

    def best(self, n_words: int) -> set[str]:
        """Return the words with the best `n_words` ranks."""
        return {self.words[index] for index in np.flatnonzero(self.places <= n_words)}


def rank(words: Sequence[str], known: Collection[str], method: Method, progress: Progress = iter) -> WordRanking:
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
    hidden = hold_out(mask, scorer(table, method), method.rng(), progress)
    return WordRanking(tuple(words), table, mask, hidden, probabilities(hidden.scores, mask))


def scorer(table: pd.DataFrame, method: Method) -> Scorer:
    """Return a function that fits the method's model to known answers and scores all words of the table."""
    numbers = table.to_numpy()
    return lambda known, rng: score(method.model, numbers, known, rng)


RECALLS = (0.95, 0.98, 0.99, 0.994)
REFERENCE = {0.95: 3137, 0.98: 3671, 0.99: 4215, 0.994: 4761}
"""Words kept by recall: WeekendWordle's logistic regression on spaCy's large vectors, in the same cross-validation."""
REFERENCE_SIZE = 4161
N_SPY_DRAWS = 3


@dataclass(frozen=True)
class RecallShare:
    """A recall with its 95% Clopper-Pearson interval.

    Attributes:
        n_found: How many hidden answers were found.
        n: How many were hidden.
    """

    n_found: int
    n: int

    @property
    def value(self) -> float:
        """The share."""
        return self.n_found / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """The interval."""
        low, high = proportion_interval(self.n_found, self.n)
        return float(low), float(high)


@dataclass(frozen=True, eq=False)
class RecallCurve:
    """The recall curve of a method.

    Attributes:
        held_out: The ranks of hidden answers.
        leakage: What each of its feature sets knows about the answers.
    """

    name: str
    n_words: int
    held_out: HoldOutRanks
    leakage: tuple[str, ...]


@dataclass(frozen=True)
class LaterRecall:
    """Recall on answers that are later than those a method learned from.

    Attributes:
        name: The answers it learned from.
        n_training: Their number.
        n_kept: How many words are kept.
        share: The recall on the other known answers.
        missed: The answers that were not found.
    """

    name: str
    n_training: int
    n_kept: int
    share: RecallShare
    missed: tuple[str, ...]


def frequency_curve(words: Sequence[str], answers: np.ndarray) -> RecallCurve:
    """Return the recall curve of a ranking by word frequency alone, as a baseline."""
    scores = features.table(words, ["frequency"])["frequency.zipf"].to_numpy()
    return RecallCurve("zipf alone", len(words), HoldOutRanks(ranks_of(scores)[answers], scores), ())


def curve(words: Sequence[str], answers: np.ndarray, method: Method, progress: Progress = iter) -> RecallCurve:
    """Return the cross-validated recall curve of a method.

    Args:
        answers: Which of them are answers, bool[n_words].
        progress: Wraps the fits to show progress, like tqdm.
    """
    table = features.table(words, method.sets)
    hidden = hold_out(answers, scorer(table, method), method.rng(), progress)
    leakage = tuple(f"{name}: {features.find(name).leakage}" for name in method.sets)
    return RecallCurve(method.name, len(words), hidden, leakage)


def recall_by_time(words: Sequence[str], method: Method, days: Days, day: date) -> list[LaterRecall]:
    """Return the recall on later answers for two training sets: the dated answers before a day, and the original 2,315.

    In both cases the test set is all other published answers.

    Args:
        days: Dated answers.
        day: Answers before this day are the first training set.

    Raises:
        UserError: No answers are left to test with.
    """
    table = features.table(words, method.sets)
    published = known_answers.played(days)
    early = {word for when, word in known_answers.dated(days).items() if when < day}
    original = set(lists.bundled("puzzle-order"))
    splits = {f"before {day}": early, "original 2,315": original}
    return [_later(name, words, table, (training, published - training), method) for name, training in splits.items()]


def _later(
    name: str, words: Sequence[str], table: pd.DataFrame, split: tuple[set[str], set[str]], method: Method
) -> LaterRecall:
    training, testing = (np.isin(words, list(part)) for part in split)
    if not testing.any():
        raise UserError(
            f"no known answers besides those {name} are left for a test: give an earlier day with --before."
        )
    hidden = hold_out_later(training | testing, testing, scorer(table, method), method.rng())
    missed = [words[index] for index in np.flatnonzero(testing)[hidden.ranks > REFERENCE_SIZE]]
    share = RecallShare(*hidden.recall(REFERENCE_SIZE))
    return LaterRecall(name, int(training.sum()), REFERENCE_SIZE, share, tuple(missed))


def spies(words: Sequence[str], answers: np.ndarray, sets: Sequence[str], seed: int) -> list[SpyEmFit]:
    """Return the fits of Spy-EM with N_SPY_DRAWS random choices of spies."""
    table = features.table(words, sets).to_numpy()
    return [fit(table, answers, np.random.default_rng([seed, draw])) for draw in range(N_SPY_DRAWS)]
