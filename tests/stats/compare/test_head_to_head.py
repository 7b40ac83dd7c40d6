"""Comparing an entry with each rival on the games that both have played."""

import numpy as np
import pytest

from tests.helpers.frames import run_of
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.compare.differences import head_to_heads, judgements, pairs
from wordpl.stats.compare.sequential import sequential_mean_test, sequential_pair_test
from wordpl.stats.estimates import LuckCorrected

CLAIM = (0.5, 14.0)


@pytest.fixture
def run():
    costs = {"cheap": [10.0, 14.0, np.inf, 9.0, 30.0] * 200, "dear": [20.0, 14.0, 30.0, 12.0, 30.0] * 200}
    games = run_of(costs | {"absent": [50.0] * 5})
    return games[(games["entry"] != "dear") | (games["game"] < 900)]


def test_each_rival_is_compared_on_the_games_of_both_within_the_budget(run):
    absent, dear = sorted(
        head_to_heads(run, "cheap", CLAIM, None, np.random.default_rng(1)), key=lambda comparison: comparison.rival
    )
    assert (absent.rival, dear.rival, dear.reading) == ("absent", "dear", None)
    mine, theirs = np.array([True, True, False, True, False]), np.array([False, True, False, True, False])
    assert dear.pairs == pairs(np.tile(mine, 180), np.tile(theirs, 180))
    assert absent.pairs == pairs(mine, np.zeros(5, bool))
    assert dear.pairs.only_first == 180
    assert dear.margin_chance > 0.99  # 14 against 20, in nearly all resamples


def test_a_comparison_in_the_order_of_play_ends_where_a_game_is_missing(run):
    order = list(range(1000))
    dear = next(
        comparison
        for comparison in head_to_heads(run, "cheap", CLAIM, order, np.random.default_rng(1))
        if comparison.rival == "dear"
    )
    mine, theirs = np.array([True, True, False, True, False]), np.array([False, True, False, True, False])
    assert dear.reading == sequential_pair_test(np.tile(mine, 180), np.tile(theirs, 180))
    comparisons = head_to_heads(run, "cheap", CLAIM, order[895:] + order[:895], np.random.default_rng(1))
    assert next(comparison for comparison in comparisons if comparison.rival == "dear").reading.n_read == 5


def test_a_rival_that_has_played_none_of_the_games_is_left_out(run):
    late = run[(run["entry"] != "absent")].copy()
    late.loc[late["entry"] == "dear", "game"] += 5000
    assert head_to_heads(late, "cheap", CLAIM, None, np.random.default_rng(1)) == []


def test_each_entry_s_games_are_judged_with_and_without_their_order(run):
    rows = [(judgement.name, judgement.claim.n_won, judgement.reading) for judgement in judgements(run, *CLAIM, None)]
    assert rows == [("cheap", 600, None), ("dear", 360, None), ("absent", 0, None)]
    assert [judgement.reading.n_read for judgement in judgements(run, *CLAIM, range(1000))] == [1000, 900, 5]


@pytest.mark.parametrize(("q", "is_lower"), [(0.05, False), (0.5, True), (0.95, False)])
def test_the_margin_is_that_of_the_claimed_quantile(q, is_lower):
    costs = {"first": [5.0] * 30 + [10.0] * 100 + [40.0] * 30, "second": [5.0] * 30 + [20.0] * 100 + [40.0] * 30}
    (comparison,) = head_to_heads(run_of(costs), "first", (q, 14.0), None, np.random.default_rng(2))
    assert comparison.margin_chance == pytest.approx(1.0 if is_lower else 0.0, abs=0.001)


def test_names_that_have_not_played_are_not_judged(run):
    run["entry"] = run["entry"].astype("category")
    judged = judgements(run[run["entry"] != "dear"], *CLAIM, None)
    assert [judgement.name for judgement in judged] == ["cheap", "absent"]


def test_only_an_entry_that_always_pays_the_budget_is_credited_from_its_clues():
    rng, n, budget = np.random.default_rng(1), 60, 5.0
    answer = 0.8 + 0.2 * rng.random(n)
    won = rng.random(n) < answer
    for spent, is_credited in ((np.full(n, budget), True), (np.where(np.arange(n) % 2, budget, 4.0), False)):
        terms = ClueLuck(answer, spent, np.arange(n + 1), 0.1 * (answer - answer.mean()), np.zeros(n), spent)
        own = run_of({"bot": np.where(won, spent, np.inf)})
        luck = {"bot": LuckCorrected(np.arange(n), terms)}
        (credited,) = judgements(own, 0.9, budget, range(n), luck)
        assert judgements(own.sample(frac=1, random_state=1), 0.9, budget, range(n), luck) == [credited]
        (counted,) = judgements(own, 0.9, budget, range(n))
        assert (credited.claim != counted.claim) == is_credited


def test_credited_games_are_read_in_the_order_of_play():
    answer, spent, none = np.linspace(0.3, 0.9, 200), np.full(200, 5.0), np.zeros(200)
    luck = LuckCorrected(np.arange(200), ClueLuck(answer, spent, np.arange(201), none, none, spent))
    run = run_of({"bot": [5.0] * 200})
    readings = [
        judgements(run, 0.5, 5.0, order, {"bot": luck})[0].reading for order in (range(200), range(199, -1, -1))
    ]
    values, low = luck.bounded_wins(5.0)
    assert readings == [sequential_mean_test(own, 0.5, (low, 1.0)) for own in (values, values[::-1])]
    assert [reading.verdict for reading in readings] == ["below", "above"]
