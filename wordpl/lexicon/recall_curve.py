"""Recall curves: how many words a method must keep to include a given share of hidden answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from wordpl.core import words as lists
from wordpl.core.intervals import proportion_interval
from wordpl.core.messages import UserError
from wordpl.lexicon import features, known_answers, word_ranking
from wordpl.lexicon.known_answers import Days
from wordpl.lexicon.word_ranking import Method, scorer

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
    held_out: word_ranking.HoldOutRanks
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
    return RecallCurve(
        "zipf alone", len(words), word_ranking.HoldOutRanks(word_ranking.ranks_of(scores)[answers], scores), ()
    )


def curve(
    words: Sequence[str], answers: np.ndarray, method: Method, progress: word_ranking.Progress = iter
) -> RecallCurve:
    """Return the cross-validated recall curve of a method.

    Args:
        answers: Which of them are answers, bool[n_words].
        progress: Wraps the fits to show progress, like tqdm.
    """
    table = features.table(words, method.sets)
    hidden = word_ranking.hold_out(answers, scorer(table, method), method.rng(), progress)
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
    hidden = word_ranking.hold_out_later(training | testing, testing, scorer(table, method), method.rng())
    missed = [words[index] for index in np.flatnonzero(testing)[hidden.ranks > REFERENCE_SIZE]]
    share = RecallShare(*hidden.recall(REFERENCE_SIZE))
    return LaterRecall(name, int(training.sum()), REFERENCE_SIZE, share, tuple(missed))


def spies(words: Sequence[str], answers: np.ndarray, sets: Sequence[str], seed: int) -> list[word_ranking.SpyEmFit]:
    """Return the fits of Spy-EM with N_SPY_DRAWS random choices of spies."""
    table = features.table(words, sets).to_numpy()
    return [word_ranking.fit(table, answers, np.random.default_rng([seed, draw])) for draw in range(N_SPY_DRAWS)]
