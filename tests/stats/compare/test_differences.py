from dataclasses import astuple, replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from tests.helpers.frames import FACTS, losing, run_of
from wordpl.reports import boards
from wordpl.reports.sections import comparison
from wordpl.stats import compare
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.compare.differences import comparison_matrix, pairs
from wordpl.stats.compare.sequential import games_to_decide
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.guess_luck import GuessLuck
from wordpl.stats.hypothesis_tests import better_means, difference_limits, mean_bounds, quantile_test
from wordpl.stats.scores import scores_for

BUDGET_SCORES = ["p05", "p50", "p95", "won", "mean_cost"]


def rng_of(seed):
    return np.random.default_rng(seed)


def equal_entries(rng, n_entries, n_games):
    """Return the costs of equally good entries: a game is as hard for all of them, but their luck differs."""
    hardness = rng.gamma(3, 10, n_games)
    costs = losing(hardness * rng.gamma(5, 0.2, (n_entries, n_games)), 0.06, rng)
    return {f"entry{i}": costs_of_entry for i, costs_of_entry in enumerate(costs)}


def told_apart(run, rng):
    """Return by score whether any entry is shown to be better than another."""
    standings = compare.pairwise_significance(run, rng, draws=1)  # significance needs no resamples
    return {name: standing.better.any() for name, standing in standings.items()}


@pytest.mark.long  # 100 simulated boards
def test_many_equal_entries_are_told_apart_on_5_of_100_boards_at_most():
    rng, n_runs = rng_of(2), 60
    outcomes = [told_apart(run_of(equal_entries(rng, 8, 101)), rng) for _ in range(n_runs)]
    for name in BUDGET_SCORES:
        share = np.mean([outcome[name] for outcome in outcomes])
        assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_runs), name


@pytest.mark.parametrize("chance", [0.03, 0.08])
@pytest.mark.long  # simulated runs
def test_entries_that_seldom_lose_are_told_apart_in_5_of_100_runs_at_most(chance):
    rng, n_runs = rng_of(3), 60
    runs = [
        run_of({"a": losing(np.full(101, 30.0), chance, rng), "b": losing(np.full(101, 30.0), chance, rng)})
        for _ in range(n_runs)
    ]
    assert np.mean([told_apart(run, rng)["won"] for run in runs]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_runs)


def test_a_clearly_better_entry_is_told_apart_in_each_score():
    rng = rng_of(4)
    hardness = rng.gamma(3, 10, 1001) + 5
    run = run_of({"dear": losing(hardness * 1.5, 0.045, rng), "cheap": losing(hardness, 0.001, rng)})
    for name, standing in compare.pairwise_significance(run, rng).items():
        assert (standing.marks, standing.places) == (["", "*"], [2, 1]), name


def test_a_small_difference_shows_when_all_games_have_it():
    hardness = rng_of(5).gamma(3, 10, 1001)
    run = run_of({"first": hardness, "second": hardness + 0.5})
    assert compare.pairwise_significance(run, rng_of(6))["p50"].marks == ["*", ""]


def test_entries_that_lose_most_games_have_no_best():
    run = run_of({"a": [5.0] * 10 + [np.inf] * 90, "b": [5.0] * 5 + [np.inf] * 95})
    assert compare.pairwise_significance(run, rng_of(7))["p50"].marks == ["", ""]


def test_an_entry_that_wins_at_any_price_beats_one_that_loses():
    run = run_of({"loser": [np.inf] * 65 + [1.0] * 35, "winner": [1e9] * 100})
    standing = compare.pairwise_significance(run, rng_of(8))["p50"]
    assert (standing.marks, standing.places) == (["", "*"], [2, 1])


def test_equal_entries_are_both_marked_and_share_the_chance_to_be_the_best():
    standing = compare.pairwise_significance(run_of({"a": [5.0] * 50, "b": [5.0] * 50}), rng_of(9))["p50"]
    assert (standing.marks, standing.places, standing.last_places) == (["*", "*"], [1, 1], [2, 2])
    assert standing.p_best == pytest.approx([0.5, 0.5])


@pytest.mark.slow
def test_which_entries_are_better_does_not_depend_on_the_seed():
    run = run_of(equal_entries(rng_of(20), 6, 301) | {"bad": rng_of(21).gamma(3, 14, 301)})
    standings = [compare.pairwise_significance(run, rng_of(seed)) for seed in (1, 2)]
    for name, standing in standings[0].items():
        assert (standing.better == standings[1][name].better).all(), name


