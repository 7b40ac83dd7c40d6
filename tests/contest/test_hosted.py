"""Entries without code are played by the harness: each game once, none again, and the app that knows them is asked."""

from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from tests.helpers.runs import new_run, resume
from tests.helpers.written_runs import BOT
from wordpl import games
from wordpl.contest import hosted, isolation, parts, preflight, run_folder
from wordpl.contest.contest import Contest
from wordpl.contest.referee import secret_of
from wordpl.core.messages import UserError
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run
from wordpl.run.info import Price
from wordpl.run.records import Duration, Record
from wordpl.verify import Difference, Findings

TABLE = 'game = "wordpl/1"\nname = "Echo\\u001b[31m"\n[echo]\nword = "{word}"\n'


class Echo:
    """A kind of entries that answer with their word; every third game ends only when all others have."""

    KIND = "echo"

    def __init__(self):
        self.finished = []

    def check(self, settings, files, name):
        if not (files / name).is_file() or not str(settings["word"]).islower():
            raise UserError(f"{name}: its word should be in lower case.")

    def terms(self, entries):
        return {"words": [settings["word"] for _, settings in entries]}, {
            entry.slug: Price(1.0, 2.0) for entry, _ in entries
        }

    @contextmanager
    def play(self, run, entries, draws):
        yield EchoGames(run, draws)

    def finish(self, run, entries):
        self.finished += [entry.slug for entry in entries]

    def problems(self, run, entry, game, findings):
        yield Difference(entry.name, "game 0", "the reply", "one", game.facts.id)

    def replies(self, run, entry, games):
        return {number: {1: "crane"} for number in range(3) if number in games}

    def options(self, run):
        return ["--echo", "on"]

    def preview(self, run, entry):
        return "it costs nothing"


class EchoGames:
    def __init__(self, run, draws):
        self.run, self.draws, self.left = run, draws, []

    def begin(self, entry, numbers):
        self.left += [(entry, number) for number in numbers]

    def ended(self, *, wait):
        game = games.make_game("wordpl/1", self.run.info.config.load_lists())
        for entry, number in list(self.left) if wait else self.left[:1]:
            self.left.remove((entry, number))
            secret = secret_of(game, number, self.draws)
            moves = [NoisyMove("crane", 0, "")]
            yield entry, Record(number, secret, moves, Verdict.WON), Duration(number, None, 0.1)


@pytest.fixture
def echo(monkeypatch):
    kind = Echo()
    monkeypatch.setattr(hosted, "kinds", lambda: {"echo": kind})
    return kind


@pytest.fixture
def run(tmp_path, echo):
    """A run of an entry without code, and of one with code."""
    sources = {"echo": "", "bot": BOT.format(word="crane", epsilon=5.0)}
    made = new_run(tmp_path, sources, n_games=6, repeats=3, player=PlayerKind.TRUSTED, level="")
    made.info.entries[0] = with_table(made, tmp_path, "crane")
    made.write_info()
    return Run(made.folder)


def with_table(run, folder, word):
    """Return the first entry of a run as one without code, whose files the run stores."""
    path = folder / "echo.toml"
    path.write_text(TABLE.format(word=word))
    digest = run.store.add(Bundle.of(path))
    return replace(run.info.entries[0], file=str(path), make="", sha256=digest, kind="echo")


def test_each_game_is_played_once_and_none_is_repeated(run, echo):
    played = resume(run, jobs=1).play()
    assert [len(entry.read()) for entry in played.entries] == [6, 6]
    assert {record.verdict for record in played.entries[0].read()} == {Verdict.WON}
    assert [len(entry.repeats()) for entry in played.entries] == [0, 3]
    assert echo.finished == ["echo"]


def test_a_run_without_any_code_repeats_nothing(run):
    run.info.entries.pop()
    run.write_info()
    assert resume(run, jobs=1).play().info.repeats_seed is None
    assert not (run.folder / "repeats").exists()


