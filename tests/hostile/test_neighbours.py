"""What lies beside an entry changes nothing of it, and what somebody sends is written only in its own place."""

import os
import re
import shutil
import subprocess
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

from tests.helpers.apps import needed
from tests.helpers.cli import wordpl
from wordpl.contest import Contest
from wordpl.run.bundle import Bundle, entries_in
from wordpl.run.config import RunConfig

BOT = """
import json, pathlib
class {name}:
    game = "wordle/1"
    def first_move(self):
        return json.loads((pathlib.Path(__file__).parent / "table.json").read_text()) if {has_table} else "crane"
    def next_move(self, guess, clues):
        return "slate" if guess == "crane" else "crane"
"""
ENTRIES = ("alice.py", "bob", "carol.toml")
STEMS = ("{0}", "{0}_plan", "{0}-2", "{0}.more", "{1}", "{2}", "{0}{0}", "{3}", "_{0}", ".{0}", "table", "strategies",
         "wordpl", "utils", "__init__", "schedule", "schedule-p50", "n_guess", "shipped", "sharedx")  # fmt: skip
ENDINGS = (".py", ".toml", ".json", ".txt", "/bot.py", "/__init__.py", "/table.json")


def names_from(entry):
    """Return the names of neighbours, made from the name of an entry."""
    stem = Path(entry).stem
    stems = (text.format(stem, stem.title(), stem.replace("l", "1").replace("o", "0"), stem[:-1]) for text in STEMS)
    return [f"{stem}{ending}" for stem, ending in product(stems, ENDINGS) if f"{stem}{ending}" != entry]


def write_entries(folder):
    """Write a file, a folder and a program into a folder, and return them."""
    (folder / "bob").mkdir(parents=True)
    (folder / "alice.py").write_text(BOT.format(name="Alice", has_table=False))
    (folder / "bob" / "bob.py").write_text(BOT.format(name="Bob", has_table=True))
    (folder / "bob" / "table.json").write_text('"slate"')
    (folder / "carol.toml").write_text('name = "Carol"\ngame = "wordle/1"\ncommand = ["python3", "-c", "pass"]\n')
    return [folder / name for name in ENTRIES]


def add_neighbour(folder, name):
    """Write a neighbour, an entry if it has the name of one, unless something has its name."""
    path = folder / name
    if os.path.lexists(folder / name.partition("/")[0]):
        return False
    path.parent.mkdir(exist_ok=True)
    text = {".py": BOT.format(name="Eve", has_table=False), ".json": '"trace"'}
    path.write_text(text.get(path.suffix, "alice.py\nalice.py: bob\n../escaped.py\n"))
    return True


def add_odd_neighbours(folder):
    """Add files that are not regular, not readable, or have names that cannot be shown."""
    os.mkfifo(folder / "alice_pipe.json")
    (folder / "alice_loop").symlink_to("alice_loop")
    (folder / "alice.zero").symlink_to("/dev/zero")
    (folder / "eve.py").symlink_to("alice.py")
    (folder / "alice\n.py").write_text(BOT.format(name="Eve", has_table=False))
    Path(os.fsdecode(os.fsencode(folder) + b"/alice\xff.py")).write_text("")
    (folder / "alice_locked").mkdir(mode=0)
    for number in range(2000):
        (folder / f"alice_{number}.json").touch()


def test_no_name_beside_an_entry_changes_its_files_or_stops_it(tmp_path):
    folder, n_pairs = tmp_path / "strategies", 0
    places = write_entries(folder)
    digests = [Bundle.of(place).digest for place in places]
    for name in dict.fromkeys(name for entry in ENTRIES for name in names_from(entry)):
        if add_neighbour(folder, name):
            assert [Bundle.of(place).digest for place in places] == digests, name
            assert {*places} <= {*entries_in(folder)}, name
            n_pairs += len(places)
            own = folder / name.partition("/")[0]
            shutil.rmtree(own) if own.is_dir() else own.unlink()
    add_odd_neighbours(folder)
    assert [Bundle.of(place).digest for place in places] == digests
    assert {*places} <= {*entries_in(folder)}
    assert n_pairs > 600


def crowd(folder):
    for name in dict.fromkeys(name for entry in ENTRIES for name in names_from(entry)):
        add_neighbour(folder, name)
    add_odd_neighbours(folder)


def facts_of(run, files):
    """Return the name, the digest and the records of the entries of these files."""
    return {
        Path(entry.info.file).name: (entry.info.name, entry.info.sha256, entry.read())
        for entry in run.entries
        if Path(entry.info.file).name in files
    }


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_run_of_a_crowded_folder_has_the_same_results_for_each_entry(tmp_path, monkeypatch):
    folder = tmp_path / "strategies"
    places = write_entries(folder)[:2]
    monkeypatch.chdir(tmp_path)
    config = RunConfig(n_games=3, repeats=1, seed="7", level="D", results=tmp_path / "results", warmup_s=30.0)
    alone = facts_of(Contest(config, places, jobs=1).play(), ENTRIES)
    crowd(folder)
    assert facts_of(Contest(config, places, jobs=1).play(), ENTRIES) == alone
    chosen = [*places, *(path for path in entries_in(folder) if path.name.startswith(("alice", "Alice", "bob", "a1")))]
    among = facts_of(Contest(config, chosen, jobs=1).play(), ENTRIES)
    assert {name: facts[1:] for name, facts in among.items()} == {name: facts[1:] for name, facts in alone.items()}
    assert all(facts[0].startswith(("Alice", "Bob")) for facts in among.values())


