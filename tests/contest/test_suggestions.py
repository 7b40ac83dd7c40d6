"""What a person's game suggests: the best of all moves, as counted word by word on short lists."""

from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from tests.core.test_channels import OneLie
from wordpl import games
from wordpl.contest import session
from wordpl.contest.session import Session
from wordpl.core.clues import Exact, RandomizedResponse
from wordpl.core.moves import GameFacts
from wordpl.core.words import WordLists
from wordpl.games.classic import Wordle, WordleHard
from wordpl.games.noisy import Wordpl
from wordpl.solvers.channel_information import expected_information

ANSWERS = ("abc", "acb", "bca", "cab", "aab", "abb", "ccc", "dab", "bad")
LISTS = WordLists(ANSWERS, (*ANSWERS, "bbb", "aac", "dcb"))


class Liar(Wordle):
    """Wordle in which one mark of each row lies."""

    facts = GameFacts.of_guesses("liar/1", limit=9)
    channel_type = OneLie


class PlainResponse(RandomizedResponse):
    """Randomized response that takes the way of all channels."""


class PlainWordpl(Wordpl):
    channel_type = PlainResponse


class ExactWordpl(Wordpl):
    """A game with budgets whose clues are true."""

    facts = msgspec.structs.replace(Wordpl.facts, id="exact/1")
    channel_type = Exact


def started(kind, *proposals):
    made = Session(kind(LISTS), "seed", 0, "bca")
    for proposal in proposals:
        made.play(proposal)
    return made


def test_only_true_clues_without_a_price_leave_a_set_of_words():
    kinds = {Wordle: True, WordleHard: True, Liar: False, Wordpl: False, ExactWordpl: False}
    assert {kind: started(kind).leaves_a_set for kind in kinds} == kinds


def test_how_many_marks_are_kept_depends_on_the_true_clues_or_the_budget():
    assert started(Wordle).kept() == 1
    assert started(Liar).kept() == started(Liar).kept("...") == pytest.approx(2 / 3)
    assert started(Wordpl).kept("ccc", 3.0) == started(Wordpl).kept(epsilon=3.0) < started(Wordpl).kept(epsilon=9.0) < 1
    assert started(games.game_class("absurdle/1")).kept() == 1


@pytest.mark.parametrize("kind", [Wordpl, PlainWordpl])
@pytest.mark.parametrize("moves", [[], [("abc", 6.0)], [("dab", 3.0), ("bad", 8.0)]])
def test_a_suggested_move_is_the_best_guess_at_the_best_price(kind, moves, monkeypatch):
    made = started(kind, *moves)
    posterior = made.posterior()
    found = session.suggestion(made.game, posterior)
    bits = expected_information(made.game, posterior.probabilities, LISTS.guesses, found.epsilon)
    assert (found.n_rated, found.bits) == (len(LISTS.guesses), pytest.approx(bits.max()))
    assert bits[LISTS.guesses.index(found.guess)] == pytest.approx(bits.max())
    epsilons = [round(3 * one) for one in session.EPSILONS_PER_LETTER]
    typical = expected_information(
        made.game, posterior.probabilities, LISTS.guesses, 3 * session.TYPICAL_EPSILON_PER_LETTER
    )
    first = LISTS.guesses[int(np.argmax(typical))]
    rates = [float(expected_information(made.game, posterior.probabilities, [first], one)[0]) / one for one in epsilons]
    assert rates[epsilons.index(found.epsilon)] == pytest.approx(max(rates))
    generic = []
    monkeypatch.setattr(session, "_generic_suggestion", lambda *given: generic.append(given))
    session.suggestion(made.game, posterior)
    assert bool(generic) == (kind is PlainWordpl)


def test_only_the_likeliest_answers_are_rated_if_words_are_long(monkeypatch):
    made = started(Wordpl, ("abc", 6.0))
    monkeypatch.setattr(session, "MAX_CELLS", 3 * 27)
    found = session.suggestion(made.game, made.posterior())
    assert found.n_rated == 3
    likeliest = np.argsort(-made.posterior().probabilities, kind="stable")[:3]
    assert found.guess in [ANSWERS[place] for place in likeliest]


def test_the_most_informative_guess_of_a_game_that_lies_is_one_that_is_allowed(monkeypatch):
    made = started(Liar)
    bits = expected_information(made.game, made.posterior().probabilities, LISTS.guesses)
    first, most = session.most_informative(made, made.posterior())
    assert most == pytest.approx(bits.max())
    monkeypatch.setattr(made, "allows", lambda word: word != first)
    second, less = session.most_informative(made, made.posterior())
    assert second != first and less <= most
    alone = SimpleNamespace(probabilities=np.eye(len(ANSWERS))[2], best=lambda: ("bca", 1.0))
    assert session.most_informative(made, alone) == ("bca", 0.0)


def test_the_best_allowed_guess_is_a_possible_answer_if_that_tells_as_much():
    made = started(Wordle)
    guess, bits = session.best_allowed(made, ["abc", "acb"])
    assert (guess, bits) == ("abc", 1.0)
    made.allows = lambda word: word != "abc"
    assert session.best_allowed(made, ["abc", "acb"]) == ("acb", 1.0)
