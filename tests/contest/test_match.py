"""How often a game is begun, and a player warmed up: with players that are told what to do."""

import pytest

from tests.conftest import CONFIG
from wordpl import games
from wordpl.contest.match import play, warm_up
from wordpl.core import seeds
from wordpl.core.records import Duration, Verdict
from wordpl.players.base import Player, PlayerError

KEY = seeds.run_key("begun")


class Told(Player):
    """A player that ends as it was told: in its first move, or in its second."""

    def __init__(self, verdict: Verdict, at: int):
        self.verdict, self.at = verdict, at
        self.n_begun = self.n_prepared = 0

    def prepare(self):
        self.n_prepared += 1
        return False

    def first_move(self, seed, allowance):
        self.n_begun += 1
        return self._move(1)

    def next_move(self, move):
        return self._move(2)

    def _move(self, number):
        if number == self.at:
            raise PlayerError(self.verdict)
        return "crane", 1

    def duration(self, game):
        return Duration(game, 0.0, 0.0)

    def close(self):
        pass


@pytest.mark.parametrize(
    ("verdict", "at", "n_begun"),
    [
        (Verdict.FAULT, 1, 3),
        (Verdict.FAULT, 2, 1),
        (Verdict.CRASHED, 1, 1),
        (Verdict.LATE, 1, 1),
        (Verdict.MEMORY, 2, 1),
    ],
)
def test_only_a_game_whose_player_was_ended_from_outside_before_a_clue_begins_again(lists, verdict, at, n_begun):
    player = Told(verdict, at)
    record = play(games.make_game("wordpl/1", lists), player, 0, KEY, CONFIG)
    assert (record.verdict, len(record.moves), player.n_begun) == (verdict, at - 1, n_begun)


@pytest.mark.parametrize(("at", "n_prepared"), [(1, 1), (0, 0)])
def test_a_player_that_fails_in_its_warm_up_is_made_ready_once_more(lists, at, n_prepared):
    player = Told(Verdict.CRASHED, at)
    if not at:
        player.next_move = lambda move: ("abide", 0)
    warm_up(games.make_game("wordpl/1", lists), player, 1.0)
    assert player.n_prepared == n_prepared
