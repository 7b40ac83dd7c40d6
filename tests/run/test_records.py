"""What records and durations of games say, which of several count, and what no reader accepts."""

from math import inf, nan

import msgspec
import pytest

from tests.helpers import written_runs
from wordpl.core.bounded import NotRegularError
from wordpl.core.messages import UserError
from wordpl.core.moves import LARGEST_BUDGET, ClassicMove, MoveForm, NoisyMove, Verdict
from wordpl.games import game_class
from wordpl.run import entry as run_entry
from wordpl.run import records
from wordpl.run.entry import Journal, RecordWriter
from wordpl.run.info import Price, WorkerInfo
from wordpl.run.records import Asked, Duration, Record, Talk, Usage, encode

NOISY, CLASSIC = game_class("wordpl/1").facts, game_class("wordle/1").facts
MOVES = [NoisyMove("crane", 5.0, "..i.c"), NoisyMove("slate", 2.5, "....."), NoisyMove("abide", 0, "")]
WON = Record(3, "abide", MOVES, Verdict.WON)


@pytest.fixture
def run(tmp_path):
    return written_runs.new_run(tmp_path / "run")


def changed(**values):
    return msgspec.structs.replace(WON, **values)


def test_only_a_won_game_has_a_cost_and_no_cost_overflows():
    assert records.cost(WON, NOISY) == 7.5
    for verdict in set(Verdict) - {Verdict.WON}:
        assert records.cost(changed(verdict=verdict), NOISY) == inf
    huge = [NoisyMove("crane", 1e308, ".....")] * 2
    assert records.cost(changed(moves=huge), NOISY) == LARGEST_BUDGET
    assert records.cost(changed(moves=[ClassicMove("abide", "ccccc")] * 3), CLASSIC) == 3


def test_waiting_counts_by_half_and_the_start_of_a_process_in_full():
    assert Duration(0, 1.0, 10.0, "", 2.0).charged_s == 7
    assert Duration(0, 6.0, 10.0, "", 2.0).charged_s == 8
    assert Duration(0, None, 10.0).charged_s == Duration(0, None, 10.0).game_s == 10


def test_the_time_of_a_game_on_a_slow_machine_counts_less(run):
    entry = run.entries[0]
    worker = WorkerInfo(machine={}, level="A", versions={}, calibration_s=1.0, slowness=2.0)
    entry.run_info.workers = {"slow": worker}
    with entry.durations_path.open("ab") as file:
        file.write(b"".join(map(records.encode_duration, [Duration(1, 4.0, 4.0, "slow"), Duration(2, 3.0, 8.0)])))
    assert entry.cpu_used_s() == 6


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"game": 12}, "a record is of game 12; the run has games 0 to 11"),
        ({"game": -1}, "a record is of game -1"),
        ({"moves": [NoisyMove("crane", inf, ".....")]}, "has the epsilon inf"),
        ({"moves": [NoisyMove("crane", nan, ".....")]}, "has the epsilon nan"),
        ({"moves": [NoisyMove("crane", -1.0, ".....")]}, "has the epsilon -1"),
        ({"moves": [NoisyMove("crane", 1.0, "....")]}, r"has the clues '\.\.\.\.' in place of 5 marks"),
        ({"moves": [NoisyMove("crane", 1.0, "....x")]}, "in place of 5 marks"),
        ({"moves": [NoisyMove("cranes", 1.0, "......")]}, "another length than the secret"),
        ({"secret": "", "moves": [NoisyMove("crane", 1.0, "......")]}, "in place of 5 marks"),
    ],
)
def test_a_record_that_no_reader_can_use_is_refused(tmp_path, values, problem):
    records.require_sound([WON, changed(game=11), changed(game=0)], 12, tmp_path)
    with pytest.raises(UserError, match=problem):
        records.require_sound([WON, changed(**values), WON], 12, tmp_path)


def test_a_torn_line_is_left_out_and_a_wrong_one_is_named_with_its_number(tmp_path):
    path = tmp_path / "bot.jsonl"
    path.write_bytes(encode(WON) + encode(WON)[:40] + b"\n" + encode(WON) + encode(WON)[:-1])
    assert list(records.read_records(path, MoveForm.NOISY)) == [WON, WON]
    path.write_bytes(encode(WON) * 2 + b'{"game":1}\n')
    with pytest.raises(UserError, match=r"line 3 of .* is not a record"):
        list(records.read_records(path, MoveForm.NOISY))
    with pytest.raises(UserError, match=r"line 1 of .* is not a record"):
        list(records.read_records(path, MoveForm.CLASSIC))


def test_only_lines_as_the_host_writes_them_are_taken_unread(tmp_path):
    line = encode(WON)
    assert list(map(records.plain, records.decode_written([line, line], MoveForm.NOISY))) == [WON, WON]
    for other in (line.replace(b",", b", ", 1), line[:-2] + b',"message":""}\n'):
        assert not records.decode_written([line, other], MoveForm.NOISY)
    assert [records.game_of(one) for one in (line, line[:-1], b"x" + line, b'{"game":3,"secr\n')] == [3, 3, -1, -1]
    assert records.game_of(line.replace(b":3,", b":%b," % (b"9" * 5000))) == -1
    two_in_one = line[:-1] + b"," + line
    assert not records.decode_written([two_in_one], MoveForm.NOISY)
    assert not records.summarize_together([two_in_one])
    assert len(records.summarize_together([line, line])) == 2
    path = tmp_path / "bot.jsonl"
    path.write_bytes(two_in_one)
    assert list(records.read_records(path, MoveForm.NOISY)) == [], "as if it were torn"


