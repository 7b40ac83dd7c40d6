"""What is said once of a field of a configuration, of an error and of the environment of processes."""

import gc
import logging
import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated

import pytest

from wordpl.core import apps, collector_paused, current_folder, lazy_getattr, paths, seeds
from wordpl.core.messages import (
    LOG_VARIABLE,
    ConfigError,
    UserError,
    amount,
    did_you_mean,
    start_log,
    start_log_in_worker,
)
from wordpl.core.offers import RefusedError
from wordpl.core.settings import Setting, documented, settings


@pytest.mark.parametrize(
    ("setting", "valid", "invalid"),
    [
        (Setting(low=1, high=9), [1, 9, None], [0, 10, 1.0, True, "1"]),
        (Setting(low=0.5, high=9.5), [0.5, 9.5, 1, None], [0.4, 9.6, True, "1", float("nan")]),
        (Setting(choices=("a", "")), ["a", ""], ["b", None]),
        (Setting(low=0.5), [-1, "x", None], []),
    ],
)
def test_a_value_within_its_range_is_valid_and_no_other(setting, valid, invalid):
    for value in valid:
        setting.check("field", value)
    for value in invalid:
        with pytest.raises(ConfigError, match=r"^field should be "):
            setting.check("field", value)


def test_the_help_of_a_field_is_its_documentation():
    @documented
    @dataclass
    class Config:
        """A configuration."""

        games: Annotated[int, Setting("--games", "How many.", low=1, high=9)] = 3
        other: int = 0

    assert list(settings(Config)) == ["games"]
    assert " ".join(Config.__doc__.split()) == "A configuration. Attributes: games: How many."


def test_an_error_shows_what_others_wrote_without_control_characters():
    error = UserError("a\x1b[2J\u202e::error::b\tc\n" + "x" * 20_000)
    assert error.message == str(error)
    assert error.message.startswith("a?[2J?:?error:?b\tc\nxxx")
    assert len(error.message) == 10_000


def test_processes_import_nothing_from_the_current_folder(monkeypatch):
    given = {"PYTHONPATH": os.pathsep.join(["", "/a", "b", "/c"]), "X": "1"}
    assert current_folder.safe_variables(given) == {"PYTHONPATH": "/a:/c", "X": "1", "PYTHONSAFEPATH": "1"}
    assert current_folder.safe_variables({"PYTHONPATH": "b"}) == {"PYTHONSAFEPATH": "1"}
    assert current_folder.python_command("core.seeds")[:2] == [sys.executable, "-P"]
    monkeypatch.setenv("PYTHONPATH", "b:/c")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    with pytest.raises(ZeroDivisionError), current_folder.safe_environment():
        assert (os.environ["PYTHONPATH"], os.environ["PYTHONSAFEPATH"]) == ("/c", "1")
        raise ZeroDivisionError
    assert (os.environ["PYTHONPATH"], "PYTHONSAFEPATH" in os.environ) == ("b:/c", False)


def test_this_process_forgets_relative_folders(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "b:/c")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "b"), "/c", "/d"])
    current_folder.forget()
    assert (sys.path, os.environ["PYTHONPATH"]) == (["/c", "/d"], "/c")


def test_a_worker_has_the_variables_of_its_parent_and_leaves_the_user_s_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paths, "_left", None)
    monkeypatch.setenv("PYTHONPATH", "/p")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    start = current_folder.worker_start()
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    start()
    assert (os.environ["PYTHONPATH"], "PYTHONSAFEPATH" in os.environ) == ("/p", False)
    assert (str(Path.cwd()), paths.user_folder()) == ("/", tmp_path)


def test_a_package_has_only_the_names_that_it_offers(monkeypatch):
    monkeypatch.setitem(sys.modules, "offers", ModuleType("offers"))
    get = lazy_getattr("offers", {"seeds": "wordpl.core.seeds", "new_seed": "wordpl.core.seeds"})
    assert (get("seeds"), get("new_seed")) == (seeds, seeds.new_seed)
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        get("other")


def test_a_library_does_not_find_its_settings_in_the_current_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with current_folder.no_settings(".settings"):
        assert str(Path.cwd()) == str(tmp_path)
    (tmp_path / ".settings").symlink_to("nowhere")
    with current_folder.no_settings(".settings"):
        assert str(Path.cwd()) == "/"
    assert str(Path.cwd()) == str(tmp_path)


def test_the_log_of_a_process_and_its_workers_goes_to_standard_error_alone(monkeypatch, capsys, caplog):
    logger = logging.getLogger("wordpl")
    for name, value in (("handlers", []), ("level", logger.level), ("propagate", True)):
        monkeypatch.setattr(logger, name, value)
    for level in ("", "loud"):
        monkeypatch.setenv(LOG_VARIABLE, level)
        start_log_in_worker()
        assert logger.handlers == []
    start_log("info")
    monkeypatch.setenv(LOG_VARIABLE, "INFO")
    start_log_in_worker()
    logging.getLogger("wordpl.run").info("a step")
    logging.getLogger("wordpl.run").debug("a line")
    (shown,) = capsys.readouterr().err.splitlines()
    assert shown.endswith("wordpl.run: a step")
    assert (os.environ[LOG_VARIABLE], caplog.records) == ("info", [])


def test_a_refusal_is_the_same_in_another_process():
    refused = pickle.loads(pickle.dumps(RefusedError(429, "too many", 5)))
    assert (refused.status, refused.message, refused.retry_after_s) == (429, "too many", 5)


def test_an_app_is_installed_if_its_folder_is_a_package(monkeypatch, tmp_path):
    monkeypatch.setattr(apps, "FOLDER", tmp_path)
    for name in ("there", "left"):
        (tmp_path / name).mkdir()
    (tmp_path / "there" / "__init__.py").touch()
    assert [apps.is_installed(name) for name in ("there", "left", "other")] == [True, False, False]
    with pytest.raises(ModuleNotFoundError, match="belongs to the folder wordpl/apps/left, which is not installed"):
        apps.module("left", "command")


@pytest.mark.parametrize("was_enabled", [True, False])
def test_a_pause_of_the_collector_leaves_it_as_it_was(was_enabled):
    gc.enable() if was_enabled else gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert gc.isenabled() == was_enabled
    finally:
        gc.enable()


def test_a_count_is_written_with_its_noun_in_the_singular_or_plural():
    counts = [amount(n, "game") for n in (0, 1, 2, 12_000)]
    assert counts == ["0 games", "1 game", "2 games", "12,000 games"]
    assert [amount(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]


def test_a_swapped_pair_of_letters_is_suggested_before_other_similar_names():
    assert did_you_mean("chess", ["wordle", "wordpl"]) == ""
    assert did_you_mean("wrodle", ["wordle-hard", "wrodled", "wordle"]) == " Did you mean 'wordle'?"
