"""The prior of the next answer, from the weights of four classes of words that change with time.

A backtest shows how well it predicted the answers after a day.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from wordpl.apps.words import word_ranking
from wordpl.apps.words.word_ranking import DEFAULT_RECALL, Method, RecallShare, WordRanking, rank
from wordpl.core import known_answers
from wordpl.core import words as lists
from wordpl.core.known_answers import UNDATED_UNTIL, Days
from wordpl.core.messages import UserError

CLASSES = (
    "played before",
    "original answers that were not played yet",
    "others of the list of 2023-07-01",
    "all other words",
)
HALF_LIFE_DAYS = 100.0
PSEUDO_COUNT = 0.1
EXPONENT = 0.5
TRAINED_UNTIL = UNDATED_UNTIL
TRAINED_COUNTS = (0.0, 136.58, 6.50, 1.32)
"""Weighted counts of the classes after the answers up to TRAINED_UNTIL."""


def classes_of(words: Sequence[str], played: Collection[str]) -> np.ndarray:
    """Return the class of each word as an index into CLASSES, int[n_words]."""
    original, listed = set(lists.bundled("puzzle-order")), set(lists.bundled("answers-2023"))
    played_words = set(played)
    return np.array([0 if w in played_words else 1 if w in original else 2 if w in listed else 3 for w in words])


def class_weights(counts: Sequence[float]) -> np.ndarray:
    """Return the probability of each class, float[4], from their weighted counts.

    >>> [round(float(weight), 3) for weight in class_weights(TRAINED_COUNTS)]
    [0.001, 0.944, 0.046, 0.01]
    """
    smoothed = np.array(counts) + PSEUDO_COUNT
    return np.asarray(smoothed / smoothed.sum())


def counts_after(days: Days) -> tuple[float, ...]:
    """Return the weighted counts of the classes after the answers of these days; those up to TRAINED_UNTIL are counted.

    >>> counts_after({}) == TRAINED_COUNTS
    True
    """
    counts, played = np.array(TRAINED_COUNTS), set(lists.bundled("undated-answers"))
    for _, word in sorted((day, word) for day, word in days.items() if day > TRAINED_UNTIL):
        counts *= 0.5 ** (1 / HALF_LIFE_DAYS)
        counts[classes_of([word], played)[0]] += 1
        played.add(word)
    return tuple(map(float, counts))


def class_prior(
    words: Sequence[str], chances: np.ndarray, played: Collection[str], counts: Sequence[float]
) -> np.ndarray:
    """Return each word's probability of being the next answer, float[n_words].

    Args:
        chances: The held-out probability of each word in a ranking, float[n_words].
        played: The answers up to today.
        counts: The weighted counts of the classes, as from `counts_after`.
    """
    classes = classes_of(words, played)
    shares = np.where(classes == 0, 1.0, np.asarray(chances, float) ** EXPONENT)
    sizes = np.bincount(classes, weights=shares, minlength=len(CLASSES))
    weights = np.where(sizes > 0, class_weights(counts), 0.0)
    word_weights = weights[classes] * shares / sizes[classes]
    return np.asarray(word_weights / word_weights.sum())


def next_answer(ranking: WordRanking, days: Days) -> tuple[dict[str, float], str]:
    """Return the probability of each word as the next answer, relative to the likeliest word, and a summary line.

    Args:
        ranking: The ranked words.
        days: The answers up to today.
    """
    counts = counts_after(days)
    chances = class_prior(ranking.words, ranking.chances, known_answers.played(days), counts)
    shares = ", ".join(f"{name} {weight:.1%}" for name, weight in zip(CLASSES, class_weights(counts), strict=True))
    return dict(zip(ranking.words, chances / chances.max(), strict=True)), f"By class and rank: {shares}"


def bits(probabilities: Sequence[float]) -> tuple[float, float]:
    """Return the mean surprise in bits, and its standard error, of answers predicted with these probabilities."""
    surprise = -np.log2(np.asarray(probabilities, float))
    error = surprise.std(ddof=1) / np.sqrt(len(surprise)) if len(surprise) > 1 else float("nan")
    return float(surprise.mean()), float(error)


PREDICTED = "predicted on that day"


@dataclass(frozen=True)
class PriorScore:
    """How a prior predicted the answers.

    Attributes:
        name: What the prior is.
        bits: The mean surprise in bits a day.
        standard_error: Its standard error, in bits; NaN for a single day.
    """

    name: str
    bits: float
    standard_error: float


@dataclass(frozen=True)
class ListScore:
    """How many of the new answers a list contains.

    Attributes:
        name: The name of the list.
        n_words: Its size.
        share: How many of the new answers it contains.
        missing: The new answers that it does not contain.
    """

    name: str
    n_words: int
    share: RecallShare
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Backtest:
    """The result of a backtest.

    Attributes:
        until: The day up to which answers were known.
        days: The answers after it, by day.
        new: Those of them that were no known answer on that day.
        n_known: How many answers were known.
        priors: The scores of the priors.
        lists: The scores of the lists; there is none unless `new` has a word.
    """

    until: date
    days: Days
    new: tuple[str, ...]
    n_known: int
    priors: Sequence[PriorScore]
    lists: Sequence[ListScore]


def backtest(
    words: Sequence[str], days: Days, until: date, method: Method, progress: word_ranking.Progress = iter
) -> Backtest:
    """Predict the answers after a day from those up to it, and score the predictions.

    Args:
        words: All words that can be guessed.
        days: All dated answers.
        until: The last day whose answer is known to the prediction.
        method: How words are ranked.
        progress: Wraps the fits to show progress, like tqdm.

    Raises:
        UserError: The day is before TRAINED_UNTIL, whose answers set the weights, or there is no later answer.
    """
    if until < TRAINED_UNTIL:
        raise UserError(f"the prior's weights are fitted to the answers up to {TRAINED_UNTIL}: give a later day.")
    before = {day: word for day, word in days.items() if day <= until}
    after = {day: word for day, word in sorted(days.items()) if day > until}
    if not after:
        raise UserError(f"no answer after {until} is known: give later ones with --known FILE.")
    known = known_answers.all_known(words, before)
    ranking = rank(words, known, method, progress)
    counts, played = counts_after(before), known_answers.played(before)
    chances = {
        "weights updated from the days before each": list(
            _chances(words, ranking.chances, after, counts, played, True)
        ),
        f"weights of {until} kept": list(_chances(words, ranking.chances, after, counts, played, False)),
        f"all {len(words):,} words alike": [1 / len(words)] * len(after),
    }
    new = tuple(sorted(set(after.values()) - known))
    return Backtest(
        until,
        after,
        new,
        len(known),
        [PriorScore(name, *bits(each)) for name, each in chances.items()],
        [_score(name, content, new) for name, content in _lists(ranking, known, played, counts).items()] if new else [],
    )


def _lists(
    ranking: WordRanking, known: Collection[str], played: Collection[str], counts: Sequence[float]
) -> dict[str, set[str]]:
    """Return the lists to compare by name, as they were with these known answers."""
    words = ranking.words
    predicted = set(known) | ranking.best(ranking.held_out.kept(DEFAULT_RECALL))
    listed = set(lists.bundled("answers-2023"))
    prior = class_prior(words, ranking.chances, played, counts)
    order = sorted(range(len(words)), key=lambda index: (words[index] not in known, -prior[index]))
    return {
        "answers-2023": listed,
        PREDICTED: predicted,
        "either of both": listed | predicted,
        "both": listed & predicted,
        "the top of the prior": {words[index] for index in order[: len(listed)]},
    }


def _chances(
    words: Sequence[str],
    chances: np.ndarray,
    days: Days,
    counts: Sequence[float],
    played: Collection[str],
    is_learning: bool,
) -> Iterator[float]:
    """Yield the probability of each day's answer, predicted from the days before it.

    Args:
        words: All words.
        chances: The probability of each word in the ranking.
        days: The answers to predict, in order.
        counts: The weighted counts of the classes before the first of them.
        played: The answers before the first of them.
        is_learning: Whether the class weights are updated day by day.
    """
    place = {word: index for index, word in enumerate(words)}
    weighted, seen = np.array(counts), set(played)
    for word in days.values():
        yield float(class_prior(words, chances, seen, tuple(weighted))[place[word]])
        if is_learning:
            weighted *= 0.5 ** (1 / HALF_LIFE_DAYS)
            weighted[classes_of([word], seen)[0]] += 1
        seen.add(word)


def _score(name: str, content: Collection[str], new: Sequence[str]) -> ListScore:
    missing = tuple(word for word in new if word not in content)
    return ListScore(name, len(content), RecallShare(len(new) - len(missing), len(new)), missing)
