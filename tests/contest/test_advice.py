"""What is suggested to a person is what the plain formulas say."""

from collections import Counter
from itertools import pairwise, product
from math import exp, log2

import pytest

from wordpl import games
from wordpl.contest import advice
from wordpl.contest.session import Session
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.posterior import Posterior

SHOWN = ["".join(marks) for marks in product(".ic", repeat=5)]


@pytest.fixture(scope="module")
def few(tmp_path_factory, lists):
    folder = tmp_path_factory.mktemp("few")
    answers = lists.answers[::160]
    (folder / "answers").write_text(words.as_text(sorted(answers)))
    (folder / "guesses").write_text(words.as_text(sorted({*answers, *lists.guesses[::400]})))
    return words.load(folder / "answers", folder / "guesses")


def bits(guess, posterior, epsilon):
    """The entropy of the noisy clue less that of its noise."""
    keep = exp(epsilon / 5) / (2 + exp(epsilon / 5))
    true = [CLUE_RULES["anywhere"](guess, word) for word in posterior.words]
    entropy = 0.0
    for shown in SHOWN:
        same = [sum(a == b for a, b in zip(shown, clue, strict=True)) for clue in true]
        chance = sum(
            p * keep**n * ((1 - keep) / 2) ** (5 - n) for p, n in zip(posterior.probabilities, same, strict=True)
        )
        entropy -= chance * log2(chance)
    return entropy + 5 * (keep * log2(keep) + (1 - keep) * log2((1 - keep) / 2))


def test_the_suggested_guess_and_epsilon_give_the_most_bits_per_price(few):
    posterior = Posterior.uniform(few)
    posterior.update(few.guesses[0], 7.0, ".ic..")
    found = advice.suggestion(posterior, few, "anywhere")
    assert found.n_rated == len(few.guesses)
    assert found.bits == pytest.approx(bits(found.guess, posterior, found.epsilon), rel=1e-4)
    assert found.bits == pytest.approx(max(bits(guess, posterior, found.epsilon) for guess in few.guesses), rel=1e-4)
    first = max(few.guesses, key=lambda guess: bits(guess, posterior, 12.0))
    prices = {epsilon: bits(first, posterior, epsilon) / epsilon for epsilon in range(3, 21)}
    tried = [round(5 * step) for step in advice.EPSILONS_PER_LETTER]
    assert prices[found.epsilon] == max(prices[epsilon] for epsilon in tried)


def test_the_epsilons_tried_rise_by_a_third_at_most():
    assert all(1 < larger / smaller < 1.34 for smaller, larger in pairwise(advice.EPSILONS_PER_LETTER))
    assert (advice.EPSILONS_PER_LETTER[0], advice.EPSILONS_PER_LETTER[-1]) == (0.6, 4.0)


def test_an_answer_is_proposed_from_90_percent():
    assert advice.ANSWER_PROBABILITY == 0.9


def test_all_guesses_are_rated_if_time_permits_otherwise_the_likeliest_answers(few, monkeypatch):
    posterior, n = Posterior.uniform(few), len(few.guesses)
    posterior.update(few.answers[3], 30.0, "ccccc")
    assert n > len(few.answers) + 1
    for most, n_rated in ((n + 1, n), (n, n), (n - 1, len(few.answers)), (3, 3), (1, 1)):
        monkeypatch.setattr(advice, "MAX_CELLS", 243 * most + 242)
        found = advice.suggestion(posterior, few, "anywhere")
        assert found.n_rated == n_rated
    assert found.guess == few.answers[3]


@pytest.mark.slow
def test_for_long_words_only_as_many_likely_answers_as_time_permits_are_rated(tmp_path):
    n_rated = 25_000_000 // 3**10
    many = ["".join(word) for word, _ in zip(product("abcd", repeat=10), range(n_rated + 1), strict=False)]
    (tmp_path / "words").write_text(words.as_text(many))
    long = words.load(tmp_path / "words", tmp_path / "words")
    posterior = Posterior.uniform(long)
    posterior.update(many[0], 30.0, "c" * 10)  # the likeliest is the guess itself, and the unlikeliest is not rated
    found = advice.suggestion(posterior, long, "anywhere")
    assert (found.n_rated, len(long.guesses)) == (423, 424)
    assert found.guess in many


def session_of(few, rules, secret, *guesses):
    session = Session(games.make_game(rules, few), "seed", 0, secret)
    for guess in guesses:
        session.play(guess)
    return session


def left_in(few, session):
    clue = CLUE_RULES["counted"]
    return [word for word in few.answers if all(clue(move.guess, word) == move.clues for move in session.moves)]


def groups(guess, left):
    return Counter(CLUE_RULES["counted"](guess, word) for word in left)


def test_an_absurdle_guess_minimizes_the_largest_group_of_words(few):
    session = session_of(few, "absurdle/1", "", few.guesses[3])
    left = left_in(few, session)
    guess, n_left = advice.absurdle_guess(session, left)
    assert n_left == max(groups(guess, left).values())
    assert n_left == min(max(groups(other, left).values()) for other in few.guesses)


@pytest.mark.parametrize("rules", ["wordle/1", "wordle-hard/1"])
def test_the_best_allowed_guess_has_the_most_information(few, rules):
    session = session_of(few, rules, few.answers[2], few.guesses[5])
    left = left_in(few, session)

    def information(guess):
        return sum(n / len(left) * log2(len(left) / n) for n in groups(guess, left).values())

    guess, n_bits = advice.best_allowed(session, left)
    allowed = [word for word in few.guesses if session.allows(word)]
    most = max(information(word) for word in allowed)
    assert guess in allowed
    assert n_bits == pytest.approx(most)
    assert information(guess) == pytest.approx(most)
    possible = [word for word in left if information(word) > most - 1e-9]
    assert not possible or guess in possible
