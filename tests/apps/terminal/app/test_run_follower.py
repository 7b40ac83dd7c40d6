"""A growing run is read incrementally, each game once, with bounded memory."""

import gzip

import pytest

from tests.helpers import written_runs
from wordpl.apps.terminal.app.run_tasks import MAX_POINTS, FollowedEntry, RunFollower, find_games, read_game
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.run.records import cost, encode


@pytest.fixture
def run(tmp_path):
    return written_runs.new_run(tmp_path / "run", n_games=300)


def test_only_new_games_are_read_and_counted(run):
    follower = RunFollower(run.folder)
    assert follower.read() == 0
    written_runs.append(run, 0, range(7))
    assert follower.read() == 7
    written_runs.append(run, 1, range(3))
    written_runs.append(run, 0, range(5, 9))  # two of them a second time
    assert follower.read() == 5
    assert [entry.n_played for entry in follower.entries] == [9, 3]


def test_an_incomplete_line_is_read_when_it_is_complete(run):
    follower, path = RunFollower(run.folder), run.entry(run.info.entries[0]).records_path
    line = encode(written_runs.record(run, 0, 0))
    path.write_bytes(line[:40])
    assert follower.read() == 0
    with path.open("ab") as file:
        file.write(line[40:])
    assert follower.read() == 1


def test_a_sorted_file_is_read_again_without_counting_games_twice(run):
    follower, entry = RunFollower(run.folder), run.info.entries[0]
    written_runs.append(run, 0, range(4, 9))
    assert follower.read() == 5
    written_runs.append(run, 0, range(4))
    run.entry(entry).sort_records()
    assert follower.read() == 4
    assert follower.entries[0].n_played == 9


def test_compressed_records_are_read(run):
    written_runs.append(run, 0, range(6))
    path = run.entry(run.info.entries[0]).records_path
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    follower = RunFollower(run.folder)
    assert [follower.read(), follower.read()] == [6, 0]
    assert read_game(run, run.info.entries[0], 3) == written_runs.record(run, 0, 3)


def test_percentiles_are_of_all_games_with_lost_games_last(run):
    progress = FollowedEntry(run.info.entries[0], 300)
    records = [written_runs.record(run, number % 2, number) for number in range(300)]
    for record in records:
        progress.add(record)
    costs = sorted(cost(record, progress.entry.game) for record in records)
    shares = (0.05, 0.5, 0.95)
    assert progress.percentiles(shares) == pytest.approx(
        [costs[max(0, -int(-share * 300 // 1) - 1)] for share in shares]
    )
    assert MAX_POINTS // 2 <= len(progress.shares) <= MAX_POINTS
    n_last = progress._stride * len(progress.shares)
    won = sum(record.verdict == Verdict.WON for record in records[:n_last])
    assert progress.shares[-1] == won / n_last
    assert progress.n_won == sum(record.verdict == Verdict.WON for record in records)


def test_faults_are_listed_with_entry_game_and_verdict(run):
    follower = RunFollower(run.folder)
    written_runs.append(run, 1, range(10))
    follower.read()
    assert [(fault["entry"], fault["game"], fault["verdict"]) for fault in follower.faults] == [
        ("Lucky()", 4, Verdict.CRASHED),
        ("Lucky()", 9, Verdict.CRASHED),
    ]


def test_games_can_be_filtered_by_entry_verdict_and_start_of_the_secret(run):
    for entry_index in (0, 1):
        written_runs.append(run, entry_index, range(20))
    crashed, _ = find_games(run, entry="Lucky()", verdict="crashed")
    assert [record.game for _, record in crashed] == [4, 9, 14, 19]
    secret = written_runs.record(run, 0, 7).secret
    matches, n_found = find_games(run, secret=secret[:3])
    assert n_found >= 2
    assert {record.secret[:3] for _, record in matches} == {secret[:3]}
    with pytest.raises(UserError, match="has no game 99"):
        read_game(run, run.info.entries[0], 99)
