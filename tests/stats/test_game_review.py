"""Reviews of games: worths, prices and luck, compared with a second computation and with the luck of boards."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.game_review import PlainReview, differences
from examples.fibble import Fibble, OneLie
from wordpl import games
from wordpl.core import words
from wordpl.core.clues import anywhere, counted, decode
from wordpl.core.moves import Verdict
from wordpl.core.words import WordLists
from wordpl.run.folder import Run
from wordpl.stats.clue_luck import LuckMeter
from wordpl.stats.game_review import Reviewer, is_reviewed, win_chances
from wordpl.stats.guess_luck import GuessMeter

BUNDLED = Path(__file__).parents[2] / "results/bundled"
FEW = WordLists(words.load().answers[::40], (*words.load().answers[::40], "soare", "clint", "bumpy"))
SHORT = WordLists(
    ("aba", "abc", "bab", "bca", "cab", "cca", "abd"), ("aba", "abc", "bab", "bca", "cab", "cca", "abd", "ddd")
)
NOISY = [("soare", 10.0, "..i.i"), ("clint", 8.0, ".i..."), (FEW.answers[3], 0, "")]


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["MaxClueEntropy(n_guesses=3, epsilon_per_guess=13.5)", "LetterFrequency()"])
def test_reviews_equal_a_second_plain_computation(entry: str) -> None:
    run = Run(BUNDLED)
    info = next(one for one in run.info.entries if one.name == entry)
    game = games.make_game(info.game, run.info.config.load_lists())
    reviewer, plain = Reviewer(game), PlainReview(game)
    for record in run.entry(info).read()[40:50]:
        moves = [move.arguments for move in record.moves]
        review = reviewer.review(moves, record.secret, won=record.verdict is Verdict.WON)
        assert len(review.moves) == len(moves)
        assert max(size for _, size in differences(plain, review)) < 1e-6


@pytest.mark.slow
def test_the_best_candidate_is_the_one_that_a_second_computation_finds() -> None:
    for rules, moves in (("wordpl/1", NOISY), ("wordle/1", [(move[0], ".....") for move in NOISY[:1]])):
        game = games.make_game(rules, FEW)
        review = Reviewer(game).review(moves, "", won=False)
        found = dict(differences(PlainReview(game), review, finds=True))
        assert found["best found"] < 1e-6
        assert review.moves[0].n_candidates == len(FEW.guesses)


@pytest.mark.slow
def test_a_move_is_worth_the_mean_of_what_the_game_is_worth_after_its_clues() -> None:
    game = games.make_game("wordpl/1", FEW)
    reviewer, table = Reviewer(game), np.array(LuckMeter(FEW, "anywhere")._rows(["soare"], is_small=True))[0]
    keep = np.exp(2.0) / (2 + np.exp(2.0))
    mean = expected = 0.0
    for code in range(243):
        shown = decode(code, 5)
        agreeing = np.array([sum(map(str.__eq__, decode(int(true), 5), shown)) for true in table])
        chance = float((keep**agreeing * ((1 - keep) / 2) ** (5 - agreeing)).mean())
        first, _ = reviewer.review([("soare", 10.0, shown), ("clint", 8.0, ".....")], "", won=False).moves
        mean, expected = mean + chance * first.after, first.expected
    assert mean == pytest.approx(expected, abs=1e-9)


def test_the_luck_of_clues_is_that_of_the_board() -> None:
    noisy = Reviewer(games.make_game("wordpl/1", FEW)).review(NOISY, "abide", won=False)
    assert noisy.moves[1].luck == pytest.approx(LuckMeter(FEW, "anywhere").measure([NOISY]).luck[-1], abs=1e-9)
    game, secret = games.make_game("wordle/1", FEW), FEW.answers[7]
    moves = [(guess, counted(guess, secret)) for guess in ("soare", "clint", secret)]
    classic = Reviewer(game).review(moves, secret, won=True)
    assert [move.luck for move in classic.moves] == pytest.approx(GuessMeter(game).luck_by_move(moves, won=True))
    assert classic.moves[-1].after == 3


def test_an_answer_costs_what_the_likeliest_word_is_likelier() -> None:
    review = Reviewer(games.make_game("wordpl/1", FEW)).review(NOISY, FEW.answers[0], won=False)
    answer, (word, chance) = review.moves[-1], review.moves[-2].likeliest[0]
    assert (answer.best, answer.price) == (word, pytest.approx(chance - answer.after))
    assert review.moves[0].true == anywhere("soare", FEW.answers[0])


def test_the_dearest_move_is_the_one_with_the_highest_price() -> None:
    review = Reviewer(games.make_game("wordpl/1", FEW)).review(NOISY, FEW.answers[0], won=False)
    prices = [move.price for move in review.moves]
    assert min(prices) >= 0
    assert review.dearest == prices.index(max(prices))
    assert review.skill == pytest.approx(-sum(prices))


def test_a_review_of_hard_mode_suggests_only_words_that_use_the_hints() -> None:
    answers, secret = ("crate", "grate", "irate", "prate", "orate", "urate"), "crate"
    lists = WordLists(answers, (*answers, "slate", "plate", "cgipo"))  # the last one tells all answers apart
    moves = [(guess, counted(guess, secret)) for guess in ("slate", "plate", "crate")]
    best = {}
    for rules in ("wordle/1", "wordle-hard/1"):
        review = Reviewer(games.make_game(rules, lists)).review(moves, secret, won=True)
        best[rules] = [move.best[2:] == "ate" for move in review.moves]
    assert best == {"wordle/1": [False] * 3, "wordle-hard/1": [False, True, True]}


def test_clues_that_no_answer_explains_and_games_without_a_secret_have_no_review() -> None:
    with pytest.raises(ValueError, match="no answer"):
        Reviewer(games.make_game("wordle/1", FEW)).review([("soare", "ccccc")], "", won=False)
    absurdle = games.make_game("absurdle/1", FEW)
    assert not is_reviewed(absurdle)
    with pytest.raises(ValueError, match="not reviewed"):
        Reviewer(absurdle)


def test_a_game_with_false_clues_that_a_right_guess_ends_is_reviewed_in_guesses() -> None:
    game = Fibble(SHORT)
    moves = [("aba", "ccc"), ("bca", "..i")]  # the first clue is false: it would have ended the game
    review = Reviewer(game).review(moves, "", won=False)
    assert review.unit == "guesses"
    assert review.moves[0].n_possible == 2
    assert [move.luck for move in review.moves] == pytest.approx(
        GuessMeter(game).luck_by_move(moves, won=False), abs=1e-5
    )
    with pytest.raises(ValueError, match="no answer"):
        Reviewer(Fibble(WordLists(("aba",), ("aba", "abc")))).review([("abc", "cc.")], "", won=False)


class SometimesOneLie(OneLie):
    """One mark lies in every other clue."""

    def outcomes(self, true, move):
        codes, chances = super().outcomes(true, move)
        return [true, *codes], [0.5, *(chance / 2 for chance in chances)]


class SometimesFibble(Fibble):
    channel_type = SometimesOneLie


def test_a_guess_that_did_not_end_the_game_was_not_right_whatever_its_clue_says() -> None:
    move = Reviewer(SometimesFibble(SHORT)).review([("aba", "ccc")], "", won=False).moves[0]
    assert dict(move.likeliest) == pytest.approx({"abc": 0.5, "abd": 0.5})


def test_a_chance_to_win_is_never_below_that_of_the_likeliest_answer() -> None:
    found = win_chances(np.array([0.5, 6.0]), np.array([0.95, 0.3]), [0.01], 5)
    assert found.tolist() == pytest.approx([0.95, 0.3], abs=0.02)
    assert (found >= [0.95, 0.3]).all()


def test_of_equally_good_words_the_one_that_was_chosen_is_the_best() -> None:
    lists = WordLists(("abide", "crane"), ("abide", "crane"))
    for rules, move in (("wordle/1", ("crane", "..i.c")), ("wordpl/1", ("crane", 0, ""))):
        reviewed = Reviewer(games.make_game(rules, lists)).review([move], "", won=False).moves[0]
        assert (reviewed.best, reviewed.price, reviewed.n_candidates) == ("crane", 0, 2)


def test_a_reviewer_tells_positions_apart_by_the_prices_that_are_paid_in_them() -> None:
    game = games.make_game("wordpl/1", SHORT)
    reviewer = Reviewer(game)
    for prices in ((6.0, 4.0), (6.0, 2.0), (3.0, 4.0)):
        moves = [("aba", prices[0], ".i."), ("cab", prices[1], "..c"), ("bca", 0, "")]
        assert reviewer.review(moves, "", won=False) == Reviewer(game).review(moves, "", won=False)


def test_a_guess_without_clues_is_no_part_of_a_review() -> None:
    reviewer = Reviewer(games.make_game("wordpl/1", FEW))
    cut = reviewer.review([NOISY[0], (*NOISY[1][:2], "")], "", won=False)
    assert cut == reviewer.review(NOISY[:1], "", won=False)
    assert (len(cut.moves), cut.luck) == (1, cut.moves[0].luck)


def test_games_that_are_too_long_and_words_that_cannot_be_guessed_have_no_review(monkeypatch) -> None:
    monkeypatch.setattr("wordpl.stats.game_review.MAX_MOVES", 2)
    reviewer = Reviewer(games.make_game("wordpl/1", FEW))
    assert len(reviewer.review(NOISY[:2], "", won=False).moves) == 2
    with pytest.raises(ValueError, match="a game of 3 moves is too long"):
        reviewer.review(NOISY, "", won=False)
    with pytest.raises(ValueError, match="'zzzzz' is not in the list of guesses"):
        reviewer.review([("zzzzz", 5.0, ".....")], "", won=False)


@pytest.mark.parametrize("rules", ["wordpl/1", "wordle/1"])
def test_the_estimated_price_of_a_game_is_near_that_of_its_dearest_move(rules: str) -> None:
    """A guess that can tell nothing costs a clue, whether chances or numbers of guesses are compared."""
    reviewer = Reviewer(games.make_game(rules, WordLists(FEW.answers, (*FEW.guesses, "zzzzz"))))
    moves = [("zzzzz", *(10.0,) * (rules == "wordpl/1"), ".....")]
    review = reviewer.review(moves, "", won=False)
    assert review.dearest == 0
    assert review.moves[0].price > 0.1
    assert reviewer.estimated_price(moves, won=False) == pytest.approx(review.moves[0].price, rel=0.5)


def test_a_likely_answer_and_a_certain_word_cost_nothing() -> None:
    reviewer, likeliest = Reviewer(games.make_game("wordpl/1", FEW)), FEW.answers[5]
    moves = [(likeliest, 30.0, "ccccc"), (likeliest, 0, "")]
    review = reviewer.review(moves, likeliest, won=True)
    answer = review.moves[-1]
    assert (answer.price, answer.best, answer.n_possible) == (0, likeliest, 1)
    assert review.moves[0].after == answer.expected == answer.after > 0.99
    only = Reviewer(games.make_game("wordle/1", WordLists(("abide",), ("abide", "crane"))))
    assert only.review([("abide", "ccccc")], "abide", won=True).dearest is None
