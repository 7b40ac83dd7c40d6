"""The project's own strategies are found, not listed: a new file is one of them, a contestant's beside them is not."""

import shutil
import subprocess

import pytest

from wordpl.core import paths
from wordpl.players import bundled


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True)


@pytest.fixture
def strategies(tmp_path):
    """Return a folder of strategies with one of them."""
    folder = tmp_path / "strategies"
    folder.mkdir()
    (folder / "old.py").write_text("")
    (folder / "table.json").write_text("{}")
    return folder


def test_a_new_file_in_the_folder_of_an_installed_package_belongs_to_the_project(strategies):
    assert bundled.names(strategies) == {"old.py", "table.json"}
    (strategies / "new.py").write_text("")
    (strategies / "program.toml").write_text("")
    assert bundled.names(strategies) == {"old.py", "table.json", "new.py", "program.toml"}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_in_a_checkout_a_new_file_belongs_to_the_project_once_git_tracks_it(strategies, monkeypatch):
    git(strategies.parent, "init")
    git(strategies.parent, "add", "strategies")
    (strategies / "new.py").write_text("")
    (strategies / "linked.py").symlink_to(strategies / "new.py")
    assert bundled.names(strategies) == {"old.py", "table.json"}
    git(strategies.parent, "add", "strategies")
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # as in a hook of another repository
    assert bundled.names(strategies) == {"old.py", "table.json", "new.py"}


def test_only_the_project_s_own_files_are_bundled_strategies(tmp_path):
    folder = paths.bundled() / "strategies"
    assert bundled.is_bundled(folder / "n_guess.py")
    assert not bundled.is_bundled(folder / "contestant.py")
    shutil.copy(folder / "n_guess.py", tmp_path)
    assert not bundled.is_bundled(tmp_path / "n_guess.py")
