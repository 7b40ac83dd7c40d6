"""Neither a crash nor a full disk leaves incomplete data unnoticed, and nothing is written through a link."""

import errno
import os
from contextlib import nullcontext

import pytest

from tests.helpers.power_cuts import Recorder, full_from, recording
from wordpl.core import files, paths
from wordpl.core.bounded import NotRegularError
from wordpl.core.messages import UserError


def test_a_file_gets_its_name_only_when_all_of_its_content_is_on_the_disk(tmp_path, monkeypatch):
    path, synced = tmp_path / "file", []
    path.write_bytes(b"old")
    draft = tmp_path / ".file.new"
    monkeypatch.setattr(
        os, "fsync", lambda file: synced.append((draft.exists() and draft.read_bytes(), path.read_bytes()))
    )
    files.write_atomically(path, iter([b"ne", b"w"]))
    assert (b"new", b"old") in synced
    assert path.read_bytes() == b"new"


def test_a_full_disk_leaves_the_old_content_alone(tmp_path, monkeypatch):
    def fail(file):
        raise OSError(errno.ENOSPC, "no space")

    (tmp_path / "file").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        files.write_atomically(tmp_path / "file", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"file": b"old"}


def test_nothing_is_written_through_a_link_that_waits_where_a_file_is_made(tmp_path):
    (tmp_path / "other").write_bytes(b"mine")
    for name in (".file.new", "log"):
        (tmp_path / name).symlink_to("other")
    files.write_atomically(tmp_path / "file", b"new")
    for read_or_write in (files.open_to_append, files.truncate_torn_tail, files.has_torn_tail):
        with pytest.raises(NotRegularError):
            read_or_write(tmp_path / "log")
    assert (tmp_path / "other").read_bytes() == b"mine"
    (tmp_path / ".folder.new").mkdir()
    (tmp_path / ".folder.new" / "link").symlink_to("nowhere")
    files.put_in_place(tmp_path / ".folder.new", tmp_path / "folder")
    assert (tmp_path / "folder" / "link").is_symlink()


def test_a_line_is_appended_whole_even_if_the_system_takes_it_in_parts(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:3]))
    for line in (b"the first\n", b"the second\n"):
        file = files.open_to_append(tmp_path / "log")
        files.append(file, line)
        os.close(file)
    assert files.complete_lines(tmp_path / "log") == [b"the first", b"the second"]
    mask = os.umask(0)
    os.close(files.open_to_append(tmp_path / "own"))
    os.umask(mask)
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o644, "nobody else appends to it"


def write_folder(root):
    draft = files.draft_of(root / "x")
    (draft / "in").mkdir(parents=True)
    for name in ("a", "in/b"):
        (draft / name).write_bytes(b"new")
    files.put_in_place(draft, root / "x")


def append_lines(root):
    with files.Appender(root / "x") as log:
        log.add(b"one\n")
        log.add(b"two\n")


@pytest.mark.parametrize(
    ("write", "before", "after", "at_once"),
    [
        (lambda root: files.write_atomically(root / "x", [b"ne", b"w"]), {"x": b"old"}, {"x": b"new"}, True),
        (lambda root: files.write_atomically(root / "x", b"new"), {}, {"x": b"new"}, True),
        (write_folder, {}, {"x": None, "x/a": b"new", "x/in": None, "x/in/b": b"new"}, True),
        (lambda root: files.make_folders(root / "x" / "in"), {}, {"x": None, "x/in": None}, False),
        (append_lines, {}, {"x": b"one\ntwo\n"}, False),
    ],
    ids=["a file in place of another", "a file", "a folder", "empty folders", "a log"],
)
def test_a_power_cut_leaves_what_was_or_what_should_be_and_the_latter_once_it_was_promised(
    tmp_path, write, before, after, at_once
):
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    with recording(tmp_path) as recorder:
        write(tmp_path)
    for cut, disk in recorder.disks():
        found = {name: content for name, content in disk.items() if name.split("/")[0] == "x"}
        is_over = int(cut.split()[1]) == len(recorder.kinds)
        assert found == after or (not is_over and (found == before or not at_once)), cut


def test_a_line_for_which_the_disk_has_no_room_is_not_there_at_all(tmp_path):
    log = files.Appender(tmp_path / "log")
    log.add(b"one\n")
    with Recorder(tmp_path, full_from(0)), pytest.raises(OSError, match="No space left") as full:
        log.add(b"two\n")
    assert (full.value.filename, log.path.read_bytes()) == (str(log.path), b"one\n")
    log.close()


