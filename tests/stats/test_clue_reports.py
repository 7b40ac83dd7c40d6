import pytest

from wordpl.core import words
from wordpl.core.clues import counted
from wordpl.games import make_game
from wordpl.kernels.posterior import Posterior
from wordpl.stats.game_statistics import round_reports


def test_rounds_report_remaining_entropy_and_unchanged_marks(monkeypatch):
    lists = words.load()
    moves = [("crane", 8.0, "..i.c"), ("sloth", 200.0, counted("sloth", "abide")), ("abide", 0, "")]
    posterior = Posterior.uniform(lists, "counted")
    monkeypatch.setattr("wordpl.stats.game_statistics.N_SAMPLED", 1)
    first, second = round_reports([("abide", moves), ("crane", moves)], make_game("wordpl-counted/1", lists))
    for report, move in ((first, moves[0]), (second, moves[1])):
        posterior.update(*move)
        assert report.bits_left == pytest.approx(posterior.bits, abs=1e-9)
        assert report.epsilon == move[1]
    assert (first.round_, first.n_games, second.round_) == (1, 1, 2)
    assert first.true_marks == pytest.approx(sum(map(str.__eq__, "..i.c", counted("crane", "abide"))) / 5)
    assert second.true_marks == 1
