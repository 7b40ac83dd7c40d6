"""A run's records depend on its seed alone, and no game that was played is lost."""

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl.contest import run_worker, runner
from wordpl.contest.isolation import player_pool
from wordpl.contest.run_worker import Worker, run_chunk
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run
from wordpl.run.records import Duration, Record

DRAWS = Draws.of("seven")


def play(run, jobs=1):
    resume(run, jobs=jobs).play()
    return run.entry(run.info.entries[0]).records_path.read_bytes()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_workers(make_run):
    records = play(make_run("one", player=PlayerKind.PROCESS))
    assert play(make_run("two", player=PlayerKind.PROCESS), jobs=2) == records
    assert play(make_run("trusted")) == records
    assert records.count(b"\n") == 60
    assert len(set(records.splitlines())) == 60


def test_a_run_interrupted_anywhere_ends_with_the_same_bytes(make_run):
    run = make_run("whole")
    entry = run.info.entries[0]
    all_records = play(run)
    lines = all_records.splitlines(keepends=True)
    for remaining in (b"", lines[3][:20], b"".join(lines[40:]) + b"".join(lines[7:20]) + lines[30][:-1]):
        run.info.finished = run.info.seal = None
        run.write_info()
        run.entry(entry).records_path.write_bytes(remaining)
        run.remove_torn()
        assert play(run) == all_records


def test_durations_are_stored_beside_the_records(make_run):
    run = make_run("durations", n_games=5)
    play(run)
    lines = (run.folder / "durations" / "bot.csv").read_text().splitlines()
    assert lines[0] == "game;cpu_s;wall_s;machine;start_s"
    assert sorted(line.split(";")[0] for line in lines[1:]) == list("01234")


@dataclass
class RemoteWorkforce:
    """A workforce that keeps no journal on the host's disk, like a cluster, and whose outcomes come out of order.

    Attributes:
        returned_twice: Serial numbers of chunks whose outcome comes twice, as another worker has played them too.
    """

    run: Run
    worker: Worker
    draws: Draws = DRAWS
    n_workers: int = 3
    returned_twice: tuple[int, ...] = ()
    n_left: int = 0

    @contextmanager
    def outcomes(self, chunks):
        yield self._outcomes(chunks)

    def _outcomes(self, chunks):
        handed_out = list(islice(chunks, self.n_workers))
        while handed_out:
            chunk = handed_out.pop()
            self.run.entries[chunk.entry].begin_journal(chunk.serial, chunk.numbers)
            for _ in range(1 + (chunk.serial in self.returned_twice)):
                outcome = run_chunk(self.worker, chunk)
                self.n_left += len(outcome.left)
                yield outcome
            handed_out[:0] = islice(chunks, 1)


@pytest.mark.parametrize("returned_twice", [(), (2, 5)], ids=["each chunk once", "some chunks twice"])
def test_games_that_a_worker_gives_back_unplayed_are_played_once_by_another(
    make_run, tmp_path, monkeypatch, returned_twice
):
    all_records = play(make_run("whole"))
    run = make_run("remote")
    monkeypatch.setattr(run_worker, "MAX_CHUNK_S", 0.0)  # each chunk ends with its first game
    with player_pool(run, tmp_path) as pool:
        worker = Worker(run.info.config, DRAWS, pool, run.info.entries)
        remote = RemoteWorkforce(run, worker, returned_twice=returned_twice)
        runner.play_remaining(run, remote, lambda progress: None)
        worker.close()
    entry = run.info.entries[0]
    assert remote.n_left > 0
    assert run.entry(entry).records_path.read_bytes() == all_records
    assert sorted({duration.game for duration in run.entry(entry).durations()}) == list(range(60))
    assert len(list(run.entry(entry).durations())) == 60 + len(returned_twice)
    assert run.entry(entry).read_journals() == ([], [])
    assert not run.info.played_again


def test_progress_of_a_resumed_run_includes_its_earlier_games_and_wins(make_run):
    run = make_run("progress", n_games=20)
    all_records, entry, progress_counts = play(run).splitlines(keepends=True), run.info.entries[0], []
    run.entry(entry).records_path.write_bytes(b"".join(all_records[:12]))
    with run_worker.local(run, DRAWS, 1) as workers:
        runner.play_remaining(
            run, workers, lambda progress: progress_counts.append((progress.n_played, progress.n_won))
        )
    assert progress_counts[0] == (12, sum(b'"verdict":"won"' in line for line in all_records[:12]))
    assert progress_counts[-1] == (20, sum(b'"verdict":"won"' in line for line in all_records))


def test_games_that_were_taken_have_records_and_are_sorted_if_each_follows_the_last():
    taken = runner.TakenGames(bytearray(6), 0, 0, 0.0, -1)
    taken.note(range(2))
    taken.note([2, 4])
    assert (list(taken.is_done), taken.n_played, taken.is_sorted) == ([1, 1, 1, 0, 1, 0], 4, True)
    taken.note([])
    assert taken.is_sorted
    taken.note([3])
    taken.note([5])
    assert (list(taken.is_done), taken.n_played, taken.is_sorted) == ([1] * 6, 6, False)


def test_progress_tells_how_many_games_were_won(tmp_path, monkeypatch):
    def play(worker, entry, number, **_):
        return Record(number, "crane", [], Verdict.WON if number else Verdict.WRONG), Duration(number, 1.0, 1.0)

    monkeypatch.setattr(run_worker.Worker, "play", play)
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, n_games=4, player=PlayerKind.TRUSTED, level="")
    seen = []
    with run_worker.local(run, Draws.of("won"), 1) as workers:
        runner.play_remaining(run, workers, lambda progress: seen.append((progress.n_played, progress.n_won)))
    assert seen[-1] == (4, 3)