def test_what_another_process_has_appended_stays_when_the_disk_is_full(tmp_path, monkeypatch):
    log, parts, write = files.Appender(tmp_path / "log"), [b"tw", b"three\n"], os.write

    def write_less(file, data):
        if not parts:
            raise OSError(errno.ENOSPC, "no space")
        n_written = write(file, parts.pop(0))
        with (tmp_path / "log").open("ab", buffering=0) as other:
            other.write(parts.pop(0))
        return n_written

    monkeypatch.setattr(os, "write", write_less)
    with pytest.raises(OSError, match="no space"):
        log.add(b"two\n")
    log.close()
    assert log.path.read_bytes() == b"twthree\n"


def test_lines_after_data_that_a_power_cut_has_lost_are_incomplete(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"a\nb\0\0\nc\n")
    assert files.complete_lines(path) == [b"a"]
    files.truncate_torn_tail(path)
    assert path.read_bytes() == b"a\n"


def test_only_drafts_are_removed_as_such(tmp_path):
    for name in (".x.new", "x.new", ".x"):
        (tmp_path / name).touch()
    files.remove_drafts(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"x.new", ".x"}


@pytest.mark.parametrize(("code", "matters"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_file_system_that_cannot_sync_folders_is_no_error_and_a_broken_disk_is_one(
    tmp_path, monkeypatch, code, matters
):
    def fail(file):
        raise OSError(code, "sync")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="sync") if matters else nullcontext():
        files.sync_folder(tmp_path)


@pytest.mark.parametrize("whole", [b"", b"a\n", b"a\nb\n", b"a\n" * files.BLOCK_BYTES])
@pytest.mark.parametrize("n_torn", [0, 1, files.BLOCK_BYTES - 1, files.BLOCK_BYTES, 2 * files.BLOCK_BYTES + 1])
def test_only_the_incomplete_last_line_is_removed(tmp_path, whole, n_torn):
    path = tmp_path / "log"
    path.write_bytes(whole + b"x" * n_torn)
    assert files.has_torn_tail(path) == bool(n_torn)
    assert files.complete_lines(path) == whole.split(b"\n")[:-1]
    files.truncate_torn_tail(path)
    assert path.read_bytes() == whole
    assert files.complete_lines(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    "name", ["", "/a", "../a", "a/../b", "a//b", "./a", "a\\b", "C:a", "a\nb", "a" * 256, "é" * 128, "a/" * 200 + "a"]
)
def test_no_name_leads_out_of_a_folder(tmp_path, name):
    with pytest.raises(UserError, match="is not the name of a file inside"):
        paths.inside(tmp_path, name)


def test_a_plain_name_leads_into_a_folder_but_not_through_a_link(tmp_path):
    for name in ("a", "a/b", "..a", "é" * 127, "a" * 255, "a/" * 199 + "aa"):
        assert paths.inside(tmp_path, name) == tmp_path / name
    (tmp_path / "link").symlink_to(".")
    for name in ("link", "link/a"):
        with pytest.raises(UserError, match="is a link: nothing is written through it"):
            paths.inside(tmp_path, name)


def test_a_file_is_found_in_the_current_folder_before_others_and_named_so_that_it_is_found_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bundled = paths.bundled() / "answers.txt"
    assert paths.find_file("answers.txt") == bundled.resolve()
    assert paths.portable_name(bundled) == "answers.txt"
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "answers.txt").touch()
    assert paths.find_file("answers.txt", tmp_path / "more") == tmp_path / "more" / "answers.txt"
    (tmp_path / "answers.txt").touch()
    assert paths.find_file("answers.txt", tmp_path / "more") == tmp_path / "answers.txt"
    assert paths.portable_name(tmp_path / "answers.txt") == "answers.txt"
    assert paths.portable_name(bundled) == str(bundled.resolve()), "the name is taken here"
    assert paths.find_file("none.txt") == tmp_path / "none.txt"
    assert paths.portable_name(tmp_path.parent / "x") == str(tmp_path.parent / "x")
    assert paths.relative_to_cwd(tmp_path / "more") == "more"
    assert paths.relative_to_cwd(tmp_path.parent) == str(tmp_path.parent)


def test_strategies_of_the_current_folder_are_searched_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project = paths.bundled() / "strategies"
    assert paths.strategy_folders() == [project]
    (tmp_path / "strategies").mkdir()
    assert paths.strategy_folders() == [tmp_path / "strategies", project]
    monkeypatch.chdir(paths.bundled())
    assert paths.strategy_folders() == [project]


def test_a_relative_folder_in_an_xdg_variable_is_ignored(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for chosen, folder in (("", tmp_path / ".cache"), ("x", tmp_path / ".cache"), ("/x", "/x")):
        monkeypatch.setenv("XDG_CACHE_HOME", chosen)
        assert str(paths.xdg_folder("cache")) == f"{folder}/wordpl"
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert paths.xdg_folder("state") == tmp_path / ".local/state/wordpl"
