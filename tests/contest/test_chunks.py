"""Which games are handed to workers, in which chunks and in which order."""

from array import array
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import runner
from wordpl.contest.run_worker import Outcome, Work
from wordpl.contest.runner import EntryQueue
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run
from wordpl.run.records import Duration, Record, encode

DRAWS = Draws.of("seven")


def test_chunks_double_while_games_are_quick_and_shrink_when_they_are_slow(make_run):
    queue = EntryQueue(make_run("queue").entries[0], bytearray(101), array("q", range(1, 101)))
    assert queue.next_chunk(0.3) == (1,)  # nothing is known of its pace yet
    queue.pace_s = 0.01
    sizes = [len(queue.next_chunk(0.3)) for _ in range(5)]
    assert sizes == [2, 4, 8, 16, 30]
    queue.pace_s = 0.1
    assert queue.next_chunk(0.35) == (62, 63, 64)
    queue.pace_s = 9.0
    assert queue.next_chunk(0.3) == (65,)
    assert queue.take(runner.MAX_SKIPPED_GAMES) == tuple(range(66, 101))
    other_queue = EntryQueue(queue.entry, bytearray(9), array("q", range(9)))
    assert len(other_queue.next_chunk(9.0)) == 2


def test_returned_games_are_queued_next_once_each_in_order(make_run):
    queue = EntryQueue(make_run("queue").entries[0], bytearray(10), array("q", [8, 9]))
    queue.given_back += [3, 4, 3, 5]
    queue.is_done[4] = 1
    assert queue.requeue()
    assert queue.take(runner.MAX_SKIPPED_GAMES) == (3, 5, 8, 9)
    assert not queue.requeue()
    queue.given_back, queue.returned = [3], [5]
    queue.stop()
    assert not queue.requeue()


def test_at_most_10000_games_are_skipped_at_a_time(make_run):
    n = 10_003
    queue = EntryQueue(make_run("queue").entries[0], bytearray(n), array("q", range(n)))
    assert queue.take(runner.MAX_SKIPPED_GAMES) == tuple(range(10_000))
    assert queue.take(runner.MAX_SKIPPED_GAMES) == (10_000, 10_001, 10_002)
    assert queue.take(runner.MAX_SKIPPED_GAMES) == ()


@dataclass
class RecordingWorkforce:
    """A workforce that records the chunks it gets and reports every game as late."""

    run: Run
    n_workers: int = 1
    draws: Draws = DRAWS
    void: Sequence[int] = ()

    def __post_init__(self):
        self.chunks = []

    @contextmanager
    def outcomes(self, chunks):
        yield map(self._outcome, chunks)

    def _outcome(self, chunk):
        self.chunks.append(chunk)
        lines = [encode(Record(number, "crane", [], Verdict.LATE)) for number in chunk.numbers]
        times = [Duration(number, 1.0, 1.0) for number in chunk.numbers]
        void = [number for number in chunk.numbers if number in self.void]
        return Outcome(chunk.entry, chunk.serial, chunk.numbers, (), lines, times, 0, 0.01, 1.0 * len(lines), void)


def run_of_two(tmp_path, **settings):
    return new_run(tmp_path, {"one": DRAWS_ALL, "two": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="", **settings)


@pytest.mark.parametrize("n_workers", [1, 60])
def test_entries_play_in_sequence_and_chunks_are_numbered(tmp_path, n_workers):
    run, reports = run_of_two(tmp_path, n_games=200), []
    workers = RecordingWorkforce(run, n_workers)
    runner.play_remaining(run, workers, lambda progress: reports.append((progress.entry.slug, progress.n_played)))
    order = DRAWS.order(200)
    for index in (0, 1):
        entry_chunks = [chunk for chunk in workers.chunks if chunk.entry == index]
        assert [number for chunk in entry_chunks for number in chunk.numbers] == order
        assert max(len(chunk.numbers) for chunk in entry_chunks) == 30
        assert [record.game for record in run.entries[index].read()] == list(range(200))
    assert [chunk.serial for chunk in workers.chunks] == list(range(1, len(workers.chunks) + 1))
    assert [chunk.entry for chunk in workers.chunks] == sorted(chunk.entry for chunk in workers.chunks)
    assert {chunk.work for chunk in workers.chunks} == {Work.PLAY}
    assert (reports[0], reports[-1], len(reports)) == (("one", 0), ("two", 200), 1 + len(workers.chunks))


@pytest.mark.parametrize(("total_s", "n_played"), [(7.0, 7), (7.5, 15), (0.5, 1)])
def test_remaining_games_are_skipped_once_the_total_time_is_used_up(tmp_path, total_s, n_played):
    run = run_of_two(tmp_path, n_games=40, total_s=total_s)
    workers = RecordingWorkforce(run)
    runner.play_remaining(run, workers, lambda progress: None)
    for index in (0, 1):
        entry_chunks = [chunk for chunk in workers.chunks if chunk.entry == index]
        n_played_in_chunks = sum(len(chunk.numbers) for chunk in entry_chunks if chunk.work == Work.PLAY)
        skipped = [chunk for chunk in entry_chunks if chunk.work == Work.SKIP]
        assert (n_played_in_chunks, [len(chunk.numbers) for chunk in skipped]) == (n_played, [40 - n_played])
        assert entry_chunks[-1] == skipped[0]


def test_the_time_that_was_used_before_an_interruption_counts_when_the_run_goes_on(tmp_path):
    run = run_of_two(tmp_path, n_games=40, total_s=4.0)

    def interrupt(progress):
        if progress.n_played == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.play_remaining(run, RecordingWorkforce(run), interrupt)
    rest = RecordingWorkforce(run)
    runner.play_remaining(Run(run.folder), rest, lambda progress: None)
    played = [len(chunk.numbers) for chunk in rest.chunks if chunk.entry == 0 and chunk.work == Work.PLAY]
    assert played == [1]  # of 4 seconds, 3 were used


def test_a_game_that_was_played_again_because_the_referee_paused_is_listed(tmp_path):
    run = run_of_two(tmp_path, n_games=3)
    workers = RecordingWorkforce(run, void=[1])
    runner.play_remaining(run, workers, lambda progress: None)
    assert Run(run.folder).info.played_again == {"one": [1], "two": [1]}


def test_entries_can_be_skipped_or_stopped_during_the_run(tmp_path):
    run, reports = run_of_two(tmp_path, n_games=20), []

    def watch(progress):
        reports.append((progress.entry.slug, progress.n_played, progress.n_won, progress.n_games))
        return runner.STOP_ENTRY if progress.n_played >= 6 else None

    runner.play_remaining(run, RecordingWorkforce(run), watch, without=["one"])
    assert [len(entry.read()) for entry in run.entries] == [0, 7]  # chunks of 1, 2 and 4 games
    assert reports == [("two", n_played, 0, 20) for n_played in (0, 1, 3, 7)]


def test_finished_entries_are_reported_first(tmp_path):
    run, reports = run_of_two(tmp_path, n_games=3), []
    lines = [encode(Record(number, "crane", [], Verdict.WON)) for number in (2, 0, 1)]
    run.entries[1].records_path.write_bytes(b"".join(lines))
    workers = RecordingWorkforce(run)
    runner.play_remaining(
        run, workers, lambda progress: reports.append((progress.entry.slug, progress.n_played, progress.n_won))
    )
    assert reports[:2] == [("two", 3, 3), ("one", 0, 0)]
    assert {chunk.entry for chunk in workers.chunks} == {0}
    assert [record.game for record in run.entries[1].read()] == [0, 1, 2]
    assert run.entries[1].records_path.read_bytes().startswith(lines[1])  # in the order of games
