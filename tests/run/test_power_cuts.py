"""Whatever a power cut leaves of a run, nothing that was synced is lost, nothing is invented, and it can be resumed.

The same holds for a full disk, a disk that fails, and Ctrl-C.
"""

import errno
import os
import random
import shutil
from array import array
from textwrap import dedent

import pytest

from tests.helpers.killed_runs import content as facts_of
from tests.helpers.killed_runs import differences
from tests.helpers.power_cuts import Recorder, full_from, once_at, recording, restore, some_or_all
from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import Contest
from wordpl.contest.run_worker import Outcome
from wordpl.contest.runner import EntryQueue, Host
from wordpl.core.files import Appender, complete_lines, truncate_torn_tail, write_atomically
from wordpl.core.messages import UserError
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.players.sandbox.probe import probe
from wordpl.run import entry as run_entry
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.entry import Journal
from wordpl.run.folder import Run
from wordpl.run.records import Duration, Record, encode

N_GAMES, PER_CHUNK = 6, 2
ORDER = [4, 2, 5, 0, 3, 1]


def line(game):
    return encode(Record(game, "abide", [NoisyMove("crane", 5.0, "..i.c"), NoisyMove("abide", 0, "")], Verdict.WON))


def play_by_hand(run, synced=None):
    """Write the records of all games as a worker and the host do; note how many are synced after which operation."""
    entry = run.info.entries[0]
    host = Host(run, [EntryQueue(entry, bytearray(N_GAMES), array("q"))])
    for serial, first in enumerate(range(0, N_GAMES, PER_CHUNK), 1):
        numbers = tuple(ORDER[first : first + PER_CHUNK])
        journal = Journal(run.entry(entry).journal_path(serial), numbers[0])
        for number, following in zip(numbers, [*numbers[1:], None], strict=True):
            journal.add(line(number), following)
        journal.close()
        durations = [Duration(number, 0.001, 0.002) for number in numbers]
        host.write(Outcome(0, serial, numbers, records=list(map(line, numbers)), durations=durations))
        if synced is not None:
            synced(first + PER_CHUNK)
    host.close()
    run.finish("2026-11-23T00:00:00+00:00")
    run.remove_journals()


@pytest.fixture(autouse=True)
def nothing_waits_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.mark.parametrize("n_disks", [15, pytest.param(None, marks=pytest.mark.slow)])
def test_no_synced_record_is_lost_and_none_is_invented(tmp_path, monkeypatch, n_disks):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=N_GAMES)
    monkeypatch.setattr(run_entry, "SYNC_S", -1.0)
    promised = {0: 0}
    with recording(run.folder) as recorder:
        play_by_hand(run, lambda n_games: promised.update({len(recorder.kinds): n_games}))
    for number, (cut, files) in enumerate(recorder.disks(n_disks)):
        left = Run(restore(files, tmp_path / f"cut-{number}"))
        n_done = int(cut.split()[1])
        if left.info.finished is None:
            left.remove_torn()
            left.collect_journals()
        found = {record.game: encode(record) for record in left.entries[0].read()}
        assert found == {game: line(game) for game in found}, cut
        timed = {duration.game for duration in left.entries[0].durations()}
        n_promised = max(n for at, n in promised.items() if at <= n_done)
        assert len(found) >= n_promised <= len(timed), cut
        assert not left.damage, cut
        assert not set(left.info.played_again.get("bot", ())) & set(found), cut
        if left.info.finished is not None:
            assert timed == set(range(N_GAMES)) == set(found), cut


def test_a_run_whose_end_cannot_be_written_has_not_ended(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=N_GAMES)
    with recording(shutil.copytree(run.folder, tmp_path / "counted")) as recorder:
        Run(tmp_path / "counted").finish("2026-11-23T00:00:00+00:00")
    place = recorder.kinds.index(("create", ".run.json.new"))
    with Recorder(run.folder, full_from(place)), pytest.raises(OSError, match="No space"):
        run.finish("2026-11-23T00:00:00+00:00")
    assert (run.info.finished, run.info.seal) == (None, None)


@pytest.fixture
def trusted(tmp_path):
    """Return a run that has begun, and what all of its files are when it has ended."""
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=5, repeats=2, player=PlayerKind.TRUSTED, level="")
    whole = shutil.copytree(run.folder, tmp_path / "whole")
    Contest.resume(whole, trusted=True).play()
    return run, facts_of(whole)


def resumed(folder):
    Contest.resume(folder, trusted=True).play()
    return folder


@pytest.mark.parametrize("n_disks", some_or_all(12))
def test_a_run_has_the_same_files_after_any_power_cut(trusted, tmp_path, monkeypatch, n_disks):
    run, expected = trusted
    monkeypatch.setattr(run_entry, "SYNC_S", 0.0)
    with recording(run.folder) as recorder:
        resumed(run.folder)
    for cut, files in recorder.disks(n_disks):
        assert not differences(resumed(restore(files, tmp_path / "cut")), expected), cut


@pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")
@pytest.mark.parametrize("n_disks", [pytest.param(1, marks=pytest.mark.slow), pytest.param(30, marks=pytest.mark.long)])
def test_a_run_in_the_sandbox_has_the_same_files_after_any_power_cut(tmp_path, n_disks):
    (tmp_path / "bot.py").write_text(dedent(DRAWS_ALL))
    config = RunConfig(n_games=5, repeats=2, seed="1", results=tmp_path / "results")
    run = Contest(config, [tmp_path / "bot.py"], jobs=1).open()
    whole = shutil.copytree(run.folder, tmp_path / "whole")
    Contest.resume(whole, jobs=1).play()
    expected = facts_of(whole)
    with recording(run.folder) as recorder:
        Contest.resume(run.folder, jobs=1).play()
    for cut, files in recorder.disks(n_disks):
        left = restore(files, tmp_path / "cut")
        Contest.resume(left, jobs=1).play()
        assert not differences(left, expected), cut


FULL = [(errno.ENOSPC, "Free some disk space"), (errno.EDQUOT, "Free some disk space"), (errno.EIO, "Check the disk")]


@pytest.mark.parametrize("n_tries", some_or_all(9))
def test_a_full_disk_or_ctrl_c_stops_a_run_that_goes_on_when_it_is_resumed(trusted, tmp_path, n_tries):
    run, expected = trusted
    with recording(shutil.copytree(run.folder, tmp_path / "counted")) as recorder:
        resumed(tmp_path / "counted")
    tries = [(place, *fault) for place in range(len(recorder.kinds)) for fault in [*FULL, (None, "")]]
    for place, code, remedy in random.Random(1).sample(tries, n_tries or len(tries)):
        folder = shutil.copytree(run.folder, tmp_path / "try", dirs_exist_ok=False)
        fault = once_at(place, OSError(code, "made up") if code else KeyboardInterrupt())
        with Recorder(folder, fault if code in (None, errno.EIO) else full_from(place, code)) as recorder:
            try:
                resumed(folder)
            except UserError as error:
                assert f"{remedy}, then re" in error.message  # resume the run, or repeat the command
                assert str(folder) in error.message
            except KeyboardInterrupt:
                assert code is None
        assert not differences(resumed(folder), expected), (place, code, recorder.kinds[place])
        shutil.rmtree(folder)


@pytest.mark.parametrize("n_disks", some_or_all(10))
def test_a_new_run_is_there_as_a_whole_or_not_at_all(tmp_path, n_disks):
    (tmp_path / "bot.py").write_text(dedent(DRAWS_ALL))
    disk = tmp_path / "disk"
    disk.mkdir()
    config = RunConfig(n_games=3, repeats=0, seed="1", player=PlayerKind.TRUSTED, results=disk / "results")
    contest = Contest(config, [tmp_path / "bot.py"])
    assert contest.entries
    for place in range(0, 20, 1 if n_disks is None else 6):
        with Recorder(disk, full_from(place)), pytest.raises(UserError, match="free some disk space"):
            contest.open()
        assert not list(disk.glob("results/*"))
    with recording(disk) as recorder:
        run = contest.open()
    expected = facts_of(resumed(shutil.copytree(run.folder, tmp_path / "whole")))
    for cut, files in recorder.disks(n_disks):
        left = restore(files, tmp_path / "cut") / run.folder.relative_to(disk)
        if (left / "run.json").exists():
            assert not differences(resumed(left), expected), cut
        else:
            assert int(cut.split()[1]) < len(recorder.kinds), cut


def test_a_file_is_on_disk_before_it_gets_its_name(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "file").write_bytes(b"old")
    with recording(disk) as recorder:
        write_atomically(disk / "file", [b"new ", b"content"])
    left = [(int(cut.split()[1]), files["file"]) for cut, files in recorder.disks()]
    assert {content for _, content in left} == {b"old", b"new content"}
    assert {content for n_done, content in left if n_done == len(recorder.kinds)} == {b"new content"}


def test_a_log_keeps_all_lines_that_were_added_and_no_half_ones(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    lines, promised = [b"line %d" % number * 9 for number in range(4)], {0: 0}
    with recording(disk) as recorder, Appender(disk / "log") as log:
        for number, each in enumerate(lines, 1):
            log.add(each + b"\n")
            promised[len(recorder.kinds)] = number
    for cut, files in recorder.disks():
        left = restore(files, tmp_path / "cut") / "log"
        n_promised = max(n for at, n in promised.items() if at <= int(cut.split()[1]))
        found = complete_lines(left)
        assert found == lines[: len(found)], cut
        assert len(found) >= n_promised, cut
        if left.exists():
            truncate_torn_tail(left)
            with Appender(left) as log:
                log.add(b"more\n")
            assert complete_lines(left) == [*found, b"more"], cut


def test_a_full_disk_leaves_no_half_line(tmp_path):
    (tmp_path / "log").write_bytes(b"first\n")
    with Recorder(tmp_path, full_from(0)), Appender(tmp_path / "log") as log, pytest.raises(OSError, match="No space"):
        log.add(b"second\n")
    assert (tmp_path / "log").read_bytes() == b"first\n"


def test_the_first_of_several_records_of_a_game_counts(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=3)
    entry = run.entries[0]
    other = encode(Record(1, "abide", [NoisyMove("slate", 2.0, ".....")], Verdict.FAULT))
    entry.records_path.write_bytes(line(2) + line(1) + other + line(0) + other)
    assert [encode(record) for record in entry.read()] == [line(0), line(1), line(2)]
    assert [record.verdict for record in entry.records({1})] == ["won"]
    assert run.to_frame(["game", "verdict"])["verdict"].tolist() == ["won"] * 3
    assert entry.played().n_won == 3
    entry.sort_records()
    assert entry.records_path.read_bytes() == line(0) + line(1) + line(2)
