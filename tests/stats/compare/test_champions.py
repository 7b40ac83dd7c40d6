import numpy as np
import pytest

from tests.helpers.frames import FACTS, run_of
from wordpl.stats import compare
from wordpl.stats.compare.claims import share_lower
from wordpl.stats.compare.significance import resample, resampled_quantiles
from wordpl.stats.scores import scores_for

N = 20_000


def fixed_costs(budget, chance, seed):
    """Return the costs of games that all cost the same when they are won."""
    return np.where(np.random.default_rng(seed).random(N) < chance, budget, np.inf)


def rng():
    return np.random.default_rng(9)


@pytest.fixture(scope="module")
def boards():
    costs = {
        "dear": fixed_costs(40.0, 0.53, 1),
        "cheap": fixed_costs(36.0, 0.53, 2),
        "nearly": fixed_costs(35.0, 0.5, 3),
        "seldom": fixed_costs(14.0, 0.06, 4),
    }
    return compare.champions(run_of(costs), rng())


def test_the_lowest_budget_that_is_shown_holds_the_record(boards):
    rows = {row.name: row for row in boards[0.5]}
    assert boards[0.5][0].name == "cheap"
    assert (rows["cheap"].role, rows["cheap"].claim.budget) == ("holds", 36.0)
    assert (rows["dear"].role, rows["dear"].claim.budget) == ("", 40.0)
    assert (rows["nearly"].role, rows["nearly"].claim.is_shown) == ("", False)
    assert rows["dear"].first_margin > 0.99


def test_an_entry_is_on_the_boards_whose_share_of_wins_it_can_reach(boards):
    assert [{row.name for row in board} for board in boards.values()] == [
        {"dear", "cheap", "nearly", "seldom"},
        {"dear", "cheap", "nearly"},
        set(),
    ]
    assert boards[0.05][0].name == "seldom"


def test_a_record_is_shared_by_entries_that_are_not_told_apart():
    barely_shown = np.where(np.arange(N) < 10_130, 36.0, np.inf)  # such wins are luck in 3 of 100 runs
    board = compare.champions(run_of({"first": barely_shown, "second": fixed_costs(36.4, 0.53, 5)}), rng())[0.5]
    assert [(row.name, row.place, row.role) for row in board] == [("first", 1, "holds"), ("second", 1, "shares")]


def test_drawing_equal_games_together_matches_drawing_each():
    scores = [score for score in scores_for(FACTS["budget"]) if score.name in ("p05", "p50")]
    prices = [11.0, 12.0, 13.0, np.inf]
    costs = np.random.default_rng(7).choice(prices, (2, 400), p=[0.05, 0.4, 0.1, 0.45])
    grouped_draws = resampled_quantiles(costs, scores, rng())
    separate_draws = resample(scores, {score.name: costs for score in scores}, rng())
    for score, values in zip(scores, grouped_draws, strict=True):
        for price in prices:  # each draw's score is one of them
            expected = (separate_draws[score.name] == price).mean(axis=1)
            assert (values == price).mean(axis=1) == pytest.approx(expected, abs=0.06)


def test_the_chance_to_be_5_percent_lower_is_one_half_at_a_true_5_percent():
    score = next(score for score in scores_for(FACTS["budget"]) if score.name == "p50")
    generator, n_runs, chances = np.random.default_rng(8), 100, []
    for _ in range(n_runs):
        costs = generator.gamma(3, 10, (2, 200)) * [[0.95], [1.0]]
        (redrawn,) = resampled_quantiles(costs, [score], generator, draws=300)
        chances.append(share_lower(*redrawn, 0.05))
    assert np.mean(chances) == pytest.approx(0.5, abs=0.1)
    assert np.mean(np.array(chances) > 0.95) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_runs)


def test_an_entry_that_never_wins_has_budget_0_on_a_board_of_few_games():
    records = compare.champions(run_of({"never": [np.inf] * 10, "once": [7.0] + [np.inf] * 9}), rng())
    claims = {row.name: row.claim for row in records[0.05]}
    assert (claims["never"].budget, claims["never"].n_won) == (0.0, 0)
    assert (claims["once"].budget, claims["once"].n_won) == (7.0, 1)
    assert [row.role for row in records[0.05]] == ["", ""]
    assert records[0.5] == []


@pytest.mark.parametrize("n_lower", [0, 1, 40, 99])
def test_probabilities_from_resamples_have_a_half_draw_correction(n_lower):
    scores = np.where(np.arange(99) < n_lower, 1.0, 3.0)
    assert share_lower(scores, np.full(99, 2.0), 0.0) == (n_lower + 0.5) / 100
    assert share_lower(scores, np.full(99, 2.0), 0.05) == (n_lower + 0.5) / 100


