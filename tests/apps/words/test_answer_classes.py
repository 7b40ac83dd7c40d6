"""The prior by classes of words, against values computed by hand."""

from datetime import date, timedelta

import numpy as np
import pytest

from wordpl.apps.words.answer_prior import (
    CLASSES,
    TRAINED_COUNTS,
    TRAINED_UNTIL,
    bits,
    class_prior,
    class_weights,
    classes_of,
    counts_after,
)
from wordpl.core import words as lists

MODERN = lists.bundled("modern")
PAST = lists.bundled("undated-answers")


def test_a_class_has_its_weight_and_a_likelier_word_a_larger_share():
    chances = np.full(len(MODERN), 0.25)
    chances[MODERN.index("crane")] = 0.01
    probabilities = class_prior(MODERN, chances, PAST, TRAINED_COUNTS)
    classes = classes_of(MODERN, PAST)
    assert [probabilities[classes == code].sum() for code in range(len(CLASSES))] == pytest.approx(
        class_weights(TRAINED_COUNTS)
    )
    unplayed = [word for word in lists.bundled("puzzle-order") if word not in set(PAST)]
    shares = [probabilities[MODERN.index(word)] for word in unplayed]
    assert max(shares) == pytest.approx(min(shares))
    assert probabilities.sum() == pytest.approx(1)


def test_shares_are_proportional_to_the_square_root_of_the_chance():
    unplayed = [word for word in lists.bundled("puzzle-order") if word not in set(PAST)][:2]
    chances = np.array([0.64 if word == unplayed[0] else 0.16 for word in MODERN])
    probabilities = class_prior(MODERN, chances, PAST, TRAINED_COUNTS)
    assert probabilities[MODERN.index(unplayed[0])] == pytest.approx(2 * probabilities[MODERN.index(unplayed[1])])


def test_newer_answers_change_the_weights():
    new_answer = next(word for word in MODERN if classes_of([word], PAST)[0] == 3)
    counts = counts_after({TRAINED_UNTIL + timedelta(1): new_answer})
    assert counts[3] > TRAINED_COUNTS[3] + 0.9
    assert counts[1] < TRAINED_COUNTS[1]
    assert counts_after({date(2024, 1, 1): new_answer}) == TRAINED_COUNTS
    repeated = counts_after({TRAINED_UNTIL + timedelta(day): new_answer for day in (1, 2)})
    assert repeated[0] == pytest.approx(1)  # the second time, it was played before


def test_bits_are_the_mean_information():
    assert bits([0.5, 0.125]) == pytest.approx((2.0, 1.0))
