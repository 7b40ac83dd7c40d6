"""A host's choice is checked when it is made, and comes back from run.json and as a command line."""

import json
import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.helpers.paths import HOME
from wordpl.cli.evaluate import command
from wordpl.contest import run_folder
from wordpl.core import words
from wordpl.core.messages import ConfigError, UserError
from wordpl.core.settings import settings
from wordpl.games import game_class
from wordpl.run.config import Limits, PlayerKind, ReaderLimits, RunConfig, WordFile
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo

ENTRY = EntryInfo("bot", "bot", game_class("wordpl/1").facts, "strategies/bayesian_random.py", "ENTRIES[0]", "")
CONFIG = RunConfig(
    n_games=7, seed="a b'c", timeout_s=2.5, warmup_s=9.0, memory_mb=512, level="D", repeats=3,
    limits=Limits(wall_factor=4.0, reply_bytes=100), score="p05", guesses=HOME / "answers.txt",
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
        ({"official": True, "beacon_from": " "}, "must not be empty"),
        ({"every_answer": True, "player": PlayerKind.TRUSTED}, "trusted entries have none"),
        ({"fresh": True, "player": PlayerKind.TRUSTED}, "trusted entries have none"),
    ],
)
def test_an_invalid_setting_is_refused_with_the_reason(settings, complaint):
    with pytest.raises(ConfigError, match=complaint):
        RunConfig(**settings)


def test_settings_are_restored_from_run_json(tmp_path):
    info = run_folder.describe(CONFIG, [ENTRY])
    restored = Run.create(tmp_path / "run", info).info
    assert restored == info
    left_open = ("seed", "results", "answers", "guesses", "enforced_s", "total_s")
    for name in set(RunConfig.__struct_fields__) - set(left_open):
        assert getattr(restored.config, name) == getattr(CONFIG, name), name
    assert (restored.seed, restored.config.enforced_s, restored.config.total_s) == ("a b'c", 2.75, 17.5)
    assert restored.config.load_lists() is CONFIG.load_lists()


def test_what_a_host_leaves_open_is_filled_in_and_what_he_says_stays(tmp_path):
    (tmp_path / "answers").write_text("crane\nslate\n")
    left_open = RunConfig(n_games=9, timeout_s=2.0, every_answer=True, answers=tmp_path / "answers").resolved("B")
    assert (left_open.n_games, left_open.total_s, left_open.enforced_s, left_open.level) == (2, 4.0, 2.2, "B")
    said = RunConfig(total_s=3.0, enforced_s=9.0, level="C", seed="x", results="there", repeats=5).resolved("A")
    assert (said.total_s, said.enforced_s, said.level, said.repeats) == (3.0, 9.0, "C", 5)
    assert (said.seed, said.results) == (None, RunConfig().results)
    trusted = RunConfig(player=PlayerKind.TRUSTED, repeats=5, level="C").resolved("A")
    assert (trusted.level, trusted.repeats) == ("", 0), "nothing is isolated, and nothing can be repeated"


def test_the_defaults_are_those_that_the_documentation_states():
    config = RunConfig()
    assert (config.n_games, config.timeout_s, config.cpu_limit_s, config.warmup_s) == (1001, 5.0, 5.5, 60.0)
    assert (config.memory_mb, config.loss_cost, config.player, config.limits) == (1024, 100.0, "process", Limits())
    assert Limits() == Limits(wall_factor=3.0, wall_s=1.0, reply_bytes=4096, open_files=256)


def test_a_reader_s_limits_hold_whatever_a_run_allows():
    limits = Limits(wall_factor=99.0, wall_s=99.0, reply_bytes=10**6, open_files=9999)
    config = RunConfig(timeout_s=100.0, warmup_s=500.0, memory_mb=9999, limits=limits)
    capped, exceeded = ReaderLimits().cap(config)
    assert exceeded == list(ReaderLimits.__struct_fields__)
    assert (capped.cpu_limit_s, capped.warmup_s, capped.memory_mb) == (60, 120, 4096)
    assert capped.limits == Limits(wall_factor=10.0, wall_s=60.0, reply_bytes=1 << 16, open_files=1024)
    same, exceeded = ReaderLimits().cap(RunConfig(timeout_s=2.0))
    assert (same.cpu_limit_s, same.limits, exceeded) == (2.2, Limits(), [])


def test_limits_are_named_numbers():
    limits = Limits.of(["wall_s=3", "open_files=9"])
    assert (limits, limits.texts(changed=True)) == (Limits(wall_s=3.0, open_files=9), ["wall_s=3", "open_files=9"])
    assert type(limits.open_files) is int
    for text in ("wall_s", "wall_s=0", "wall_s=1e9", "other=3", "wall_s=nan"):
        with pytest.raises(ConfigError, match="must be NAME=NUMBER"):
            Limits.of([text])


def test_repetitions_may_take_a_third_of_a_time_that_the_host_has_limited():
    limit_s = RunConfig(n_games=10, timeout_s=3.0).resolved("D")
    assert limit_s.repetitions_s == float("inf")
    assert replace(limit_s, total_s=15.0).repetitions_s == 5.0