def test_drawing_equal_games_in_blocks_gives_the_same_result(monkeypatch):
    score = next(score for score in scores_for(FACTS["budget"]) if score.name == "p50")
    costs = np.random.default_rng(7).choice([11.0, 12.0, 13.0, np.inf], (2, 400), p=[0.1, 0.4, 0.1, 0.4])
    (drawn_at_once,) = resampled_quantiles(costs, [score], rng())
    monkeypatch.setattr("wordpl.stats.compare.significance.WEIGHTS_PER_BLOCK", 500)
    (drawn_in_blocks,) = resampled_quantiles(costs, [score], rng())
    (few_draws,) = resampled_quantiles(costs, [score], rng(), draws=7)
    assert (drawn_at_once.shape, drawn_in_blocks.shape, few_draws.shape) == ((2, 2000), (2, 2000), (2, 7))
    assert np.array_equal(drawn_at_once, drawn_in_blocks)  # the same numbers are drawn, whatever the blocks
    assert np.array_equal(drawn_in_blocks[:, :7], few_draws)


def test_a_board_is_sorted_by_record_place_and_wins_and_never_by_name():
    costs = {
        "b": fixed_costs(40.0, 0.6, 1)[:500],
        "a": fixed_costs(40.0, 0.6, 1)[:500],
        "c": fixed_costs(40.0, 0.55, 2)[:500],
    }
    board = compare.champions(run_of(costs), rng())[0.5]
    assert [(row.name, row.role) for row in board] == [("b", ""), ("a", ""), ("c", "")]
    assert (board[0].first_better, board[0].first_margin) == (None, None)
    assert board[1].first_better == board[1].first_margin == 0.5 / 2001  # they have the same games
    assert 0.5 < board[1].claim.share == board[1].claim.n_won / 500
    assert not board[0].claim.is_record


def test_chances_are_shown_for_any_difference_and_for_one_of_5_percent():
    costs = {"first": np.full(200, 10.0), "close": np.full(200, 10.4), "far": np.full(200, 10.6)}
    rows = {row.name: row for row in compare.champions(run_of(costs), rng())[0.5]}
    certain, never = 2000.5 / 2001, 0.5 / 2001
    assert (rows["close"].first_better, rows["close"].first_margin) == (certain, never)
    assert (rows["far"].first_better, rows["far"].first_margin) == (certain, certain)
    assert [row.claim.budget for row in rows.values()] == [10.0, 10.4, 10.6]


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_two_scores_of_zero_and_two_infinite_ones_are_not_lower_than_each_other(margin):
    for score in (0.0, np.inf):
        assert share_lower(np.full(99, score), np.full(99, score), margin) == 0.5 / 100
    assert share_lower(np.zeros(99), np.full(99, 1e-9), margin) == 99.5 / 100


def test_sums_that_differ_by_rounding_are_lower_by_exactly_the_margin():
    limit = 0.95 * 10.0 * (1 + 1e-9)
    assert share_lower(np.full(99, limit), np.full(99, 10.0), 0.05) == 99.5 / 100
    assert share_lower(np.full(99, np.nextafter(limit, 10)), np.full(99, 10.0), 0.05) == 0.5 / 100


@pytest.mark.parametrize(
    ("prices", "expected"),
    [
        ([4.0], [{4}, {4}, {4}]),
        ([4.0, np.inf], [{4}, {4, np.inf}, {np.inf}]),
        ([4.0, 7.0, np.inf], [{4}, {7}, {np.inf}]),
        ([3.0, 4.0, 7.0, 9.0], [{3}, {4, 7}, {9}]),
    ],
)
def test_quantiles_of_equal_games_are_costs_at_their_share(prices, expected):
    scores = [score for score in scores_for(FACTS["budget"]) if score.name in ("p05", "p50", "p95")]
    costs = np.repeat([prices, prices[::-1]], 100, axis=1)
    for costs_found, values in zip(expected, resampled_quantiles(costs, scores, rng(), draws=100), strict=True):
        assert [set(row) for row in values] == [costs_found, costs_found]


@pytest.mark.parametrize(("names", "place"), [("ab", 2), ("acb", 1)])
def test_the_more_entries_a_record_board_has_the_clearer_a_better_one_has_to_be(names, place):
    """The p-value is 0.0175, which shows a difference of two entries, but not among three."""
    costs = {"a": [10.0] * 100, "b": [10.0] * 39 + [20.0] * 61, "c": [10.0] * 100}
    board = compare.champions(run_of({name: costs[name] for name in names}), rng())[0.5]
    assert {row.name: row.place for row in board}["b"] == place