def test_marks_places_and_rank_intervals_agree():
    rng = rng_of(22)
    hardness = rng.gamma(3, 10, 1001)
    run = run_of({f"e{i}": losing(hardness * factor, 0.02, rng) for i, factor in enumerate((1, 1.01, 1.2, 1.5))})
    for name, standing in compare.pairwise_significance(run, rng).items():
        assert [mark == "*" for mark in standing.marks] == [place == 1 for place in standing.places], name
        assert all(first <= last for first, last in zip(standing.places, standing.last_places, strict=True))
        assert standing.p_best.sum() == pytest.approx(1), name


def test_entries_are_compared_on_the_games_that_all_have_played():
    run = run_of({"a": list(range(1, 41)), "b": list(range(1, 31))})
    shuffled = run.sample(frac=1, random_state=1)
    assert {len(games) for games in compare.by_entry(shuffled).values()} == {30}
    assert compare.against(shuffled, "a", rng_of(10))[0].scores["p50"].high == 0


def test_resampling_in_blocks_gives_the_same_result(monkeypatch):
    monkeypatch.setattr("wordpl.stats.compare.significance.WEIGHTS_PER_BLOCK", 1500)
    score = next(score for score in scores_for(FACTS["budget"]) if score.name == "p50")
    values = rng_of(11).gamma(3, 10, (2, 100))
    redrawn = compare.resample([score], {"p50": values}, rng_of(12), draws=2000)["p50"]
    assert redrawn.shape == (2, 2000)
    assert np.quantile(redrawn[0], [0.025, 0.975]) == pytest.approx(
        [score(values[0]).low, score(values[0]).high], rel=0.1
    )


def test_against_shows_difference_chance_and_games_that_one_side_won():
    rng = rng_of(13)
    hardness = rng.gamma(3, 10, 400)
    mine, theirs = hardness.copy(), hardness + rng.normal(2, 1, 400)
    mine[:3], theirs[2:12] = np.inf, np.inf  # game 2 is lost by both
    (row,) = compare.against(run_of({"mine": mine, "theirs": theirs}), "mine", rng)
    assert row.scores["p50"].low <= row.scores["p50"].value <= row.scores["p50"].high < 0
    assert row.scores["p50"].chance > 0.99
    assert (row.wins.only_first, row.wins.only_second, row.wins.n_games) == (9, 2, 400)
    assert row.wins.p_value == pytest.approx(2 * (1 + 11 + 55) / 2**11)


@pytest.mark.long  # 100 simulated runs
def test_the_interval_of_a_difference_holds_it_in_95_of_100_runs():
    rng, n_runs = rng_of(14), 120
    is_held = []
    for _ in range(n_runs):
        costs = rng.exponential(10, (2, 101)) + np.array([[0], [3]])
        (row,) = compare.against(run_of({"a": costs[0], "b": costs[1]}), "a", rng)
        is_held.append(row.scores["p50"].low <= -3 <= row.scores["p50"].high)
    assert np.mean(is_held) >= 0.94 - 3 * np.sqrt(0.94 * 0.06 / n_runs)


def test_infinite_percentiles_have_no_difference():
    run = run_of({"a": [np.inf] * 40, "b": [np.inf] * 40, "c": [8.0] * 30 + [np.inf] * 10})
    rows = compare.against(run, "a", rng_of(15))
    of_b, of_c = (row.scores["p50"] for row in rows)
    assert np.isnan(astuple(of_b)).all()
    assert (of_c.value, of_c.high) == (np.inf, np.inf)
    score = next(score for score in scores_for(FACTS["budget"]) if score.name == "p50")
    (board,) = boards(run, rng_of(15))
    shown = comparison.against(rows, "a", board).rows[0]
    assert "–" in [getattr(cell, "plain", cell) for cell in shown]
    matrix = comparison_matrix(score, compare.pairwise_significance(run, rng_of(15))["p50"])
    assert np.isnan(matrix.difference[0, 1])
    assert np.isnan(matrix.chance[1, 0])


@pytest.mark.parametrize("sizes", [(20,), pytest.param((20, 60, 150), marks=pytest.mark.slow)])
def test_no_difference_lies_outside_its_own_interval(sizes):
    rng, n_outside, n_read = rng_of(16), 0, 0
    for n_games in sizes:
        for share in (0.06, 0.5, 0.9):  # of games won, near the percentiles
            costs = rng.choice([8.0, 12.0, 20.0], (5, n_games))
            costs[rng.random(costs.shape) > share] = np.inf
            compared = compare.pairwise_significance(run_of(dict(zip("abcde", costs, strict=True))), rng)
            for score in (score for score in scores_for(FACTS["budget"]) if score.name in compared):
                matrix = comparison_matrix(score, compared[score.name])
                known = ~np.isnan(matrix.difference)
                n_read += known.sum()
                n_outside += (known & ~((matrix.low <= matrix.difference) & (matrix.difference <= matrix.high))).sum()
    assert n_read > 150 * len(sizes)
    assert n_outside == 0


