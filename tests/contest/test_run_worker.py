"""A worker plays, skips or repeats the games of a chunk, and gives back games that it had no time for."""

import msgspec
import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl import games
from wordpl.contest import run_worker
from wordpl.contest.isolation import player_pool
from wordpl.contest.referee import secret_of
from wordpl.contest.run_worker import (
    WORKER,
    Chunk,
    RunTask,
    Work,
    Worker,
    WorkerSlot,
    run_chunk,
    run_chunk_with_journal,
)
from wordpl.core import words
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.players.base import PlayerError
from wordpl.run.config import PlayerKind
from wordpl.run.records import Duration, Record, Replay, decode, encode

DRAWS = Draws.of("seven")
SECRETS = [secret_of(games.make_game("wordpl/1", words.load()), number, DRAWS) for number in range(60)]


class Bot:
    """Proposes the first secret of the run that gives the clue; shows the number of its games if it is moody."""

    moody = False

    def __init__(self):
        self.n_games = 0

    def first_move(self):
        self.n_games += 1
        return "crane", 400.0 + (self.n_games if self.moody else 0)

    def next_move(self, guess, epsilon, clues):
        return next(word for word in SECRETS if CLUE_OF(guess, word) == clues), 0


CLUE_OF = games.game_class("wordpl/1")(words.load()).clue


@pytest.fixture
def bot():
    return Bot()


