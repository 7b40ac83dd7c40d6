from fractions import Fraction
from math import exp, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.limits import LIMITS
from wordpl import Posterior
from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import WordLists

SMALL = WordLists(("abcd", "dcba", "aabb", "bbbb"), ("abcd", "dcba", "aabb", "bbbb", "acac", "dddd"))
rounds = st.lists(
    st.tuples(
        st.sampled_from(SMALL.guesses),
        st.floats(0.1, 30) | st.sampled_from([price for price in LIMITS if price < 1000]),
        st.text(".ic", min_size=4, max_size=4),
    ),
    max_size=6,
)


def bayes(history, rule):
    """Return the probability of each of the small list's answers after these rounds, word for word as Bayes says."""
    logs = []
    for answer in SMALL.answers:
        log = Fraction(0)
        for guess, epsilon, clues in history:
            log += Fraction(epsilon) / 4 * sum(map(str.__eq__, CLUE_RULES[rule](guess, answer), clues))
        logs.append(log)
    weights = [exp(max(log - max(logs), Fraction(-800))) for log in logs]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("rule", CLUE_RULES)
@settings(deadline=None)  # the first call may compile
@given(rounds, rounds, st.lists(st.tuples(st.sampled_from(SMALL.guesses), st.sampled_from(LIMITS)), max_size=2))
def test_the_posterior_follows_bayes_theorem(rule, before, after, sure):
    posterior = Posterior.uniform(SMALL, rule)
    true = [(guess, epsilon, CLUE_RULES[rule](guess, "bbbb")) for guess, epsilon in sure]  # as huge prices show it
    history = [*before, *true, *after]
    for move in history:
        posterior.update(*move)
    expected = bayes(history, rule)
    assert posterior.probabilities == pytest.approx(expected, rel=1e-9)
    assert posterior.best()[1] == pytest.approx(max(expected), rel=1e-9)
    assert posterior.bits == pytest.approx(-sum(p * log2(p) for p in expected if p), abs=1e-9)


def test_nothing_is_known_before_the_first_clue(lists):
    posterior = Posterior.uniform(lists)
    assert posterior.words == lists.answers
    assert posterior.bits == pytest.approx(log2(2315))
    assert posterior.best() == ("aback", pytest.approx(1 / 2315))


def test_the_lists_are_the_contest_s_unless_others_are_given(lists):
    assert Posterior.uniform().words == lists.answers


def test_a_large_epsilon_leaves_the_words_that_give_the_clue(lists):
    posterior = Posterior.uniform(lists, "counted")
    posterior.update("speed", 1e4, "..i.i")
    matches = [word for word in lists.answers if CLUE_RULES["counted"]("speed", word) == "..i.i"]
    assert posterior.top(len(matches)) == [(word, pytest.approx(1 / len(matches))) for word in matches]
    assert posterior.bits == pytest.approx(log2(len(matches)))


def test_contradicting_clues_at_any_price_leave_probabilities():
    posterior = Posterior.uniform(SMALL)
    for clues in ("cccc", "....", "iiii") * 3:
        posterior.update("abcd", 1.7e308, clues)
        assert np.isfinite(posterior.probabilities).all()
        assert posterior.probabilities.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (("zzzz", 1.0, "...."), "'zzzz' is not one of the 6 guesses"),
        (("abcd", 0, "...."), "epsilon must be a finite number above 0, got 0"),
        (("abcd", float("nan"), "...."), "got nan"),
        (("abcd", float("inf"), "...."), "got inf"),
        (("abcd", 1.0, "..."), "clues must be 4 marks, each '.', 'i' or 'c', got '...'"),
        (("abcd", 1.0, "..x."), "got '..x.'"),
    ],
)
def test_a_wrong_move_is_refused_and_changes_nothing(move, message):
    posterior = Posterior.uniform(SMALL)
    with pytest.raises(ValueError, match=message):
        posterior.update(*move)
    assert posterior.bits == 2
