"""A run's records depend on its seed alone, and nothing that was played is lost."""

import os
from array import array
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter, sleep

import pytest
from joblib import parallel_config

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import Contest, run_folder, run_worker, runner, workforce
from wordpl.contest.chunks import Outcome
from wordpl.contest.hidden_files import player_pool
from wordpl.contest.run_worker import Chunk, RunWorker, Work, run_chunk
from wordpl.contest.runner import EntryQueue
from wordpl.core import journal, seeds
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import Duration, Record, Run, Verdict, encode
from wordpl.core.run_config import RunConfig
from wordpl.core.run_records import load_run
from wordpl.players.sandbox.probe import probe

KEY = seeds.run_key("seven")


@pytest.fixture
def run_of(tmp_path):
    """Make a run of an honest entry, whose games are all different; by default in this process, which costs least."""

    def make(name, n_games=60, player=PlayerKind.TRUSTED):
        (tmp_path / name).mkdir()
        return new_run(tmp_path / name, {"bot": DRAWS_ALL}, n_games=n_games, player=player)

    return make


def play(run, jobs=1):
    Contest.resume(run.folder, jobs=jobs).play()
    return run.path(run.info.entries[0]).read_bytes()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_workers(run_of):
    alone = play(run_of("one", player=PlayerKind.PROCESS))
    assert play(run_of("two", player=PlayerKind.PROCESS), jobs=2) == alone
    assert play(run_of("trusted")) == alone
    assert alone.count(b"\n") == 60
    assert len(set(alone.splitlines())) == 60


def test_a_run_that_was_cut_off_anywhere_ends_with_the_same_bytes(run_of):
    run = run_of("whole")
    entry = run.info.entries[0]
    whole = play(run)
    lines = whole.splitlines(keepends=True)
    for kept in (b"", lines[3][:20], b"".join(lines[40:]) + b"".join(lines[7:20]) + lines[30][:-1]):
        run.path(entry).write_bytes(kept)
        run_folder.truncate_torn_tails(run)
        assert play(run) == whole


def test_a_finished_run_is_not_played_again(run_of):
    run = run_of("done", n_games=3)
    play(run)
    before = run.path(run.info.entries[0]).stat()
    play(run)
    after = run.path(run.info.entries[0]).stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_record_that_cannot_be_read_is_named(run_of):
    run = run_of("broken", n_games=3)
    play(run)
    path = run.path(run.info.entries[0])
    path.write_bytes(path.read_bytes().replace(b'"game":1', b'"game":"x"'))
    with pytest.raises(UserError, match=r"line 2 of .*bot\.jsonl is not a record"):
        run.read(run.info.entries[0])


def test_a_run_loads_as_a_table(run_of):
    run = run_of("table", n_games=20)
    play(run)
    table = load_run(run.folder)
    assert list(table.game) == list(range(20))
    assert set(table.entry) == {"bot"}
    won = table.verdict == "won"
    assert (table.cost[~won] == float("inf")).all()
    assert (table.n_moves == table.moves.map(len)).all()


def test_durations_stand_beside_the_records(run_of):
    run = run_of("durations", n_games=5)
    play(run)
    lines = (run.folder / "durations" / "bot.csv").read_text().splitlines()
    assert lines[0] == "game;cpu_s;wall_s;machine;start_s"
    assert sorted(line.split(";")[0] for line in lines[1:]) == list("01234")


def test_changed_word_lists_are_noticed(run_of):
    run = run_of("lists")
    run.info.lists["answers"]["sha256"] = "0" * 64
    with pytest.raises(UserError, match=r"answers\.txt has changed since the run started"):
        run_folder.lists_of(run.info)


