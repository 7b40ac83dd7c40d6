"""A host's choice is checked when it is made, and comes back from run.json and as a command line."""

import shlex
from pathlib import Path

import pytest

from tests.helpers.paths import HOME
from wordpl.cli.evaluate import command
from wordpl.contest import command_lines, run_folder
from wordpl.core.errors import ConfigError
from wordpl.core.game_kinds import Measure, PlayerKind
from wordpl.core.records import EntryInfo, Run
from wordpl.core.run_config import Limits, RunConfig

ENTRY = EntryInfo("bot", "bot", "wordpl/1", Measure.BUDGET, "strategies/bayesian_random.py", "ENTRIES[0]", "")
CONFIG = RunConfig(
    n_games=7, seed="a b'c", timeout_s=2.5, warmup_s=9.0, memory_mb=512, level="D", repeats=3,
    limits=Limits(wall_factor=4.0, reply_bytes=100), guesses=HOME / "answers.txt",
)  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"n_games": 0}, "n_games should be a whole number from 1 to"),
        ({"n_games": 2.5}, "n_games should be a whole number"),
        ({"timeout_s": "5"}, "timeout_s should be a number"),
        ({"timeout_s": float("nan")}, "timeout_s should be a number"),
        ({"player": "elsewhere"}, "player should be one of 'process', 'trusted'"),
        ({"level": "E"}, "level should be one of"),
        ({"official": True, "seed": "7"}, "takes no seed"),
        ({"official": True, "player": PlayerKind.TRUSTED}, "cannot have trusted entries"),
        ({"beacon_from": "round 5"}, "beacon_from is only for official runs"),
    ],
)
def test_an_invalid_setting_is_refused_with_the_reason(settings, complaint):
    with pytest.raises(ConfigError, match=complaint):
        RunConfig(**settings)


def test_settings_are_restored_from_run_json(tmp_path):
    info = run_folder.describe(CONFIG, [ENTRY])
    restored = Run.create(tmp_path / "run", info).info.config
    for name in ("n_games", "repeats", "seed", "timeout_s", "warmup_s", "memory_mb", "limits", "player", "level"):
        assert getattr(restored, name) == getattr(CONFIG, name), name
    assert (restored.answers, restored.guesses) == (None, HOME / "answers.txt")
    assert restored.cpu_limit_s == 2.75


def test_a_run_from_before_grace_time_resumes_without_it():
    assert Run(HOME / "results" / "bundled").info.config.cpu_limit_s == 5.0


def test_a_replay_command_has_every_setting_that_decides_the_game():
    info = run_folder.describe(CONFIG, [ENTRY])
    arguments = shlex.split(command_lines.replay_command(ENTRY, 4, info))
    assert arguments[:3] == ["wordpl", "evaluate", "strategies/bayesian_random.py:ENTRIES[0]"]
    parameters = command.make_context("evaluate", arguments[2:]).params
    for name in ("seed", "timeout_s", "warmup_s", "memory_mb", "limits", "level", "guesses"):
        assert parameters[name] == getattr(CONFIG, name), name
    assert (parameters["game_id"], parameters["number"], parameters["answers"]) == ("wordpl/1", 4, None)


def test_a_text_becomes_a_path_and_a_number_becomes_a_seed():
    config = RunConfig(seed=7, results="somewhere")
    assert (config.seed, config.results) == ("7", Path("somewhere"))
