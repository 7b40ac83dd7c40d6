import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl import games
from wordpl.core.clues import counted
from wordpl.core.moves import ClassicMove
from wordpl.core.words import WordLists
from wordpl.games.classic import Wordle, unused_hint

words = st.text("abcd", min_size=5, max_size=5)


@pytest.mark.parametrize(
    ("guess", "earlier", "clues", "hint"),
    [
        ("crony", "slate", "..c.c", "letter 3 must be A"),
        ("brine", "slate", "...ii", "the guess must contain T"),
        ("crane", "eerie", "ii...", "the guess must contain E 2 times"),
        ("crane", "eerie", "i...c", "the guess must contain E 2 times"),
        ("spade", "speed", "c.ici", "letter 4 must be E"),
        ("abele", "geese", ".ii.i", "the guess must contain E 3 times"),
        ("abide", "speed", "..i.i", ""),
        ("spade", "speed", "c.i.i", ""),
        ("eerie", "geese", ".ii.i", ""),
        ("crane", "boils", ".....", ""),
    ],
)
def test_hard_mode_names_the_hint_that_is_not_used(lists, guess, earlier, clues, hint):
    game = games.make_game("wordle-hard/1", lists)
    if hint:
        for moves in ([], [ClassicMove("fuzzy", ".....")]):
            with pytest.raises(games.IllegalMoveError, match=f"breaks hard mode: {hint}, revealed by {earlier} "):
                game.reply("abide", [*moves, ClassicMove(earlier, clues)], ClassicMove(guess, ""), list)
    else:
        assert game.reply("abide", [ClassicMove(earlier, clues)], ClassicMove(guess, ""), list)


@given(secret=words, first=words, second=words, third=words)
def test_a_guess_that_uses_the_last_hints_uses_all_earlier_ones(secret, first, second, third):
    """Hard mode therefore needs to check the last guess only."""
    if not unused_hint(second, first, counted(first, secret)) and not unused_hint(
        third, second, counted(second, secret)
    ):
        assert not unused_hint(third, first, counted(first, secret))


@given(secret=words, guess=words)
def test_the_secret_uses_every_hint(secret, guess):
    assert not unused_hint(secret, guess, counted(guess, secret))


@pytest.mark.parametrize("name", ["wordle/1", "wordle-hard/1"])
def test_the_last_guess_has_its_clue_and_may_still_win(lists, name):
    game = games.make_game(name, lists)
    for n_before, guess, verdict in (
        (4, "crane", None),
        (5, "crane", "unsolved"),
        (5, "abide", "won"),
        (0, "abide", "won"),
    ):
        reply = game.reply("abide", [ClassicMove("moldy", ".....")] * n_before, game.check(guess), list)
        assert (reply.clues, reply.verdict, reply.message) == (counted(guess, "abide"), verdict, "")


def test_a_word_of_any_length_wins():
    game = Wordle(WordLists(("abc", "abd"), ("abc", "abd")))
    assert [game.reply("abc", [], game.check(guess), list).verdict for guess in ("abc", "abd")] == ["won", None]