@dataclass
class Remote:
    """A worker that keeps no journal on the host's disk, as those of a cluster, and whose outcomes come out of order.

    Attributes:
        lost: Serial numbers of chunks that are played by another worker first, whose outcome comes too.
    """

    run: Run
    worker: RunWorker
    key: bytes = KEY
    n_workers: int = 3
    lost: tuple[int, ...] = ()
    n_left: int = 0

    @contextmanager
    def outcomes(self, chunks):
        yield self._outcomes(chunks)

    def _outcomes(self, chunks):
        handed = list(islice(chunks, self.n_workers))
        while handed:
            chunk = handed.pop()
            journal.begin(self.run, self.run.entries[chunk.entry], chunk.serial, chunk.numbers)
            for _ in range(1 + (chunk.serial in self.lost)):
                outcome = run_chunk(self.worker, chunk)
                self.n_left += len(outcome.left)
                yield outcome
            handed[:0] = islice(chunks, 1)


@pytest.mark.parametrize("lost", [(), (2, 5)], ids=["each chunk once", "some chunks twice"])
def test_games_that_a_worker_gives_back_unplayed_are_played_once_by_another(run_of, tmp_path, monkeypatch, lost):
    whole = play(run_of("whole"))
    run = run_of("remote")
    monkeypatch.setattr(run_worker, "MAX_CHUNK_S", 0.0)  # each chunk ends with its first game
    with player_pool(run, tmp_path) as pool:
        worker = RunWorker(run.info, KEY, pool)
        remote = Remote(run, worker, lost=lost)
        runner.play_remaining(run, remote, lambda progress: None)
        worker.close()
    entry = run.entries[0]
    assert remote.n_left > 0
    assert run.path(entry).read_bytes() == whole
    assert sorted({one.game for one in run.durations(entry)}) == list(range(60))
    assert len(list(run.durations(entry))) == 60 + len(lost)
    assert journal.read(run, entry) == ([], [])
    assert not run.info.played_again


def test_records_of_a_run_that_ended_before_they_were_in_order_are_put_in_order(run_of):
    run = run_of("whole", n_games=12)
    whole = play(run)
    path = run.path(run.info.entries[0])
    path.write_bytes(b"".join(reversed(whole.splitlines(keepends=True))))
    runner.play_run(run, KEY)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("level", "player", "told"), [("D", "process", "D"), ("", "process", None), ("D", "trusted", "")]
)
def test_run_json_states_the_sandbox_level(level, player, told):
    info = run_folder.describe(RunConfig(seed="1", level=level, player=player), [])
    assert info.level == (probe().level if told is None else told)


def test_chunks_double_while_games_are_quick_and_shrink_when_they_are_slow(run_of):
    queue = EntryQueue(run_of("queue").entries[0], bytearray(100), array("q", range(100, 0, -1)))
    assert queue.next_chunk(0.3) == (1,)  # nothing is known of its pace yet
    queue.pace_s = 0.01
    sizes = [len(queue.next_chunk(0.3)) for _ in range(5)]
    assert sizes == [2, 4, 8, 16, 30]
    queue.pace_s = 0.1
    assert queue.next_chunk(0.35) == (62, 63, 64)
    queue.pace_s = 9.0
    assert queue.next_chunk(0.3) == (65,)
    assert queue.next_skipped() == tuple(range(66, 101))
    patient = EntryQueue(queue.entry, bytearray(9), array("q", range(9)))
    assert len(patient.next_chunk(9.0)) == 2


def test_returned_games_are_queued_next_once_each_in_order(run_of):
    queue = EntryQueue(run_of("queue").entries[0], bytearray(10), array("q", [9, 8]))
    queue.given_back += [3, 4, 3, 5]
    queue.is_done[4] = 1
    assert queue.requeue()
    assert queue.next_skipped() == (3, 5, 8, 9)
    assert not queue.requeue()


def test_the_pace_of_a_chunk_is_the_time_of_one_of_its_games(run_of, tmp_path):
    run = run_of("pace", n_games=30)
    with player_pool(run, tmp_path) as pool:
        worker = RunWorker(run.info, KEY, pool)
        started = perf_counter()
        played = run_chunk(worker, Chunk(0, tuple(range(30))))
        passed_over = run_chunk(worker, Chunk(0, tuple(range(30)), Work.SKIP))
        most = perf_counter() - started
        worker.close()
    assert 0 < 30 * played.pace_s + 30 * passed_over.pace_s <= most
    assert played.n_won == sum(b'"verdict":"won"' in line for line in played.records)
    assert (passed_over.n_won, passed_over.cpu_s, passed_over.left) == (0, 0.0, ())
    assert played.cpu_s == pytest.approx(sum(one.charged_s for one in played.durations))


