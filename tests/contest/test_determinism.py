"""An entry whose games depend on earlier games, or on no seed, is detected, and no honest entry is reported."""

import json
from itertools import chain, repeat
from math import log2
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl.contest import determinism, referee, run_worker
from wordpl.contest.determinism import RepeatFinding
from wordpl.contest.referee import GameComparison
from wordpl.core.intervals import MAX_FALSE_ALARM
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.core.seeds import Draws
from wordpl.reports.run_report import repeats
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run, RunRecords
from wordpl.run.records import Record, Replay, encode
from wordpl.verify.replay import ColumnReader, replay, replay_repeated
from wordpl.verify.rules import GAME_RULES, RunDraws

BOT = """
    import random
    from pathlib import Path

    GUESSES, ANSWERS = (Path(name).read_text().split() for name in ("valid.txt", "answers.txt"))

    class Bot:
        games = 0
        def first_move(self):
            self.games += 1
            {exploit}
            return random.choice(GUESSES), 5.0
        def next_move(self, guess, epsilon, clues):
            return random.choice(ANSWERS), 0
"""
EXPLOITS = {
    "honest": "pass",
    "learns": "if self.games > 3: return 'crane', 1.0",
    "draws": "return random.SystemRandom().choice(GUESSES), 1.0",
    "breaks": "assert self.games < 5, 'tired'",
    "hoards": "self.kept = [getattr(self, 'kept', None), bytes(100 << 20 if self.games > 6 else 0)]",
    "dawdles": "while self.games == 9: pass",
}


@pytest.fixture(scope="module")
def played_run(tmp_path_factory):
    """A run of all these entries, 12 games each and all of them repeated."""
    folder = tmp_path_factory.mktemp("repeats")
    sources = {name: BOT.format(exploit=exploit) for name, exploit in EXPLOITS.items()}
    run = new_run(folder, sources, n_games=12, timeout_s=0.3, repeats=12)
    play_all(run)
    return Run(run.folder)


def play_all(run):
    resume(run, jobs=1).play()


@pytest.mark.slow
def test_dependence_on_earlier_games_is_distinguished_from_randomness(played_run):
    findings = {finding.entry.name: finding for finding in determinism.findings(RunRecords(played_run))}
    assert {len(finding.repeated) for finding in findings.values()} == {12}
    dependent = {name for name, finding in findings.items() if finding.changed and not finding.unsteady}
    assert dependent == {"learns", "breaks"}
    assert {name for name, finding in findings.items() if finding.unsteady} == {"draws"}
    sentences = "\n".join(repeats(determinism.findings(RunRecords(played_run))))
    assert f"learns depends on earlier games: {len(findings['learns'].changed)} of 12 games" in sentences
    assert f"games {findings['learns'].changed[0]}" in sentences
    assert "draws is not reproducible" in sentences
    assert "honest" not in sentences


@pytest.mark.slow
def test_interrupted_repeats_end_with_the_same_bytes(played_run):
    entry = played_run.info.entries[0]
    path = played_run.entry(entry).repeats_path
    all_repeats = path.read_bytes()
    by_game = {}
    for line in all_repeats.splitlines(keepends=True):
        by_game.setdefault(json.loads(line)["game"], []).append(line)
    games = list(by_game.values())
    assert max(map(len, games)) > 1  # the entry draws
    first_lines = [lines[0] for lines in games[:4]]
    torn = [*chain.from_iterable([*games[7:], games[2]]), games[4][0][:-9]]
    for left in (b"".join(torn), b"".join(first_lines)):
        path.write_bytes(left)
        played_run.info.finished, played_run.info.seal = None, None  # a run is sealed after its repeats
        played_run.write_info()
        played_run.remove_torn()
        play_all(played_run)
        assert path.read_bytes() == all_repeats


