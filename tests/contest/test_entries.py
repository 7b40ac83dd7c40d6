"""The entries of a contest: which files and objects are entries, under which names, and the error if none is."""

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers import killed_runs
from tests.helpers.cli import evaluate, only_run
from tests.helpers.paths import HOME
from wordpl.contest.entries import (
    FoundEntries,
    describe,
    entries_named,
    find_entries,
    require_all_loaded,
    require_named,
)
from wordpl.core.messages import UserError
from wordpl.games import game_class
from wordpl.players.discovery import EntrySource, Fault
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo

TRUSTED = RunConfig(player=PlayerKind.TRUSTED)
FILE = """
class Noisy:
    def __repr__(self): return {name!r}
    def first_move(self): return "crane", 1
    def next_move(self, guess, epsilon, clues): return "crane", 0
"""


class Noisy:
    def first_move(self):
        return "crane", 1

    def next_move(self, guess, epsilon, clues):
        return "crane", 0


class Classic:
    game = "wordle/1"

    def first_move(self):
        return "crane"

    def next_move(self, guess, clues):
        return "crane"


class Long(Classic):
    def __repr__(self):
        return "x" * 500


class Colourful(Classic):
    def __repr__(self):
        return "red\x1b[31m"


class Blank(Classic):
    def __repr__(self):
        return ""


