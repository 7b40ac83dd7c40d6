import numpy as np
import pytest

from tests.helpers.frames import run_of
from wordpl.stats import compare
from wordpl.stats.compare.claims import share_lower
from wordpl.stats.compare.games import resample, resampled_quantiles
from wordpl.stats.scores import scores_for

N = 20_000


def fixed(budget, chance, seed):
    """Games that cost the same whenever they are won."""
    return np.where(np.random.default_rng(seed).random(N) < chance, budget, np.inf)


def rng():
    return np.random.default_rng(9)


@pytest.fixture(scope="module")
def boards():
    entries = {
        "dear": fixed(40.0, 0.53, 1),
        "cheap": fixed(36.0, 0.53, 2),
        "nearly": fixed(35.0, 0.5, 3),
        "seldom": fixed(14.0, 0.06, 4),
    }
    return compare.champions(run_of(entries), rng())


def test_the_lowest_budget_that_is_shown_holds_the_record(boards):
    by_name = {one.name: one for one in boards[0.5]}
    assert boards[0.5][0].name == "cheap"
    assert (by_name["cheap"].role, by_name["cheap"].claim.budget) == ("holds", 36.0)
    assert (by_name["dear"].role, by_name["dear"].claim.budget) == ("", 40.0)
    assert (by_name["nearly"].role, by_name["nearly"].claim.is_shown) == ("", False)
    assert by_name["dear"].first_margin > 0.99


def test_an_entry_stands_on_the_boards_it_can_reach(boards):
    assert [{one.name for one in board} for board in boards.values()] == [
        {"dear", "cheap", "nearly", "seldom"},
        {"dear", "cheap", "nearly"},
        set(),
    ]
    assert boards[0.05][0].name == "seldom"


def test_records_that_are_not_told_apart_are_shared():
    barely = np.where(np.arange(N) < 10_130, 36.0, np.inf)  # shown, and yet wins that may be luck in 3 of 100 runs
    board = compare.champions(run_of({"first": barely, "second": fixed(36.4, 0.53, 5)}), rng())[0.5]
    assert [(one.name, one.place, one.role) for one in board] == [("first", 1, "holds"), ("second", 1, "shares")]


def test_drawing_equal_games_together_matches_drawing_each():
    scores = [score for score in scores_for("budget") if score.name in ("p05", "p50")]
    prices = [11.0, 12.0, 13.0, np.inf]
    costs = np.random.default_rng(7).choice(prices, (2, 400), p=[0.05, 0.4, 0.1, 0.45])
    together = resampled_quantiles(costs, scores, rng())
    alone = resample(scores, {score.name: costs for score in scores}, rng())
    for score, values in zip(scores, together, strict=True):
        for price in prices:  # each score is one of them, in shares of 2,000 draws
            expected = (alone[score.name] == price).mean(axis=1)
            assert (values == price).mean(axis=1) == pytest.approx(expected, abs=0.06)


def test_the_chance_of_being_5_percent_lower_is_right_where_it_is_just_so():
    score = next(score for score in scores_for("budget") if score.name == "p50")
    draw, n_runs, chances = np.random.default_rng(8), 100, []
    for _ in range(n_runs):
        costs = draw.gamma(3, 10, (2, 200)) * [[0.95], [1.0]]
        (redrawn,) = resampled_quantiles(costs, [score], draw, draws=300)
        chances.append(share_lower(*redrawn, 0.05))
    assert np.mean(chances) == pytest.approx(0.5, abs=0.1)
    assert np.mean(np.array(chances) > 0.95) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_runs)


def test_no_score_is_lower_than_one_that_is_infinite_unless_it_is_finite():
    assert share_lower(np.full(99, np.inf), np.full(99, np.inf), 0.05) < 0.01
    assert share_lower(np.full(99, 9.5), np.full(99, 10.0), 0.05) > 0.99
    assert share_lower(np.full(99, 9.6), np.full(99, 10.0), 0.05) < 0.01


def test_an_entry_that_never_wins_spends_nothing_and_is_on_the_boards_of_few_games():
    boards = compare.champions(run_of({"never": [np.inf] * 10, "once": [7.0] + [np.inf] * 9}), rng())
    claims = {one.name: one.claim for one in boards[0.05]}
    assert (claims["never"].budget, claims["never"].n_won) == (0.0, 0)
    assert (claims["once"].budget, claims["once"].n_won) == (7.0, 1)
    assert [one.role for one in boards[0.05]] == ["", ""]
    assert boards[0.5] == []


@pytest.mark.parametrize("n_lower", [0, 1, 40, 99])
def test_probabilities_from_resamples_have_a_half_draw_correction(n_lower):
    first = np.where(np.arange(99) < n_lower, 1.0, 3.0)
    assert share_lower(first, np.full(99, 2.0), 0.0) == (n_lower + 0.5) / 100
    assert share_lower(first, np.full(99, 2.0), 0.05) == (n_lower + 0.5) / 100


def test_drawing_equal_games_in_blocks_gives_the_same_result(monkeypatch):
    score = next(score for score in scores_for("budget") if score.name == "p50")
    costs = np.random.default_rng(7).choice([11.0, 12.0, 13.0, np.inf], (2, 400), p=[0.1, 0.4, 0.1, 0.4])
    (whole,) = resampled_quantiles(costs, [score], rng())
    monkeypatch.setattr("wordpl.stats.compare.games.WEIGHTS_PER_BLOCK", 500)
    (parts,) = resampled_quantiles(costs, [score], rng())
    (few,) = resampled_quantiles(costs, [score], rng(), draws=7)
    assert (whole.shape, parts.shape, few.shape) == ((2, 2000), (2, 2000), (2, 7))
    assert np.array_equal(whole, parts)  # in whichever turns, the same numbers are drawn
    assert np.array_equal(parts[:, :7], few)


def test_a_board_is_sorted_by_record_place_wins_and_name():
    few = {"b": fixed(40.0, 0.6, 1)[:500], "a": fixed(40.0, 0.6, 1)[:500], "c": fixed(40.0, 0.55, 2)[:500]}
    board = compare.champions(run_of(few), rng())[0.5]
    assert [(one.name, one.role) for one in board] == [("a", ""), ("b", ""), ("c", "")]
    assert (board[0].first_better, board[0].first_margin) == (None, None)
    assert board[1].first_better == board[1].first_margin == 0.5 / 2001  # they have the same games
    assert 0.5 < board[1].claim.share == board[1].claim.n_won / 500
    assert not board[0].claim.is_record


def test_the_chance_to_be_better_is_that_of_any_difference_and_of_5_percent():
    costs = {"first": np.full(200, 10.0), "close": np.full(200, 10.4), "far": np.full(200, 10.6)}
    board = {one.name: one for one in compare.champions(run_of(costs), rng())[0.5]}
    sure, never = 2000.5 / 2001, 0.5 / 2001
    assert (board["close"].first_better, board["close"].first_margin) == (sure, never)
    assert (board["far"].first_better, board["far"].first_margin) == (sure, sure)
    assert [one.claim.budget for one in board.values()] == [10.0, 10.4, 10.6]
