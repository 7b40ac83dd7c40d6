"""What a killed process leaves behind is removed by the next start; what lives, or is another's, stays."""

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager

import pytest

from wordpl.core import files

HOLDER = """
import os, sys
from pathlib import Path
from wordpl.core import files
files.SHARED_MEMORY = Path(sys.argv[1])
with files.temporary_folder() as folder:
    (folder / "games").mkdir()
    print(os.getpid(), folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def places(tmp_path, monkeypatch):
    """The folders of temporary files and of shared memory."""
    folders = tmp_path / "temporary", tmp_path / "shm"
    for folder in folders:
        folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folders[0]))
    monkeypatch.setattr(tempfile, "tempdir", str(folders[0]))
    monkeypatch.setattr(files, "SHARED_MEMORY", folders[1])
    return folders


@contextmanager
def holder(shared):
    """A process that holds a temporary folder: yields it, its id and the names of what it has in shared memory."""
    command = [sys.executable, "-c", HOLDER, str(shared)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        pid, folder = process.stdout.readline().split(maxsplit=1)
        left = {f"sem.loky-{pid}-x1b2", f"joblib_memmapping_folder_{pid}_abc"}
        for name in left:
            (shared / name).mkdir() if name.startswith("joblib") else (shared / name).touch()
        try:
            yield process, folder.strip(), left
        finally:
            process.kill()


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_what_a_killed_process_left_is_removed_by_the_next_start(places):
    folder, shared = places
    with holder(shared) as (process, name, left):
        process.kill()
        process.wait()
        assert name.startswith(f"{folder}/{files.PREFIX}")
        assert names(shared) == left
        (shared / "sem.loky-999999999-of another program").touch()
        with files.temporary_folder() as own:
            assert names(folder) == {own.name}
    assert (names(shared), names(folder)) == ({"sem.loky-999999999-of another program"}, set())


def test_what_a_living_process_has_in_shared_memory_stays_even_if_a_dead_one_had_its_id(places):
    folder, shared = places
    (folder / "wordpl-of-the-dead").mkdir()
    (folder / "wordpl-of-the-dead" / files.OWNER).write_text(f"{os.getpid()}\n")
    (shared / f"sem.loky-{os.getpid()}-x").touch()
    files.sweep()
    assert (names(folder), names(shared)) == (set(), {f"sem.loky-{os.getpid()}-x"})


def test_what_a_living_process_holds_stays(places):
    folder, shared = places
    with holder(shared) as (_, living, left), holder(shared) as (process, killed, _):
        process.kill()
        process.wait()
        files.sweep()
        assert [str(path) for path in folder.iterdir()] == [living] != [killed]
        assert names(shared) == left


def test_only_folders_that_were_held_are_removed(places):
    folder, shared = places
    others = {"wordpl-without-owner": None, "wordpl-with-a-strange-owner": "x", "other": "1", "wordpl-of-others": "1"}
    for name, owner in others.items():
        (folder / name).mkdir()
        if owner is not None:
            (folder / name / files.OWNER).write_text(owner)
    (folder / "wordpl-link").symlink_to(folder / "other")
    if os.getuid():  # only root can make a folder of somebody else
        (folder / "wordpl-of-others" / files.OWNER).write_text("x")
    else:
        os.chown(folder / "wordpl-of-others", 1, 1)
    (shared / "sem.loky-1-x").touch()
    files.sweep()
    assert names(folder) == {*others, "wordpl-link"}
    assert names(shared) == {"sem.loky-1-x"}
