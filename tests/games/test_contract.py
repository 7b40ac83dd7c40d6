"""What every game in wordpl/games/ must satisfy; new games are found automatically."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl import games
from wordpl.core.clues import CLUE_RULES
from wordpl.core.messages import UserError
from wordpl.games.base import shown

anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)
proposals = anything | st.tuples(st.just("crane"), anything) | st.tuples(anything, st.just(1.0))


@pytest.mark.parametrize("name", games.names())
def test_a_game_declares_its_name_description_clue_rule_and_measure(name):
    rules = games.game_class(name)
    assert re.fullmatch(r"[a-z-]+/\d+", rules.facts.id)
    assert rules.__doc__
    assert rules.clue_rule in CLUE_RULES
    assert rules.facts.unit in ("budget", "guesses", "tries")
    assert rules.facts.limit in (None, rules.max_guesses)


@pytest.mark.parametrize("name", games.names())
@given(proposal=proposals)
def test_any_proposal_is_legal_or_refused_with_an_explanation(name, proposal, lists):
    game = games.make_game(name, lists)
    try:
        move = game.check(proposal)
    except games.IllegalMoveError as error:
        assert 10 < len(str(error)) < 300
        assert str(error).isprintable()
    else:
        assert game.reply("abide", [], move, lambda: [0] * 5)


@pytest.mark.parametrize("name", [name for name in games.names() if games.game_class(name).facts.has_secret])
def test_guessing_the_secret_wins(name, lists):
    game = games.make_game(name, lists)
    move = game.check(("abide", 0) if game.facts.form == "noisy" else "abide")
    assert game.reply("abide", [], move, lambda: [0] * 5).verdict == "won"


def test_an_unknown_game_is_refused_with_the_nearest():
    with pytest.raises(UserError, match=re.escape("Did you mean 'wordle-hard/1'?")):
        games.game_class("wordle-hard")


@pytest.mark.parametrize(
    ("n", "quoted"), [(58, repr("x" * 58)), (59, repr("x" * 59)[:57] + "..."), (500, "'" + "x" * 56 + "...")]
)
def test_a_message_shows_60_characters_of_a_proposal_at_most(lists, n, quoted):
    with pytest.raises(games.IllegalMoveError) as error:
        games.make_game("wordle/1", lists).check("x" * n)
    assert str(error.value) == f"{quoted} is not a word of the guesses: it has {n} letters, not 5"


def test_the_rules_of_the_bundled_games():
    properties = {
        name: (rules.facts.form, rules.facts.unit, rules.clue_rule, rules.max_guesses, rules.share_mark)
        for name, rules in ((name, games.game_class(name)) for name in games.names())
    }
    bundled = {
        "wordpl/1": ("noisy", "budget", "anywhere", 1000, ""),
        "wordpl-counted/1": ("noisy", "budget", "counted", 1000, ""),
        "wordle/1": ("classic", "guesses", "counted", 6, ""),
        "wordle-hard/1": ("classic", "guesses", "counted", 6, "*"),
        "absurdle/1": ("classic", "tries", "counted", 100, ""),
    }
    assert properties | bundled == properties
    assert {name for name in bundled if not games.game_class(name).facts.has_secret} == {"absurdle/1"}


def test_games_are_listed_noisy_ones_first():
    forms = [games.game_class(name).facts.form for name in games.names()]
    assert forms == sorted(forms, reverse=True)


def test_an_unknown_game_is_refused_with_the_valid_ones():
    with pytest.raises(UserError) as error:
        games.game_class("chess/1")
    names = ", ".join(games.names())
    assert str(error.value).startswith(f"there is no game called 'chess/1'. Games: {names}. To play a game of your own")


class Unspeakable:
    def __repr__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("proposal", "quoted"),
    [
        (Unspeakable(), "<Unspeakable whose repr raised ZeroDivisionError>"),
        ({"repr": "<object>"}, "<object>"),
        ({"repr": "<\x1b[31mred>"}, "<?[31mred>"),
        ({"repr": "x", "other": 1}, "{'repr': 'x', 'other': 1}"),
        ({}, "{}"),
        (b"crane", "b'crane'"),
        (type("Word", (str,), {})("crane"), "'crane'"),
    ],
)
def test_a_proposal_that_is_not_a_word_is_shown_safely(lists, proposal, quoted):
    with pytest.raises(games.IllegalMoveError) as error:
        games.make_game("wordle/1", lists).check(proposal)
    assert str(error.value) == f"a guess is a word of 5 letters, got {quoted}"
    assert shown(proposal) == quoted


def test_at_most_three_words_are_suggested_for_an_unknown_one(lists):
    messages = {}
    for word in ("cranx", "qqqqq"):
        with pytest.raises(games.IllegalMoveError) as error:
            games.make_game("wordle/1", lists).check(word)
        messages[word] = str(error.value)
    assert re.fullmatch(
        r"'cranx' is not a word of the guesses; did you mean \w{5} or \w{5} or \w{5}\?", messages["cranx"]
    )
    assert messages["qqqqq"] == "'qqqqq' is not a word of the guesses"


def test_the_clues_of_32768_pairs_of_words_are_cached(lists):
    clue = games.make_game("wordle/1", lists).clue
    assert clue("crane", "abide") == clue("crane", "abide") == CLUE_RULES["counted"]("crane", "abide")
    assert clue.cache_info()[:3] == (1, 1, 2**15)
