"""Standings of seasons in which a version changes: nobody else's order suffers from it."""

from dataclasses import replace

import numpy as np
import pytest

from tests.helpers.cases import one_quick_of
from wordpl.apps.season import standings
from wordpl.apps.season.anytime import CHANGE_ALPHA, PLAYERS_SCALE, change_evidence, powers, spent_alpha
from wordpl.apps.season.credits import Credits, SeasonScore
from wordpl.apps.season.log import Version
from wordpl.apps.season.periods import PRESENT, Change, Periods, RoundGames
from wordpl.apps.season.standings import ImpossibleBoundError
from wordpl.games import game_class

EQUAL = 0.55
VERSIONS = [Version(i, f"bot{i}", 1, f"bot{i}", "", "", "", "") for i in range(6)]


def season(shares, seed=1, n=500):
    """Rounds of five versions that win the share EQUAL of games, and a sixth one with a share of its own in each."""
    rng = np.random.default_rng(seed)
    rounds = []
    for share in shares:
        common = rng.random(n)
        difficulty = np.where(rng.random((6, n)) < 0.5, common, rng.random((6, n)))
        won = (difficulty < np.array([EQUAL] * 5 + [share])[:, None]).astype(float)
        rounds.append(RoundGames(range(6), [Credits(20 + 40 * rng.random(n), credit) for credit in won]))
    return rounds


def computed(rounds, *names, versions=VERSIONS):
    facts = game_class("wordpl/1").facts
    ranked = [version.index for version in versions if version.is_active]
    return standings.compute(versions, ranked, rounds, [SeasonScore.of(name, facts) for name in names])


@pytest.mark.parametrize("name", one_quick_of(3, ["p_win", "mean", "p50"]))
@pytest.mark.parametrize(
    "after",
    [np.full(18, 0.3), np.append(np.linspace(0.6, 0.3, 20), np.full(16, 0.3))],
    ids=["at once", "little by little"],
)
def test_a_version_that_changes_is_named_and_orders_nobody_else(name, after):
    n = 300 if name == "p50" else 500
    (table,) = computed(season([0.6] * 12 + after.tolist(), n=n), name).tables
    assert not table.order.better[:5, :5].any()
    assert all(row.first_rank <= row.last_rank and row.low <= row.high for row in table.rows)
    assert [row.version.label for row in table.rows if row.changes] == ["bot5@1"]
    (last,) = (row for row in table.rows if row.changes)
    assert last.first_rank == 6
    assert 9 <= last.changes[0].agreed_until < last.changes[0].shown_in


def test_a_version_that_becomes_better_does_not_shed_its_past():
    (table,) = computed(season([0.3] * 12 + [0.7] * 12), "p_win").tables
    (changed,) = (row for row in table.rows if row.changes)
    assert changed.first_rank == changed.last_rank == 6
    assert changed.value < 0.4 < 0.6 < changed.newest


def test_the_newest_games_of_a_version_are_those_since_its_change():
    found = computed(season([0.3] * 12 + [0.7] * 12), "p_win")
    (change,) = found.periods.changes[5]
    assert len(found.games[5].credit) == found.newest_games[5] == 500 * (24 - change.shown_in)
    assert len(found.games[0].credit) == found.newest_games[0] == 500 * 24


@pytest.mark.parametrize("name", ["p_win", "p50"])
def test_who_has_changed_orders_nobody_by_its_earlier_games(name):
    """Versions 0 and 1 have never met, and both have met version 2, which lies between them until it changes."""
    rng, n = np.random.default_rng(2), 2000

    def games(easy, budget, share):
        return Credits(np.round(40 * easy * budget, 3), (easy < share).astype(float))

    rounds = []
    for rival, budget, share in ((0, 0.93, 0.92), (1, 1.07, 0.88)):
        for easy in rng.random((2, n)):
            rounds.append(RoundGames([rival, 2], [games(easy, budget, share), games(easy, 1.0, 0.9)]))
    later = [RoundGames([2], [games(easy, 9.0, 0.2)]) for easy in rng.random((2, n))]
    for played, is_ordered in ((rounds, True), (rounds + later, False)):
        found = computed(played, name, versions=VERSIONS[:3])
        assert bool(found.periods.changes) is not is_ordered
        assert bool(found.tables[0].order.better[0, 1]) is is_ordered
        assert not found.tables[0].order.better[1, 0]


