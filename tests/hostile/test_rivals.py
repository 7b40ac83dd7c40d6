"""No entry takes, hides, reads or replaces another's files: what its own files say decides nothing."""

import json
import shutil

import pytest

from tests.contest.test_hidden_files import run_with_program
from wordpl.contest import Contest, isolation
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.run.bundle import Bundle, entries_in
from wordpl.run.config import RunConfig

OFFICIAL = [level for level in Level if level.is_official and level >= probe.probe().level]
LEVELS = [
    pytest.param(level, marks=pytest.mark.long if number else pytest.mark.slow) for number, level in enumerate(OFFICIAL)
]
OWNER = """
import json, os

class Owner:
    def first_move(self):
        with open(os.path.join(os.path.dirname(__file__), "owner.json")) as file:
            return json.load(file), 2.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""
SPY = """
{comment}
import glob, os

class Spy:
    def first_move(self):
        places = ["strategies", os.path.dirname(__file__), {folder!r}, "..", "../../players", "."]
        names = ["owner.json", "owner/owner.json", "owner/owner.py", "openings/openings.py", "shared.txt"]
        found = [name for name in names for place in places if readable(os.path.join(place, name))]
        found += [path for path in glob.glob("**", recursive=True) if "owner" in path or "openings" in path]
        raise ValueError(f"found {{found}}")

    def next_move(self, guess, epsilon, clues):
        return guess, 0

def readable(path):
    try:
        return bool(open(path).read())
    except OSError:
        return False
"""
COMMENTS = {
    "names a file in a comment": "# owner.json owner.py ./owner.json strategies/owner.json",
    "opens a file in a comment": "# open('owner.json'); from strategies import owner; import owner",
    "has a word list in a comment": "# openings.py: salet crane trace\n'''openings.py\nowner.json\n'''",
    "declares shared modules": "# shared.txt: owner.json\nSHARED = ['openings.py', 'owner.json']",
}
"""Sources that name files of rivals; each belongs to an entry of its own."""
COMMANDS = {
    "names a rival": ["python3", "owner/owner.py"],
    "names a rival's data": ["cat", "owner/owner.json"],
    "climbs": ["python3", "../strategies/owner/owner.py"],
    "names an absolute path": ["cat", "{folder}/owner/owner.json"],
    "climbs from the build": ["cat", "{{build}}/../../../strategies/owner/owner.json"],
}
"""Commands of TOML entries that name files of rivals."""


def contest_folder(tmp_path):
    """Return a folder of strategies in which one entry has files and all others want them."""
    folder = tmp_path / "strategies"
    folder.mkdir()
    for name, word in (("owner", "salet"), ("openings", "trace")):
        (folder / name).mkdir()
        source = OWNER.replace("Owner", name.title()).replace("owner.json", f"{name}.json")
        (folder / name / f"{name}.py").write_text(source)
        (folder / name / f"{name}.json").write_text(json.dumps(word))
    for number, comment in enumerate(COMMENTS.values()):
        (folder / f"a{number}.py").write_text(SPY.format(comment=comment, folder=str(folder)))
    for number, words in enumerate(COMMANDS.values()):
        command = json.dumps([word.format(folder=folder) for word in words])
        (folder / f"b{number}.toml").write_text(f'game = "wordpl/1"\ncommand = {command}\n')
    return folder


def test_names_of_rivals_files_in_sources_comments_and_commands_take_nothing(tmp_path):
    folder = contest_folder(tmp_path)
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copytree(folder / "owner", alone / "owner")
    for path in entries_in(folder):
        own = {path.name, f"{path.name}/{path.name}.py", f"{path.name}/{path.name}.json"}
        assert set(Bundle.of(path).files) <= own, path.name
    assert Bundle.of(folder / "owner").digest == Bundle.of(alone / "owner").digest
    assert {"owner", "openings"} <= {path.name for path in entries_in(folder)}


@pytest.mark.parametrize("level", LEVELS)
def test_rivals_neither_drop_an_entry_nor_read_its_files_while_all_play(tmp_path, monkeypatch, level):
    folder = contest_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    config = RunConfig(n_games=2, repeats=0, seed="1", level=level, results=tmp_path / "results", warmup_s=20.0)
    files = [path for path in entries_in(folder) if path.suffix != ".toml"]
    run = Contest(config, files, jobs=1).play()
    records = {entry.info.name: entry.read() for entry in run.entries}
    assert len(records) == len(COMMENTS) + 2
    for name, played in records.items():
        if name.startswith("Spy"):
            assert ["found []" in record.message for record in played] == [True, True], played[0].message
        else:
            assert {record.moves[0].guess for record in played} == {"salet" if name == "Owner" else "trace"}
    thieves = [path for path in entries_in(folder) if path.suffix == ".toml"]
    played = [record for entry in Contest(config, thieves, jobs=1).play().entries for record in entry.read()]
    assert len(played) == 2 * len(COMMANDS)
    for record in played:  # no thief plays the owner's moves, and nothing of its files is shown
        assert (str(record.verdict), record.moves) == ("crashed", [])
        assert "salet" not in record.message


BUILD = 'game = "wordpl/1"\nbuild = ["sh", "make.sh", "{build}"]\ncommand = ["{build}/bot"]\n'
MAKE = 'cat "$(dirname "$0")/part.h" "$(dirname "$0")/deep/word.h" > "$1/bot"\n'
HEADERS = {"part.h": "part one\n", "deep/word.h": "word one\n"}


def program_folder(folder, headers):
    """Return the folder of an entry bot, whose build copies its headers into the program."""
    for name, text in ({"bot.toml": BUILD, "make.sh": MAKE} | headers).items():
        (folder / "bot" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "bot" / name).write_text(text)
    return folder / "bot"


@pytest.mark.parametrize("changed", HEADERS)
def test_entries_that_differ_only_in_a_header_have_different_digests_and_builds(tmp_path, changed):
    run = run_with_program(tmp_path)
    entry = run.info.entries.pop()
    expected = {}
    for name, headers in (("one", HEADERS), ("two", HEADERS | {changed: "another\n"}), ("same", HEADERS)):
        place = program_folder(tmp_path / name, headers)
        digest = run.store.add(Bundle.of(place))
        expected[digest] = "".join(headers.values())
        run.info.entries.append(type(entry)(name, name, entry.game, str(place), entry.make, digest, entry.written))
    assert len(expected) == 2  # a third entry with equal files shares the build of the first
    (tmp_path / "parent").mkdir()
    isolation.build_programs(run, tmp_path / "parent")
    made = {path.parts[-3]: path.read_text() for path in (tmp_path / "parent" / "builds").glob("*/built/bot")}
    assert made == expected