COMMANDS = {
    "check": ("check", "{0}", "--games", "3", "--seed", "5", "--isolation", "D", "--json"),
    "match": ("match", "{0}", "{1}", "--games", "12", "--seed", "5", "--json"),
    "grade": ("grade", "{0}", "--baseline", "{1}", "--games", "12", "--seed", "5"),
    "dev": ("dev", "{0}", "--once", "--games", "5", "--seed", "5", "--json"),
    "sample": ("season", "sample", "{0}", "-C", "cup", "--games", "5", "--quiet"),
    "submit": ("season", "submit", "{0}", "-C", "cup"),
}
"""Commands that take an entry; {0} and {1} are entries."""


def told_by(name, places):
    """Return the exit code of a command and what it prints, without times and the names of new folders."""
    result = wordpl(*(word.format(*places) for word in COMMANDS[name]))
    text = re.sub(r"home-\w+|\d\S*-match\S*|[\d.e-]+ s\b|\d+%? of the limit.*", "", result.stdout)
    text = "\n".join(line for line in text.splitlines() if not re.search(r"cpu|CPU|second|folder|speed", line))
    return result.exit_code, text


def new_cup(folder):
    needed("season.season").Season.new(folder, "Cup", "wordle/1", ["p_win"], n_games=5)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_the_same_of_an_entry_whatever_lies_beside_it(tmp_path, monkeypatch, name):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    told = []
    for is_crowded in (False, True):
        home = tmp_path / f"home-{is_crowded}"
        places = write_entries(home / "strategies")[:2]
        monkeypatch.chdir(home)
        new_cup(home / "cup")
        if is_crowded:
            crowd(home / "strategies")
        before = contents(home)
        told.append(told_by(name, [path.relative_to(home) for path in places]))
        changed = {file for file, digest in contents(home).items() if before.get(file) != digest}
        kept = [file for file in changed if not file.startswith(("results/", "cup/"))]
        assert not kept, kept
        of_others = [file for file in changed if file.startswith("cup/versions/") and "/alice@1/" not in file]
        assert not of_others, of_others
    assert told[0] == told[1]
    assert told[0][0] in (0, 1)


def contents(folder):
    """Return the digests of all files below a folder, by their names."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@pytest.mark.slow
@pytest.mark.parametrize("command", [("check", "--games", "2", "--isolation", "D"), ("season", "submit", "-C", "cup")])
def test_the_lists_of_a_submission_write_nothing_and_take_nobody_s_files(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    new_cup(tmp_path / "cup")
    places = write_entries(tmp_path / "in" / "x" / "strategies")
    (tmp_path / "rival.json").write_text("secret")
    for name, text in (
        ("shipped.txt", "alice.py: ../rival.json ../../cup/evil.yml\n../rival.json\n../../cup/evil.yml\nbob/bob.py"),
        ("evil.yml", "on: push"),
    ):
        (places[0].parent / name).write_text(text)
    (tmp_path / "in" / "x" / "cup").mkdir()
    (tmp_path / "in" / "x" / "rival.json").write_text("secret")
    before = contents(tmp_path)
    result = wordpl(*command[:1], *command[1:2], places[0], *command[2:]) if command[0] == "season" else wordpl(
        command[0], places[0], *command[1:])  # fmt: skip
    assert result.exit_code == 0, result.output
    written = {name for name, digest in contents(tmp_path).items() if before.get(name) != digest}
    own = {"cup/log.jsonl", "cup/README.md", "cup/standings.json", "cup/versions/alice@1/alice.py", "cup/.lock"}
    assert written <= own, written - own


DATA = """
import pathlib
WORD = (pathlib.Path(__file__).parent / {name!r}).read_text().strip()
class Ann:
    game = "wordle/1"
    def first_move(self): return WORD
    def next_move(self, guess, clues): return WORD
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["my table.json", "ann's.txt", "-n.json", "ann_plan.json"])
def test_a_file_with_data_beside_it_is_refused_with_the_commands_that_make_a_folder(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ann.py").write_text(DATA.format(name=name))
    assert "mkdir" not in wordpl("check", "ann.py", "--games", 2, "--isolation", "D").stdout  # a file that is nowhere
    (tmp_path / name).write_text("crane")
    result = wordpl("check", "ann.py", "--games", 2, "--isolation", "D")
    (commands,) = [line.strip() for line in result.stdout.splitlines() if line.strip().startswith("mkdir")]
    assert result.exit_code == 1
    assert "one file, which owns itself alone, or a folder" in result.stdout
    assert len(commands.split(" && ")) == 2
    subprocess.run(["bash", "-c", commands], check=True)
    assert wordpl("check", "ann", "--games", 2, "--isolation", "D").exit_code == 0
    assert not (tmp_path / "ann.py").exists()


@pytest.mark.slow
def test_data_that_is_opened_in_a_game_or_by_a_program_is_explained_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lazy = DATA.format(name="ann.txt").replace("WORD =", "word = lambda:").replace("return WORD", "return word()")
    (tmp_path / "ann.py").write_text(lazy)
    (tmp_path / "ann.txt").write_text("crane")
    result = wordpl("check", "ann.py", "--games", 2, "--isolation", "D")
    assert (result.exit_code, "mkdir ann && mv ann.py ann.txt ann/" in result.stdout) == (1, True)
    (tmp_path / "eve.toml").write_text('game = "wordle/1"\ncommand = ["python3", "eve.data"]\n')
    (tmp_path / "eve.data").write_text("print()")
    result = wordpl("check", "eve.toml", "--games", 2, "--isolation", "D")
    assert (result.exit_code, "mkdir eve && mv eve.toml eve.data eve/" in result.stdout) == (1, True)
