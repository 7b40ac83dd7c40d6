"""A join of parts goes on after a power cut, a full disk or Ctrl-C, and so does the preparation of parts."""

import errno
import os
import random
import shutil

import pytest

from tests.contest.test_parts import TRUSTED, content, join, play_part
from tests.helpers.power_cuts import Recorder, full_from, once_at, recording, restore, some_or_all
from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import parts
from wordpl.core.messages import UserError
from wordpl.run import entry as run_entry
from wordpl.run.folder import Run


@pytest.fixture(autouse=True)
def nothing_waits_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)


@pytest.fixture
def played(tmp_path):
    """Return a run of two entries, and its three parts, which were played elsewhere."""
    run = new_run(tmp_path, {"one": DRAWS_ALL, "two": DRAWS_ALL}, n_games=3, repeats=1, **TRUSTED)
    return run, [play_part(run, f"{number}/3", tmp_path / f"part-{number}") for number in (1, 2, 3)]


def take(run, places, then=lambda: None):
    with parts.Join(run, lambda progress: None) as taken:
        for place in places:
            taken.take(place)
            then()


@pytest.mark.parametrize("n_disks", [10, pytest.param(None, marks=pytest.mark.slow)])
def test_a_part_that_counts_as_taken_has_all_its_games_in_the_run(played, tmp_path, monkeypatch, n_disks):
    run, places = played
    monkeypatch.setattr(parts, "SYNC_S", -1.0)
    with recording(run.folder) as recorder:
        take(run, places)
    for cut, files in recorder.disks(n_disks):
        left = Run(restore(files, tmp_path / "cut"))
        left.remove_torn()
        for name in left.info.parts:
            for slug, numbers in parts.games_of(left, name).items():
                (entry,) = (entry for entry in left.entries if entry.info.slug == slug)
                is_done = entry.played().is_done
                assert all(is_done[number] for number in numbers), cut
        assert len(left.info.parts) == 3 or int(cut.split()[1]) < len(recorder.kinds), cut
        take(left, places)
        assert len(left.info.parts) == 3
        assert [entry.played().n_games for entry in left.entries] == [3, 3]
        assert left.info.played_again == {}


@pytest.mark.parametrize("n_disks", some_or_all(4))
def test_a_join_has_the_same_files_after_any_power_cut_full_disk_or_ctrl_c(played, tmp_path, monkeypatch, n_disks):
    run, places = played
    monkeypatch.setattr(parts, "SYNC_S", -1.0)
    monkeypatch.setattr(run_entry, "SYNC_S", 0.0)
    begun = shutil.copytree(run.folder, tmp_path / "begun")
    with recording(run.folder) as recorder:
        expected = content(join(run, *places))
    for cut, files in recorder.disks(n_disks):
        joined = join(Run(restore(files, tmp_path / "cut")), *places)
        assert content(joined) == expected, cut
        assert joined.info.played_again == {}, cut
    tries = [(place, code) for place in range(len(recorder.kinds)) for code in (errno.ENOSPC, errno.EIO, None)]
    for number, (place, code) in enumerate(random.Random(1).sample(tries, n_disks or len(tries))):
        folder = shutil.copytree(begun, tmp_path / f"try-{number}")
        fault = once_at(place, OSError(code, "made up") if code else KeyboardInterrupt())
        with Recorder(folder, full_from(place) if code == errno.ENOSPC else fault):
            try:
                join(Run(folder), *places)
            except UserError as error:
                assert ", then re" in error.message  # resume the run, or repeat the command
            except KeyboardInterrupt:
                assert code is None
        assert content(join(Run(folder), *places)) == expected, (place, code)


@pytest.mark.parametrize("n_disks", [8, pytest.param(None, marks=pytest.mark.slow)])
def test_a_part_that_was_handed_out_stays_noted_and_no_other_is(tmp_path, n_disks):
    run = new_run(tmp_path, {"one": DRAWS_ALL}, n_games=40, **TRUSTED)
    with recording(run.folder) as recorder:
        parts.prepare(run, 4, 40)
        n_first = len(recorder.kinds)
        parts.prepare(run, 3, 40)
    for cut, files in recorder.disks(n_disks):
        left = Run(restore(files, tmp_path / "cut"))
        n_prepared = (int(cut.split()[1]) >= n_first) + (int(cut.split()[1]) == len(recorder.kinds))
        assert {"4/40", "3/40"} >= parts.given(left) >= {*["4/40", "3/40"][:n_prepared]}, cut
        assert len(parts.found_in(left)) >= n_prepared, cut
        assert all(Run(place, may_be_part=True).info.part for place in parts.found_in(left)), cut
        for number in (3, 4):
            assert Run(parts.prepare(left, number, 40), may_be_part=True).info.part, cut
        assert parts.given(left) == {"3/40", "4/40"}, cut