def test_progress_counts_games_and_wins_from_where_the_run_goes_on(run_of):
    run = run_of("progress", n_games=20)
    whole, entry, seen = play(run).splitlines(keepends=True), run.entries[0], []
    run.path(entry).write_bytes(b"".join(whole[:12]))
    with workforce.local(run, KEY, 1) as workers:
        runner.play_remaining(run, workers, lambda progress: seen.append((progress.n_played, progress.n_won)))
    assert seen[0] == (12, sum(b'"verdict":"won"' in line for line in whole[:12]))
    assert seen[-1] == (20, sum(b'"verdict":"won"' in line for line in whole))


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_all_tasks_are_done_by_any_number_of_workers(jobs):
    tasks = ((number,) for number in range(12))
    with parallel_config(backend="threading"), workforce.unordered(str, tasks, jobs) as outcomes:
        assert sorted(outcomes, key=int) == list(map(str, range(12)))


def test_at_most_10000_games_are_skipped_at_a_time(run_of):
    n = 10_003
    queue = EntryQueue(run_of("queue").entries[0], bytearray(n), array("q", range(n - 1, -1, -1)))
    assert queue.next_skipped() == tuple(range(10_000))
    assert queue.next_skipped() == (10_000, 10_001, 10_002)
    assert queue.next_skipped() == ()


@dataclass
class Watched:
    """A workforce that keeps the chunks that it is handed, and passes over all games."""

    run: Run
    n_workers: int = 1
    key: bytes = KEY

    def __post_init__(self):
        self.chunks = []

    @contextmanager
    def outcomes(self, chunks):
        yield map(self._outcome, chunks)

    def _outcome(self, chunk):
        self.chunks.append(chunk)
        lines = [encode(Record(number, "crane", [], Verdict.LATE)) for number in chunk.numbers]
        times = [Duration(number, 1.0, 1.0) for number in chunk.numbers]
        return Outcome(chunk.entry, chunk.serial, chunk.numbers, (), lines, times, 0, 0.01, 1.0 * len(lines))


