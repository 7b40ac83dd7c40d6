import sys

import pytest

from wordpl import games
from wordpl.core.clues import DRAW_LIMIT
from wordpl.core.moves import NoisyMove

KEEP, FLIP = 0, DRAW_LIMIT - 1  # a draw that keeps a mark, and one that changes it


@pytest.fixture
def game(lists):
    return games.make_game("wordpl/1", lists)


@pytest.mark.parametrize(
    ("proposal", "complaint"),
    [
        (None, "a move is a pair (guess, epsilon), got None"),
        ("crane", "a move is a pair (guess, epsilon), got 'crane'"),
        (("crane", 1.0, 2.0), "a move is a pair"),
        (("crane", float("nan")), "epsilon is a finite number of at least 0, got nan"),
        (("crane", float("inf")), "got inf"),
        (("crane", -0.5), "epsilon is a finite number of at least 0, got -0.5"),
        (("crane", 10**4000), "epsilon is a finite number of at least 0, got 1000"),
        (("crane", True), "epsilon is a number, got True"),
        (("crane", "5"), "epsilon is a number, got '5'"),
        ((7, 1.0), "a guess is a word of 5 letters, got 7"),
        (("cranx", 1.0), "'cranx' is not a word of the guesses; did you mean "),
        (("aahed", 0), "'aahed' is not a word of the answers; did you mean ahead"),
        (("aahed", 0.0), "'aahed' is not a word of the answers"),
        (("CRANE", 1.0), "'CRANE' is not a word of the guesses: words are in lower case, so write 'crane'"),
        (("crane ", 1.0), "'crane ' is not a word of the guesses: it has spaces around it, so write 'crane'"),
        (("cran", 1.0), "'cran' is not a word of the guesses: it has 4 letters, not 5"),
        (("CRANE", 1.0), "'CRANE' is not a word of the guesses"),
        ({"repr": "<object>"}, "got <object>"),
    ],
)
def test_an_illegal_move_is_refused_with_what_is_expected(game, proposal, complaint):
    with pytest.raises(games.IllegalMoveError) as error:
        game.check(proposal)
    assert complaint in str(error.value)


def test_a_clue_marks_repeated_letters_by_the_rule_of_the_game(lists):
    anywhere, counted = (games.make_game(name, lists) for name in ("wordpl/1", "wordpl-counted/1"))
    assert anywhere.reply("abide", [], NoisyMove("speed", 5.0, ""), lambda: [KEEP] * 5).clues == "..iii"
    assert counted.reply("abide", [], NoisyMove("speed", 5.0, ""), lambda: [KEEP] * 5).clues == "..i.i"


def test_noise_changes_single_marks(game):
    assert game.reply("abide", [], NoisyMove("speed", 5.0, ""), lambda: [KEEP, FLIP, KEEP, FLIP, KEEP]).clues == ".ci.i"


def test_a_wrong_answer_ends_the_game(game):
    assert game.reply("abide", [], game.check(("crane", 0)), lambda: []).verdict == "wrong"


@pytest.mark.parametrize("epsilon", [0, 0.0, -0.0, 1, 5e-324, 2.5, int(sys.float_info.max), sys.float_info.max])
def test_every_finite_epsilon_of_at_least_0_is_legal_and_0_is_an_answer(game, epsilon):
    move = game.check(["abide", epsilon])
    assert (move.guess, move.epsilon, move.clues) == ("abide", epsilon, "")
    assert isinstance(move.epsilon, float) or move.epsilon == 0
    assert move.is_answer == (epsilon == 0)


@pytest.mark.parametrize("epsilon", [-1, -5e-324, int(sys.float_info.max) + 1, 10**400])
def test_an_epsilon_out_of_range_is_refused_as_a_number(game, epsilon):
    with pytest.raises(games.IllegalMoveError, match="epsilon is a finite number of at least 0, got "):
        game.check(("abide", epsilon))


def test_the_1000th_guess_gets_no_clue_but_an_answer_still_counts(game):
    moves, guess = [NoisyMove("crane", 0.1, ".....")] * 999, NoisyMove("crane", 0.1, "")
    reply = game.reply("abide", moves[1:], guess, lambda: [KEEP] * 5)
    assert (reply.verdict, reply.clues, reply.message) == (None, "..i.c", "")
    final = game.reply("abide", moves, guess, lambda: [KEEP] * 5)
    assert (final.verdict, final.clues, final.message) == ("unsolved", "", "no answer within 1000 guesses")
    assert game.reply("abide", [*moves, guess], NoisyMove("abide", 0, ""), list).verdict == "won"