@pytest.fixture
def folder(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(FILE.format(name=f"Bot of {name}"))
    (tmp_path / "broken.py").write_text("import nothing_of_that_name")
    return tmp_path


def names(found_entries: FoundEntries) -> list[str]:
    return [entry.name for entry in found_entries.entries]


@pytest.mark.parametrize(
    ("stems", "against", "expected"),
    [
        (["one"], "two", ["Bot of one", "Bot of two"]),
        (["one"], "one", ["Bot of one"]),  # it plays already
        pytest.param(["two", "one"], "two", ["Bot of two", "Bot of one"], marks=pytest.mark.slow),
    ],
)
def test_the_entry_to_compare_with_is_added_unless_it_plays_already(folder, stems, against, expected):
    files = [folder / f"{name}.py" for name in stems]
    found_entries = find_entries(files, TRUSTED, f"{folder / against}.py" if against else "")
    assert names(found_entries) == expected
    assert found_entries.strategies == {}
    assert found_entries.faults == []


def test_files_without_an_entry_are_kept_as_faults_beside_the_entries(folder):
    (folder / "link.py").symlink_to(folder / "two.py")
    files = [folder / name for name in ("broken.py", "link.py", "one.py", "two.py")]
    found_entries = find_entries(files, TRUSTED, without=["two"])
    assert names(found_entries) == ["Bot of one"]
    assert [fault.source.file.name for fault in found_entries.faults] == ["broken.py", "link.py"]
    assert found_entries.killed == []


def test_only_a_file_among_those_that_play_can_be_left_out(folder):
    with pytest.raises(UserError, match=r"there is no 'three\.py' to leave out among one, one\.py, two, two\.py\."):
        find_entries([folder / "one.py", folder / "two.py"], TRUSTED, without=["two", "three.py"])


def test_no_entry_of_an_official_run_is_missing_unnoticed(folder):
    require_all_loaded([], named=True)
    faults = [Fault(EntrySource(folder / f"{name}.py"), f"{name} fails") for name in ("one", "two")]
    with pytest.raises(UserError, match="leave it out of the command, so that") as error:
        require_all_loaded(faults, named=True)
    assert "one fails" in str(error.value) and "two fails" in str(error.value)
    with pytest.raises(UserError, match=r"--without one\.py --without two\.py leaves it out"):
        require_all_loaded(faults, named=False)


FAILURES = {
    "missing": ("import nothing_of_that_name", "The package nothing_of_that_name is not installed here: install it"),
    "syntax": ("x = (", "Correct the syntax of this line"),
    "name": ("from wordpl import Nothing", "wordpl exports no Nothing: `python -c"),
    "module": ("from strategies.nothing import x", "there is no strategies/nothing.py among them"),
    "own": ("def fail():\n    return 1 / 0\n\nfail()", "own.py, line 2: ZeroDivisionError"),
}


def test_each_file_that_cannot_be_imported_has_its_line_and_advice(tmp_path):
    for name, (source, _) in FAILURES.items():
        (tmp_path / f"{name}.py").write_text(source)
    with pytest.raises(UserError, match="there is no entry to play") as error:
        find_entries([tmp_path / f"{name}.py" for name in FAILURES], TRUSTED)
    for name, (_, advice) in FAILURES.items():
        own = str(error.value).partition(f"{name}.py could not be loaded:")[2].partition("could not be loaded")[0]
        assert advice in own, name


KILLED_WHILE_LOADED = """
import os, pathlib

counter = pathlib.Path("{counter}")
n_before = len(counter.read_text()) if counter.exists() else 0
counter.write_text("x" * (n_before + 1))
if n_before < {n_kills}:
    os.kill(os.getpid(), 9)  # as the host could: at level D nothing keeps a player from it
"""


def test_an_entry_whose_process_is_killed_while_it_is_loaded_is_loaded_once_more_and_then_named(folder):
    for name, n_kills in (("once", 1), ("twice", 2)):
        source = KILLED_WHILE_LOADED.format(counter=folder / f"{name} killed", n_kills=n_kills)
        (folder / f"{name}.py").write_text(source + FILE.format(name="Survivor"))
    found_entries = find_entries([folder / "once.py", folder / "twice.py"], RunConfig(level="D"))
    assert names(found_entries) == ["Survivor"]
    assert [fault.source.file.name for fault in found_entries.killed] == ["twice.py"]
    assert [(folder / f"{name} killed").read_text() for name in ("once", "twice")] == ["xx", "xx"]


WAITS_FOR_ITS_KILLER = """
import os, pathlib, time

pids = pathlib.Path("{folder}/{name}.pids")
with pids.open("a") as file:
    file.write(f"{{os.getpid()}}\\n")
while len(pids.read_text().split()) <= {n_kills}:
    time.sleep(0.01)
"""
N_KILLED = 50


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_of_50_entries_that_are_killed_while_they_are_loaded_each_is_loaded_again_or_named(tmp_path):
    n_kills = {f"bot{number:02}": 2 if number % 5 == 4 else 1 for number in range(N_KILLED)}
    for name, n in n_kills.items():
        source = WAITS_FOR_ITS_KILLER.format(folder=tmp_path, name=name, n_kills=n)
        (tmp_path / f"{name}.py").write_text(source + FILE.format(name=name))
    is_over, killed = threading.Event(), set()

    def kill_those_that_wait():
        while not is_over.wait(0.01):
            for path in tmp_path.glob("*.pids"):
                for pid in path.read_text().splitlines()[: n_kills[path.stem]]:
                    if (path.stem, pid) not in killed:
                        killed.add((path.stem, pid))
                        os.kill(int(pid), signal.SIGKILL)

    killer = threading.Thread(target=kill_those_that_wait)
    killer.start()
    try:
        found = find_entries(sorted(tmp_path.glob("*.py")), RunConfig(level="D"))
    finally:
        is_over.set()
        killer.join()
    assert names(found) == [name for name, n in n_kills.items() if n == 1]
    assert [fault.source.file.stem for fault in found.killed] == [name for name, n in n_kills.items() if n == 2]
    assert len(killed) == sum(n_kills.values())


@pytest.mark.slow
def test_nothing_is_loaded_if_the_harness_s_own_players_are_killed_too(folder):
    is_over = threading.Event()

    def kill_fork_servers():
        while not is_over.wait(0.01):
            for pid in killed_runs.descendants(os.getpid(), b"fork_server.main()"):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_fork_servers)
    killer.start()
    try:
        with pytest.raises(UserError, match="something kills the processes that players run in"):
            find_entries([folder / "one.py"], RunConfig(level="D"))
    finally:
        is_over.set()
        killer.join()


