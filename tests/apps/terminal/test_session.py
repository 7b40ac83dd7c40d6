"""A person plays the same games by the same rules as an entry."""

from itertools import islice

import pytest

from tests.conftest import CONFIG
from wordpl import games
from wordpl.apps.terminal import sessions
from wordpl.contest.referee import play
from wordpl.core.moves import ClassicMove, Verdict
from wordpl.core.seeds import Draws
from wordpl.games import IllegalMoveError
from wordpl.players.base import Player
from wordpl.run.records import Duration


class Scripted(Player):
    """A player that makes the same moves in every game."""

    def __init__(self, *moves):
        self.moves = moves

    def prepare(self):
        return False

    def first_move(self, seed, limit_s):
        self.left = iter(self.moves)
        return next(self.left)

    def next_move(self, move):
        return next(self.left)

    def duration(self, game):
        return Duration(game, None, 0.0)

    def close(self):
        pass


@pytest.mark.parametrize(
    "rules, moves", [("wordpl/1", [("crane", 4.0), ("slope", 2.5), ("cigar", 0)]), ("wordle/1", ["crane"] * 6)]
)
def test_a_seed_gives_a_person_the_same_games_as_a_run(lists, rules, moves):
    game = games.make_game(rules, lists)
    for session in islice(sessions(game, "host", 5, None), 3):
        for move in moves:
            session.play(move)
        record = play(game, Scripted(*moves), session.number, Draws.of("host"), CONFIG)
        assert (session.secret, session.moves, session.verdict) == (record.secret, record.moves, record.verdict)


def test_an_illegal_move_does_not_change_the_game(lists):
    session = next(sessions(games.make_game("wordle-hard/1", lists), "1", 0, "jelly"))
    session.play("crane")
    with pytest.raises(IllegalMoveError, match="must contain E"):
        session.play("slots")
    assert session.moves == [ClassicMove("crane", "....i")]
    assert not session.allows("slots")
    assert session.allows("jelly")
    session.play("jelly")
    assert session.verdict == Verdict.WON
