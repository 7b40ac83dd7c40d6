"""Where the seed of an official run is stored, and the error if no folder is safe."""

import os
import re
import stat
from uuid import uuid4

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import official
from wordpl.core.messages import UserError
from wordpl.run import seal

COMMITMENT = uuid4().hex
"""In no folder of this machine that may hold seeds, whatever an interrupted run has left there."""


@pytest.fixture
def state(tmp_path, monkeypatch):
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


def test_a_seed_is_found_read_and_removed_by_the_commitment_of_its_run(state, tmp_path):
    (tmp_path / "results").mkdir()
    run = new_run(tmp_path / "results", {"bot": DRAWS_ALL}, commitment=COMMITMENT)
    with pytest.raises(UserError, match=re.escape(f"is in none of {state}/wordpl/seeds, ")):
        official.find(run)
    path = official.write("drawn", COMMITMENT, run.folder)
    assert path == state / "wordpl" / "seeds" / COMMITMENT
    assert [stat.S_IMODE(folder_or_file.stat().st_mode) for folder_or_file in (path.parent, path)] == [0o700, 0o600]
    assert (official.find(run), official.read(run)) == (path, "drawn")
    official.remove(run)
    official.remove(run)  # is gone
    assert not path.exists()


def test_if_players_may_read_every_folder_each_is_listed_with_its_reason(state, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in (tmp_path, "/var"):
        monkeypatch.syspath_prepend(folder)  # as players may read all packages
    (tmp_path / "bots").mkdir()
    with pytest.raises(UserError) as error:
        official.write("drawn", COMMITMENT, tmp_path / "results" / "run")
    assert f" {state}/wordpl/seeds is in {tmp_path}, which players may read. " in str(error.value)
    assert not state.exists()
    state.symlink_to(tmp_path / "bots")
    with pytest.raises(UserError) as error:
        official.write("drawn", COMMITMENT, tmp_path / "results" / "run")
    assert f" {state}/wordpl/seeds is {tmp_path}/bots/wordpl/seeds, in {tmp_path}, which players may read. " in str(
        error.value
    )


def test_no_seed_is_stored_in_the_folder_of_results(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "results"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = official.write("drawn", COMMITMENT, tmp_path / "results" / "run")
    assert path == tmp_path / "home" / ".local" / "state" / "wordpl" / "seeds" / COMMITMENT


def test_an_existing_seed_file_is_not_overwritten(state, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    first = official.write("drawn", COMMITMENT, tmp_path / "results" / "run")
    second = official.write("other", COMMITMENT, tmp_path / "results" / "run")
    assert (first.read_text(), second.read_text(), first != second) == ("drawn\n", "other\n", True)


def test_a_seed_folder_is_made_private_and_a_linked_one_is_skipped(state, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = state / "wordpl" / "seeds"
    folder.mkdir(parents=True, mode=0o755)
    official.write("drawn", "c0ffee", tmp_path / "results" / "run")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "c0ffee").read_text() == "drawn\n"
    (folder / "c0ffee").unlink()
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    path = official.write("drawn", "c0ffee", tmp_path / "results" / "run")
    assert path.parent == tmp_path / "home" / ".local" / "state" / "wordpl" / "seeds"


@pytest.mark.parametrize("value", ["", "relative/state"])
def test_a_state_folder_without_an_absolute_path_is_ignored(value, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", value)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "results").mkdir()
    run = new_run(tmp_path / "results", {"bot": DRAWS_ALL}, commitment="c0ffee")
    home, system, temporary = official.folders(run)
    assert home == tmp_path / "home" / ".local" / "state" / "wordpl" / "seeds"
    assert [str(system), str(temporary)] == ["/var/lib/wordpl/seeds", f"/var/tmp/wordpl-{os.getuid()}/wordpl/seeds"]


def test_a_seed_that_cannot_be_read_is_an_error_with_its_path(state, tmp_path):
    (tmp_path / "results").mkdir()
    run = new_run(tmp_path / "results", {"bot": DRAWS_ALL}, commitment="c0ffee")
    path = state / "wordpl" / "seeds" / "c0ffee"
    path.mkdir(parents=True)
    with pytest.raises(UserError, match=re.escape(f"cannot read the seed of {run.folder} in {path}: Is a directory.")):
        official.read(run)


def test_a_seed_is_on_disk_before_anybody_hears_of_its_commitment(state, tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    official.write("drawn", COMMITMENT, tmp_path / "results" / "run")
    assert len("drawn\n") in synced


def test_a_folder_of_another_user_holds_no_seed(state, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / ".local").mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UserError, match="belongs to another user"):
        official.write("drawn", COMMITMENT, tmp_path / "results" / "run")


def test_a_copy_of_a_seed_lies_where_nobody_publishes_it_and_only_the_own_one_is_taken_back(state, tmp_path):
    folder = tmp_path / "cup" / "rounds"
    folder.mkdir(parents=True)
    run = new_run(folder, {"bot": DRAWS_ALL}, n_games=2)
    run.info.commitment = seal.commitment("drawn", seal.terms_digest(run.info.facts()))
    path = official.write("drawn", run.info.commitment, run.folder)
    for published in (run.folder / "copy", folder / "copy"):
        with pytest.raises(UserError, match="which may be published"):
            official.copy_seed(run, published)
    copy = official.copy_seed(run, tmp_path / "safe")
    assert [stat.S_IMODE(one.stat().st_mode) for one in (copy.parent, copy)] == [0o700, 0o600]
    official.remove(run)
    assert official.restore_seed(run, tmp_path / "safe") == path
    assert official.read(run) == "drawn"
    copy.unlink()
    copy.write_text("another\n")
    with pytest.raises(UserError, match="is not the seed of"):
        official.restore_seed(run, tmp_path / "safe")
    copy.unlink()
    with pytest.raises(UserError, match="has no copy of the seed"):
        official.restore_seed(run, tmp_path / "safe")