def test_a_version_that_has_just_changed_waits_for_the_games_of_its_new_period():
    rounds = season([0.6] * 12 + [0.3] * 6)
    shown_in = computed(rounds, "p_win").tables[0].rows[-1].changes[0].shown_in
    found = computed(rounds[:shown_in], "p_win")
    (changed,) = (row for row in found.tables[0].rows if row.changes)
    assert np.isnan(changed.newest) and changed.low == 0 and found.newest_games[5] == 0
    assert not found.tables[0].order.better[5].any()


def test_versions_that_do_not_change_are_told_apart():
    rounds = season([0.70] * 20)
    (table,) = computed(rounds, "p_win").tables
    assert table.order.better[5, :5].all() and not any(row.changes for row in table.rows)


def test_a_disqualified_version_leaves_no_bound_behind():
    rounds = season([0.6] * 12)
    rounds = [RoundGames([0, 5], one.credits[4:]) for one in rounds[:6]] + [
        RoundGames([1, 5], [Credits(one.credits[0].spent, np.zeros(500)), one.credits[5]]) for one in rounds[6:]
    ]
    assert computed(rounds, "mean").tables[0].order.better[5, 1]
    disqualified = [*VERSIONS[:5], replace(VERSIONS[5], disqualified="knew the secrets")]
    before, after = (computed(rounds, "mean", versions=versions).tables[0] for versions in (VERSIONS, disqualified))
    assert np.isnan(after.order.worth[5]) and not after.order.better[5].any() and not after.order.better[:, 5].any()
    assert [row.low for row in after.rows if row.version.index == 0] == [
        row.low for row in before.rows if row.version.index == 0
    ]


def test_an_impossible_bound_stops_the_standings_with_a_sentence():
    damaged = season([0.6])
    damaged[0].credits[5].spent[:] = -1e9
    with pytest.raises(ImpossibleBoundError, match=r"bot5@1 would have rank 1 to 6 by p50 .* is impossible"):
        computed(damaged, "p50")


def test_a_version_that_nothing_is_known_of_stands_below_one_that_is_surely_better_than_others():
    """Rank 1-6 without a value was above 2-3, since its first possible rank is smaller."""
    rng = np.random.default_rng(3)
    known = RoundGames(range(5), [Credits(np.full(4000, 10.0), (rng.random(4000) < share).astype(float))
                                  for share in (0.95, 0.8, 0.5, 0.3, 0.2)])  # fmt: skip
    short = RoundGames(range(5, 6), [Credits(np.full(5, 90.0), np.zeros(5))])
    (table,) = computed([known, short], "p_win").tables
    shown = [(row.version.name, row.first_rank, row.last_rank) for row in table.rows]
    places = [first + last for _, first, last in shown]
    assert places == sorted(places)
    assert [name for name, *_ in shown].index("bot5") > [name for name, *_ in shown].index("bot1"), shown


@pytest.mark.parametrize("name", ["mean", "p_win", "p50"])
def test_of_versions_with_the_same_ranks_the_one_with_the_better_value_stands_first(name):
    rng = np.random.default_rng(8)
    rounds = [RoundGames(range(2), [Credits(np.full(60, cost), (rng.random(60) < share).astype(float))
                                    for cost, share in ((40.0, 0.55), (20.0, 0.75))])]  # fmt: skip
    (table,) = computed(rounds, name, versions=VERSIONS[:2]).tables
    assert len({(row.first_rank, row.last_rank) for row in table.rows}) == 1, "the ranks are open"
    assert [row.version.name for row in table.rows] == ["bot1", "bot0"]


def test_values_of_the_same_ranks_ascend_however_many_games_each_version_has():
    """A version with few games and the smallest budget stood below others, since its bound was the least sure."""
    kinds = [(96, 80, 1), (99, 80, 1), (104, 80, 1), (44, 9, 1), (50, 9, 0)]
    rng = np.random.default_rng(4)
    rounds = [RoundGames([player], [Credits(np.round(rng.normal(centre, 40, n).clip(5)), np.full(n, credit))])
              for player, (centre, n, credit) in enumerate(kinds)]  # fmt: skip
    (table,) = computed(rounds, "p50", versions=VERSIONS[:5]).tables
    assert len({(row.first_rank, row.last_rank) for row in table.rows}) == 1, "the ranks are open"
    values = [row.value for row in table.rows]
    assert values == sorted(values)
    assert np.isfinite(values).tolist() == [True] * 4 + [False]