def two_entries(tmp_path, **terms):
    return new_run(tmp_path, {"one": DRAWS_ALL, "two": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="", **terms)


@pytest.mark.parametrize(("n_workers", "largest"), [(1, 30), (20, 30), (60, 60)])
def test_entries_play_in_sequence_and_chunks_are_numbered(tmp_path, n_workers, largest):
    run, seen = two_entries(tmp_path, n_games=200), []
    workers = Watched(run, n_workers)
    runner.play_remaining(run, workers, lambda progress: seen.append((progress.entry.slug, progress.n_played)))
    order = seeds.order(KEY, 200)
    for index in (0, 1):
        own = [chunk for chunk in workers.chunks if chunk.entry == index]
        assert [number for chunk in own for number in chunk.numbers] == order
        assert max(len(chunk.numbers) for chunk in own) == largest
        assert [one.game for one in run.read(run.entries[index])] == list(range(200))
    assert [chunk.serial for chunk in workers.chunks] == list(range(1, len(workers.chunks) + 1))
    assert [chunk.entry for chunk in workers.chunks] == sorted(chunk.entry for chunk in workers.chunks)
    assert {chunk.work for chunk in workers.chunks} == {Work.PLAY}
    assert (seen[0], seen[-1], len(seen)) == (("one", 0), ("two", 200), 1 + len(workers.chunks))


@pytest.mark.parametrize(("total_s", "n_played"), [(7.0, 7), (7.5, 15), (0.5, 1)])
def test_remaining_games_are_skipped_once_the_total_time_is_used_up(tmp_path, total_s, n_played):
    run = two_entries(tmp_path, n_games=40, total_s=total_s)
    workers = Watched(run)
    runner.play_remaining(run, workers, lambda progress: None)
    for index in (0, 1):
        own = [chunk for chunk in workers.chunks if chunk.entry == index]
        played = sum(len(chunk.numbers) for chunk in own if chunk.work == Work.PLAY)
        skipped = [chunk for chunk in own if chunk.work == Work.SKIP]
        assert (played, [len(chunk.numbers) for chunk in skipped]) == (n_played, [40 - n_played])
        assert own[-1] == skipped[0]


def test_entries_can_be_skipped_or_stopped_during_the_run(tmp_path):
    run, seen = two_entries(tmp_path, n_games=20), []

    def watch(progress):
        seen.append((progress.entry.slug, progress.n_played, progress.n_won, progress.n_games))
        return runner.STOP_ENTRY if progress.n_played >= 6 else None

    runner.play_remaining(run, Watched(run), watch, without=["one"])
    assert [len(run.read(entry)) for entry in run.entries] == [0, 7]  # chunks of 1, 2 and 4 games
    assert seen == [("two", n_played, 0, 20) for n_played in (0, 1, 3, 7)]


def test_finished_entries_are_reported_first(tmp_path):
    run, seen = two_entries(tmp_path, n_games=3), []
    lines = [encode(Record(number, "crane", [], Verdict.WON)) for number in (2, 0, 1)]
    run.path(run.entries[1]).write_bytes(b"".join(lines))
    workers = Watched(run)
    runner.play_remaining(
        run, workers, lambda progress: seen.append((progress.entry.slug, progress.n_played, progress.n_won))
    )
    assert seen[:2] == [("two", 3, 3), ("one", 0, 0)]
    assert {chunk.entry for chunk in workers.chunks} == {0}
    assert [one.game for one in run.read(run.entries[1])] == [0, 1, 2]
    assert run.path(run.entries[1]).read_bytes().startswith(lines[1])  # in the order of games


@pytest.mark.filterwarnings("error")
def test_work_that_is_left_unfinished_ends_without_a_warning():
    with (
        parallel_config(backend="threading"),
        workforce.unordered(sleep, ((0.1 * n,) for n in range(9)), 2) as outcomes,
    ):
        assert next(outcomes) is None


def test_tasks_are_made_a_few_in_advance_of_the_work():
    made = []
    tasks = ((made.append(n) or n,) for n in range(50))
    with parallel_config(backend="threading"), workforce.unordered(str, tasks, 1) as outcomes:
        assert [next(outcomes) for _ in range(3)] == ["0", "1", "2"]
        assert len(made) <= 6


def loky_workers():
    """Return the processes that joblib has started for this one."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"popen_loky" in (path / "cmdline").read_bytes():
                found.append(path.name)
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_read", [1, 8])
def test_worker_processes_end_with_the_workforce_whether_or_not_all_work_is_done(run_of, n_read):
    run = run_of("two", n_games=8)
    with workforce.local(run, KEY, 2) as workers:
        folder = workers.task.parent
        assert (workers.n_workers, workers.key, folder.is_dir()) == (2, KEY, True)
        with workers.outcomes(Chunk(0, (number,), serial=number) for number in range(8)) as outcomes:
            assert [next(outcomes).entry for _ in range(n_read)] == [0] * n_read
            assert loky_workers()
    assert not folder.exists()
    assert not loky_workers()


def test_a_workforce_restores_the_working_folder_and_removes_its_own(run_of):
    run, here = run_of("one", n_games=3), Path.cwd()
    with workforce.local(run, KEY, 1) as workers:
        with workers.outcomes(iter([Chunk(0, (0, 1, 2))])) as outcomes:
            (outcome,) = outcomes
        assert Path.cwd() != here  # trusted entries play in a folder of their own
        assert workers.task.parent.is_dir()
    assert Path.cwd() == here
    assert not workers.task.parent.exists()
    assert outcome.numbers == (0, 1, 2)


def test_the_defaults_of_chunks_and_outcomes():
    chunk, outcome = Chunk(0, (1,)), Outcome(0, 3, (1,))
    assert (chunk.work, chunk.serial, chunk.in_new_process, chunk.first) == (Work.PLAY, 0, False, ())
    assert (outcome.left, outcome.records, outcome.durations, outcome.n_won) == ((), [], [], 0)
    assert (outcome.pace_s, outcome.cpu_s) == (1.0, 0.0)
