"""The adversary keeps the largest group, reveals the least among equals, and settles on a secret as late as it can."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordpl import games
from wordpl.contest.referee import secret_of
from wordpl.core.clues import counted
from wordpl.core.moves import ClassicMove
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists
from wordpl.games.absurdle import revealed


def replies(game, *guesses):
    moves = []
    for guess in guesses:
        reply = game.reply("", moves, game.check(guess), list)
        moves.append(ClassicMove(guess, reply.clues))
    return moves, reply.verdict


def test_the_published_example_keeps_256_words(lists):
    """https://qntm.org/absurdle: of the 110 clues that TERNS can get, the largest group has none of its letters."""
    groups = Counter(counted("terns", word) for word in lists.answers)
    assert (len(groups), groups["....."]) == (110, 256)
    assert replies(games.make_game("absurdle/1", lists), "terns") == ([ClassicMove("terns", ".....")], None)


words = st.text("abc", min_size=3, max_size=3)


@given(answers=st.sets(words, min_size=1, max_size=27), guesses=st.lists(words, min_size=1, max_size=5))
@settings(deadline=None)
def test_each_clue_is_one_of_the_largest_groups_and_of_these_reveals_the_least(answers, guesses):
    game = games.make_game("absurdle/1", WordLists(tuple(sorted(answers)), tuple(sorted(answers | set(guesses)))))
    words_left = answers
    for guess, clues in (move.arguments for move in replies(game, *guesses)[0]):
        sizes = Counter(counted(guess, word) for word in words_left)
        assert sizes[clues] == max(sizes.values())
        assert revealed(clues) == min(revealed(other) for other in sizes if sizes[other] == sizes[clues])
        words_left = {word for word in words_left if counted(guess, word) == clues}


@pytest.mark.parametrize(
    ("answers", "clues"),
    [
        (["axx", "xax", "xxa"], "i.."),  # twice i.., once c..: the larger group
        (["axx", "cab"], "iii"),  # fewer c, whatever the i
        (["xax", "bax"], "i.."),  # then fewer i
        (["axx", "xbx"], ".c."),  # then the first difference
        (["xba", "axb"], "ic."),  # where i comes before c
    ],
)
def test_of_equally_large_groups_the_one_that_reveals_less_is_kept(answers, clues):
    game = games.make_game("absurdle/1", WordLists(tuple(answers), (*answers, "abc")))
    assert replies(game, "abc")[0] == [ClassicMove("abc", clues)]


def test_only_the_last_word_left_wins(lists):
    game = games.make_game("absurdle/1", lists)
    moves, verdict = replies(game, "aesir", "yauld", "tench", "whoop")
    assert verdict == "won"
    assert moves[-1] == ClassicMove("whoop", "ccccc")
    assert replies(game, "whoop")[1] is None
    assert replies(game, *["whoop"] * 99)[1] is None
    assert replies(game, *["whoop"] * 100)[1] == "unsolved"


def test_no_secret_is_drawn(lists):
    assert secret_of(games.make_game("absurdle/1", lists), 7, Draws.of("1")) == ""


def test_known_positions_are_not_grouped_again(lists):
    game = games.make_game("absurdle/1", lists)
    replies_before = replies(game, "aesir", "yauld")
    n_clues = game.clue.cache_info().currsize
    assert replies(game, "aesir", "yauld") == replies_before
    assert game.clue.cache_info().currsize == n_clues
    assert game.clue.cache_info().hits == 0  # the clues of the words left are computed only once
