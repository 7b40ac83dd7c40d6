"""Every game in wordpl/games/ is held to this, unasked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl import games
from wordpl.core.clues import CLUE_RULES
from wordpl.core.errors import UserError

anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)
proposals = anything | st.tuples(st.just("crane"), anything) | st.tuples(anything, st.just(1.0))


@pytest.mark.parametrize("name", games.names())
def test_a_game_says_what_it_is(name):
    rules = games.game_class(name)
    assert re.fullmatch(r"[a-z-]+/\d+", rules.name)
    assert rules.__doc__
    assert rules.clue_rule in CLUE_RULES
    assert (rules.kind, rules.measure) in {("noisy", "budget"), ("classic", "guesses"), ("classic", "tries")}


@pytest.mark.parametrize("name", games.names())
@given(proposal=proposals)
def test_whatever_a_strategy_proposes_is_legal_or_explained(name, proposal, lists):
    game = games.make_game(name, lists)
    try:
        move = game.check(proposal)
    except games.IllegalMoveError as fault:
        assert 10 < len(str(fault)) < 300
        assert str(fault).isprintable()
    else:
        assert game.reply("abide", [], move, lambda: [0] * 5)


@pytest.mark.parametrize("name", [name for name in games.names() if games.game_class(name).has_secret])
def test_guessing_the_secret_wins(name, lists):
    game = games.make_game(name, lists)
    move = game.check(("abide", 0) if game.kind == "noisy" else "abide")
    assert game.reply("abide", [], move, lambda: [0] * 5).verdict == "won"


def test_an_unknown_game_is_refused_with_the_nearest():
    with pytest.raises(UserError, match=re.escape("Did you mean 'wordle-hard/1'?")):
        games.game_class("wordle-hard")


@pytest.mark.parametrize(
    ("n", "shown"), [(58, repr("x" * 58)), (59, repr("x" * 59)[:57] + "..."), (500, "'" + "x" * 56 + "...")]
)
def test_a_message_shows_60_characters_of_a_proposal_at_most(lists, n, shown):
    with pytest.raises(games.IllegalMoveError) as caught:
        games.make_game("wordle/1", lists).check("x" * n)
    assert str(caught.value) == f"{shown} is not a word of the guesses: it has {n} letters, not 5"


def test_only_absurdle_draws_no_secret():
    assert [name for name in games.names() if not games.game_class(name).has_secret] == ["absurdle/1"]
