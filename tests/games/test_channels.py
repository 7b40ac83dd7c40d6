"""What follows from what a game shows, in plain steps and by the kernels of bundled channels."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.test_channels import OneLie
from tests.helpers.limits import LIMITS
from wordpl import Posterior, games
from wordpl.core.clues import CLUE_RULES, RandomizedResponse
from wordpl.core.moves import ClassicMove, GameFacts, NoisyMove
from wordpl.core.words import WordLists
from wordpl.games.classic import Wordle
from wordpl.games.noisy import Wordpl
from wordpl.solvers.channel_information import expected_information, generic_information

ANSWERS = ("abc", "acb", "bca", "cab", "aab", "abb", "ccc")
LISTS = WordLists(ANSWERS, (*ANSWERS, "bbb", "aac"))
EPSILONS = st.floats(0.1, 20)
LEGAL = EPSILONS | st.sampled_from(LIMITS)


class Liar(Wordle):
    """Wordle in which one mark of each row lies."""

    facts = GameFacts.of_guesses("liar/1", limit=9)
    channel_type = OneLie


class PlainResponse(RandomizedResponse):
    """Randomized response without its kernels."""


class PlainWordpl(Wordpl):
    """WORDPL by the plain path."""

    channel_type = PlainResponse


@settings(deadline=None)  # the first call may compile
@given(
    st.lists(st.tuples(st.sampled_from(LISTS.guesses), EPSILONS, st.text(".ic", min_size=3, max_size=3)), max_size=5)
)
def test_the_kernel_of_randomized_response_agrees_with_the_plain_posterior(moves):
    fast, plain = Posterior.of(Wordpl(LISTS)), Posterior.of(PlainWordpl(LISTS))
    for move in moves:
        fast.update(*move)
        plain.update(*move)
    assert fast.probabilities == pytest.approx(plain.probabilities, abs=1e-9)


@settings(deadline=None)
@given(epsilon=LEGAL, weights=st.lists(st.floats(0.01, 1), min_size=7, max_size=7))
def test_the_kernel_of_entropies_agrees_with_the_plain_information(epsilon, weights):
    chances = np.array(weights) / sum(weights)
    fast = expected_information(Wordpl(LISTS), chances, LISTS.guesses, epsilon)
    plain = generic_information(PlainWordpl(LISTS), chances, LISTS.guesses, epsilon)
    assert fast == pytest.approx(plain, abs=1e-6)


def bayes(lists, moves):
    """Return the probability of each answer of the lists in Liar, word for word as its rules say."""
    weights = []
    for answer in lists.answers:
        fits = all(
            guess != answer
            and sum(a != b for a, b in zip(CLUE_RULES["counted"](guess, answer), clues, strict=True)) == 1
            for guess, clues in moves
        )
        weights.append(float(fits))
    return np.array(weights)


@given(
    secret=st.sampled_from(ANSWERS),
    guesses=st.lists(st.sampled_from(LISTS.guesses), max_size=4),
    draws=st.lists(st.integers(0, 2**32 - 1), min_size=12, max_size=12),
)
def test_in_a_game_that_lies_the_posterior_and_the_possible_words_follow_its_rules(secret, guesses, draws):
    game, moves = Liar(LISTS), []
    posterior = Posterior.of(game)
    for number, guess in enumerate(guesses):
        if guess == secret:
            continue
        move = ClassicMove(guess, "")
        reply = game.reply(secret, moves, move, lambda number=number: draws[3 * number : 3 * number + 3])
        moves.append(move.with_clues(reply.clues))
        posterior.update(*moves[-1].arguments)
    weights = bayes(LISTS, [move.arguments for move in moves])
    assert weights[ANSWERS.index(secret)] == 1
    assert posterior.probabilities == pytest.approx(weights / weights.sum())
    assert game.still_possible(moves).tolist() == (weights > 0).tolist()


def test_a_word_stays_possible_however_unlikely_its_clues_are():
    assert Wordpl(LISTS).still_possible([NoisyMove("abc", 40.0, "...")]).all()


def test_a_guess_that_did_not_win_is_not_the_secret_and_without_clues_nothing_is_known():
    assert "abc" not in Liar(LISTS).possible_answers([ClassicMove("abc", "cc.")])
    for game in (Liar(LISTS), Wordle(LISTS), Wordpl(LISTS)):
        move = ClassicMove("bbb", "") if game.facts.id != "wordpl/1" else NoisyMove("bbb", 1.0, "")
        assert game.possible_answers([move]) == list(ANSWERS)


def test_clues_that_no_answer_can_give_are_refused():
    posterior = Posterior.of(Liar(LISTS))
    with pytest.raises(ValueError, match="no answer that is left can have led to the clues"):
        for clues in ("ccc", "...", "..."):
            posterior.update("ccc", clues)


@pytest.mark.parametrize("rules", ["wordle/1", "absurdle/1", "wordle-hard/1"])
def test_in_exact_games_the_words_left_are_equally_likely(rules, lists):
    game = games.make_game(rules, lists)
    moves = [ClassicMove("crane", "..i.c"), ClassicMove("slate", "..i.c")]
    posterior, possible = Posterior.of(game), game.still_possible(moves)
    for move in moves:
        posterior.update(*move.arguments)
    assert possible.sum() > 1
    assert posterior.probabilities == pytest.approx(possible / possible.sum())
    assert posterior.bits == pytest.approx(log2(possible.sum()))


def test_the_information_of_a_guess_in_an_exact_game_is_the_entropy_of_its_groups():
    chances = np.full(7, 1 / 7)
    for guess, bits in zip(LISTS.guesses, generic_information(Wordle(LISTS), chances, LISTS.guesses), strict=True):
        groups = Counter(CLUE_RULES["counted"](guess, answer) for answer in ANSWERS).values()
        assert bits == pytest.approx(-sum(n / 7 * log2(n / 7) for n in groups))
