"""What `wordpl check` reports about an entry's games, times and repeats."""

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from tests.helpers.written_runs import BOT
from wordpl.contest import preflight, run_worker, runner
from wordpl.contest.determinism import RepeatFinding
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.players.base import PlayerError
from wordpl.players.discovery import EntrySource, Fault
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.entry import RecordWriter
from wordpl.run.records import Duration, Record, encode

WON, LATE = Verdict.WON, Verdict.LATE
LATE_ADVICE = "Use less time per game: see game 2"
SPEED_ADVICE = "Use less time per game: on a slower machine such games are lost"
NOT_PLAYED = "; the other 2 were not played. 2 of 2 games were lost. "
MEDIAN = "bot: 0.3 s of CPU time for a game (median of 4), at most "
BARELY_FAST_ENOUGH = ". That is enough here, but late on a machine half as fast: aim for at most 1 s"
RESET_ADVICE = "Reset all state"


@pytest.fixture
def run(tmp_path):
    return new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=4, timeout_s=2.0)


def games(*verdicts):
    return [
        Record(2 * index, "crane", [], verdict, "why" if verdict != WON else "")
        for index, verdict in enumerate(verdicts)
    ]


@pytest.mark.parametrize(
    ("verdicts", "expected", "replayed_game"),
    [
        ([WON] * 4, "bot: 4 games, 4 won", None),
        ([WON, "wrong", WON, "wrong"], "bot: 4 games, 2 won, 2 wrong", None),
        (["wrong"] * 4, "bot: 4 games, 4 wrong. 4 of 4 games were lost: replay one to see why", 0),
        ([WON], "bot: 1 game, 1 won; the other 3 were not played", None),
        (
            ["wrong"],
            "bot: 1 game, 1 wrong; the other 3 were not played. 1 of 1 game was lost: replay one to see why",
            0,
        ),
    ],
)
def test_games_without_a_fault_pass_with_a_replay_if_none_was_won(run, verdicts, expected, replayed_game):
    check = preflight.check_games(run.info.entries[0], games(*map(Verdict, verdicts)), run.info)
    assert (check.passed, check.message, check.details) == (True, expected, "")
    assert check.replay.endswith("" if replayed_game is None else f"--number {replayed_game}")
    assert bool(check.replay) == (replayed_game is not None)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([WON, LATE, WON, Verdict.CRASHED], "bot: 4 games, 2 won, 1 crashed, 1 late. " + LATE_ADVICE),
        (["wrong", LATE], "bot: 2 games, 1 wrong, 1 late" + NOT_PLAYED + LATE_ADVICE),
    ],
)  # fmt: skip
def test_the_first_game_with_a_fault_is_shown(run, verdicts, expected):
    check = preflight.check_games(run.info.entries[0], games(*map(Verdict, verdicts)), run.info)
    assert (check.passed, check.message, check.details) == (False, expected, "why")
    assert check.replay.endswith("--number 2")


@pytest.mark.parametrize(
    ("times", "passed", "expected"),
    [
        ([0.1, 1.0, 0.2, 0.4], True, MEDIAN + "1 s, 50% of the limit of 2 s"),
        ([0.1, 1.2, 0.2, 0.3], True, "60% of the limit of 2 s" + BARELY_FAST_ENOUGH),
        ([0.1, 0.2, 2.0, 0.3], True, "100% of the limit of 2 s" + BARELY_FAST_ENOUGH),
        ([0.1, 0.2, 2.5, 0.3], False, "125% of the limit of 2 s. " + SPEED_ADVICE),
    ],
)  # fmt: skip
def test_times_are_compared_with_the_stated_time_limit(run, times, passed, expected):
    entry, writer = run.info.entries[0], RecordWriter(run.entries[0])
    durations = [Duration(3 - index, cpu_s, 9.0) for index, cpu_s in enumerate(times)]
    writer.add([encode(Record(duration.game, "crane", [], WON)) for duration in durations], durations)
    writer.close()
    check = preflight.check_speed(run, entry)
    assert check.passed == passed
    assert check.message.endswith(expected)
    assert check.replay.endswith("" if passed else "--number 1")
    more = ". With --fresh, starting 1,001 processes takes 500.5 s more" if passed else ""
    assert preflight.check_speed(run, entry, 0.5).message == check.message + more


def test_wall_time_counts_where_cpu_time_is_unknown(run):
    writer = RecordWriter(run.entries[0])
    durations = [Duration(0, 0.1, 0.5), Duration(1, None, 0.7)]
    writer.add([encode(Record(duration.game, "crane", [], WON)) for duration in durations], durations)
    writer.close()
    assert (
        "bot: 0.6 s for a game (median of 2), at most 0.7 s" in preflight.check_speed(run, run.info.entries[0]).message
    )


