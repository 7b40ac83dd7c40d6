"""The values that options take: bundled names wherever a list is asked for, and what the shell completes."""

import click
import pytest
from click.shell_completion import ShellComplete

from tests.helpers.cli import all_commands
from wordpl.cli import main
from wordpl.cli._arguments import PRIOR, WORD_LIST
from wordpl.core import paths, words
from wordpl.run.config import RunConfig

READ_LATER = ("tui", "words build", "words evaluate", "words explain", "words backtest")
"""Commands that read the name of a list only when they use it."""


def offered(arguments, incomplete=""):
    """Return the values and the types that the shell offers after `wordpl ARGUMENTS`."""
    completion = ShellComplete(main, {}, "wordpl", "_WORDPL_COMPLETE")
    return [(item.type, item.value) for item in completion.get_completions(arguments.split(), incomplete)]


@pytest.mark.parametrize("name", words.BUNDLED)
def test_a_bundled_name_is_a_word_list(name):
    assert WORD_LIST.convert(name, None, None) == paths.DATA / f"{name}.txt"


def test_a_file_comes_before_a_bundled_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "modern").write_text("crane\n")
    assert words.read(WORD_LIST.convert("modern", None, None)) == ("crane",)


@pytest.mark.parametrize(("kind", "text"), [(WORD_LIST, "answer-2023"), (PRIOR, "defautl")])
def test_an_unknown_name_is_refused_with_the_bundled_ones(kind, text):
    with pytest.raises(click.BadParameter, match=f"{text}.*(answers-2023|default)"):
        kind.convert(text, None, None)


@pytest.mark.slow
def test_all_options_for_lists_and_priors_take_bundled_names():
    kinds = {"--answers": "list", "--guesses": "list", "--prior": "prior"}
    found = [(path, option) for path, command in all_commands().items() for option in command.params]
    for path, option in found:
        for name in set(option.opts) & set(kinds):
            if path not in READ_LATER:
                assert option.type.name == kinds[name], f"{path} {name}"


def test_a_run_names_a_bundled_list_as_the_user_did(tmp_path):
    config = RunConfig(answers="answers-2023", guesses="modern").resolved("A")
    assert [file.file for file in config.word_files.values()] == ["answers-2023", "modern"]
    assert len(config.load_lists().answers) == 3158
    assert config.game_options()[:4] == ["--answers", "answers-2023", "--guesses", "modern"]


@pytest.mark.parametrize(
    ("arguments", "incomplete", "expected"),
    [
        ("evaluate", "n_g", ("plain", "n_guess")),
        ("evaluate --against", "n_g", ("plain", "n_guess")),
        ("evaluate", "no/such", ("file", "no/such")),
        ("evaluate --answers", "answers-2", ("plain", "answers-2023")),
        ("evaluate --game", "wordle-", ("plain", "wordle-hard/1")),
        ("evaluate --score", "mean_c", ("plain", "mean_cost")),
        ("suggest --prior", "d", ("plain", "default")),
        ("suggest --guesses", "mo", ("plain", "modern")),
    ],
)
def test_the_shell_offers_values(arguments, incomplete, expected):
    assert offered(arguments, incomplete) == [expected]


def test_the_shell_offers_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("run", "no-run"):
        (tmp_path / "results" / name).mkdir(parents=True)
    (tmp_path / "results" / "run" / "run.json").touch()
    for command in ("verify", "report", "evaluate --resume"):
        assert offered(command, "results/") == [("plain", "results/run")]
