"""The folders of players: what they hold, what of an entry's work is kept, and what is too much."""

import os
import time

import pytest

from wordpl.core.messages import UserError
from wordpl.players import working_folder
from wordpl.players.working_folder import WritableFolder, frozen_folder, linked_folder
from wordpl.run.bundle import BundleStore, FileTree


@pytest.fixture
def store(tmp_path):
    """A store with the sources of an entry, under the digest `store.sources`."""
    (tmp_path / "bot.py").write_text("class Bot: pass")
    store = BundleStore(tmp_path / "store")
    store.sources = store.add(FileTree({"bot.py": tmp_path / "bot.py"}))
    (tmp_path / "table").write_text("crane")
    store.written = store.add(FileTree({"strategies/table": tmp_path / "table"}))
    return store


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_players_of_an_entry_share_a_folder_with_what_it_wrote_and_others_do_not(lists, tmp_path, store):
    own = ["answers.txt", "strategies/bot.py", "valid.txt"]
    plain = frozen_folder(lists, tmp_path, store, (store.sources, ""))
    assert names(plain) == own
    assert frozen_folder(lists, tmp_path, store, (store.sources, "")) == plain
    with_table = frozen_folder(lists, tmp_path, store, (store.sources, store.written))
    assert names(with_table) == [*own[:2], "strategies/table", own[2]]
    assert {plain.stat().st_mode & 0o777, with_table.stat().st_mode & 0o777} == {0o755}  # a player may be another user
    trusted = linked_folder(lists, tmp_path, tmp_path / "store")
    assert (trusted / "strategies").resolve() == tmp_path / "store"
    assert (trusted / "answers.txt").read_text().split() == list(lists.answers)


def test_what_an_entry_wrote_is_kept_without_its_own_files_whatever_their_modes(lists, tmp_path, store):
    folder = WritableFolder(lists, tmp_path, store, store.sources)
    (folder.path / "strategies" / "table").write_text("crane")
    (folder.path / "deep").mkdir()
    (folder.path / "deep" / "more").write_text("")
    (folder.path / "strategies" / "bot.py").write_text("changed")
    (folder.path / "deep" / "more").chmod(0)
    (folder.path / "deep").chmod(0)
    assert sorted(folder.written().files) == ["deep/more", "strategies/table"]
    assert (folder.path / "deep" / "more").stat().st_mode & 0o777 == 0o644
    folder.remove()
    assert not folder.path.exists()


@pytest.mark.parametrize("limit", ["MAX_FILES", "MAX_BYTES", "MAX_DEPTH", "disk"])
def test_writing_too_much_is_refused_also_if_it_happens_last(lists, tmp_path, store, monkeypatch, limit):
    folder = WritableFolder(lists, tmp_path, store, store.sources)
    most = {"MAX_FILES": 3, "MAX_BYTES": 6, "MAX_DEPTH": 1}
    for name, number in most.items():
        monkeypatch.setattr(working_folder, name, number if name == limit else 1 << 30)
    with folder.limited(lambda: None):
        (folder.path / "deep").mkdir()
        (folder.path / "deep" / "a").write_text("123456")  # within each limit, as is the folder of its sources
    monkeypatch.setattr(folder._free, "is_short", lambda: limit == "disk")

    def write():
        (folder.path / "deep" / "b").mkdir()
        (folder.path / "deep" / "b" / "c").write_text("7")

    reason = "too little disk space" if limit == "disk" else "exceeds the limit of"
    with pytest.raises(UserError, match=reason), folder.limited(lambda: None):
        write()


def test_a_file_that_is_removed_while_it_is_open_counts(lists, tmp_path, store, monkeypatch):
    folder = WritableFolder(lists, tmp_path, store, store.sources)
    monkeypatch.setattr(working_folder, "MAX_BYTES", 1 << 16)
    killed = []
    monkeypatch.setattr(working_folder, "_kill", lambda process: killed.append(process()))  # it is this process
    with (
        pytest.raises(UserError, match="exceeds the limit of"),
        folder.limited(os.getpid),
        (folder.path / "gone").open("wb") as file,
    ):
        (folder.path / "gone").unlink()
        file.write(bytes(1 << 18))
        file.flush()
        until = time.monotonic() + 60
        while not killed and time.monotonic() < until:
            time.sleep(0.01)
    assert killed == [os.getpid()]