@pytest.mark.parametrize(
    ("differences", "name", "passed", "expected"),
    [
        ({}, "reproducible", True, ": the same moves"),
        ({"changed": (7, 9)}, "independent", False, ": 2 had other moves, the first of them game 7. " + RESET_ADVICE),
        ({"changed": (9,), "by_secret": (9,)}, "reproducible", False,
         ": 1 had other moves, the first of them game 9, but only under another secret"),
        ({"changed": (9,), "unsteady": (9,)}, "reproducible", False, ": 1 had other moves, the first of them game 9"),
        ({"not_compared": (1,)}, "reproducible", True, ": the same moves"),
        ({"not_compared": (1, 2)}, "reproducible", False, ": 2 were cut short twice before they could be compared"),
        ({"changed": (5,), "not_compared": (1, 2)}, "independent", False, ": 1 had other moves, the first"),
    ],
)  # fmt: skip
def test_repeats_that_differ_fail_with_advice(run, differences, name, passed, expected):
    repeats = {"changed": (), "unsteady": (), "not_compared": ()} | differences
    check = preflight.check_repeats(RepeatFinding(run.info.entries[0], tuple(range(10)), **repeats))
    assert (check.name, check.passed) == (name, passed)
    assert f"bot: 10 games repeated, each in a new process{expected}" in check.message


@pytest.mark.parametrize(
    ("changed", "expected"), [([], "the same moves"), ([8, 3], "2 had other moves, one of them game 8")]
)
def test_games_played_in_reverse_order_have_the_same_moves(run, changed, expected):
    check = preflight.check_order(run.info.entries[0], 4, changed)
    assert (check.name, check.passed) == ("any order", not changed)
    assert f"bot: 4 games played in reverse order: {expected}" in check.message


def test_an_entry_that_wrote_files_is_shown_with_the_start_of_their_digest(run):
    entry = msgspec.structs.replace(run.info.entries[0], written="0123456789abcdef")
    messages = [check.message for check in preflight.check_interfaces([entry, run.info.entries[0]])]
    assert messages == ["bot plays wordpl/1, and wrote files (0123456789ab)", "bot plays wordpl/1"]


def test_an_entry_that_started_too_late_has_failed_and_can_be_replayed(run):
    check = preflight.failed_start(run, run.info.entries[0])
    assert (check.name, check.passed) == ("speed", False)
    assert check.message.startswith("bot: it took more than 10 s to start and play the warm-up game")
    assert check.replay.endswith("--number 0")


class FickleBot:
    """A bot that, if it is fickle, opens every other game, from its first one on, with another word."""

    def __init__(self, is_fickle):
        self.is_fickle, self.n = is_fickle, 0

    def first_move(self):
        self.n += 1
        return "slate" if self.is_fickle and self.n % 2 else "crane", 1.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0


def test_each_game_that_differs_in_reverse_order_is_reported(tmp_path):
    names = ("honest", "fickle", "left_out")
    run = new_run(tmp_path, dict.fromkeys(names, DRAWS_ALL), n_games=5, player=PlayerKind.TRUSTED, level="")
    draws, progress_counts = Draws.of("seven"), []
    with run_worker.local(run, draws, 1, {name: FickleBot(name != "honest") for name in names}) as workers:
        runner.play_remaining(run, workers, lambda progress: None)
        guesses = {record.game: record.moves[0].guess for record in run.entries[1].read()}
        changed_games = preflight.play_backwards(
            run, workers.task, lambda *counts: progress_counts.append(counts), {"left_out"}
        )
    backward_guesses = dict(zip(range(4, -1, -1), ["crane", "slate", "crane", "slate", "crane"], strict=True))
    assert changed_games == {
        "honest": [],
        "fickle": [game for game, word in backward_guesses.items() if word != guesses[game]],
    }
    assert 0 < len(changed_games["fickle"]) < 5
    assert progress_counts == [(n, 10) for n in range(1, 11)]


def test_a_file_is_replaced_by_the_entries_that_it_belongs_to(tmp_path):
    for name in ("one.py", "two.py", "_three.py", "four.toml", "one.json", "words.py"):
        (tmp_path / name).touch()
    (tmp_path / "shared.txt").write_text("words.py")

    def file_names(name):
        return [Path(path).name for path in preflight.entries_with(str(tmp_path / name))]

    names = ("one.py", "four.toml", "_three.py", "one.json", "words.py")
    assert {name: file_names(name) for name in names} == {
        "one.py": ["one.py"], "four.toml": ["four.toml"], "_three.py": ["_three.py"], "one.json": [],
        "words.py": ["four.toml", "one.py", "two.py"],
    }  # fmt: skip
    assert preflight.entries_with("Bot(epsilon=5)") == ["Bot(epsilon=5)"]