@pytest.mark.parametrize("signalled", [False, True])
def test_a_fork_server_that_ends_is_named_with_its_exit_code_and_error_unless_it_was_killed(
    folder, monkeypatch, signalled
):
    python = folder.parent / "python"
    end = "kill -KILL $$" if signalled else "exit 3"
    python.write_text(f"#!/bin/sh\necho Traceback >&2\necho 'ImportError: no numba' >&2\n{end}\n")
    python.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    result = evaluate(folder, "--results", folder.parent / "results")
    assert result.exit_code == 1
    (error,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    if signalled:
        assert error.startswith("Error: something kills the processes that players run in")
    else:
        assert error == (
            "Error: the process that starts players ended by itself, with exit code 3: ImportError: no numba"
        )


@pytest.mark.slow
@pytest.mark.parametrize("is_official", [False, True])
def test_a_run_that_lacks_an_entry_whose_process_was_killed_ends_with_exit_code_1(folder, is_official):
    (folder / "killed.py").write_text(KILLED_WHILE_LOADED.format(counter=folder / "counter", n_kills=2))
    options = ["--official"] if is_official else ["--repeats", 0]
    result = evaluate(folder / "killed.py", folder / "one.py", "--games", 3, "--results", folder / "runs", *options)
    assert result.exit_code == 1
    assert "killed.py could not be loaded:\n    its process was killed from outside 2 times" in result.stderr
    if is_official:
        assert "no official run is begun while an entry fails to load" in result.stderr
        assert not (folder / "runs").exists()
    else:
        assert [entry.played().n_games for entry in Run(only_run(folder / "runs")).entries] == [3]


def test_an_entry_for_another_game_is_named_if_there_is_no_other_entry():
    with pytest.raises(UserError) as error:
        find_entries([Noisy], RunConfig(game_id="wordle/1"))
    assert str(error.value) == (
        "there is no entry for wordle/1 to play: Noisy plays wordpl/1. `wordpl new NAME` writes one."
    )


def test_objects_are_keyed_by_entry_slug_and_classes_are_instantiated():
    strategies = [Noisy, Classic(), Noisy()]
    found_entries = find_entries(strategies, TRUSTED)
    assert [(entry.slug, entry.game, entry.file) for entry in found_entries.entries] == [
        ("noisy", game_class("wordpl/1").facts, ""),
        ("classic", game_class("wordle/1").facts, ""),
        ("noisy_2", game_class("wordpl/1").facts, ""),
    ]
    assert list(found_entries.strategies) == ["noisy", "classic", "noisy_2"]
    assert isinstance(found_entries.strategies["noisy"], Noisy)
    assert (found_entries.strategies["classic"], found_entries.strategies["noisy_2"]) == (strategies[1], strategies[2])


@pytest.mark.parametrize(
    ("game_id", "indexes"), [("wordpl-counted/1", [0, 2]), ("absurdle/1", [1, 3]), (None, [0, 1, 2, 3])]
)
def test_only_objects_for_the_chosen_game_play_each_under_its_own_entry(game_id, indexes):
    strategies = [Noisy(), Classic(), Noisy(), Classic()]
    found_entries = find_entries(strategies, RunConfig(game_id=game_id))
    assert list(found_entries.strategies.values()) == [strategies[index] for index in indexes]
    assert list(found_entries.strategies) == [entry.slug for entry in found_entries.entries]
    assert {entry.game.id for entry in found_entries.entries} == ({game_id} if game_id else {"wordpl/1", "wordle/1"})


def test_mixed_files_and_objects_and_unknown_games_are_refused_at_once():
    with pytest.raises(UserError, match="either all files or all objects"):
        find_entries([Noisy(), HOME / "strategies" / "entropy.py"], TRUSTED)
    with pytest.raises(UserError, match="there is no game called 'chess/1'"):
        find_entries([Path("nowhere.py")], RunConfig(game_id="chess/1"))


class NoMoves:
    pass


class FirstMoveOnly(NoMoves):
    def first_move(self):
        return "crane"


class NextMoveIsData(FirstMoveOnly):
    next_move = "crane"


@pytest.mark.parametrize("kind", [NoMoves, FirstMoveOnly, NextMoveIsData])
def test_an_object_without_both_methods_is_no_strategy(kind):
    with pytest.raises(UserError, match=f"^{kind.__name__} .*has no method "):
        describe(kind())


def test_an_object_is_described_by_its_name_its_game_and_its_class():
    assert describe(Classic()) == EntryInfo("Classic", "", game_class("wordle/1").facts, "", "Classic", "")
    assert describe(Noisy()).game.id == "wordpl/1"
    assert 0 < len(describe(Long()).name) < 500
    assert describe(Blank()).name == "?"
    assert describe(Colourful()).name == "red?[31m"


ENTRIES = [
    EntryInfo("Bot(epsilon=5)", "bot", game_class("wordpl/1").facts, "strategies/random_bayes.py", "ENTRIES[0]", ""),
    EntryInfo("Bot(epsilon=8)", "bot-2", game_class("wordpl/1").facts, "strategies/random_bayes.py", "ENTRIES[1]", ""),
    EntryInfo("Other", "other", game_class("wordpl/1").facts, "strategies/entropy.py", "Other()", ""),
]


@pytest.mark.parametrize(
    ("text", "indexes"),
    [
        ("Bot(epsilon=5)", [0]),
        ("Bot", [0, 1]),
        ("Bo", []),
        ("epsilon=5", []),
        ("ENTRIES[1]", [1]),
        ("random_bayes", [0, 1]),
        ("random_bayes.py", [0, 1]),
        ("strategies/entropy.py", [2]),
        (str(HOME / "strategies" / "entropy.py"), [2]),
        ("Other", [2]),
        ("Other()", [2]),
        ("other", []),
    ],
)
def test_entries_can_be_selected_by_name_class_expression_or_file(text, indexes, monkeypatch):
    monkeypatch.chdir(HOME)
    assert entries_named(text, ENTRIES) == [ENTRIES[index] for index in indexes]
    if indexes:
        assert require_named(text, ENTRIES) == [ENTRIES[index] for index in indexes]
    else:
        with pytest.raises(UserError) as error:
            require_named(text, ENTRIES)
        entry_names = "Bot(epsilon=5), Bot(epsilon=8), Other"
        assert str(error.value) == f"this run has no entry {text!r}; its entries are {entry_names}."


HELPED = "from strategies.helper import WORD\nclass Bot:\n    first_move = next_move = lambda self, *asked: (WORD, 0)\n"


@pytest.mark.slow
def test_a_missing_module_beside_an_entry_is_explained(tmp_path):
    (tmp_path / "bot.py").write_text(HELPED)
    (tmp_path / "helper.py").write_text("WORD = 'crane'")
    config = RunConfig(level="D", results=tmp_path)
    with pytest.raises(UserError, match=r"(?s)declares it in .*shared\.txt; otherwise make a folder bot/"):
        find_entries([tmp_path / "bot.py"], config)
    (tmp_path / "shared.txt").write_text("helper.py")
    assert [entry.name for entry in find_entries([tmp_path / "bot.py"], config).entries] == ["Bot"]


@pytest.mark.slow
def test_a_file_that_cannot_be_an_entry_s_fails_that_entry_alone(tmp_path, monkeypatch):
    folder = tmp_path / "strategies"
    (folder / "both").mkdir(parents=True)
    (folder / "good.py").write_text(HELPED.partition("\n")[2].replace("WORD", "'crane'"))
    (folder / "zero.py").symlink_to("/dev/zero")
    (folder / "deep.py").write_text("x = " + "-" * 200_000 + "1")
    (folder / "both.py").write_text((folder / "good.py").read_text())
    (folder / "huge").mkdir()
    (folder / "huge" / "bot.py").touch()
    with (folder / "huge" / "table").open("wb") as table:
        table.truncate(1 << 30)
    monkeypatch.chdir(tmp_path)
    names = ["good", "zero", "deep", "both", "huge"]
    found = find_entries(names, RunConfig(level="D", results=tmp_path))
    assert [entry.file for entry in found.entries] == ["strategies/good.py", "strategies/both.py"]
    messages = {fault.source.file.name: fault.message for fault in found.faults}
    assert messages["zero.py"] == "zero.py is a link: replace it by the file itself."
    assert "huge/table: its files exceed the limit of 128 MiB" in messages["huge"]
    assert messages.keys() == {"zero.py", "deep.py", "huge"}
    (folder / "both.py").unlink()
    assert find_entries(["Bot()"], RunConfig(level="D", results=tmp_path)).entries[0].file == "strategies/good.py"