def test_an_entry_without_a_rival_is_compared_with_nobody():
    assert not compare.against(run_of({"a": [1.0, 2.0]}), "a", rng_of(17))
    assert compare.pairwise_significance(run_of({"a": [1.0, 2.0]}), rng_of(18))["p50"].marks == [""]


def test_differences_and_intervals_agree_with_the_formulas():
    mine, theirs = [4.0, 30.0, np.inf, 10.0, 150.0, 8.0], [6.0, np.inf, np.inf, 10.0, 20.0, np.inf]
    (row,) = compare.against(run_of({"mine": mine, "theirs": theirs}), "mine", rng_of(19))
    differences = np.array([-2.0, -70.0, 0.0, 0.0, 80.0, -92.0])
    bounds = mean_bounds(differences, -100.0, 100.0)
    assert astuple(row.scores["mean_cost"])[:3] == pytest.approx((differences.mean(), *bounds))
    won_pairs = pairs(np.isfinite(mine), np.isfinite(theirs))
    assert astuple(row.scores["won"])[:3] == pytest.approx((2 / 6, won_pairs.low, won_pairs.high))
    assert (row.wins.only_first, row.wins.only_second) == (2, 0)


def test_the_chance_to_be_better_counts_equal_resamples_as_one_half():
    costs = np.array([[5.0, 5.0, 9.0, 12.0], [5.0, 5.0, 7.0, 14.0]])
    score = next(score for score in scores_for(FACTS["budget"]) if score.name == "p50")
    run = run_of({"a": costs[0], "b": costs[1]})
    compared = compare.pairwise_significance(run, rng_of(20))["p50"]
    matrix = comparison_matrix(score, compared)
    wins = (compared.probable[0] < compared.probable[1]).sum() + (
        compared.probable[0] == compared.probable[1]
    ).sum() / 2
    assert matrix.chance[0, 1] == pytest.approx((wins + 0.5) / 2001)
    assert matrix.chance[0, 1] + matrix.chance[1, 0] == pytest.approx(2001 / 2001)
    assert np.mean(compared.probable[0] == compared.probable[1]) > 0.1
    differences = np.sort(compared.probable[0] - compared.probable[1])
    assert (matrix.low[0, 1], matrix.high[0, 1]) == (differences[50], differences[1949])
    assert (matrix.difference[0, 1], matrix.low[1, 0]) == (1.0, -matrix.high[0, 1])


def test_no_entry_is_marked_if_none_wins_a_game():
    run = run_of({"a": [np.inf] * 30, "b": [np.inf] * 30})
    standings = compare.pairwise_significance(run, rng_of(23))
    assert {*standings} >= {"p05", "p50", "p95", "won"}
    assert all(standing.marks == ["", ""] for name, standing in standings.items() if name != "mean_cost")
    assert (standings["p50"].p_best == 0).all()


def run_of_three_entries(n_games=60):
    rng = rng_of(30)
    hardness = rng.gamma(3, 10, n_games) + 5
    costs = {name: losing(hardness * factor, 0.05, rng) for name, factor in (("a", 1.0), ("b", 1.1), ("c", 3.0))}
    return run_of(costs)


def test_comparison_matrices_agree_with_the_tables_of_single_entries():
    run = run_of_three_entries()
    compared = compare.pairwise_significance(run, rng_of(31))
    scores = [score for score in scores_for(FACTS["budget"]) if score.name in compared]
    matrices = {score.name: comparison_matrix(score, compared[score.name]) for score in scores}
    assert {*matrices} >= {"mean_cost", "p05", "p50", "p95", "won"}
    for index, name in enumerate("abc"):
        table = compare.against(run, name, rng_of(31))
        others = [rival for rival in range(3) if rival != index]
        assert [rival.name for rival in table] == ["abc"[rival] for rival in others]
        for score, matrix in matrices.items():
            assert (matrix.entries, matrix.better is compared[score].better) == (("a", "b", "c"), True)
            for part, values in (("value", matrix.difference), ("low", matrix.low), ("high", matrix.high),
                                 ("chance", matrix.chance)):  # fmt: skip
                found = [getattr(rival.scores[score], part) for rival in table]
                assert found == pytest.approx(values[index, others].tolist(), nan_ok=True)
    for matrix in matrices.values():
        assert np.diag(matrix.difference).tolist() == np.diag(matrix.low).tolist() == [0, 0, 0]
        assert np.diag(matrix.chance).tolist() == [0.5] * 3