def games_won(n_won, n=200):
    return Credits(np.zeros(n), (np.arange(n) < n_won).astype(float))


@pytest.mark.parametrize(("question", "names"), [(0, ["p_win"]), (0, ["p_win", "mean"]), (60, ["p_win"])])
def test_a_change_is_shown_at_the_level_of_its_question_which_scores_share(question, names):
    """Whoever begins later is a later question, and is told apart by more evidence."""
    scores = [SeasonScore.of(name, game_class("wordpl/1").facts) for name in names]
    needed = -np.log(spent_alpha([question], CHANGE_ALPHA, PLAYERS_SCALE)[0] / len(names))
    shown = []
    for n_won in range(92, 108):
        others = [games_won(160)] * question
        rounds = [RoundGames(range(question + 1), [*others, games_won(160)], 5),
                  RoundGames([question], [games_won(n_won)], 9)]  # fmt: skip
        found = Periods.of(rounds, scores)
        evidence, _ = change_evidence(np.array([powers(games_won(won).credit) for won in (160, n_won)]))
        shown.append(bool(evidence >= needed))
        assert found.changes == ({question: [Change(5, 9, "p_win")]} if shown[-1] else {})
        assert found.counted[1] == [not shown[-1]], "a round that does not agree bounds nothing"
        assert (found.newest(question) is None) is shown[-1]
    assert 3 < sum(shown) < 12


def test_a_version_begins_anew_after_the_round_that_has_shown_its_change():
    scores = [SeasonScore.of("p_win", game_class("wordpl/1").facts)]
    won = (160, 160, 60, 60, 60, 160)
    found = Periods.of([RoundGames([0], [games_won(one)]) for one in won], scores)
    assert found.changes == {0: [Change(2, 3, "p_win"), Change(5, 6, "p_win")]}
    assert found.counted == [[True], [True], [False], [True], [True], [False]]
    assert (found.of_version, found.questions) == ({0: [0, 1]}, [[0], [0], [0], [1], [1], [1]])


def test_games_of_other_eras_and_of_who_is_disqualified_bound_nothing():
    games = [games_won(160)] * 3
    found = Periods.of([RoundGames(range(3), games, 0, [0, PRESENT, PRESENT])], [], {2})
    assert found.counted == [[False, True, False]]
    assert found.of_version.keys() == {1, 2}


def test_a_score_is_known_if_all_rounds_played_each_answer_with_the_same_result():
    first, other_order = Credits(np.array([3.0, 4.0]), np.ones(2)), Credits(np.array([4.0, 3.0]), np.ones(2))
    other = Credits(np.array([3.0, 5.0]), np.ones(2))
    rounds = [RoundGames(range(4), [first] * 4, exact=frozenset({0, 1, 2})),
              RoundGames(range(4), [other_order, other, first, first], exact=frozenset({0, 1}))]  # fmt: skip
    periods = Periods.of(rounds, [])
    assert periods.exact(rounds) == {0}, "the others have another result, were sampled, or drew"
    assert [periods.is_exact(version, {0}) for version in range(5)] == [True, False, False, False, False]
    assert not replace(periods, changes={0: [Change(1, 2, "mean")]}).is_exact(0, {0})
    assert not replace(periods, of_version={0: [0, 1]}).is_exact(0, {0})


def test_a_version_is_as_good_as_the_worst_of_its_periods():
    """Version 0 has changed from period 0 to 1; version 1 has one period, and version 2 has not begun its newest."""
    of_version = {0: [0, 1], 1: [2], 2: [3]}
    periods = Periods([], [], of_version, {0: [Change(1, 2, "x")], 2: [Change(1, 2, "x")]})
    shown = np.zeros((4, 4), bool)
    shown[2, 0] = shown[1, 2] = shown[2, 3] = shown[3, 2] = True
    better = periods.better(range(3), shown)
    assert better.tolist() == [[False, False, False], [True, False, True], [False, False, False]]
    shown[0, 2] = True
    assert periods.better(range(3), shown)[0, 1], "both periods are better"
