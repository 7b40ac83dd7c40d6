"""A worker plays, passes over and repeats games of a chunk, and returns what it did not come to."""

import msgspec
import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl import games
from wordpl.contest import run_worker
from wordpl.contest.chunks import Chunk, Work
from wordpl.contest.hidden_files import player_pool
from wordpl.contest.match import secret_of
from wordpl.contest.run_worker import WORKER, RunWorker, WorkerSlot, WorkerTask, run_chunk, run_chunk_with_journal
from wordpl.core import journal, seeds, words
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import Record, Verdict, decode, encode

KEY = seeds.run_key("seven")
SECRETS = [secret_of(games.make_game("wordpl/1", words.load()), number, KEY) for number in range(60)]


class Bot:
    """Proposes the first secret of the run that gives the clue; shows the number of its games if it is moody."""

    moody = False

    def __init__(self):
        self.n_games = 0

    def first_move(self):
        self.n_games += 1
        return "crane", 400.0 + (self.n_games if self.moody else 0)

    def next_move(self, guess, epsilon, clues):
        return next(word for word in SECRETS if RULE(guess, word) == clues), 0


RULE = games.game_class("wordpl/1")(words.load()).clue


@pytest.fixture
def bot():
    return Bot()


@pytest.fixture
def run(tmp_path):
    return new_run(tmp_path, {"bot": DRAWS_ALL, "other": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="")


@pytest.fixture
def worker(run, tmp_path, bot):
    with player_pool(run, tmp_path) as pool:
        worker = RunWorker(run.info, KEY, pool, {"bot": bot, "other": Bot()})
        yield worker
        worker.close()


def decoded(lines):
    return [decode(line, games.game_class("wordpl/1").kind) for line in lines]


def test_an_outcome_has_the_records_durations_wins_and_time_of_all_games(worker):
    noted = []
    found = run_chunk(worker, Chunk(1, (4, 2, 9), serial=7), lambda line, following: noted.append((line, following)))
    records = decoded(found.records)
    assert [record.game for record in records] == [4, 2, 9]
    assert [record.secret for record in records] == [SECRETS[4], SECRETS[2], SECRETS[9]]
    assert (found.entry, found.serial, found.numbers, found.left) == (1, 7, (4, 2, 9), ())
    assert found.n_won == sum(record.verdict == Verdict.WON for record in records) in (1, 2)
    assert [one.game for one in found.durations] == [4, 2, 9]
    assert found.cpu_s == pytest.approx(sum(one.charged_s for one in found.durations))
    assert noted == list(zip(found.records, [2, 9, None], strict=True))


def test_a_chunk_that_takes_too_long_ends_with_the_game_that_is_being_played(worker, monkeypatch):
    noted = []
    monkeypatch.setattr(run_worker, "MAX_CHUNK_S", 0.0)
    found = run_chunk(worker, Chunk(0, (4, 2, 9)), lambda line, following: noted.append(following))
    assert (found.numbers, found.left, len(found.records), noted) == ((4,), (2, 9), 1, [None])


def test_games_that_are_passed_over_have_their_secrets_and_no_moves(worker, bot):
    found = run_chunk(worker, Chunk(0, (5, 0), Work.SKIP))
    message = "not played: the entry had used up its time for all games"
    assert decoded(found.records) == [Record(at, SECRETS[at], [], Verdict.UNPLAYED, message) for at in (5, 0)]
    assert (bot.n_games, found.numbers, found.durations, found.n_won, found.cpu_s) == (0, (5, 0), [], 0, 0.0)
    assert found.pace_s > 0


def test_a_game_is_repeated_once_if_it_goes_as_before_and_twice_if_not(worker, bot):
    honest = run_chunk(worker, Chunk(0, (3, 8))).records
    again = run_chunk(worker, Chunk(0, (3, 8), Work.REPEAT, first=tuple(honest)))
    assert again.records == honest
    assert (again.numbers, again.n_won, again.cpu_s, again.pace_s) == ((3, 8), 0, 0.0, 1.0)
    bot.moody = True
    moody = run_chunk(worker, Chunk(0, (3,), Work.REPEAT, first=tuple(honest[:1]))).records
    assert [record.game for record in decoded(moody)] == [3, 3]
    assert moody[0] != moody[1] != honest[0] != moody[0]
    unplayed = encode(Record(3, "crane", [], Verdict.UNPLAYED, "why"))
    before = bot.n_games
    assert run_chunk(worker, Chunk(0, (3,), Work.REPEAT, first=(unplayed,))).records == [unplayed]
    assert bot.n_games == before


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
def counting(tmp_path):
    """A worker for entries that count their games since they were started."""
    run = new_run(tmp_path, {"bot": COUNTS, "other": COUNTS}, player=PlayerKind.TRUSTED, level="")
    with player_pool(run, tmp_path) as pool:
        worker = RunWorker(run.info, KEY, pool)
        yield worker
        worker.close()


def first_guess(played):
    record = played[0] if isinstance(played, tuple) else played
    return record.moves[0].guess


def test_a_worker_keeps_the_process_of_an_entry_until_another_one_plays(counting):
    guesses = [first_guess(counting.play(index, 3)) for index in (0, 0, 1, 1, 0)]
    assert guesses == ["crane", "slate", "crane", "slate", "crane"]
    assert [counting.entry(index).slug for index in (0, 1)] == ["bot", "other"]


def test_a_process_is_new_where_it_is_asked_for_or_every_answer_is_played(counting):
    assert [first_guess(counting.play(0, at, in_new_process=at > 1)) for at in range(4)] == [
        "crane", "slate", "crane", "crane",
    ]  # fmt: skip
    assert [first_guess(counting.play_again(0, at, in_new_process=at > 1)) for at in range(4)] == [
        "slate", "moist", "crane", "crane",
    ]  # fmt: skip
    counting.config = msgspec.structs.replace(counting.config, player=PlayerKind.PROCESS, every_answer=True)
    assert [first_guess(counting.play(0, at)) for at in range(2)] == ["crane", "crane"]


def test_a_slot_keeps_its_worker_for_a_run_and_makes_another_one_for_another_run(tmp_path):
    runs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        runs.append(new_run(tmp_path / name, {"bot": COUNTS}, player=PlayerKind.TRUSTED, level=""))
    tasks, slot = [WorkerTask(run.folder, tmp_path, KEY) for run in runs], WorkerSlot()
    first = slot.worker(tasks[0])
    assert slot.worker(WorkerTask(runs[0].folder, tmp_path, KEY)) is first
    assert first_guess(first.play(0, 3)) == "crane"
    second = slot.worker(tasks[1])
    assert (second is first, slot.run.folder) == (False, runs[1].folder)
    slot.close()
    slot.close()  # there is none
    assert slot.worker(tasks[1]) is not second
    slot.close()


@pytest.fixture
def slot():
    yield WORKER
    WORKER.close()


@pytest.mark.slow
def test_only_played_chunks_of_processes_keep_a_journal(tmp_path, slot):
    run = new_run(tmp_path, {"bot": COUNTS}, player=PlayerKind.PROCESS, level="D", n_games=9, timeout_s=5.0)
    task, entry = WorkerTask(run.folder, tmp_path, KEY), run.entries[0]
    for work in (Work.SKIP, Work.REPEAT):
        run_chunk_with_journal(task, Chunk(0, (4, 2), work, serial=6))
        assert journal.read(run, entry) == ([], [])
    found = run_chunk_with_journal(task, Chunk(0, (4, 2), serial=5))
    assert journal.path_of(run, entry, 5).read_bytes() == b"4\n" + found.records[0] + b"2\n" + found.records[1]
    assert [record.verdict for record in decoded(found.records)] == [Verdict.WRONG] * 2


def test_trusted_entries_keep_no_journal(tmp_path, slot):
    run = new_run(tmp_path, {"bot": COUNTS}, player=PlayerKind.TRUSTED, level="")
    found = run_chunk_with_journal(WorkerTask(run.folder, tmp_path, KEY), Chunk(0, (4, 2)))
    assert len(found.records) == 2
    assert journal.read(run, run.entries[0]) == ([], [])
