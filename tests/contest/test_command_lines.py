"""The commands that readers are shown are complete and quoted, so that they can be copied."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl import games
from wordpl.contest import run_folder
from wordpl.games import game_class
from wordpl.run.config import PlayerKind
from wordpl.run.info import EntryInfo


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return new_run(tmp_path, {"bot": DRAWS_ALL, "b o t": DRAWS_ALL}, n_games=7)


def test_a_run_is_resumed_and_verified_by_its_folder(run, tmp_path):
    (tmp_path / "own").mkdir()
    assert run_folder.resume_command(run) == "wordpl evaluate --resume run --isolation D"
    trusted = new_run(tmp_path / "own", {"bot": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="")
    assert run_folder.resume_command(trusted) == "wordpl evaluate --resume own/run --trust"
    assert run_folder.verify_command(run.folder) == "wordpl verify run"
    assert run_folder.verify_command(Path("/a b/run")) == "wordpl verify '/a b/run'"


def test_the_commands_on_a_page_name_each_file_once_and_all_games(run, tmp_path):
    entries = [*run.info.entries, run.info.entries[0], EntryInfo("o", "o", game_class("wordpl/1").facts, "", "Bot", "")]
    run.info.entries[:] = entries
    settings = "--seed seven --timeout 0.5 --warmup 10 --memory 512 --isolation D"
    assert run_folder.page_commands(run.folder, run.info) == [
        f"wordpl evaluate {tmp_path}/bot.py '{tmp_path}/b o t.py' --games 7 {settings}",
        "wordpl verify run",
        "wordpl report run -o report.html",
    ]


def test_replay_commands_name_file_expression_and_game_and_objects_have_none(run, tmp_path):
    command = run_folder.replay_command(run.info.entries[0], 3, run.info)
    settings = "--game wordpl/1 --seed seven --timeout 0.5 --warmup 10 --memory 512 --isolation D"
    assert command == f"wordpl evaluate '{tmp_path}/bot.py:Bot()' {settings} --number 3"
    object_entry = EntryInfo("o", "o", game_class("wordpl/1").facts, "", "Bot", "")
    assert run_folder.replay_command(object_entry, 3, run.info) == ""
    info, entry, stored = run.info, run.info.entries[0], "wordpl evaluate bot --run run --number 3"
    entry = replace(entry, name="bot")
    assert run_folder.replay_command(entry, 3, info, run.folder) == stored
    hidden = replace(info, seed=None)
    trusted = replace(info, config=replace(info.config, player=PlayerKind.TRUSTED))
    for other in (hidden, trusted):  # the run's own files are replayed only when its seed is known, and in the sandbox
        assert "--run" not in run_folder.replay_command(entry, 3, other, run.folder)


def test_a_replay_names_the_file_of_a_host_s_own_game(run, tmp_path):
    for file, name in (("./mine", "mine"), ("zoo/mine", "yours")):
        facts = f"class A(Wordle):\n    facts = GameFacts.of_guesses('{name}/1', 3)"
        (tmp_path / f"{file}.py").parent.mkdir(exist_ok=True)
        (tmp_path / f"{file}.py").write_text(f"from wordpl.games import GameFacts, Wordle\n{facts}")
        entry = replace(run.info.entries[0], name="bot", game=games.bind(f"{file}.py:A"))
        command = run_folder.replay_command(entry, 3, run.info, run.folder)
        assert command == f"wordpl evaluate bot --run run --game {file}.py:A --number 3"