@pytest.fixture
def run(tmp_path):
    return new_run(tmp_path, {"bot": DRAWS_ALL, "other": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="")


@pytest.fixture
def worker(run, tmp_path, bot):
    with player_pool(run, tmp_path) as pool:
        worker = Worker(run.info.config, DRAWS, pool, run.info.entries, {"bot": bot, "other": Bot()})
        yield worker
        worker.close()


def decoded(lines):
    return [decode(line, games.game_class("wordpl/1").facts.form) for line in lines]


def test_an_outcome_has_the_records_durations_wins_and_time_of_all_games(worker):
    noted_lines = []
    outcome = run_chunk(
        worker, Chunk(1, (4, 2, 9), serial=7), lambda line, following: noted_lines.append((line, following))
    )
    records = decoded(outcome.records)
    assert [record.game for record in records] == [4, 2, 9]
    assert [record.secret for record in records] == [SECRETS[4], SECRETS[2], SECRETS[9]]
    assert (outcome.entry, outcome.serial, outcome.numbers, outcome.left) == (1, 7, (4, 2, 9), ())
    assert outcome.n_won == sum(record.verdict == Verdict.WON for record in records) > 0
    assert [duration.game for duration in outcome.durations] == [4, 2, 9]
    assert outcome.cpu_s == pytest.approx(sum(duration.charged_s for duration in outcome.durations))
    assert noted_lines == list(zip(outcome.records, [2, 9, None], strict=True))


def test_a_chunk_that_takes_too_long_ends_with_the_game_that_is_being_played(worker, monkeypatch):
    next_games = []
    monkeypatch.setattr(run_worker, "MAX_CHUNK_S", 0.0)
    outcome = run_chunk(worker, Chunk(0, (4, 2, 9)), lambda line, following: next_games.append(following))
    assert (outcome.numbers, outcome.left, len(outcome.records), next_games) == ((4,), (2, 9), 1, [None])


def test_void_games_are_told_once(worker, monkeypatch):
    def play(game, player, number, *_):
        player.void_games.append(number)
        return Record(number, SECRETS[number], [], Verdict.FAULT)

    slept = []
    monkeypatch.setattr(run_worker.time, "sleep", slept.append)
    assert run_chunk(worker, Chunk(0, (1,))).void == slept == []
    monkeypatch.setattr(run_worker, "play", play)
    assert [run_chunk(worker, Chunk(0, numbers)).void for numbers in ((4, 2), (9,))] == [[4, 2], [9]]
    assert slept == [run_worker.FAULT_DELAY_S] * 3, "whoever kills players may be about to kill this process"


def test_only_a_process_that_is_late_before_its_first_game_starts_too_late(worker, monkeypatch):
    late = PlayerError(Verdict.LATE, "x")
    monkeypatch.setattr(run_worker.TrustedPlayer, "prepare", lambda player: True)
    for failure, found in ((late, late), (PlayerError(Verdict.CRASHED, "x"), None), (None, None)):
        monkeypatch.setattr(run_worker, "failure_in_warm_up", lambda *_, failure=failure: failure)
        assert worker.late_start(worker.entries[0]) is found


def test_the_time_that_counts_is_that_of_the_processor_and_half_of_the_waiting(worker, monkeypatch):
    played = (Record(4, SECRETS[4], [], Verdict.WRONG), Duration(4, 3.0, 1.0, "", 0.5))
    monkeypatch.setattr(worker, "play", lambda *_, **__: played)
    assert run_chunk(worker, Chunk(0, (4, 2))).cpu_s == 7.0


def test_a_replay_that_was_cut_short_is_followed_by_another_and_other_draws_are_not_compared(worker, monkeypatch):
    (line,) = run_chunk(worker, Chunk(0, (3,))).records
    (first,) = decoded([line])
    for moves, following in ((first.moves[:1], [None]), (first.moves, [])):
        shown = {
            Replay.SECRET: (moves, first.verdict if moves == first.moves else Verdict.LATE),
            Replay.DRAWS: ([*first.moves[:1], *first.moves], first.verdict),
        }
        for name, replay in (("replay", Replay.SECRET), ("play_anew", Replay.DRAWS)):
            found = msgspec.structs.replace(first, moves=shown[replay][0], verdict=shown[replay][1], replay=replay)
            monkeypatch.setattr(worker, name, lambda *_, found=found: found)
        outcome = run_chunk(worker, Chunk(0, (3,), Work.REPEAT, first=(line,), fresh=Draws.of("fresh")))
        assert [record.replay for record in decoded(outcome.records)] == [Replay.DRAWS, Replay.SECRET, *following]


def test_skipped_games_have_their_secrets_and_no_moves(worker, bot):
    outcome = run_chunk(worker, Chunk(0, (5, 0), Work.SKIP))
    message = "not played: the entry had used up its time for all games"
    assert decoded(outcome.records) == [
        Record(number, SECRETS[number], [], Verdict.UNPLAYED, message) for number in (5, 0)
    ]
    assert (bot.n_games, outcome.numbers, outcome.durations, outcome.n_won, outcome.cpu_s) == (0, (5, 0), [], 0, 0.0)
    assert outcome.pace_s > 0


def test_odd_games_are_played_anew_and_a_replay_with_other_moves_is_followed_by_another(worker, bot):
    records = run_chunk(worker, Chunk(0, (3, 8))).records
    fresh = Draws.of("fresh")
    repeated = run_chunk(worker, Chunk(0, (3, 8), Work.REPEAT, first=tuple(records), fresh=fresh))
    anew, *replays = decoded(repeated.records)
    assert (anew.replay, anew.game, anew.secret) == (Replay.DRAWS, 3, decoded(records)[0].secret)
    assert replays == [msgspec.structs.replace(record, replay=Replay.SECRET) for record in decoded(records)]
    assert (repeated.numbers, repeated.n_won, repeated.cpu_s, repeated.pace_s) == ((3, 8), 0, 0.0, 1.0)
    bot.moody = True
    moody_records = run_chunk(worker, Chunk(0, (8,), Work.REPEAT, first=tuple(records[1:]))).records
    assert [(record.game, record.replay) for record in decoded(moody_records)] == [(8, Replay.SECRET), (8, None)]
    moves = [record.moves for record in decoded([records[1], *moody_records])]
    assert moves[0] != moves[1] != moves[2] != moves[0]
    moody_records = run_chunk(worker, Chunk(0, (3,), Work.REPEAT, first=tuple(records[:1]), fresh=fresh)).records
    assert [record.replay for record in decoded(moody_records)] == [Replay.DRAWS, Replay.SECRET, None]
    unplayed = encode(Record(3, "crane", [], Verdict.UNPLAYED, "why"))
    n_games_before = bot.n_games
    assert run_chunk(worker, Chunk(0, (3,), Work.REPEAT, first=(unplayed,))).records == [unplayed]
    assert bot.n_games == n_games_before


COUNTS = """
class Bot:
    n = 0
    def first_move(self):
        self.n += 1
        return ["crane", "slate", "moist", "pudgy"][self.n - 1], 1
    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""


@pytest.fixture
def counting_worker(tmp_path):
    """A worker for entries that count their games since they were started."""
    run = new_run(tmp_path, {"bot": COUNTS, "other": COUNTS}, player=PlayerKind.TRUSTED, level="")
    with player_pool(run, tmp_path) as pool:
        worker = Worker(run.info.config, DRAWS, pool, run.info.entries)
        yield worker
        worker.close()


def first_guess(played):
    record = played[0] if isinstance(played, tuple) else played
    return record.moves[0].guess


def test_a_worker_keeps_the_process_of_an_entry_until_another_one_plays(counting_worker):
    guesses = [first_guess(counting_worker.play(counting_worker.entries[index], 3)) for index in (0, 0, 1, 1, 0)]
    assert guesses == ["crane", "slate", "crane", "slate", "crane"]


def test_a_game_gets_a_new_process_on_request_or_if_every_answer_is_played(counting_worker):
    entry = counting_worker.entries[0]
    assert [first_guess(counting_worker.play(entry, number, in_new_process=number > 1)) for number in range(4)] == [
        "crane", "slate", "crane", "crane",
    ]  # fmt: skip
    play_again = counting_worker.play_again
    assert [first_guess(play_again(entry, number, in_new_process=number > 1)) for number in range(4)] == [
        "slate", "moist", "crane", "crane",
    ]  # fmt: skip
    counting_worker.config = msgspec.structs.replace(
        counting_worker.config, player=PlayerKind.PROCESS, every_answer=True
    )
    assert [first_guess(counting_worker.play(entry, number)) for number in range(2)] == ["crane", "crane"]
    counting_worker.config = msgspec.structs.replace(counting_worker.config, every_answer=False)
    assert [first_guess(counting_worker.play(entry, number)) for number in range(2)] == ["slate", "moist"]
    counting_worker.config = msgspec.structs.replace(counting_worker.config, fresh=True)
    assert [first_guess(counting_worker.play(entry, number)) for number in range(2)] == ["crane", "crane"]


def test_whatever_is_repeated_is_played_in_a_process_that_has_played_nothing(counting_worker):
    entry, fresh = counting_worker.entries[0], Draws.of("fresh")
    played = [counting_worker.play(entry, number)[0] for number in (2, 3)]
    assert [first_guess(counting_worker.replay(entry, played[0])) for _ in range(2)] == ["crane", "crane"]
    assert [first_guess(counting_worker.play_anew(entry, 3, fresh)) for _ in range(2)] == ["crane", "crane"]
    repeated = decoded(run_chunk(counting_worker, Chunk(0, (3,), Work.REPEAT, first=(encode(played[1]),))).records)
    assert [(first_guess(record), record.replay) for record in repeated] == [("crane", Replay.SECRET), ("crane", None)]
    counting_worker.play(entry, 3)
    assert counting_worker.late_start(entry) is None
    assert first_guess(counting_worker.play(entry, 4)) == "crane"


def test_a_worker_keeps_the_processes_of_the_entries_that_played_last(tmp_path):
    run = new_run(tmp_path, dict.fromkeys(("a", "b", "c"), COUNTS), player=PlayerKind.TRUSTED, level="")
    with player_pool(run, tmp_path) as pool:
        worker = Worker(run.info.config, DRAWS, pool, run.info.entries, max_players=2)
        guesses = [first_guess(worker.play(worker.entries[index], 3)) for index in (0, 1, 0, 2, 0, 1)]
        worker.close()
    assert guesses == ["crane", "crane", "slate", "crane", "moist", "crane"]


def test_an_entry_that_crashes_wins_nothing_and_is_not_late(tmp_path):
    source = COUNTS.replace("self.n += 1", "raise ValueError")
    run = new_run(tmp_path, {"bot": source}, player=PlayerKind.TRUSTED, level="")
    with player_pool(run, tmp_path) as pool:
        worker = Worker(run.info.config, DRAWS, pool, run.info.entries)
        assert worker.late_start(worker.entries[0]) is None
        outcome = run_chunk(worker, Chunk(0, (1, 2)))
        worker.close()
    assert (outcome.n_won, {record.verdict for record in decoded(outcome.records)}) == (0, {Verdict.CRASHED})


def test_a_worker_gives_back_repetitions_that_it_had_no_time_for_and_charges_long_ones(worker, monkeypatch):
    records = tuple(run_chunk(worker, Chunk(0, (3, 8))).records)
    monkeypatch.setattr(run_worker, "FREE_S", 0.0)
    assert run_chunk(worker, Chunk(0, (3, 8), Work.REPEAT, first=records)).cpu_s > 0
    monkeypatch.setattr(run_worker, "MAX_CHUNK_S", 0.0)
    outcome = run_chunk(worker, Chunk(0, (3, 8), Work.REPEAT, first=records))
    assert (outcome.numbers, outcome.left, len(outcome.records)) == ((3,), (8,), 1)


OWN_GAME = """
from wordpl.games import GameFacts, Wordle

class Mine(Wordle):
    facts = GameFacts.of_guesses("mine/1", limit=3)
"""


def test_a_worker_knows_the_games_of_its_host(tmp_path):
    (tmp_path / "mine.py").write_text(OWN_GAME)
    games.bind(f"{tmp_path / 'mine.py'}:Mine")
    run = new_run(tmp_path, {"bot": COUNTS}, player=PlayerKind.TRUSTED, level="")
    task, slot = RunTask(folder=run.folder, parent=tmp_path, draws=DRAWS), WorkerSlot()
    games.unbind("mine/1")
    slot.worker(task)
    slot.close()
    assert "mine/1" in games.names()


def test_a_slot_keeps_its_worker_for_one_run_and_makes_a_new_one_for_another(tmp_path):
    runs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        runs.append(new_run(tmp_path / name, {"bot": COUNTS}, player=PlayerKind.TRUSTED, level=""))
    tasks, slot = [RunTask(folder=run.folder, parent=tmp_path, draws=DRAWS) for run in runs], WorkerSlot()
    first = slot.worker(tasks[0])
    assert slot.worker(RunTask(folder=runs[0].folder, parent=tmp_path, draws=DRAWS)) is first
    assert first_guess(first.play(first.entries[0], 3)) == "crane"
    second = slot.worker(tasks[1])
    assert (second is first, second.run.folder) == (False, runs[1].folder)
    slot.close()
    slot.close()  # there is none
    assert slot.worker(tasks[1]) is not second
    slot.close()


@pytest.fixture
def slot():
    yield WORKER
    WORKER.close()


def test_only_played_chunks_keep_a_journal_and_those_of_trusted_entries_none(tmp_path, slot):
    for player in (PlayerKind.TRUSTED, PlayerKind.PROCESS):
        (tmp_path / player).mkdir()
        run = new_run(tmp_path / player, {"bot": COUNTS}, player=player, level="D", n_games=9, timeout_s=5.0)
        task = RunTask(folder=run.folder, parent=tmp_path, draws=DRAWS, strategies={"bot": Bot()})
        for work in (Work.SKIP, Work.REPEAT):
            run_chunk_with_journal(task, Chunk(0, (4, 2), work, serial=6))
            assert run.entries[0].read_journals() == ([], [])
        outcome = run_chunk_with_journal(task, Chunk(0, (4, 2), serial=5))
        assert len(outcome.records) == 2
    journal = run.entries[0].journal_path(5).read_bytes()
    assert journal == b"4\n" + outcome.records[0] + b"2\n" + outcome.records[1]
