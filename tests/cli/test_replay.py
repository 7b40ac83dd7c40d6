"""`wordpl replay`: games of a run are found, and shown move by move, one entry beside another."""

import json

import pytest

from tests.helpers import written_runs
from tests.helpers.cli import require_documented, wordpl
from wordpl.core import words
from wordpl.games import make_game
from wordpl.kernels.posterior import Posterior


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return written_runs.finished_run(tmp_path_factory.mktemp("replay"))


def found(run, *options):
    result = wordpl("replay", run.folder, *options, "--json")
    assert result.exit_code == 0, result.stderr
    require_documented(result.stdout)
    return json.loads(result.stdout)


def test_games_are_found_by_entry_ending_and_secret(run):
    assert found(run)["n_found"] == 24
    assert {game["verdict"] for game in found(run, "--lost")["games"]} == {"wrong", "crashed"}
    assert [game["number"] for game in found(run, "--faulty")["games"]] == [4, 9]
    assert {game["entry"] for game in found(run, "--entry", "Steady")["games"]} == {"Steady(epsilon=8)"}
    secret = written_runs.session_of(7).secret
    assert {game["secret"] for game in found(run, "--secret", secret[:3])["games"]} == {secret}
    assert "To see one: wordpl replay" in wordpl("replay", run.folder, "--lost").stdout


@pytest.mark.slow
def test_a_game_shows_seen_and_true_clues_and_what_each_move_leaves(run):
    steps = found(run, "7", "--entry", "Lucky")["entries"][0]["moves"]
    session = written_runs.session_of(7)
    game = make_game("wordpl/1", words.load())
    posterior = Posterior.of(game)
    for step, move in zip(steps[:2], (("crane", 8.0), ("moist", 9.0)), strict=True):
        session.play(move)
        posterior.update(*session.moves[-1].arguments)
        assert step["seen"] == session.moves[-1].clues
        assert step["true"] == game.clue(move[0], session.secret)
        assert step["left"] == pytest.approx(2**posterior.bits)
        ranked = posterior.top(len(posterior.words))
        assert ranked[step["place"] - 1][1] == pytest.approx(dict(ranked)[session.secret])


@pytest.mark.slow
def test_two_entries_stand_side_by_side(run):
    shown = wordpl("replay", run.folder, 3).stdout
    line = next(line for line in shown.splitlines() if line.startswith("1 "))
    assert line.split().count("crane") == 2
    assert "In the left half: Steady(epsilon=8). In the right half: Lucky()." in " ".join(shown.split())
    assert "ZeroDivisionError: by zero" in wordpl("replay", run.folder, 4).stdout


def test_a_game_that_is_not_there_or_breaks_the_rules_gives_a_sentence(run, tmp_path):
    assert "there is no game 12 of these entries" in wordpl("replay", run.folder, 12).stderr
    open_run = written_runs.new_run(tmp_path / "run")
    written_runs.append(open_run, 0, range(1))
    path = open_run.entry(open_run.info.entries[0]).records_path
    path.write_bytes(path.read_bytes().replace(b"moist", b"xxxxx"))
    result = wordpl("replay", open_run.folder, 0)
    assert result.exit_code == 1
    assert "breaks the rules" in result.stderr
