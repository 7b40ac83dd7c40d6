"""Entries that are added to a finished run play its games, are marked, and prove no record."""

import json

import pytest

from tests.helpers.cli import evaluate, only_run, wordpl
from wordpl.run.folder import Run

BOT = """
class {name}:
    def first_move(self):
        return "{guess}", 8.0

    def next_move(self, guess, epsilon, clues):
        return "{guess}", 0
"""


@pytest.fixture
def base(tmp_path, monkeypatch):
    """Return a finished run of an entry, in a folder in which another entry waits."""
    monkeypatch.chdir(tmp_path)
    for name, guess in (("Old", "crane"), ("Late", "slate")):
        (tmp_path / f"{name.lower()}.py").write_text(BOT.format(name=name, guess=guess))
    assert evaluate("old.py", "--games", "30", "--seed", "7", "--results", "first", "--quiet").exit_code == 0
    return only_run(tmp_path / "first")


def add(base, *arguments):
    return wordpl("evaluate", "--add", base, *arguments, "--isolation", "D", "--results", "second", "--quiet")


@pytest.mark.slow
def test_an_added_entry_plays_the_same_games_on_one_board_with_a_mark(base, tmp_path):
    before = (base / "run.json").read_bytes()
    result = add(base, "late.py")
    assert result.exit_code == 0, result.output
    assert "(seed known)" in result.output
    run = Run(only_run(tmp_path / "second"))
    games = run.to_frame().groupby("entry", sort=False)["secret"].apply(list)
    assert len(games) == 2
    assert games.iloc[0] == games.iloc[1]
    old, late = run.entries
    assert old.records_path.read_bytes() == Run(base).entries[0].records_path.read_bytes()
    assert late.name.endswith("(seed known)")
    assert run.info.after_seed == [late.info.slug]
    assert run.info.added_to == Run(base).info.seal
    assert (base / "run.json").read_bytes() == before
    assert "played after the seed of the run was known" in (run.folder / "LEADERBOARD.md").read_text()
    assert wordpl("verify", run.folder).exit_code == 0
    result = wordpl("record", run.folder, "--quantile", "0.5", "--budget", "40")
    assert "entries were added to it after its seed was known" in " ".join(result.output.split())


@pytest.mark.slow
def test_what_cannot_be_added_is_refused(base, tmp_path):
    assert "is in the run already" in add(base, "old.py").output
    assert "name the entry to add" in add(base).output
    assert "--games cannot be combined with --add" in add(base, "late.py", "--games", "5").output
    facts = json.loads((base / "run.json").read_text())
    del facts["finished"]
    (base / "run.json").write_text(json.dumps(facts))
    assert "has not ended" in add(base, "late.py").output
    assert not (tmp_path / "second").exists()


WORDLE_BOT = """
class Late:
    game = "wordle/1"

    def first_move(self):
        return "crane"

    def next_move(self, guess, clues):
        return "slate"
"""


@pytest.mark.slow
def test_an_entry_that_could_not_be_compared_is_refused(base, tmp_path):
    (tmp_path / "wordle.py").write_text(WORDLE_BOT)
    assert "but the entries of the run play wordpl/1: they cannot be compared" in add(base, "wordle.py").output
    facts = json.loads((base / "run.json").read_text())
    facts["config"]["memory_mb"] = 10**6
    (base / "run.json").write_text(json.dumps(facts))
    Run(base).finish(facts["finished"])
    assert "gives its entries more than this machine would give to yours" in add(base, "late.py").output
    assert not (tmp_path / "second").exists()


@pytest.mark.slow
def test_the_word_lists_of_the_run_are_needed(base, tmp_path):
    words = tmp_path / "few.txt"
    words.write_text("crane\nslate\n")
    options = ("--games", "3", "--answers", "few.txt", "--results", "few", "--quiet")
    assert evaluate("old.py", *options).exit_code == 0
    run = only_run(tmp_path / "few")
    words.write_text("crane\nabide\n")
    assert "few.txt has changed since the run started" in add(run, "late.py").output
    words.unlink()
    assert "few.txt, a word list of the run, is not here" in add(run, "late.py").output