def test_progress_of_repeats_counts_remaining_and_finished_repeats(tmp_path):
    run = new_run(tmp_path, {name: BOT.format(exploit="pass") for name in ("one", "two")}, n_games=12, player="trusted")
    play_all(run)
    with run_worker.local(run, Draws.of("seven"), 1) as workers:
        run.info.config, progress = replace(run.info.config, repeats=7), []
        determinism.play_repeats(run, workers, lambda *counts: progress.append(counts), without=["two"])
        fresh = run.info.repeats_seed
        determinism.play_repeats(run, workers, lambda *counts: progress.append(counts))
        played = {entry.info.slug: entry.repeats_path.read_bytes() for entry in run.entries}
        for path in (entry.repeats_path for entry in run.entries):
            lines = path.read_bytes().splitlines(keepends=True)
            cut = next(number for number, line in enumerate(lines) if Replay.DRAWS.encode() in line) + 1
            path.write_bytes(b"".join(reversed(lines[cut + 1 :])) + b"".join(lines[:cut]))  # its replay was lost
        determinism.play_repeats(run, workers, lambda *counts: None)
    assert {entry.info.slug: entry.repeats_path.read_bytes() for entry in run.entries} == played
    assert run.info.repeats_seed == Run(run.folder).info.repeats_seed == fresh
    assert (len(fresh), fresh != run.info.seed, run.info.n_repeats) == (64, True, None)
    assert progress == [(0, 7), (5, 7), (7, 7), (7, 14), (12, 14), (14, 14)]
    numbers = determinism.games_to_repeat(Draws.of("seven"), 12, 7)
    assert [[record.game for record in run.entry(entry).records(set(numbers))] for entry in run.info.entries] == [
        numbers,
        numbers,
    ]
    assert all(entry.repeats_path.read_bytes().count(b"\n") >= 7 for entry in run.entries)


def repeated_of(run, draws, games_s):
    with run_worker.local(run, draws, 1) as workers:
        progress = []
        determinism.play_repeats(run, workers, lambda *counts: progress.append(counts), games_s)
    return [len(entry.repeats()) for entry in run.entries], progress[-1]


