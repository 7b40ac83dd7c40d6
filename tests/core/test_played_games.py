"""Records are put in order without keeping them in memory, each game once."""

import pytest

from tests.helpers import written_runs
from wordpl.core import played_games
from wordpl.core.errors import UserError
from wordpl.core.records import encode


@pytest.fixture
def run(tmp_path):
    return written_runs.new_run(tmp_path / "run")


def line(run, number):
    return encode(written_runs.record(run, 0, number))


def test_records_are_sorted_without_duplicates_and_truncated_lines(run):
    path, entry = run.path(run.entries[0]), run.entries[0]
    path.write_bytes(line(run, 5) + line(run, 2)[:40] + line(run, 0) + line(run, 5) + line(run, 1) + line(run, 9)[:-4])
    played_games.sort_records(run, entry)
    assert path.read_bytes() == line(run, 1) + line(run, 5)


def test_a_sorted_file_is_not_rewritten(run):
    written_runs.append(run, 0, range(6))
    before = run.path(run.entries[0]).stat().st_ino
    played_games.sort_records(run, run.entries[0])
    assert run.path(run.entries[0]).stat().st_ino == before


def test_played_and_won_games_are_counted_once(run):
    written_runs.append(run, 0, range(6))
    written_runs.append(run, 0, range(3))
    played = played_games.find_played(run, run.entries[0])
    assert (played.n_games, played.n_won, list(played.is_done)) == (6, 4, [1] * 6 + [0] * 6)


def test_a_game_beyond_the_run_is_refused_by_number(run):
    with run.path(run.entries[0]).open("ab") as file:
        file.write(encode(written_runs.record(run, 0, 12)))
    with pytest.raises(UserError, match=r"line 1 of .* is of game 12; the run has games 0 to 11"):
        played_games.find_played(run, run.entries[0])
