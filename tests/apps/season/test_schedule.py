import numpy as np

from wordpl.apps.season.standings import ScoreOrder, next_players


def order(worth, better=(), least=None):
    shown = np.zeros((len(worth), len(worth)), bool)
    for i, j in better:
        shown[i, j] = True
    worth = np.array(worth, float)
    return ScoreOrder(worth, worth if least is None else np.array(least, float), shown)


def test_versions_that_have_not_played_wait_in_their_order_and_leave_half_of_the_places_to_leaders_and_rivals():
    games = np.array([100, 0, 100, 0, 0])
    scores = [order([0.9, 0, 0.8, 0, 0])]
    assert next_players(games, range(5), scores, n_leaders=2, max_players=4) == [0, 1, 2, 3]
    assert next_players(games, range(5), scores, n_leaders=2, max_players=2) == [0, 1]
    assert next_players(games[1:2].repeat(5), range(5), scores, n_leaders=2, max_players=4) == [0, 1, 2, 3]


def test_throwaway_names_crowd_no_leader_out():
    games = np.append(np.full(12, 100), np.zeros(130, int))
    leads = order(np.append(np.linspace(0.9, 0.5, 12), np.zeros(130)))
    chosen = next_players(games, range(142), [leads], n_leaders=5, max_players=12)
    assert chosen[:6] == [0, 1, 2, 3, 4, 5]
    assert chosen[6:] == list(range(12, 18))


def test_only_ranked_versions_play():
    assert next_players(np.array([100, 100, 0]), [1, 2], [order([0.9, 0.8, 0])], n_leaders=2, max_players=9) == [1, 2]


def test_rivals_play_if_their_order_with_a_leader_is_open():
    shown_worse = order([0.9, 0.8, 0.5, 0.4], better=[(0, 2), (1, 2), (0, 3)])
    assert next_players(np.full(4, 100), range(4), [shown_worse], n_leaders=2, max_players=9) == [0, 1, 3]


def test_each_score_sends_its_leader():
    by_score = [order([0.9, 0.1, 0.5]), order([0.1, 0.9, 0.5])]
    assert next_players(np.full(3, 100), range(3), by_score, n_leaders=1, max_players=2) == [0, 1]


def test_leaders_are_sure_of_their_worth():
    lucky = order([0.9, 0.95], least=[0.85, 0.2])
    assert next_players(np.array([9000, 100]), range(2), [lucky], n_leaders=1, max_players=1) == [0]
