"""Whatever a crash leaves of the writes of a run, no record that was synced is lost, and none is invented."""

import os
from array import array
from pathlib import Path

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest.run_worker import Outcome
from wordpl.contest.runner import EntryQueue, Host
from wordpl.core.files import write_atomically
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.run import entry as run_entry
from wordpl.run.entry import Journal, RecordWriter
from wordpl.run.folder import Run
from wordpl.run.records import Duration, Record, encode

N_GAMES, PER_CHUNK = 6, 2
ORDER = [4, 2, 5, 0, 3, 1]


def line(game):
    return encode(Record(game, "abide", [NoisyMove("crane", 5.0, "..i.c"), NoisyMove("abide", 0, "")], Verdict.WON))


class CrashRecorder:
    """Keeps what a crash could leave of a folder, before and in the middle of each write, sync and renaming.

    left: pairs of the content of all files, and whether it is all that was written or only what was synced
    """

    def __init__(self, folder, monkeypatch):
        self.folder, self.synced, self.left = folder, read(folder), []
        self.system = {name: getattr(os, name) for name in ("write", "fsync", "replace", "unlink")}
        for name in self.system:
            monkeypatch.setattr(os, name, getattr(self, name))

    def note(self):
        self.left += [(read(self.folder), True), (dict(self.synced), False)]

    def write(self, file, data):
        self.note()
        n_written = self.system["write"](file, data[: len(data) // 2])
        self.note()
        return n_written + self.system["write"](file, data[n_written:])

    def fsync(self, file):
        self.note()
        self.system["fsync"](file)
        path = Path(f"/proc/self/fd/{file}").readlink()
        self.synced[str(path.relative_to(self.folder))] = path.read_bytes()

    def replace(self, source, target):
        self.note()
        self.system["replace"](source, target)
        old, new = (str(Path(path).relative_to(self.folder)) for path in (source, target))
        self.synced[new] = self.synced.pop(old, b"")  # the name may be on disk before the content

    def unlink(self, path, **options):
        self.note()
        self.system["unlink"](path, **options)
        self.synced.pop(str(Path(path).relative_to(self.folder)), None)


def read(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def restored(files, folder):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    run = Run(folder)
    for part in ("records", "durations"):
        (folder / part).mkdir(exist_ok=True)
    run.truncate_torn_tails()
    run.collect_journals()
    return run


def play(run):
    """Write the records of all games as a worker and the host do."""
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
    host.close()
    run.finish("2026-11-23T00:00:00+00:00")
    run.remove_journals()


@pytest.fixture
def crashes(tmp_path, monkeypatch):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=N_GAMES)
    monkeypatch.setattr(run_entry, "SYNC_S", 0.0)
    with monkeypatch.context() as patch:
        recorder = CrashRecorder(run.folder, patch)
        play(run)
        recorder.note()
    return recorder.left


def test_no_record_is_lost_or_invented_whenever_the_host_crashes(crashes, tmp_path):
    n_synced, counts = 0, set()
    for number, (files, is_all) in enumerate(crashes):
        run = restored(files, tmp_path / f"crash-{number}")
        found = {record.game: encode(record) for record in run.entries[0].read()}
        assert all(found[game] == line(game) for game in found)
        if is_all:  # the process was killed, and the system still wrote everything
            timed = {duration.game for duration in run.entries[0].durations()}
            journalled = {game for game in found if line(game) not in files.get("records/bot.jsonl", b"")}
            assert timed | journalled >= set(found)
        else:
            assert len(found) >= n_synced
            n_synced = len(found)
            counts.add(n_synced)
    assert counts >= {PER_CHUNK, 2 * PER_CHUNK, N_GAMES}  # each chunk is synced after it was written


@pytest.mark.slow
def test_a_game_of_which_a_record_is_there_is_not_played_again(crashes, tmp_path):
    for number, (files, _) in enumerate(crashes):
        run = restored(files, tmp_path / f"crash-{number}")
        again = set(run.info.played_again.get("bot", []))
        assert again.isdisjoint(record.game for record in run.entries[0].read())
        begun = {int(part) for name, content in files.items() if name.startswith(".begun")
                 for part in content.split(b"\n")[:-1] if part.isdigit()}  # fmt: skip
        assert again <= begun


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


def test_records_and_durations_are_synced_when_their_files_are_closed(tmp_path, monkeypatch):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=3)
    monkeypatch.setattr(run_entry, "SYNC_S", 1e9)
    with monkeypatch.context() as patch:
        recorder = CrashRecorder(run.folder, patch)
        writer = RecordWriter(run.entries[0])
        writer.add([line(2)], [Duration(2, 0.001, 0.002)])
        assert recorder.synced.get("records/bot.jsonl", b"") == b""
        writer.close()
    assert recorder.synced["records/bot.jsonl"] == line(2)
    assert recorder.synced["durations/bot.csv"].endswith(b"\n2;0.001000;0.002000;;0.000000\n")


def test_a_file_is_on_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"old")
    with monkeypatch.context() as patch:
        recorder = CrashRecorder(tmp_path, patch)
        write_atomically(tmp_path / "file", [b"new ", b"content"])
        recorder.note()
    contents = [files["file"] for files, _ in recorder.left]
    assert set(contents) == {b"old", b"new content"}