def test_a_list_that_has_changed_since_the_run_started_is_not_used(tmp_path):
    path = tmp_path / "answers"
    path.write_text("crane\n")
    assert RunConfig(answers=path).resolved("D").load_lists().answers == ("crane",)
    with pytest.raises(UserError, match="has changed since the run started"):
        RunConfig(answers=WordFile(str(path), sha256="0" * 64, words=1)).load_lists()
    with pytest.raises(UserError, match=r"gone\.txt, a word list of the run, is not here"):
        RunConfig(answers=WordFile("gone.txt", sha256="0" * 64, words=1)).load_lists()


def test_run_json_holds_neither_the_given_seed_nor_the_results_folder(tmp_path):
    run = Run.create(tmp_path / "run", run_folder.describe(CONFIG, [ENTRY]))
    facts = json.loads((run.folder / "run.json").read_bytes())
    assert (facts["format"], facts["seed_source"]) == ("wordpl-run/3", "typed")
    assert set(facts["config"]) == set(RunConfig.__struct_fields__) - {"seed", "results", "fresh"}
    assert replace(run.info, config=replace(run.info.config, fresh=True)).facts()["config"]["fresh"] is True
    assert not set(facts) - {"seed"} & set(facts["config"])
    assert facts["config"]["guesses"].keys() == {"file", "words", "sha256"}


@pytest.mark.parametrize("form", [1, "wordpl-run/1", "wordpl-run/4", None])
def test_a_folder_of_another_format_is_refused_in_one_sentence(tmp_path, form):
    (tmp_path / "run.json").write_text(json.dumps({"format": form, "seed": "1", "n_games": 3}))
    with pytest.raises(UserError) as error:
        Run(tmp_path)
    assert str(error.value) == (
        f"{tmp_path / 'run.json'} has format {form!r}, which only the version of wordpl that wrote it can read, or a "
        "newer one: this one reads 'wordpl-run/3' and 'wordpl-run/2'."
    )


def test_a_replay_command_has_every_setting_that_decides_the_game():
    info = run_folder.describe(CONFIG, [ENTRY])
    arguments = shlex.split(run_folder.replay_command(ENTRY, 4, info))
    assert arguments[:3] == ["wordpl", "evaluate", "strategies/bayesian_random.py:ENTRIES[0]"]
    parameters = command.make_context("evaluate", arguments[2:]).params
    for name in ("seed", "timeout_s", "warmup_s", "memory_mb", "limits", "level"):
        assert parameters[name] == getattr(CONFIG, name), name
    assert parameters["guesses"].resolve() == HOME / "answers.txt"
    assert (parameters["game_id"], parameters["number"], parameters["answers"]) == ("wordpl/1", 4, None)
    assert RunConfig(every_answer=True).game_options() == ["--games", "all"]


def test_a_text_becomes_a_path_and_a_number_becomes_a_seed():
    config = RunConfig(seed=7, results="somewhere")
    assert (config.seed, config.results) == ("7", Path("somewhere"))


def test_every_setting_of_a_game_comes_back_from_its_option():
    config = RunConfig(
        game_id="wordle/1", seed="7", answers=HOME / "answers.txt", guesses=HOME / "valid.txt", timeout_s=2.5,
        warmup_s=9.0, memory_mb=512, limits=Limits(open_files=9), player=PlayerKind.TRUSTED, level="B",
    )  # fmt: skip
    parameters = command.make_context("evaluate", ["bot.py", *config.game_options()]).params
    for name, setting in settings(RunConfig).items():
        if setting.is_of_game and name not in ("answers", "guesses"):
            assert parameters[name] == getattr(config, name), name
    assert [str(parameters[name]) for name in ("answers", "guesses")] == [config.answers.file, config.guesses.file]


def test_every_field_has_one_setting_and_its_option_the_range_of_the_field():
    options = {parameter.name: parameter for parameter in command.params}
    assert settings(RunConfig).keys() == set(RunConfig.__struct_fields__)
    for name, setting in settings(RunConfig).items():
        if setting.option and name != "every_answer":
            assert setting.option in options[name].opts
            assert getattr(options[name].type, "min", setting.low) == setting.low, name


def test_an_error_in_a_run_says_nothing_of_the_content_of_a_file_that_its_host_named(tmp_path):
    private = tmp_path / "private.txt"
    private.write_text("a secret line\n")
    config = RunConfig(answers=WordFile(str(private), sha256="0" * 64, words=1))
    with pytest.raises(UserError) as refusal:
        config.load_lists()
    assert "have changed since it started" in str(refusal.value)
    assert "secret" not in str(refusal.value)


def test_a_run_of_release_1_0_0_has_its_sorted_list_and_names_it_in_commands():
    contest = words.load()
    config = RunConfig(guesses=WordFile("valid.txt", len(contest.guesses), contest.set_sha256["guesses"]))
    assert config.load_lists().guesses == tuple(sorted(contest.guesses)) != contest.guesses
    assert config.game_options() == ["--guesses", "valid-sorted"]
    assert RunConfig(guesses="valid-sorted").resolved("D").word_files["guesses"].file == "valid-sorted"


def test_the_help_of_a_setting_documents_its_field():
    described = " ".join(RunConfig.__doc__.split())
    for name, setting in settings(RunConfig).items():
        assert f"{name}: {setting.help.partition('{')[0]}".strip() in described
