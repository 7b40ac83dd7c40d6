"""How many words must be kept to keep which share of answers that a method was not told of: methods side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from wordpl.core import words as lists
from wordpl.core.errors import UserError
from wordpl.core.intervals import proportion_interval
from wordpl.lexicon import cross_validation, features, known, spy_em
from wordpl.lexicon.ranking import Method, scorer

RECALLS = (0.95, 0.98, 0.99, 0.994)
REFERENCE = {0.95: 3137, 0.98: 3671, 0.99: 4215, 0.994: 4761}
"""Logistic regression on spaCy's large vectors, as WeekendWordle has it, held out in the same way."""
REFERENCE_SIZE = 4161
N_SPY_DRAWS = 3


@dataclass(frozen=True)
class RecallShare:
    """A share that was counted, with its 95% interval (Clopper and Pearson)."""

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
class Curve:
    """A method, and what it needs to keep of a list of words to keep answers that were hidden from it."""

    name: str
    n_words: int
    held_out: cross_validation.HeldOut
    leakage: tuple[str, ...]


@dataclass(frozen=True)
class Later:
    """Recall on answers that a method was not told of: those after a day, or outside the original list."""

    name: str
    n_told: int
    n_kept: int
    share: RecallShare
    missed: tuple[str, ...]


def by_zipf_alone(words: Sequence[str], answers: np.ndarray) -> Curve:
    """Return the curve of ranking words by their frequency: what a model has to beat."""
    scores = features.table(words, ["frequency"])["frequency.zipf"].to_numpy()
    return Curve(
        "zipf alone", len(words), cross_validation.HeldOut(cross_validation.ranks_of(scores)[answers], scores), ()
    )


def curve(
    words: Sequence[str], answers: np.ndarray, method: Method, progress: cross_validation.Progress = iter
) -> Curve:
    """Return the curve of a method by cross-validation on the answers, bool[n_words]."""
    table = features.table(words, method.sets)
    hidden = cross_validation.hold_out(answers, scorer(table, method), method.rng(), progress)
    leakage = tuple(f"{name}: {leak_of(name)}" for name in method.sets)
    return Curve(method.name, len(words), hidden, leakage)


def leak_of(name: str) -> str:
    """Return what a feature set knows of the answers."""
    return str(features.find("vectors" if features.is_file(name) else name).LEAKAGE)


def by_time(words: Sequence[str], method: Method, later: dict[str, date], day: date) -> list[Later]:
    """Return the recall on answers that came after those a method was told of, in two ways.

    First, told the dated answers before `day`, asked for all other known ones; then, told the original 2,315, asked for
    those that have been added since.

    Args:
        later: dated answers of one's own
    """
    table = features.table(words, method.sets)
    published = set(lists.bundled("past-answers")) | set(later)
    early = {word for word, when in known.dated(later).items() if when < day}
    original = set(lists.bundled("puzzle-order"))
    splits = {f"before {day}": early, "original 2,315": original}
    return [_later(name, words, table, (told, published - told), method) for name, told in splits.items()]


def _later(
    name: str, words: Sequence[str], table: pd.DataFrame, split: tuple[set[str], set[str]], method: Method
) -> Later:
    told, asked = (np.isin(words, list(part)) for part in split)
    if not asked.any():
        raise UserError(f"told the answers {name}, no known one is left to ask for: give an earlier day with --before.")
    hidden = cross_validation.hidden_later(told | asked, asked, scorer(table, method), method.rng())
    missed = [words[at] for at in np.flatnonzero(asked)[hidden.ranks > REFERENCE_SIZE]]
    share = RecallShare(*hidden.recall(REFERENCE_SIZE))
    return Later(name, int(told.sum()), REFERENCE_SIZE, share, tuple(missed))


def spies(words: Sequence[str], answers: np.ndarray, sets: Sequence[str], seed: int) -> list[spy_em.Fitted]:
    """Return what Spy-EM finds with each of three draws of spies."""
    table = features.table(words, sets).to_numpy()
    return [spy_em.fit(table, answers, np.random.default_rng([seed, draw])) for draw in range(N_SPY_DRAWS)]