def test_differences_and_chances_of_a_median_agree_with_its_probable_values():
    run = run_of_three_entries()
    found = {rival.name: rival.scores["p50"] for rival in compare.against(run, "a", rng_of(32))}
    probable = compare.pairwise_significance(run, rng_of(32))["p50"].probable
    for rival, name in ((1, "b"), (2, "c")):
        differences = np.sort(probable[0] - probable[rival])
        assert (found[name].low, found[name].high) == (differences[50], differences[1949])
        assert found[name].chance == pytest.approx(((differences < 0).sum() + 0.5) / 2001)


def test_an_entry_that_wins_more_games_has_the_higher_chance_of_more_wins():
    run = run_of({"a": [5.0] * 30 + [np.inf] * 10, "b": [5.0] * 10 + [np.inf] * 30})
    (row,) = compare.against(run, "a", rng_of(33))
    assert row.scores["won"].value == 0.5
    assert row.scores["won"].chance > 0.99
    assert compare.against(run, "b", rng_of(33))[0].scores["won"].chance < 0.01


def test_entries_that_are_all_told_apart_have_places_of_their_own():
    standing = compare.pairwise_significance(run_of_three_entries(1001), rng_of(35), draws=50)["p50"]
    assert (standing.places, standing.last_places, standing.marks) == ([1, 2, 3], [1, 2, 3], ["*", "", ""])
    assert (standing.entries, standing.lower_is_better, standing.probable.shape) == (("a", "b", "c"), True, (3, 50))
    assert standing.values.tolist() == [np.sort(row)[500] for row in standing.per_game]
    assert not compare.pairwise_significance(run_of_three_entries(20), rng_of(35), draws=1)["won"].lower_is_better


def test_comparisons_of_mean_costs_use_the_given_cost_of_a_loss():
    run = run_of({"a": [5.0, np.inf, 9.0], "b": [50.0, 4.0, 9.0]})
    assert compare.against(run, "a", rng_of(36))[0].scores["mean_cost"].value == pytest.approx((-45 + 96) / 3)
    assert compare.against(run, "a", rng_of(36), 20.0)[0].scores["mean_cost"].value == pytest.approx((-15 + 16) / 3)
    standing = compare.pairwise_significance(run, rng_of(36), 20.0, draws=5)["mean_cost"]
    assert standing.per_game.tolist() == [[5, 20, 9], [20, 4, 9]]


def test_only_entries_of_the_same_game_are_compared():
    run = run_of({"a": [5.0, 6.0], "b": [5.0, 7.0]})
    run_of_other_game = run_of({"c": [1.0, 2.0]}).assign(rules="wordpl-counted/1")
    table = compare.against(pd.concat([run, run_of_other_game]), "a", rng_of(37))
    assert [rival.name for rival in table] == ["b"]


def won_by(*n_lost):
    """Return a run in which each entry has lost so many of 40 games, which nobody else has lost."""
    lost, costs = np.cumsum([0, *n_lost]), np.full((len(n_lost), 40), 5.0)
    for entry in range(len(n_lost)):
        costs[entry, lost[entry] : lost[entry + 1]] = np.inf
    return run_of({f"entry{entry}": row for entry, row in enumerate(costs)})


@pytest.mark.parametrize(
    ("n_lost", "is_shown"), [((0, 5), False), ((0, 6), True), ((0, 0, 6), False), ((0, 0, 7), True)]
)
def test_the_more_entries_a_board_has_the_more_games_show_a_difference(n_lost, is_shown):
    """Of n games that one of two entries alone has lost, the p-value is 2^-n; it has to be 0.05 / (k (k - 1))."""
    found = compare.pairwise_significance(won_by(*n_lost), rng_of(41), draws=1)["won"]
    assert found.better[:-1, -1].tolist() == [is_shown] * (len(n_lost) - 1)
    assert found.better.sum() == is_shown * (len(n_lost) - 1)


