"""Seasons, days, crowns, movement and comparisons, counted by hand."""

import pandas as pd
import pytest

from tests.helpers.simulated_league import results
from wordpl.core.errors import UserError
from wordpl.league.seasons import compare_players, crowns, day_results, movement, parse_season
from wordpl.league.settings import LeaderboardSettings


def test_crowns_are_shared_and_a_day_alone_or_unsolved_gives_none():
    found = crowns(results({"a": 3, "b": 3}, {"a": 2, "b": 4}, {"a": 1}, {"a": 7, "b": 7})).set_index("player")
    assert found.loc["a", ["crowns", "alone", "n_days"]].tolist() == [2, 1, 3]
    assert found.loc["b", ["crowns", "alone", "n_days"]].tolist() == [1, 0, 3]


@pytest.mark.parametrize(
    ("text", "n_days"), [("2024-02", 29), ("2025-12", 31), ("2025-Q1", 90), ("2025-Q4", 92), ("2024", 366)]
)
def test_a_season_has_the_days_of_the_calendar(text, n_days):
    found = parse_season(text)
    assert found.last - found.first + 1 == n_days


@pytest.mark.parametrize("text", ["2025-13", "2025-Q5", "autumn", "1999", "2025-1"])
def test_what_is_no_season_is_refused(text):
    with pytest.raises(UserError, match="written like 2026-11"):
        parse_season(text)


def test_two_players_are_compared_on_days_of_both():
    found = compare_players(results({"a": 3, "b": 5}, {"a": 4, "b": 4}, {"a": 6}, {"a": 2, "b": 5}), "a", "b")
    assert (found.n_days, found.won, found.tied, found.lost) == (3, 2, 1, 0)
    assert found.difference == pytest.approx(-5 / 3)
    assert found.low == pytest.approx(-5 / 3 - 4.302653 * 1.527525 / 3**0.5, abs=1e-4)
    assert found.better is None


def test_a_player_who_is_always_better_is_said_to_be():
    days = [{"a": 2 + n % 2, "b": 5} for n in range(9)]
    assert compare_players(results(*days), "b", "a").better == "a"


def test_days_and_players_without_results_are_refused():
    found = results({"a": 3}, {"b": 4})
    with pytest.raises(UserError, match="no results of puzzle 7"):
        day_results(found, 7)
    with pytest.raises(UserError, match="never played the same puzzle"):
        compare_players(found, "a", "b")


def test_a_move_on_the_board_is_significant_when_the_tier_changes():
    first = [{"a": 3, "b": 4 - n % 2, "c": 4} for n in range(6)]
    later = [{"a": 6, "b": 3, "c": 6 - n % 2} for n in range(40)]
    moved = movement(results(*first, *later), LeaderboardSettings().ranking(), len(first)).set_index("player")
    assert moved.loc["b", "place"] == 1
    assert moved.loc["a", "before"] == 1


@pytest.mark.parametrize("wrong", [{"elo_k": 1e9}, {"elo_k": float("nan")}, {"game_cutoff": -5}, {"elo_k": 0.0}])
def test_settings_have_limits_wherever_they_come_from(wrong):
    with pytest.raises(UserError, match="from"):
        LeaderboardSettings(**wrong)


def test_an_empty_league_has_no_crowns():
    assert crowns(pd.DataFrame({"player": [], "day": [], "guesses": [], "source": []})).empty
