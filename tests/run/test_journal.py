"""After the harness was killed, the games in its workers' journals are recorded, and begun ones are listed."""

import pytest

from tests.helpers import written_runs
from wordpl.run.entry import Journal
from wordpl.run.folder import Run
from wordpl.run.records import encode


@pytest.fixture
def run(tmp_path):
    return written_runs.new_run(tmp_path / "run")


def write_journal(run, serial, ended, begun):
    """Write the journal of a worker that was killed after it had ended some games and begun one more."""
    path = run.entries[0].journal_path(serial)
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers = [*ended, begun]
    file = Journal(path, numbers[0])
    for number, following in zip(ended, numbers[1:], strict=True):
        file.add(encode(written_runs.record(run, 0, number)), following)
    file.close()


def test_finished_games_are_recorded_and_begun_ones_are_listed(run):
    write_journal(run, 1, [4, 7], 2)
    write_journal(run, 2, [3], 5)
    run.collect_journals()
    assert sorted(record.game for record in run.entries[0].read()) == [3, 4, 7]
    assert Run(run.folder).info.played_again == {run.info.entries[0].slug: [2, 5]}
    assert not run.entries[0].journals_path.exists()


def test_a_record_in_both_the_run_and_a_journal_is_written_once(run):
    written_runs.append(run, 0, range(4, 5))
    write_journal(run, 1, [4, 7], 2)
    run.collect_journals()
    assert run.entries[0].records_path.read_bytes().count(b"\n") == 2


def test_the_game_of_a_truncated_journal_line_counts_as_begun(run):
    write_journal(run, 1, [4, 7], 2)
    path = run.entries[0].journal_path(1)
    content = path.read_bytes()
    path.write_bytes(content[: content.rindex(b"}") - 30])
    run.collect_journals()
    assert [record.game for record in run.entries[0].read()] == [4]
    assert run.info.played_again == {run.info.entries[0].slug: [7]}
