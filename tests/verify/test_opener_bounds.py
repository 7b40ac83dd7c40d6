"""The plain search for lower bounds, against a search that tries everything."""

from math import inf

import numpy as np
import pytest

from tests.solvers.search.plain import PlainGame
from wordpl.core.clues import CLUE_RULES
from wordpl.verify.proof import INFEASIBLE, OpenerBounds, Question, TooMuchWorkError


@pytest.mark.parametrize("is_hard", [False, True])
@pytest.mark.parametrize(
    ("n", "left", "weights"),
    [
        (9, None, (1,)),
        pytest.param(13, 3, (1,), marks=pytest.mark.slow),
        (10, 3, (1, 2, 9)),
        pytest.param(8, 2, (1,), marks=pytest.mark.slow),
    ],
)
def test_bounds_agree_with_a_search_that_tries_everything(lists, n, left, weights, is_hard):
    rng = np.random.default_rng(n)
    alike = [word for word in lists.answers if word[1:] in ("ound", "ight", "atch")]
    answers = [
        *rng.choice(alike, n // 2, replace=False).tolist(),
        *rng.choice(lists.answers, n, replace=False).tolist(),
    ]
    answers = list(dict.fromkeys(answers))[:n]
    guesses = list(dict.fromkeys([*answers, *rng.choice(lists.guesses, 8, replace=False).tolist()]))
    by_word = {word: int(rng.choice(weights)) for word in answers}
    game = PlainGame(guesses, by_word, CLUE_RULES["counted"], is_hard)
    search = OpenerBounds(Question(answers, guesses, list(by_word.values()), (), left, is_hard))
    assert search.openers == set(guesses)
    for guess in guesses:
        total = min(game.total_after(guess, inf if left is None else left), INFEASIBLE)
        assert search.bound(guess, INFEASIBLE) == total
        for target in (total - 1, total, total + 1, int(rng.integers(1, 3 * sum(by_word.values())))):
            found = search.bound(guess, min(target, INFEASIBLE))
            assert found == total if total < target else target <= found <= total


@pytest.mark.parametrize("is_hard", [False, True])
def test_hints_leave_the_answers_and_guesses_that_fit(is_hard):
    answers, guesses = ["later", "alarm", "brick", "plate"], ["later", "alarm", "brick", "plate", "salet", "lunar"]
    search = OpenerBounds(Question(answers, guesses, [1] * 4, [("salet", ".ii..")], 6, is_hard))
    assert search.words == ["alarm"]
    assert search.openers == ({"later", "alarm", "plate", "salet", "lunar"} if is_hard else set(guesses))
    assert search.bound("alarm", INFEASIBLE) == 1
    assert search.bound("lunar", INFEASIBLE) == 2
    last = OpenerBounds(Question(answers, guesses, [1] * 4, [("salet", ".ii..")], 2, is_hard))
    assert [last.bound(word, INFEASIBLE) for word in ("alarm", "lunar")] == [1, INFEASIBLE], "one guess is left"


def test_a_search_that_takes_too_long_is_given_up(lists):
    question = Question(lists.answers[:60], lists.answers[:60], [1] * 60)
    with pytest.raises(TooMuchWorkError):
        OpenerBounds(question, max_work=1000).bound(lists.answers[0], INFEASIBLE)
