"""A run notes what decides an entry's moves beside its own file, so that no table can be slipped in after its start."""

import os

import pytest
from msgspec import UNSET

from tests.helpers.cli import evaluate, wordpl
from wordpl.core import entry_files
from wordpl.core.records import Run

BOT = """
import pathlib
from strategies import helper

class Bot:
    def first_move(self):
        table = pathlib.Path(__file__).with_name("table.json")
        return (table.read_text().strip() if table.exists() else helper.WORD), 0
    def next_move(self, guess, epsilon, clues):
        return guess, 0
"""


@pytest.fixture
def bot(tmp_path):
    """An entry that names a module and a table, of which there is only the module."""
    folder = tmp_path / "bots"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    (folder / "helper.py").write_text("WORD = 'crane'  # or what parts/ holds\n")
    (folder / "notes.txt").write_text("named nowhere")
    return folder / "bot.py"


def test_companion_files_are_found_recursively(bot):
    (bot.parent / "parts" / "deep").mkdir(parents=True)
    (bot.parent / "parts" / "deep" / "words.bin").write_bytes(b"\0")
    (bot.parent / "bot_words.npz").touch()
    (bot.parent / "bots.npz").touch()
    digests = entry_files.companion_digests(bot)
    assert list(digests) == ["bot_words.npz", "helper.py", "parts/deep/words.bin"]
    assert entry_files.changed_companions(bot, digests) == []
    assert entry_files.changed_companions(bot, UNSET) == []
    (bot.parent / "parts" / "deep" / "words.bin").write_bytes(b"\1")
    (bot.parent / "table.json").write_text("abide")
    (bot.parent / "helper.py").write_text("WORD = 'crane'")
    assert entry_files.changed_companions(bot, digests) == ["helper.py", "parts/deep/words.bin", "table.json"]


def test_an_unreadable_companion_has_no_digest(bot):
    (bot.parent / "table.json").symlink_to("/proc/self/mem" if os.geteuid() else "/proc/self/attr/nothing")
    assert entry_files.companion_digests(bot).get("table.json", "") == ""


def play_run(bot, results, *options):
    result = evaluate(bot, "--games", 3, "--seed", "beside", "--results", results, "--no-report", *options)
    assert result.exit_code == 0, result.output
    return next(results.glob("*/run.json")).parent


@pytest.mark.parametrize("companion", ["helper.py", "table.json"])
@pytest.mark.slow
def test_a_run_is_not_resumed_after_a_companion_was_changed_or_added(bot, tmp_path, companion):
    folder = play_run(bot, tmp_path / "results", "--trust")
    assert list(Run(folder).entries[0].companions) == ["helper.py"]
    run = Run(folder)
    run.info.finished = None
    run.write_info()
    (bot.parent / companion).write_text("WORD = 'abide'")
    result = evaluate("--resume", folder)
    assert result.exit_code == 1
    assert f"{companion}, which {run.entries[0].file} uses, changed since the run started" in result.output


@pytest.mark.slow
def test_verify_lists_companions_that_have_changed(bot, tmp_path):
    folder = play_run(bot, tmp_path / "results", "--trust")
    (bot.parent / "helper.py").unlink()
    result = wordpl("verify", folder)
    assert (
        f"Not checked: files that {Run(folder).entries[0].file} uses: helper.py changed since the run" in result.output
    )
