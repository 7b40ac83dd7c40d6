"""A run's records depend on its seed alone, and nothing that was played is lost."""

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from time import perf_counter

import pytest

from wordpl.contest import Contest, run_folder, run_worker, runner, workforce
from wordpl.contest.hidden_files import player_pool
from wordpl.contest.run_worker import Chunk, RunWorker, Work, run_chunk
from wordpl.core import journal, seeds
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import Run
from wordpl.core.run_config import RunConfig
from wordpl.core.run_records import load_run
from wordpl.players.sandbox.probe import probe

KEY = seeds.run_key("seven")


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
    ("level", "player", "expected"), [("D", "process", "D"), ("", "process", None), ("D", "trusted", "")]
)
def test_run_json_states_the_sandbox_level(level, player, expected):
    info = run_folder.describe(RunConfig(seed="1", level=level, player=player), [])
    assert info.level == (probe().level if expected is None else expected)


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