def test_as_many_games_are_repeated_as_fit_into_a_third_of_the_time_of_the_games(tmp_path, lists, monkeypatch):
    sources = {name: BOT.format(exploit="pass") for name in ("one", "two")}
    run, draws = new_run(tmp_path, sources, n_games=70, player="trusted"), Draws.of("seven")
    play_all(run)
    run.info.config = replace(run.info.config, repeats=None)
    assert repeated_of(run, draws, games_s=0.0) == ([50, 50], (100, 100))
    assert Run(run.folder).info.n_repeats == 50
    run.info.n_repeats = None
    run.entries[1].repeats_path.unlink()  # as after an interruption
    assert repeated_of(run, draws, games_s=1e6) == ([70, 70], (140, 140))
    assert Run(run.folder).info.games_to_repeat == 70
    run.info.finished = "2026-11-27T00:00:00+00:00"
    for entry in run.info.entries:
        assert replay_repeated(run, entry, RunDraws(draws, lists, run.info.fresh_draws)) == []
    run.info.n_repeats = 60
    differences = replay_repeated(run, run.info.entries[0], RunDraws(draws, lists, run.info.fresh_draws))
    assert [difference.what for difference in differences] == ["the choice of repeated games"]
    run.info.finished = None
    run.info.n_repeats = None
    run.entries[1].repeats_path.unlink()
    ticks = chain([0.0], repeat(10.0))  # 50 repetitions take 10 s, as those of the other entry are known
    monkeypatch.setattr(determinism, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    repeated_of(run, draws, games_s=72.0)  # a third of it is enough for 120, 60 of each entry
    assert Run(run.folder).info.n_repeats == 60
    run.info.n_repeats = None
    run.entries[1].repeats_path.unlink()
    monkeypatch.setattr(determinism, "MAX_REPEATS", 55)
    repeated_of(run, draws, games_s=1e6)
    assert Run(run.folder).info.n_repeats == 55


PEEKING = """
    import random, sys

    class Bot:
        def first_move(self):
            frame = sys._getframe()
            while "secret" not in frame.f_locals:
                frame = frame.f_back
            random.seed(frame.f_locals["secret"])
            return random.choice(["crane", "slate", "abide", "zebra"]), 5.0
        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""
DRAWING = """
    import random

    class Bot:
        def first_move(self):
            return random.choice(["crane", "slate", "abide", "zebra"]), 5.0
        def next_move(self, guess, epsilon, clues):
            return ("crane", 5.0) if random.random() < 0.5 else ("abide", 0)
"""
FIXED = """
    class Bot:
        def first_move(self):
            return "crane", 5.0
        def next_move(self, guess, epsilon, clues):
            return ("crane", 5.0) if "c" in clues else ("abide", 0)
"""


def test_an_entry_that_finds_out_the_secret_is_told_from_honest_ones(tmp_path):
    run = new_run(tmp_path, {"peeking": PEEKING, "drawing": DRAWING, "fixed": FIXED}, n_games=40, player="trusted")
    play_all(run)
    with run_worker.local(run, Draws.of("seven"), 1) as workers:
        run.info.config = replace(run.info.config, repeats=40)
        determinism.play_repeats(run, workers, lambda *counts: None)
    peeking, drawing, fixed = determinism.findings(RunRecords(run))
    assert len(peeking.by_secret) == len(peeking.changed) > 10
    assert peeking.max_dependent is None
    assert (drawing.changed, fixed.changed) == ((), ())
    assert set(fixed.anew) == set(range(1, 40, 2)) == set(drawing.anew)
    assert not any(finding.knows_seed for finding in (peeking, drawing, fixed))
    assert {finding.n_tests for finding in (peeking, drawing, fixed)} == {3}
    assert (drawing.n_same, fixed.n_same) == (40, 40)
    assert fixed.max_dependent == pytest.approx(1 - 0.05 ** (1 / 40))
    sentences = " ".join(repeats([peeking, drawing, fixed]))
    assert "peeking seems to know the secret" in sentences
    assert "each of the others depend on the secret, beyond its clues, in at most 7.2% of its games" in sentences


def test_repeated_games_agree_with_the_run_in_the_eyes_of_a_verifier(tmp_path):
    run = new_run(tmp_path, {"peeking": PEEKING, "drawing": DRAWING}, n_games=12, player="trusted")
    play_all(run)
    with run_worker.local(run, Draws.of("seven"), 1) as workers:
        run.info.config = replace(run.info.config, repeats=12)
        determinism.play_repeats(run, workers, lambda *counts: None)
    draws = RunDraws(Draws.of("seven"), run.info.config.load_lists(), run.info.fresh_draws)
    assert [replay_repeated(run, entry, draws) for entry in run.info.entries] == [[], []]
    moved = run.entries[0].repeats_path.read_text()
    run.entries[0].records_path.write_text(moved)
    reader = ColumnReader(GAME_RULES[run.info.entries[0].game.id], draws, run.info.config.n_games)
    differences = replay(run, run.info.entries[0], draws, reader, lambda n_games: None, lambda *read: None)
    assert any("the replay" in str(difference) for difference in differences)


def test_the_seed_chooses_the_games_to_repeat():
    chosen = {seed: determinism.games_to_repeat(Draws.of(seed), 1000, 50) for seed in (1, 2)}
    assert all(len(set(games)) == 50 and games == sorted(games) for games in chosen.values())
    assert len(set(chosen[1]) & set(chosen[2])) < 25
    assert determinism.games_to_repeat(Draws.of(1), 20, 50) == list(range(20))


MOVE, SECOND_MOVE, OTHER_MOVE = (NoisyMove(word, 1.0, ".....") for word in ("crane", "salet", "trace"))


@pytest.mark.parametrize(
    ("first", "repeated", "expected"),
    [
        (([MOVE], "wrong"), ([MOVE], "wrong"), GameComparison.SAME),
        (([MOVE], "wrong"), ([MOVE], "won"), GameComparison.CHANGED),
        (([MOVE], "wrong"), ([SECOND_MOVE], "wrong"), GameComparison.CHANGED),
        (([MOVE, SECOND_MOVE], "wrong"), ([MOVE], "late"), GameComparison.NOT_COMPARED),
        (([MOVE, SECOND_MOVE], "wrong"), ([OTHER_MOVE], "late"), GameComparison.CHANGED),
        (([MOVE, SECOND_MOVE], "wrong"), ([MOVE, SECOND_MOVE], "late"), GameComparison.SAME),
        (([MOVE], "late"), ([MOVE, SECOND_MOVE], "wrong"), GameComparison.SAME),
        (([], "late"), ([MOVE], "wrong"), GameComparison.NOT_COMPARED),
        (([], "out of memory"), ([MOVE], "wrong"), GameComparison.NOT_COMPARED),
        (([], "crashed"), ([MOVE], "wrong"), GameComparison.CHANGED),
        (([MOVE], "illegal"), ([MOVE], "crashed"), GameComparison.CHANGED),
    ],
)
def test_a_repeat_is_compared_on_the_moves_that_both_games_made(first, repeated, expected):
    first_record, repeated_record = (
        Record(0, "abide", moves, Verdict(verdict)) for moves, verdict in (first, repeated)
    )
    assert referee.compare(first_record, repeated_record) == expected
    is_same = expected != GameComparison.CHANGED
    assert referee.agree(first_record, repeated_record) == referee.agree(repeated_record, first_record) == is_same


def write_records(run, entry, folder, *records):
    path = {"records": run.entry(entry).records_path, "repeats": run.entry(entry).repeats_path}[folder]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(map(encode, records)))


def game(number, *moves, verdict="wrong"):
    return Record(number, "abide", list(moves), Verdict(verdict))


def test_findings_combine_all_repetitions_of_each_game(tmp_path):
    run = new_run(tmp_path, dict.fromkeys(("bot", "never", "other"), DRAWS_ALL), n_games=12)
    bot, _, other = run.info.entries
    for entry in run.info.entries:
        write_records(run, entry, "records", *(game(number, MOVE, SECOND_MOVE) for number in range(9)))
    write_records(
        run, bot, "repeats",
        game(0, MOVE, SECOND_MOVE),
        game(1, MOVE, OTHER_MOVE), game(1, MOVE, OTHER_MOVE),  # other moves, always the same
        game(2, MOVE, OTHER_MOVE), game(2, OTHER_MOVE),  # other moves each time
        game(3, MOVE, verdict="late"), game(3, MOVE, SECOND_MOVE),  # the second time, all could be compared
        game(4, MOVE, verdict="late"), game(4, verdict="late"),
        game(5, MOVE, SECOND_MOVE), game(5, MOVE, OTHER_MOVE),
        game(6, OTHER_MOVE),  # the second repetition was cut off
        game(11, OTHER_MOVE),  # a game that has no record in the run
    )  # fmt: skip
    write_records(run, other, "repeats", game(7, MOVE, SECOND_MOVE))
    bot_finding, other_finding = determinism.findings(RunRecords(run))
    assert (bot_finding.entry, other_finding.entry) == (bot, other)
    assert (bot_finding.repeated, bot_finding.changed, bot_finding.unsteady, bot_finding.not_compared) == (
        (0, 1, 2, 3, 4, 5, 6), (1, 2, 5, 6), (2, 5), (4,),
    )  # fmt: skip
    assert (other_finding.repeated, other_finding.changed, other_finding.unsteady, other_finding.not_compared) == (
        (7,), (), (), (),
    )  # fmt: skip


def test_repeats_are_sorted_without_torn_lines_and_sorted_files_are_left_alone(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=12)
    entry, path = run.info.entries[0], run.entries[0].repeats_path
    run.entry(entry).sort_repeats()
    assert not path.exists()
    write_records(run, entry, "repeats", game(5, MOVE), game(5, SECOND_MOVE), game(2, MOVE))
    path.write_bytes(path.read_bytes() + b'{"game":3,')
    run.entry(entry).sort_repeats()
    assert path.read_bytes() == b"".join(map(encode, (game(2, MOVE), game(5, MOVE), game(5, SECOND_MOVE))))
    status = path.stat().st_mtime_ns, path.stat().st_ino
    run.entry(entry).sort_repeats()
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == status


@pytest.mark.parametrize("verdict", list(Verdict))
def test_only_verdicts_caused_by_the_machine_count_as_cut_short(verdict):
    is_cut_short = verdict in ("late", "out of memory", "fault", "unplayed")
    assert (verdict in referee.CUT_SHORT) == is_cut_short
    comparison = referee.compare(game(0, MOVE, SECOND_MOVE, verdict=verdict), game(0, MOVE, SECOND_MOVE))
    assert comparison == (GameComparison.SAME if is_cut_short or verdict == "wrong" else GameComparison.CHANGED)


def finding(**games):
    return RepeatFinding(None, tuple(range(100)), **{"changed": (), "unsteady": (), **games})


def test_an_entry_is_named_for_knowing_the_seed_only_if_chance_does_not_explain_it_on_a_board_of_that_size():
    n = int(log2(1 / MAX_FALSE_ALARM)) + 1
    assert finding(better=tuple(range(n))).knows_seed
    assert not finding(better=tuple(range(n - 2))).knows_seed
    assert not finding(better=tuple(range(n)), worse=(200, 201, 202)).knows_seed
    assert not finding(better=tuple(range(n)), n_tests=1000).knows_seed
    assert not finding(better=tuple(range(n)), changed=(1,)).knows_seed  # its moves say more
    suspects = [finding(better=tuple(range(n))), finding(changed=(1,)), finding()]
    assert [one.is_suspect for one in suspects] == [True, True, False]


def test_totals_are_exact_only_of_an_entry_that_draws_nothing_in_enough_games():
    every = RunConfig(game_id="wordle/1", every_answer=True)
    assert finding().is_exact(every)
    assert not finding(drew=(1,)).is_exact(every)
    assert not finding(changed=(1,)).is_exact(every)
    assert not finding(not_compared=tuple(range(60))).is_exact(every)
    assert not finding().is_exact(RunConfig())
    for n_games, is_exact in ((50, True), (49, False)):
        assert RepeatFinding(None, tuple(range(n_games)), (), ()).is_exact(every) == is_exact


def test_a_game_that_could_not_be_compared_does_not_show_that_an_entry_is_blind():
    seen = finding(blind=tuple(range(12)), not_compared=(1, 2))
    assert seen.n_same == 10
    assert seen.max_dependent == pytest.approx(1 - 0.05**0.1)
    assert finding(blind=(1,), not_compared=(1,)).max_dependent is None


def anew(number, *moves, verdict="won"):
    return replace(game(number, *moves, verdict=verdict), replay=Replay.DRAWS)


def test_games_that_are_played_anew_tell_where_the_run_went_better(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=12)
    (bot,) = run.info.entries
    dear = NoisyMove("crane", 2.0, ".....")
    records = [game(0, MOVE, verdict="won"), game(1, dear, verdict="won"), game(2, MOVE, verdict="wrong"),
               game(3, MOVE, verdict="won"), game(4, MOVE, verdict="late"), game(5, MOVE, verdict="won"),
               game(6, MOVE, verdict="late")]  # fmt: skip
    write_records(run, bot, "records", *records)
    again = [anew(0, dear), anew(1, MOVE), anew(2, MOVE), anew(3, dear, verdict="wrong"), anew(4, MOVE),
             anew(5, MOVE, verdict="late"), anew(6, MOVE, verdict="late")]  # fmt: skip
    replays = [replace(record, replay=Replay.SECRET) for record in records]
    write_records(run, bot, "repeats", *(line for pair in zip(again, replays, strict=True) for line in pair))
    (found,) = determinism.findings(RunRecords(run))
    assert (found.better, found.worse) == ((0, 3), (1, 2))
    assert found.anew == (0, 1, 2, 3, 4, 5, 6)
    assert found.not_compared == (5,)  # it was cut short when it was played anew


def test_secret_knowledge_is_not_claimed_of_an_entry_that_is_unsteady(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=12)
    (bot,) = run.info.entries
    write_records(run, bot, "records", *(game(number, MOVE) for number in (0, 1)))
    by_secret = [replace(game(0, OTHER_MOVE), replay=Replay.SECRET), game(0, MOVE)]
    write_records(run, bot, "repeats", *by_secret)
    (found,) = determinism.findings(RunRecords(run))
    assert (found.by_secret, found.unsteady) == ((0,), ())
    write_records(run, bot, "repeats", *by_secret, game(1, OTHER_MOVE), game(1, SECOND_MOVE))
    (found,) = determinism.findings(RunRecords(run))
    assert (found.by_secret, found.unsteady) == ((), (1,))


def test_an_entry_whose_repetitions_take_too_long_has_the_others_recorded_as_unplayed(tmp_path, monkeypatch):
    monkeypatch.setattr(run_worker, "FREE_S", 0.0)
    monkeypatch.setattr(run_worker, "WALL_SHARE", 1e6)  # as if each took very long
    run = new_run(tmp_path, {"bot": BOT.format(exploit="pass")}, n_games=12, player="trusted")
    play_all(run)
    run.info.config = replace(run.info.config, repeats=12, total_s=1.0)
    with run_worker.local(run, Draws.of("seven"), 1) as workers:
        determinism.play_repeats(run, workers, lambda *counts: None)
    verdicts = [lines[-1].verdict for lines in run.entries[0].repeats().values()]
    assert verdicts.count(Verdict.UNPLAYED) == 12 - determinism.GAMES_PER_CHUNK


def test_a_game_is_repeated_anew_if_its_last_line_was_lost(tmp_path):
    run = new_run(tmp_path, {"bot": BOT.format(exploit="return 'abide', 0")}, n_games=4, player="trusted")
    play_all(run)
    (entry,), first = run.info.entries, run.entries[0].read()
    other = replace(first[2], moves=[MOVE], replay=Replay.SECRET)  # another line would follow
    write_records(run, entry, "repeats", replace(first[1], replay=Replay.DRAWS), other)
    run.info.config = replace(run.info.config, repeats=4)
    with run_worker.local(run, Draws.of("seven"), 1) as workers:
        determinism.play_repeats(run, workers, lambda *counts: None)
    repeated = run.entries[0].repeats()
    assert [record.replay for record in repeated[1]] == [Replay.DRAWS, Replay.SECRET]
    assert repeated[2] == [replace(first[2], replay=Replay.SECRET)]


def test_repetitions_that_a_worker_had_no_time_for_are_played_by_the_next(tmp_path, monkeypatch):
    run = new_run(tmp_path, {"bot": BOT.format(exploit="pass")}, n_games=6, player="trusted")
    play_all(run)
    monkeypatch.setattr(run_worker, "MAX_CHUNK_S", 0.0)
    run.info.config = replace(run.info.config, repeats=6)
    with run_worker.local(run, Draws.of("seven"), 1) as workers:
        determinism.play_repeats(run, workers, lambda *counts: None)
    assert list(run.entries[0].repeats()) == list(range(6))


def test_one_game_in_ten_may_be_cut_short_and_no_more():
    assert not finding(not_compared=tuple(range(10))).is_evasive
    assert finding(not_compared=tuple(range(11))).is_evasive