@pytest.mark.parametrize(("n_lost", "is_shown"), [(8, False), (9, True)])
def test_of_many_entries_the_pairs_of_the_first_ones_have_half_of_the_error(monkeypatch, n_lost, is_shown):
    monkeypatch.setattr("wordpl.stats.compare.significance.MAX_PAIRED", 3)
    monkeypatch.setattr("wordpl.stats.compare.significance.N_PAIRED", 2)
    monkeypatch.setattr("wordpl.stats.compare.significance.DRAWS_OF_MANY", 7)
    found = compare.pairwise_significance(won_by(0, n_lost, 10, 10), rng_of(42))
    assert found["won"].probable.shape == (4, 7)
    assert found["won"].better.tolist() == [[False, is_shown, False, False], *[[False] * 4] * 3]
    assert not found["p50"].better.any(), "all of these budgets are equal"


def test_of_many_entries_those_with_disjoint_intervals_are_told_apart_and_the_first_ones_in_pairs():
    n_entries, hardness = compare.MAX_PAIRED + 6, np.resize([5.0, 45.0], 101)
    more = [0.0, 14.0, *[35.0] * (n_entries - 12), *[49.0] * 9, np.inf]
    run = run_of({f"entry{i}": hardness + extra for i, extra in enumerate(more)})
    found = compare.pairwise_significance(run, rng_of(40), loss_cost=100.0, draws=5)["mean_cost"]
    assert found.better[0, 1]  # in each game, as the first ones are compared in pairs
    assert not found.better[2:-10, -10:-1].any()  # in each game, too, but only their intervals are compared
    assert found.better[:-1, -1].all()
    assert not (found.better & found.better.T).any()
    assert found.of(["entry1", "entry0"]).better.tolist() == [[False, False], [True, False]]


def test_a_forecast_is_that_of_the_closest_rival_at_the_level_of_the_board():
    rng = rng_of(43)
    costs = rng.gamma(3, 10, 200) + 5 + rng.normal(0, 4, (4, 200)) + [[0.0], [0.5], [1.3], [4.0]]
    found = compare.pairwise_significance(run_of(dict(zip("abcd", costs, strict=True))), rng_of(43), draws=1)
    board = found["mean_cost"]
    n_open = 12 - board.better.sum()
    gaps = board.per_game[1] - board.per_game[[0, 2]]
    behind_a, behind_c = (-gap.mean() / (gap.std(ddof=1) / np.sqrt(200)) for gap in gaps)
    assert (n_open, behind_a < -1 < behind_c) == (9, True)
    for rivals, z in ((["a"], behind_a), (["c"], behind_c), (["a", "c"], behind_c)):
        expected = games_to_decide(z, norm.ppf(1 - 0.05 / n_open), 200)
        assert astuple(board.forecast("b", rivals)) == pytest.approx(astuple(expected))
    assert board.forecast("c", ["a", "b"]) != board.forecast("c", ["a"])
    assert board.forecast("a", []) is None
    for n_games, is_known in ((19, False), (20, True)):
        few = compare.pairwise_significance(run_of_three_entries(n_games), rng_of(44), draws=1)["mean_cost"]
        assert (few.forecast("a", ["b"]) is not None) == is_known


@pytest.mark.parametrize(("n_won", "mark"), [(47, "*"), (20, "")])
def test_an_entry_with_an_infinite_percentile_may_be_the_best_while_its_true_one_may_be_finite(n_won, mark):
    run = run_of({"a": [5.0] * n_won + [np.inf] * (100 - n_won), "b": [9.0] * 51 + [np.inf] * 49})
    standing = compare.pairwise_significance(run, rng_of(45))["p50"]
    assert (standing.values[0], standing.marks[0]) == (np.inf, mark)
    for chance in (0.024, 0.026):
        assert replace(standing, p_best=np.array([chance, 1 - chance])).marks[0] == "*" * (chance > 0.025)


def test_scores_without_a_value_for_every_game_are_not_compared():
    run = run_of({"a": [5.0, np.inf], "b": [6.0, 5.0]})
    assert "p_win" not in compare.pairwise_significance(run, rng_of(46), draws=1)
    whole = run.assign(posterior=[0.5, 0.1, 0.5, 0.5])
    assert "p_win" in compare.pairwise_significance(whole, rng_of(46), draws=1)
    assert "p_win" not in compare.pairwise_significance(whole.assign(posterior=[0.5, np.nan, 0.5, 0.5]), rng_of(46))


def test_a_resample_of_games_that_are_all_won_is_all_won():
    score = next(score for score in scores_for(FACTS["budget"]) if score.name == "won")
    assert compare.resample([score], {"won": np.ones((2, 30))}, rng_of(47), draws=4)["won"] == pytest.approx(1)