def test_what_needs_code_is_refused(run):
    entry = run.info.entries[0]
    with pytest.raises(UserError, match=r"echo has no code, .*: its games cannot be repeated"):
        next(Contest.resume(run.folder, trusted=True).replay(1))
    with pytest.raises(UserError, match=r"echo has no code, .*played as a whole, without parts"):
        parts.prepare(run, 1, 2)
    assert run_folder.replay_command(entry, 3, run.info) == ""
    assert run_folder.replay_command(entry, 3, run.info, run.folder).endswith("run 3")
    assert run_folder.resume_command(run).endswith("--trust --echo on")
    run.info.entries.pop()
    isolation.build_programs(run, run.folder)  # nothing is built of a TOML file without commands


def test_terms_and_prices_are_the_host_s_and_those_of_a_run_hold_for_what_is_added(run, tmp_path):
    new = replace(run.info, hosted={}, prices={})
    hosted.settle(new, run.store)
    assert (new.hosted, new.prices) == ({"echo": {"words": ["crane"]}}, {"echo": Price(1.0, 2.0)})
    base = replace(new, hosted={"echo": "old"}, prices={"echo": Price(7.0, 7.0)})
    added = replace(new, hosted={}, prices={})
    hosted.settle(added, run.store, base)
    assert (added.hosted, added.prices) == (base.hosted, base.prices)
    entry = run.info.entries[0]
    gone = replace(base, entries=[replace(entry, kind="gone")])
    hosted.settle(replace(added, entries=[*gone.entries, run.info.entries[1]]), run.store, gone)
    with pytest.raises(UserError, match="is not an entry of the kind 'other'"):
        hosted.settings_of(replace(entry, kind="other"), run.store)
    (run.store.path(entry.sha256) / "echo.toml").write_text(TABLE.format(word="slate"))
    with pytest.raises(UserError, match="has changed: restore it"):
        hosted.settings_of(entry, run.store)


def test_a_table_that_nothing_plays_or_that_is_wrong_is_refused(run):
    with pytest.raises(UserError, match=r"the table \[oracle\] names a kind .* known are: \[echo\]"):
        hosted.kind("oracle")
    entry = replace(run.info.entries[0], kind="other")
    with pytest.raises(UserError, match="this one has echo, other"):
        hosted.playing(run, None, [run.info.entries[0], entry])


def test_a_check_plays_two_games_of_an_entry_without_code_alone(run, tmp_path):
    config = replace(run.info.config, results=tmp_path / "check")
    result = preflight.check([str(tmp_path / "echo.toml")], config)
    assert [check.name for check in result.checks] == ["interface", "games", "price", "reproducible"]
    (entry,) = result.records.info.entries
    assert (entry.name, entry.kind) == ("Echo?[31m", "echo")
    assert [record.game for record in result.records.records_of(entry)] == [0, 1]
    with pytest.raises(UserError, match=r"check Echo\?\[31m and others without code apart from strategies"):
        preflight.check([str(tmp_path / name) for name in ("echo.toml", "bot.py")], config)
    (tmp_path / "echo.toml").write_text(TABLE.format(word="CRANE"))
    (loud,) = preflight.check([str(tmp_path / "echo.toml")], config).checks
    assert (loud.passed, loud.details) == (False, "echo.toml: its word should be in lower case.")


def test_games_of_a_kind_are_checked_and_shown_by_its_app_alone(run):
    findings, lists = Findings(), run.info.config.load_lists()
    hosted.check_games(run, lists, findings)
    assert [(found.source, found.expected) for found in findings.differences] == [("echo", "wordpl/1")]
    assert hosted.replies_of(run) == {"echo": {number: {1: "crane"} for number in range(3)}}
    assert hosted.replies(run, run.info.entries[1], range(3)) == {}
    other = replace(run.info.entries[0], kind="other")
    assert hosted.replies(run, other, range(3)) == {}
    run.info.entries[:] = [other]
    findings = Findings()
    hosted.check_games(run, lists, findings)
    assert findings.differences == []
    assert findings.notes == ["the games of echo: nothing installed plays [other]."]
    foreign = replace(other, kind="echo", game=replace(other.game, id="own/1", sha256="0" * 64))
    run.info.entries[:] = [foreign]
    hosted.check_games(run, lists, findings)
    assert findings.differences == []  # the reader has not named the game's file
