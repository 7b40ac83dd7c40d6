"""The suggestions to a person agree with the plain formulas."""

from collections import Counter
from itertools import product
from math import exp, log2

import pytest

from wordpl import games
from wordpl.contest import session as advice
from wordpl.contest.session import Session
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.games import make_game
from wordpl.kernels.posterior import Posterior

ALL_CLUES = ["".join(marks) for marks in product(".ic", repeat=5)]


@pytest.fixture(scope="module")
def few_words(tmp_path_factory, lists):
    folder = tmp_path_factory.mktemp("few")
    answers = lists.answers[::160]
    (folder / "answers").write_text(words.as_text(sorted(answers)))
    (folder / "guesses").write_text(words.as_text(sorted({*answers, *lists.guesses[::900]})))
    return words.load(folder / "answers", folder / "guesses")


def bits(guess, posterior, epsilon):
    """Return the entropy of the noisy clue minus that of its noise."""
    keep = exp(epsilon / 5) / (2 + exp(epsilon / 5))
    true = [CLUE_RULES["anywhere"](guess, word) for word in posterior.words]
    entropy = 0.0
    for clues in ALL_CLUES:
        n_same_marks = [sum(a == b for a, b in zip(clues, clue, strict=True)) for clue in true]
        chance = sum(
            p * keep**n * ((1 - keep) / 2) ** (5 - n)
            for p, n in zip(posterior.probabilities, n_same_marks, strict=True)
        )
        entropy -= chance * log2(chance)
    return entropy + 5 * (keep * log2(keep) + (1 - keep) * log2((1 - keep) / 2))


@pytest.mark.slow
def test_the_suggested_guess_and_epsilon_give_the_most_bits_per_price(few_words):
    posterior = Posterior.uniform(few_words)
    posterior.update(few_words.guesses[0], 7.0, ".ic..")
    suggestion = advice.suggestion(make_game("wordpl/1", few_words), posterior)
    assert suggestion.n_rated == len(few_words.guesses)
    assert suggestion.bits == pytest.approx(bits(suggestion.guess, posterior, suggestion.epsilon), rel=1e-4)
    assert suggestion.bits == pytest.approx(
        max(bits(guess, posterior, suggestion.epsilon) for guess in few_words.guesses), rel=1e-4
    )
    best_guess = max(few_words.guesses, key=lambda guess: bits(guess, posterior, 12.0))
    prices = {epsilon: bits(best_guess, posterior, epsilon) / epsilon for epsilon in range(3, 21)}
    tried_epsilons = [round(5 * step) for step in advice.EPSILONS_PER_LETTER]
    assert prices[suggestion.epsilon] == max(prices[epsilon] for epsilon in tried_epsilons)


def test_all_guesses_are_rated_if_time_permits_otherwise_the_likeliest_answers(few_words, monkeypatch):
    posterior, n_guesses = Posterior.uniform(few_words), len(few_words.guesses)
    posterior.update(few_words.answers[3], 30.0, "ccccc")
    assert n_guesses > len(few_words.answers) + 1
    for max_rated, n_rated in (
        (n_guesses + 1, n_guesses),
        (n_guesses, n_guesses),
        (n_guesses - 1, len(few_words.answers)),
        (3, 3),
        (1, 1),
    ):
        monkeypatch.setattr(advice, "MAX_CELLS", 243 * max_rated + 242)
        suggestion = advice.suggestion(make_game("wordpl/1", few_words), posterior)
        assert suggestion.n_rated == n_rated
    assert suggestion.guess == few_words.answers[3]


def session_of(few_words, rules, secret, *guesses):
    session = Session(games.make_game(rules, few_words), "seed", 0, secret)
    for guess in guesses:
        session.play(guess)
    return session


def candidates_of(few_words, session):
    clue_of = CLUE_RULES["counted"]
    return [
        word for word in few_words.answers if all(clue_of(move.guess, word) == move.clues for move in session.moves)
    ]


def group_sizes(guess, candidates):
    return Counter(CLUE_RULES["counted"](guess, word) for word in candidates)


def test_an_absurdle_guess_minimizes_the_largest_group_of_words(few_words):
    session = session_of(few_words, "absurdle/1", "", few_words.guesses[3])
    candidates = candidates_of(few_words, session)
    guess, max_group_size = advice.absurdle_guess(session, candidates)
    assert max_group_size == max(group_sizes(guess, candidates).values())
    assert max_group_size == min(
        max(group_sizes(other_guess, candidates).values()) for other_guess in few_words.guesses
    )


@pytest.mark.parametrize("rules", ["wordle/1", "wordle-hard/1"])
def test_the_best_allowed_guess_has_the_most_information(few_words, rules):
    session = session_of(few_words, rules, few_words.answers[2], few_words.guesses[5])
    candidates = candidates_of(few_words, session)

    def information(guess):
        return sum(n / len(candidates) * log2(len(candidates) / n) for n in group_sizes(guess, candidates).values())

    guess, n_bits = advice.best_allowed(session, candidates)
    allowed = [word for word in few_words.guesses if session.allows(word)]
    max_bits = max(information(word) for word in allowed)
    assert guess in allowed
    assert n_bits == pytest.approx(max_bits)
    assert information(guess) == pytest.approx(max_bits)
    best_candidates = [word for word in candidates if information(word) > max_bits - 1e-9]
    assert not best_candidates or guess in best_candidates
