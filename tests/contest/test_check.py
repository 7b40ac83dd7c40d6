"""The check of an entry before a contest, as a library: what it plays, in which order it reports, and when it stops."""

from textwrap import dedent

import pytest

from tests.helpers.runs import DRAWS_ALL
from wordpl.contest.preflight import MAX_LATE_GAMES, NoEntryError, check
from wordpl.contest.runner import CHUNK_S, Observer
from wordpl.run.config import PlayerKind, RunConfig

BOT = """
    import itertools
    COUNT = itertools.count(1)  # of all games since the file was loaded, which a new player does not do

    class Bot:
        n = 0
        def first_move(self):
            self.n += 1
            {first}
            return "crane", 1.0
        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""
HONEST = BOT.format(first="pass")
LEARNS = BOT.format(first="if self.n > 3: return 'slate', 1.0")
UNSTEADY = BOT.format(first="return 'crane', float(next(COUNT))")
CRASHES = BOT.format(first="raise ValueError('oh')")


class Events(Observer):
    def __init__(self):
        self.names, self.counts = [], []

    def started(self, run):
        self.names.append("started")

    def progress(self, progress):
        self.names.append(f"{progress.entry.slug} {progress.n_played}/{progress.n_games}")

    def repeated(self, n_done, n_games):
        self.counts.append(("repeated", n_done, n_games))

    def reversed(self, n_done, n_games):
        self.counts.append(("reversed", n_done, n_games))

    def finished(self, run):
        self.names.append("finished")


def run_check(folder, sources, **settings):
    """Return the result for these entries, and the events; by default, the entries play in this process."""
    defaults = {"n_games": 6, "repeats": 6, "seed": "5", "player": PlayerKind.TRUSTED}
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(dedent(source).replace("Bot", name.title()))
    events = Events()
    config = RunConfig(**defaults | settings, results=folder / "results")
    return check([str(folder / f"{name}.py") for name in sources], config, events, jobs=1), events


def summaries(result):
    return [
        (entry_check.name, entry_check.passed, entry_check.message.partition(":")[0].partition(" ")[0])
        for entry_check in result.checks
    ]


@pytest.mark.slow
def test_an_honest_entry_passes_all_checks_in_their_order(tmp_path):
    result, events = run_check(tmp_path, {"honest": HONEST})
    names = ["interface", "games", "speed"]
    assert summaries(result) == [(name, True, "Honest") for name in names]  # trusted entries are not repeated
    assert result.n_failed == 0
    assert [file_summary.file.name for file_summary in result.files] == ["honest.py"]
    assert [record.game for record in result.records.records_of(result.records.info.entries[0])] == list(range(6))
    assert events.names[:3] == ["started", "honest 0/6", "honest 0/6"]
    assert events.names[-2:] == ["honest 6/6", "finished"]
    assert ("reversed", 6, 6) in events.counts


@pytest.mark.slow
def test_each_flaw_fails_only_the_check_that_detects_it(tmp_path):
    sources = {"learns": LEARNS, "crashes": CRASHES, "broken": "import nothing_of_that_name", "honest": HONEST}
    result, events = run_check(tmp_path, sources, player=PlayerKind.PROCESS, level="D", timeout_s=2.0)
    passed_by_entry = {}
    for entry_check in result.checks:
        passed_by_entry.setdefault(entry_check.message.partition(":")[0].partition(" ")[0], {})[entry_check.name] = (
            entry_check.passed
        )
    assert passed_by_entry == {
        "Learns": {"interface": True, "games": True, "speed": True, "independent": False, "any order": False},
        "Crashes": {"interface": True, "games": False, "speed": True, "reproducible": True, "any order": True},
        "broken.py": {"interface": False},
        "Honest": {"interface": True, "games": True, "speed": True, "reproducible": True, "any order": True},
    }
    assert result.n_failed == 4
    assert sorted(file_summary.file.name for file_summary in result.files) == ["crashes.py", "honest.py", "learns.py"]
    assert events.counts[0] == ("repeated", 0, 18)
    assert ("repeated", 18, 18) in events.counts
    assert events.counts[-1] == ("reversed", 18, 18)


@pytest.mark.slow
def test_the_order_check_is_skipped_for_a_nondeterministic_entry(tmp_path):
    unsteady = BOT.format(first="import os; return 'crane', float(os.urandom(1)[0] + 1)")
    result, _ = run_check(tmp_path, {"unsteady": unsteady}, player=PlayerKind.PROCESS, level="D", timeout_s=2.0)
    assert [(entry_check.name, entry_check.passed) for entry_check in result.checks] == [
        ("interface", True), ("games", True), ("speed", True), ("reproducible", False),
    ]  # fmt: skip


@pytest.mark.slow
def test_late_entries_are_stopped_after_a_few_late_games_or_a_late_start(tmp_path):
    sources = {"late": BOT.format(first="while self.n > 1: pass"), "stuck": BOT.format(first="while True: pass")}
    settings = {"player": PlayerKind.PROCESS, "level": "D", "timeout_s": 0.1, "warmup_s": 2.0, "n_games": 30}
    result, events = run_check(tmp_path, sources, **settings)
    late, stuck = result.records.info.entries
    n_late = [record.verdict for record in result.records.records_of(late)].count("late")
    max_late = MAX_LATE_GAMES - 1 + CHUNK_S / settings["timeout_s"]  # the last chunk is finished
    assert MAX_LATE_GAMES <= n_late <= max_late
    assert len(result.records.records_of(late)) < 30
    assert result.records.records_of(stuck) == []
    assert [(entry_check.name, entry_check.passed) for entry_check in result.checks] == [
        ("interface", True), ("interface", True), ("games", False), ("speed", False), ("speed", False),
    ]  # fmt: skip
    assert "no game was played" in result.checks[-1].message
    assert events.counts == [("repeated", 0, 0)]


def test_without_an_entry_no_game_is_played(tmp_path):
    result, events = run_check(tmp_path, {"broken": "import nothing_of_that_name"})
    assert ([entry_check.passed for entry_check in result.checks], result.records, result.files) == ([False], None, [])
    assert (result.n_failed, events.names) == (1, [])
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(NoEntryError, match=r"notes.txt belongs to no entry"):
        check([str(tmp_path / "notes.txt")], RunConfig(results=tmp_path / "results"))


@pytest.mark.slow
def test_a_file_that_is_named_twice_is_checked_once(tmp_path):
    (tmp_path / "bot.py").write_text(dedent(DRAWS_ALL))
    config = RunConfig(n_games=2, repeats=0, player=PlayerKind.TRUSTED, results=tmp_path / "results")
    result = check([str(tmp_path / "bot.py")] * 2, config, jobs=1)
    assert len(result.records.info.entries) == len(result.files) == 1
