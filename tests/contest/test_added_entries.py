"""Entries that are added to a finished run play its games, are marked, and prove no record."""

import pytest
from msgspec.structs import replace

from tests.helpers.cli import evaluate, only_run, wordpl
from tests.helpers.runs import new_run
from tests.helpers.written_runs import BOT as WRITTEN
from tests.helpers.written_runs import write_games
from wordpl.contest import Contest
from wordpl.contest.entries import find_added
from wordpl.core.messages import UserError
from wordpl.games import game_class
from wordpl.run import records
from wordpl.run.config import Limits, RunConfig
from wordpl.run.folder import TRANSCRIPTS, Run
from wordpl.run.info import SeedSource

TRUSTED = RunConfig(player="trusted")
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


def written_base(folder, **fields):
    """Return a finished run of an entry at the level D, whose games are written."""
    sources = {name: WRITTEN.format(word="crane", epsilon=epsilon) for name, epsilon in (("old", 5.0), ("older", 6.0))}
    run = new_run(folder, sources, n_games=3, seed_source=SeedSource.DRAWN, seed="a" * 26, **fields)
    write_games(run, repeated=[0, 2])
    run.finish("2026-11-01T00:00:00+00:00")
    return Run(run.folder)


def test_a_run_with_an_added_entry_has_the_games_and_the_past_of_its_base(tmp_path):
    known = {"repeats_seed": "5" * 64, "n_repeats": 51, "added_to": "1" * 64, "after_seed": ["old"]}
    base = written_base(tmp_path, **known)
    (base.folder / TRANSCRIPTS).mkdir()
    (base.folder / TRANSCRIPTS / "old.jsonl").write_text("{}\n")
    records.compress(base.entries[0].durations_path, min_bytes=0)
    (tmp_path / "late.py").write_text(BOT.format(name="L" + "x" * 120, guess="slate"))
    results = tmp_path / "results"
    contest = Contest.add(base.folder, [tmp_path / "late.py"], results, level="D")
    contest.found = found = find_added([tmp_path / "late.py"], TRUSTED, base)  # in this process, which is quick
    run = contest.open()
    old, _, late = run.info.entries
    assert (late.name.endswith("x (seed known)"), len(late.name)) == (True, 100)
    assert late.slug.endswith("x_seed_known")
    assert run.info.after_seed == ["old", late.slug]
    assert (run.info.added_to, run.info.repeats_seed, run.info.n_repeats) == ("1" * 64, "5" * 64, 51)
    assert (run.info.seed, run.info.seed_source) == ("a" * 26, SeedSource.DRAWN)
    for name in ("records/old.jsonl", "repeats/old.jsonl", "durations/old.csv.gz", f"{TRANSCRIPTS}/old.jsonl"):
        assert (run.folder / name).read_bytes() == (base.folder / name).read_bytes(), name
    assert all(run.store.holds(entry.sha256) for entry in (old, late))
    durations = base.folder / "durations" / "old.csv.gz"
    durations.rename(tmp_path / "elsewhere")
    durations.symlink_to(tmp_path / "elsewhere")
    contest = Contest.add(base.folder, [tmp_path / "late.py"], tmp_path / "more", level="D")
    contest.found = found
    with pytest.raises(UserError, match="is a link: a run has regular files only"):
        contest.open()
    assert not [*(tmp_path / "more").iterdir()]


def test_what_cannot_be_added_is_refused(tmp_path, monkeypatch):
    base = written_base(tmp_path)
    with pytest.raises(UserError, match="name the entry to add"):
        Contest.add(base.folder, [], tmp_path, level="D")
    with pytest.raises(UserError, match="is in the run already, as older"):
        find_added([tmp_path / "older.py"], TRUSTED, base)
    with monkeypatch.context() as context, pytest.raises(UserError, match="which this release only reads"):
        context.setattr(type(base.info), "is_written", False)
        Contest.add(base.folder, ["late.py"], tmp_path, level="D")
    base.info.entries.pop()
    base.info.entries[0] = replace(base.info.entries[0], game=game_class("wordpl-counted/1").facts)
    with pytest.raises(
        UserError, match=r"plays wordpl/1, but the entries of the run play wordpl-counted/1: they cannot"
    ):
        find_added([tmp_path / "old.py"], TRUSTED, base)
    base = Run(base.folder)
    for change, reason in {
        lambda info: replace(info, config=replace(info.config, limits=Limits(wall_s=1e6))): "more than this machine",
        lambda info: replace(info, finished=None): "has not ended",
        lambda info: replace(info, seed="b" * 26): "is damaged",
    }.items():
        info = change(base.info)
        if reason != "is damaged":
            info.seal = base.seal_of(info.facts())
        (base.folder / "run.json").write_bytes(info.to_json())
        with pytest.raises(UserError, match=reason):
            Contest.add(base.folder, ["late.py"], tmp_path, level="D")