def test_lines_of_durations_count_only_as_the_host_writes_them(tmp_path):
    path, good = tmp_path / "bot.csv", [Duration(2, 1.0, 9.0, "", 0.5), Duration(4, None, 3.0)]
    text = b"".join(map(records.encode_duration, good))
    head = f"{records.DURATIONS_HEADER}\n".encode()
    path.write_bytes(head + text)
    assert records.written_durations(path, range(2, 5)) == (text, 8)
    assert list(records.read_durations(path, 5)) == good
    assert records.written_durations(path, range(2, 4)) == (b"", 0)
    path.write_bytes(head + text + records.encode_duration(Duration(2, None, 7.0)))
    assert records.cpu_times(path, 4).tolist()[2] == 1, "a time that is unknown replaces none"
    for line in (
        b"3;1.0;1.0;ada;0\n",
        b"3;-1.0;-1.0;;0\n",
        b"3;inf;1.0;;0\n",
        b"3;nan;1.0;;0\n",
        b"3;1.0;1.0;\n",
        b"x\n",
    ):
        path.write_bytes(head + text + line)
        assert records.written_durations(path, range(2, 5)) == (b"", 0), line


def test_a_plain_file_is_read_before_a_compressed_one_and_no_link_is_followed(tmp_path):
    path = tmp_path / "bot.jsonl"
    path.write_bytes(b"old\n")
    records.compress(path, min_bytes=5)
    assert path.exists(), "it is smaller"
    records.compress(path, min_bytes=4)
    path.write_bytes(b"new\n")
    assert b"".join(records.parts(path, 10)) == b"new\n"
    path.unlink()
    assert b"".join(records.parts(path, 10)) == b"old\n"
    path.symlink_to("nowhere")
    with pytest.raises(NotRegularError):
        b"".join(records.parts(path, 10))


def test_what_a_game_of_a_model_took_is_a_mean_over_all_games():
    asked = [Asked(1, 100, 10), Asked(2, 300, 30)]
    found = [changed(talk=Talk(asked, "")), changed(talk=Talk([Asked(1, 200, 20)], ""))]
    usage = Usage.of(found, Price(1.0, 10.0))
    assert (usage.requests, usage.tokens_in, usage.tokens_out, usage.tokens) == (2, 300, 30, 330)
    assert usage.cost == pytest.approx((300 * 1 + 30 * 10) / 1e6)
    assert Usage.of(found, None).cost != Usage.of(found, None).cost, "it is not known"
    assert Usage.of([WON], None) is None
    uncounted = Usage.of([changed(talk=Talk([Asked(1)], ""))], Price(1.0, 10.0))
    assert uncounted.tokens != uncounted.tokens, "nobody has counted them"


def test_irregular_games_are_found_and_the_first_record_of_each_counts(run):
    entry, crashed = run.entries[0], changed(verdict=Verdict.CRASHED, message="x")
    lines = [
        WON,
        changed(game=5, verdict=Verdict.LATE),
        crashed,
        changed(game=1, verdict=Verdict.ILLEGAL),
        changed(game=5),
    ]
    entry.records_path.write_bytes(b"".join(map(encode, [*lines, changed(game=1, verdict=Verdict.CRASHED)])))
    assert [(one.game, one.verdict) for one in entry.irregular()] == [(1, "illegal"), (3, "crashed"), (5, "late")]


def test_the_first_record_of_a_game_stays_when_records_are_read_and_sorted(run):
    entry, other = run.entries[0], changed(verdict=Verdict.LATE)
    for lines in ([WON, other], [WON, other, changed(game=1)]):
        entry.records_path.write_bytes(b"".join(map(encode, lines)))
        kept = sorted({WON.game: WON, **{one.game: one for one in lines[2:]}}.items())
        assert entry.read() == [one for _, one in kept]
        entry.sort_records()
        assert entry.records_path.read_bytes() == b"".join(encode(one) for _, one in kept)


def test_records_are_synced_while_a_run_is_played(run, monkeypatch):
    synced = []
    writer = RecordWriter(run.entries[0])
    monkeypatch.setattr(run_entry.os, "fsync", synced.append)
    monkeypatch.setattr(run_entry, "SYNC_S", 1e9)
    writer.add([encode(WON)], [Duration(3, 1.0, 1.0)])
    assert not synced
    monkeypatch.setattr(run_entry, "SYNC_S", -1.0)
    writer.add([encode(WON)])
    assert synced
    writer.close()
    assert len(set(synced)) == 2, "of records and of durations"


def test_a_new_journal_forgets_what_one_of_its_name_said(run):
    entry = run.entries[0]
    for first in (4, 5):
        journal = Journal(entry.journal_path(1), first)
        journal.add(encode(WON), None)
        journal.close()
    begun, played = entry.read_journals()
    assert (begun, [line for _, line in played]) == ([5], [encode(WON)])
    assert run.next_serial() == 2
    entry.journal_path(1).write_bytes(b'4\n{"game":4,\n5\n6')  # of which the last line is torn, and another one was
    assert entry.read_journals() == ([4, 5], [])


def test_a_finished_run_of_many_games_is_compressed_whole_and_takes_no_further_game(run, monkeypatch):
    written_runs.append(run, 0, range(12))
    run.finish("2026-01-31T12:05:00+00:00")
    seal, entry = run.info.seal, run.entries[0]
    monkeypatch.setattr(records.compress, "__defaults__", (entry.records_path.stat().st_size,))
    run.compress()
    assert not any(path.exists() for path in (entry.records_path, entry.durations_path, entry.fingerprints_path))
    assert run.seal_of(run.info.facts()) == seal
    assert len(entry.read()) == 12
    with pytest.raises(UserError, match="no game can be added"):
        RecordWriter(entry)
