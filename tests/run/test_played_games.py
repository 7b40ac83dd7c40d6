"""Records are put in order without keeping them in memory, each game once."""

import pytest

from tests.helpers import written_runs
from wordpl.core.messages import UserError
from wordpl.run.records import encode


@pytest.fixture
def run(tmp_path):
    return written_runs.new_run(tmp_path / "run")


def line(run, number):
    return encode(written_runs.record(run, 0, number))


def test_records_are_sorted_without_duplicates_and_truncated_lines(run):
    path, entry = run.entries[0].records_path, run.info.entries[0]
    path.write_bytes(line(run, 5) + line(run, 2)[:40] + line(run, 0) + line(run, 5) + line(run, 1) + line(run, 9)[:-4])
    run.entry(entry).sort_records()
    assert path.read_bytes() == line(run, 1) + line(run, 5)


def test_a_sorted_file_is_not_rewritten(run):
    written_runs.append(run, 0, range(6))
    before = run.entries[0].records_path.stat().st_ino
    run.entries[0].sort_records()
    assert run.entries[0].records_path.stat().st_ino == before


def test_played_and_won_games_are_counted_once(run):
    written_runs.append(run, 0, range(6))
    written_runs.append(run, 0, range(3))
    played = run.entries[0].played()
    assert (played.n_games, played.n_won, list(played.is_done)) == (6, 4, [1] * 6 + [0] * 6)


def test_a_game_beyond_the_run_is_refused_by_number(run):
    with run.entries[0].records_path.open("ab") as file:
        file.write(encode(written_runs.record(run, 0, 12)))
    with pytest.raises(UserError, match=r"line 1 of .* is of game 12; the run has games 0 to 11"):
        run.entries[0].played()