@pytest.mark.slow
def test_an_entry_s_file_is_summarized_by_its_sizes_digest_and_imports_or_commands(tmp_path):
    bot, program = tmp_path / "bot.py", tmp_path / "prog" / "bot.toml"
    bot.write_text("import random\nfrom os import path\nfrom ..x import y\n")
    assert preflight.summarize_file(bot) == preflight.FileSummary(
        bot, {"bot.py": bot.stat().st_size}, Bundle.of(bot).digest, ["..x", "os", "random"]
    )
    program.parent.mkdir()
    (program.parent / "prog.js").write_text("// moves")
    program.write_text('game = "wordpl/1"\ncommand = ["node", "prog.js"]\n')
    summary, size = preflight.summarize_file(program.parent), program.stat().st_size
    assert (summary.parts, summary.uses) == ({"prog/bot.toml": size, "prog/prog.js": 8}, ["node prog.js"])
    program.write_text(program.read_text() + 'build = ["make", "all"]\n')
    assert preflight.summarize_file(program.parent).uses == ["make all", "node prog.js"]
    for broken in (b"def (", b"\0"):
        bot.write_bytes(broken)
        assert preflight.summarize_file(bot).uses == []


def test_a_file_that_cannot_be_loaded_fails_with_its_reason(run):
    fault = Fault(EntrySource(Path("bots/broken.py")), "No module named 'x'")
    (failed_check,) = preflight.check_interfaces([fault])
    message = "broken.py could not be loaded"
    assert failed_check == preflight.Check("interface", False, message, "No module named 'x'")
    (passed_check,) = preflight.check_interfaces([run.info.entries[0]])
    assert passed_check == preflight.Check("interface", True, "bot plays wordpl/1")


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict not in ("won", "wrong", "unsolved")])
def test_every_verdict_that_is_the_entry_s_fault_fails_with_advice(run, verdict):
    check = preflight.check_games(run.info.entries[0], games(WON, verdict), run.info)
    assert not check.passed
    assert check.message.endswith(f". {preflight.ADVICE[verdict]}: see game 2")
    assert set(preflight.ADVICE) == set(Verdict) - {Verdict.WON, Verdict.WRONG, Verdict.UNSOLVED}


def test_the_result_of_a_check_counts_and_names_what_failed():
    checks = [preflight.Check("interface", True, "fine"), preflight.Check("games", False, "lost")]
    result = preflight.CheckResult(checks, [], None)
    assert (result.n_failed, repr(result)) == (1, "CheckResult(2 checks; failed: games: lost)")


@pytest.fixture
def check(tmp_path):
    """A function that checks a bot in this process, and returns the result and its games."""
    (tmp_path / "bot.py").write_text(dedent(BOT.format(word="crane", epsilon=5.0)))
    config = RunConfig(n_games=8, repeats=2, player=PlayerKind.TRUSTED, results=tmp_path / "check", seed="1")

    def of():
        found = preflight.check([str(tmp_path / "bot.py")], config, jobs=1)
        return found, found.records.records_of(found.records.info.entries[0])

    return of


def test_an_entry_that_starts_too_late_plays_no_game(check, monkeypatch):
    late = PlayerError(Verdict.LATE, "line 3")
    monkeypatch.setattr(run_worker.Worker, "late_start", lambda worker, entry: late)
    found, played = check()
    assert not played
    assert [one.name for one in found.checks if not one.passed] == ["speed"]


def test_late_games_are_not_played_on_and_an_unread_file_is_named(check, monkeypatch):
    verdicts = iter([WON, *[LATE] * 7])

    def play(worker, entry, number, **_):
        return Record(number, "crane", [], next(verdicts)), Duration(number, 1.0, 1.0)

    summarize = preflight.summarize_file
    monkeypatch.setattr(run_worker.Worker, "play", play)
    monkeypatch.setattr(preflight, "summarize_file", lambda file: replace(summarize(file), unread="too slow"))
    found, played = check()
    assert len(played) == 3, "chunks of 1 and of 2 games"
    assert {one.name for one in found.checks} == {"interface", "games", "speed", "source"}
    assert "bot.py: too slow. So its author and imports are unknown" in [one.message for one in found.checks]


@pytest.mark.parametrize(("unsteady", "failed"), [((), ["any order"]), ((1,), ["reproducible"])])
def test_what_depends_on_the_order_is_told_unless_the_entry_draws_anyway(check, monkeypatch, unsteady, failed):
    def findings(records):
        return [RepeatFinding(records.info.entries[0], (1, 2), unsteady, unsteady)]

    monkeypatch.setattr(preflight, "play_backwards", lambda run, *_: {run.info.entries[0].slug: [3]})
    monkeypatch.setattr(preflight.determinism, "findings", findings)
    found, _ = check()
    assert [one.name for one in found.checks if not one.passed] == failed
    (speed,) = (one.message for one in found.checks if one.name == "speed")
    assert "With --fresh, starting 1,001 processes takes" in speed
