"""Seasons, days, crowns, movement and comparisons, against values computed by hand."""

from datetime import date

import pandas as pd
import pytest

from tests.helpers.simulated_league import results
from wordpl.apps.league.settings import LeaderboardSettings
from wordpl.apps.league.statistics import (
    compare_players,
    crowns,
    day_results,
    missing,
    movement,
    parse_season,
)
from wordpl.core.messages import UserError
from wordpl.core.puzzles import day_of


def test_tied_players_share_a_crown_and_lone_or_unsolved_days_have_none():
    table = crowns(results({"a": 3, "b": 3}, {"a": 2, "b": 4}, {"a": 1}, {"a": 7, "b": 7})).set_index("player")
    assert table.loc["a", ["crowns", "alone", "n_days"]].tolist() == [2, 1, 3]
    assert table.loc["b", ["crowns", "alone", "n_days"]].tolist() == [1, 0, 3]
    days = [day_results(results(day), 0)["crown"].tolist() for day in (
        {"a": 3, "b": 3, "c": 4}, {"a": 1}, {"a": 7, "b": 7})]  # fmt: skip
    assert days == [[True, True, False], [False], [False, False]]


def test_those_who_played_lately_and_not_today_are_missing():
    days = [{"long ago": 3}, {"a fortnight ago": 4}, *[{"daily": 3}] * 13, {"daily": 4, "new": 4}]
    table = missing(results(*days), 15)
    assert list(table.itertuples(index=False, name=None)) == [("a fortnight ago", 1)]
    assert list(missing(results(*days), 16)["player"]) == ["daily", "new"]


@pytest.mark.parametrize(
    ("text", "n_days"), [("2024-02", 29), ("2025-12", 31), ("2025-Q1", 90), ("2025-Q4", 92), ("2024", 366)]
)
def test_a_season_has_the_days_of_the_calendar(text, n_days):
    season = parse_season(text)
    assert season.last - season.first + 1 == n_days


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2025-W40", date(2025, 9, 29), date(2025, 10, 5)),
        ("2026-W01", date(2025, 12, 29), date(2026, 1, 4)),
        ("last week", date(2025, 9, 29), date(2025, 10, 5)),
        ("this week", date(2025, 10, 6), date(2025, 10, 12)),
        ("last month", date(2025, 9, 1), date(2025, 9, 30)),
        ("This Month", date(2025, 10, 1), date(2025, 10, 31)),
    ],
)
def test_weeks_and_recent_months_are_seasons(text, first, last):
    season = parse_season(text, date(2025, 10, 8))
    assert (day_of(season.first), day_of(season.last)) == (first, last)


@pytest.mark.parametrize(
    "text", ["2025-13", "2025-W54", "2025-W00", "last year", "2025-Q5", "autumn", "1999", "2025-1"]
)
def test_an_invalid_season_is_refused(text):
    with pytest.raises(UserError, match="written like 2026-W47"):
        parse_season(text)


def test_two_players_are_compared_on_days_that_both_played():
    comparison = compare_players(results({"a": 3, "b": 5}, {"a": 4, "b": 4}, {"a": 6}, {"a": 2, "b": 5}), "a", "b")
    assert (comparison.n_days, comparison.won, comparison.tied, comparison.lost) == (3, 2, 1, 0)
    assert comparison.difference == pytest.approx(-5 / 3)
    assert comparison.low == pytest.approx(-5 / 3 - 4.302653 * 1.527525 / 3**0.5, abs=1e-4)
    assert comparison.better is None


def test_a_player_who_is_always_better_is_reported_as_better():
    days = [{"a": 2 + n % 2, "b": 5} for n in range(9)]
    assert compare_players(results(*days), "b", "a").better == "a"
    assert compare_players(results(*days), "a", "b").better == "a"
    assert compare_players(results({"a": 3, "b": 3}, {"a": 4, "b": 4}), "a", "b").better is None


def test_days_and_players_without_results_are_refused():
    played = results({"a": 3}, {"b": 4})
    with pytest.raises(UserError, match="no results of puzzle 7"):
        day_results(played, 7)
    with pytest.raises(UserError, match="never played the same puzzle"):
        compare_players(played, "a", "b")


def test_movement_shows_places_before_and_after_the_latest_days():
    early = [{"a": 3, "b": 4 - n % 2, "c": 4} for n in range(6)]
    late = [{"a": 6, "b": 3, "c": 6 - n % 2} for n in range(40)]
    movements = movement(results(*early, *late), LeaderboardSettings().ranking(), len(early)).set_index("player")
    assert movements.loc["b", "place"] == 1
    assert movements.loc["a", "before"] == 1
    same_day = movement(results({"a": 3, "b": 4}, {"a": 6, "b": 1}), LeaderboardSettings(game_cutoff=1).ranking(), 1)
    assert not same_day.empty, "the puzzle itself is one of the latest"


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, {"game_cutoff": 3, "x_is_seven": True, "shrinkage": "pooled", "day_adjustment": "ridge"}),
        ({"bayes_adjustment": False, "day_adjustment": False}, {"shrinkage": "none", "day_adjustment": "none"}),
        ({"method": "total", "missed": 8, "open_day": 9}, {"missed": 8, "open_day": 9}),
        ({"method": "elo", "elo_k": 8.0, "game_cutoff": 5, "x_is_seven": False}, {"k": 8.0, "x_is_seven": False}),
    ],
)
def test_a_ranking_has_the_settings_that_it_knows(chosen, expected):
    ranking = LeaderboardSettings(**chosen).ranking()
    assert {name: getattr(ranking, name) for name in expected} == expected


@pytest.mark.parametrize("settings", [{"elo_k": 1e9}, {"elo_k": float("nan")}, {"game_cutoff": -5}, {"elo_k": 0.0}])
def test_settings_outside_their_limits_are_refused_by_the_library(settings):
    with pytest.raises(UserError, match="from"):
        LeaderboardSettings(**settings)


def test_an_empty_league_has_no_crowns():
    assert crowns(pd.DataFrame({"player": [], "day": [], "guesses": [], "source": []})).empty