def games_with_luck(rng, chance, budget, n=400, spread=0.1, share=1.0):
    """Return games of one clue each; luck is this share of what raises or lowers the posteriors of answers."""
    answer = np.clip(rng.normal(chance, spread, n), 0, 1)
    luck = share * (answer - chance)
    spent = np.full(n, budget)
    return LuckCorrected(np.arange(n), ClueLuck(answer, spent, np.arange(n + 1), luck, np.zeros(n), spent))


def test_the_interval_of_a_difference_allows_for_the_luck_that_lost_games_may_have_had():
    luck = {"a": games_with_luck(rng_of(48), 0.5, 20.0, spread=0.3), "b": games_with_luck(rng_of(49), 0.9, 20.0)}
    run = run_of({name: np.where(rng_of(50).random(400) < 0.5, 20.0, np.inf) for name in luck}).assign(posterior=0.5)
    (rival,) = compare.against(run, "a", rng_of(51), luck=luck)
    credited = [(own.win, own.lost(own.win)) for own in luck.values()]
    limits = difference_limits(*credited, 1.0)
    assert limits[0] < -1.2
    found = rival.scores["p_win"]
    expected = mean_bounds(luck["a"].win - luck["b"].win, *limits)
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize(("chance", "is_known"), [(0.5, False), (0.6, True)])
def test_no_entry_near_the_level_of_a_percentile_has_a_chance_to_be_its_best(chance, is_known):
    luck = {name: games_with_luck(rng_of(52 + i), chance, 20.0 + i, share=0.0) for i, name in enumerate("ab")}
    run = run_of({name: [own.luck.spent[0]] * 400 for name, own in luck.items()})
    found = compare.pairwise_significance(run, rng_of(54), luck=luck, draws=100)
    assert np.isfinite(found["p50"].p_best).all() == is_known
    assert np.isfinite(found["mean_cost"].p_best).all()


def test_percentiles_of_guesses_are_counted_even_where_luck_is_known():
    costs = rng_of(55).integers(2, 7, (2, 60)).astype(float)
    arrays = [(np.ones(60), row, np.arange(61), *np.zeros((3, 60)), np.zeros((60, 6))) for row in costs]
    luck = {name: LuckCorrected(np.arange(60), GuessLuck(*own)) for name, own in zip("ab", arrays, strict=True)}
    found = compare.pairwise_significance(run_of(dict(zip("ab", costs, strict=True)), "guesses"), rng_of(56), 7.0, luck)
    assert np.array_equal(found["p50"].per_game, costs)
    assert found["p50"].lost is None
    p = quantile_test(costs, 0.5)
    assert found["p50"].evidence == pytest.approx(norm.ppf(1 - np.minimum(p, 1 - 1e-12)))
    assert found["mean_guesses"].lost is not None


def test_ranks_without_luck_allow_for_the_luck_that_lost_games_may_have_had():
    score = next(score for score in scores_for(FACTS["budget"]) if score.name == "p_win")
    run = run_of({"a": [20.0] * 100, "b": [20.0] * 100}).assign(posterior=0.5)
    for size, ranks in ((0.0, [(1, 1), (2, 2)]), (1.0, [(1, 2), (1, 2)])):
        terms = np.tile([size, -size], 50)
        arrays = [(p + terms, np.full(100, 20.0), np.arange(101), terms, *np.ones((2, 100))) for p in (0.55, 0.5)]
        luck = {name: LuckCorrected(np.arange(100), ClueLuck(*own)) for name, own in zip("ab", arrays, strict=True)}
        assert list(compare.rank_intervals(score, run, luck).values()) == ranks


def test_disjoint_intervals_show_a_difference_that_the_test_of_the_pair_does_not(monkeypatch):
    """Where one of two entries is good when the other is bad, their difference varies as much as both together."""
    monkeypatch.setattr("wordpl.stats.compare.significance.MAX_PAIRED", 3)
    monkeypatch.setattr("wordpl.stats.compare.significance.N_PAIRED", 2)
    swing = np.resize([10.0, -10.0], 400)
    costs = {"a": 50 + swing, "b": 53.15 - swing, "c": np.full(400, 90.0), "d": np.full(400, 90.0)}
    found = compare.pairwise_significance(run_of(costs), rng_of(57), draws=1)["mean_cost"]
    assert better_means(-found.per_game[:2], 100.0)[0, 1] > 0.025 / 12
    assert found.better[0].tolist() == [False, True, True, True]
