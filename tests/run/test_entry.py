"""Which lines of an entry's files count, and which are refused."""

import pytest
from msgspec.structs import replace

from tests.helpers import written_runs
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.run.folder import RunRecords
from wordpl.run.records import encode


@pytest.fixture
def run(tmp_path):
    return written_runs.new_run(tmp_path / "run")


def record(run, game, verdict=Verdict.WON, message=""):
    return replace(written_runs.record(run, 0, game % 12), game=game, verdict=verdict, message=message)


def write(path, records):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(map(encode, records)))


def test_a_game_may_be_repeated_more_than_once_and_repeats_are_in_the_order_of_games(run):
    entry, late = run.entries[0], Verdict.LATE
    played = [record(run, game, verdict) for verdict in (Verdict.WON, late) for game in range(11, -1, -1)]
    write(entry.repeats_path, played)
    assert list(entry.repeats()) == [*range(12)]
    assert entry.repeats()[3] == [record(run, 3), record(run, 3, late)]
    entry.sort_repeats()
    assert entry.repeats_path.read_bytes().startswith(encode(record(run, 0)) + encode(record(run, 0, late)))
    write(entry.repeats_path, [record(run, 12)])
    with pytest.raises(UserError, match="of game 12"):
        entry.repeats()


def test_a_regular_game_with_a_message_is_regular(run):
    write(run.entries[0].records_path, [record(run, 1, message="x"), record(run, 2, Verdict.LATE)])
    assert [one.game for one in run.entries[0].irregular()] == [2]
    write(run.entries[0].records_path, [record(run, 12, Verdict.LATE)])
    with pytest.raises(UserError, match="of game 12"):
        run.entries[0].irregular()


def test_a_torn_tail_of_sorted_records_is_dropped(run):
    path, lines = run.entries[0].records_path, [encode(record(run, game)) for game in range(3)]
    path.write_bytes(lines[0] + lines[1] + lines[2][:-4])
    run.entries[0].sort_records()
    assert path.read_bytes() == lines[0] + lines[1]


def test_an_entry_without_games_has_an_empty_file(run):
    run.entries[0].sort_records()
    assert run.entries[0].records_path.read_bytes() == b""


def test_records_that_somebody_has_read_are_not_read_again(run):
    entry, found = run.entries[0], RunRecords(run)
    played = [record(run, 1), record(run, 2, Verdict.LATE), record(run, 3)]
    write(entry.records_path, played)
    write(entry.repeats_path, [record(run, 3)])
    found.keep(entry.info, played)
    entry.records_path.unlink()
    assert found.irregular(entry.info) == played[1:2]
    assert found.repeated(entry.info) == {3: played[2]}
