"""Kernels are cached beside their sources, or in a folder of the user that nobody else can write to."""

import os
import shutil
import subprocess
import sys

import numba
import pytest

from wordpl.core import paths
from wordpl.kernels import cache_folder

USER = 1000


@pytest.fixture
def read_only(monkeypatch, tmp_path):
    """An installation that cannot be written to, a home folder, and a folder for temporary files."""
    for name in ("package", "home", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "package")
    monkeypatch.setattr(cache_folder, "gettempdir", lambda: str(tmp_path / "temporary"))
    for name in (cache_folder.VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "")  # so that it is restored
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    is_accessible = os.access
    locked = {tmp_path / "package"}
    monkeypatch.setattr(os, "access", lambda path, mode: path not in locked and is_accessible(path, mode))
    monkeypatch.setattr(os, "getuid", lambda: USER)
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)  # or later tests would compile all anew
    cache_folder.choose_folder.cache_clear()
    yield tmp_path
    cache_folder.choose_folder.cache_clear()


def test_a_writable_installation_caches_beside_its_sources(read_only, monkeypatch):
    (read_only / "package" / "__pycache__").mkdir()
    assert cache_folder.choose_folder() == read_only / "package" / "__pycache__"
    assert cache_folder.VARIABLE not in os.environ


def test_the_folder_that_the_user_has_set_is_kept(read_only, monkeypatch):
    monkeypatch.setenv(cache_folder.VARIABLE, str(read_only / "other" / "kernels"))
    assert cache_folder.choose_folder() == read_only / "other" / "kernels"


def test_no_other_folder_is_chosen_if_that_of_the_user_is_read_only(read_only, monkeypatch):
    monkeypatch.setenv(cache_folder.VARIABLE, "/proc/kernels")
    assert cache_folder.choose_folder() is None
    assert os.environ[cache_folder.VARIABLE] == "/proc/kernels"


def test_a_read_only_installation_caches_in_the_home_folder(read_only):
    folder = cache_folder.choose_folder()
    assert folder == read_only / "home" / ".cache" / "wordpl" / "kernels"
    assert os.environ[cache_folder.VARIABLE] == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o755


def test_root_does_not_cache_in_its_home_folder_which_its_players_cannot_enter(read_only, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert cache_folder.choose_folder().parent == read_only / "temporary"


def test_without_a_home_folder_it_caches_in_a_temporary_folder(read_only, monkeypatch):
    monkeypatch.setenv("HOME", "/dev/null")
    folder = cache_folder.choose_folder()
    assert folder == read_only / "temporary" / f"wordpl-kernels-{USER}"
    assert folder.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("prepare", [
    lambda folder: (folder.mkdir(), folder.chmod(0o777)),  # others could place code in it
    lambda folder: folder.symlink_to(folder.parent),
    lambda folder: folder.write_text(""),
], ids=["writable for others", "a link", "a file"])  # fmt: skip
def test_a_folder_that_others_control_is_not_used(read_only, monkeypatch, prepare):
    monkeypatch.setenv("HOME", "/dev/null")
    prepare(read_only / "temporary" / f"wordpl-kernels-{USER}")
    assert cache_folder.choose_folder() is None
    assert cache_folder.VARIABLE not in os.environ


def test_players_choose_no_folder(read_only, monkeypatch):
    monkeypatch.setattr(cache_folder, "is_player", True)
    assert cache_folder.choose_folder() is None


PROGRAM = """
import numpy as np
from wordpl.kernels import compiled, posterior
print(posterior._best(np.array([0.0, 0.0, -1.0])))
print(any(kernel.stats.cache_hits for kernel in compiled.kernels()))
"""
BEST = "(0, 0.4223187982515182)"
VIEW = ("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--setenv", "HOME", "/dev/null")


def output(*command, **variables):
    """Return what PROGRAM prints: the result of a kernel, and whether one was read from the cache."""
    command, environment = [*command, sys.executable, "-c", PROGRAM], os.environ | variables
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
def test_without_any_writable_folder_kernels_are_compiled_and_not_saved():
    assert output(*VIEW) in ([BEST, "True"], [BEST, "False"])  # they may be cached beside the sources


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
def test_kernels_are_read_from_a_read_only_folder_that_was_filled_before(tmp_path):
    folder = str(tmp_path / "kernels")
    assert output(NUMBA_CACHE_DIR=folder) == [BEST, "False"]
    assert output(*VIEW, NUMBA_CACHE_DIR=folder) == [BEST, "True"]
