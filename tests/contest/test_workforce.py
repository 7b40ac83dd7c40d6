"""Workers do all tasks, in this process or in others, and leave no process or folder behind when they end."""

import os
from contextlib import suppress
from pathlib import Path
from time import sleep

import pytest
from joblib import parallel_config

from wordpl.contest import run_worker
from wordpl.contest.run_worker import Chunk
from wordpl.core.seeds import Draws

DRAWS = Draws.of("seven")


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_any_number_of_workers_does_all_tasks(jobs):
    tasks = ((number,) for number in range(12))
    with parallel_config(backend="threading"), run_worker.unordered(str, tasks, jobs) as outcomes:
        assert sorted(outcomes, key=int) == list(map(str, range(12)))


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_work_that_is_left_unfinished_ends_without_a_warning():
    with (
        parallel_config(backend="threading"),
        run_worker.unordered(sleep, ((0.1 * n,) for n in range(9)), 2) as outcomes,
    ):
        assert next(outcomes) is None


def test_only_a_few_tasks_are_made_in_advance():
    made_numbers = []
    tasks = ((made_numbers.append(number) or number,) for number in range(50))
    with parallel_config(backend="threading"), run_worker.unordered(str, tasks, 1) as outcomes:
        assert [next(outcomes) for _ in range(3)] == ["0", "1", "2"]
        assert len(made_numbers) <= 6


def loky_workers():
    """Return the processes that joblib has started for this one."""
    pids = []
    for process_folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((process_folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"popen_loky" in (process_folder / "cmdline").read_bytes():
                pids.append(process_folder.name)
    return pids


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_read", [1, 8])
def test_worker_processes_end_with_the_workforce_whether_or_not_all_work_is_done(make_run, n_read):
    run = make_run("workers", n_games=8)
    with run_worker.local(run, DRAWS, 2) as workers:
        folder = workers.task.parent
        assert (workers.n_workers, workers.draws, folder.is_dir()) == (2, DRAWS, True)
        with workers.outcomes(Chunk(0, (number,), serial=number) for number in range(8)) as outcomes:
            assert [next(outcomes).entry for _ in range(n_read)] == [0] * n_read
            assert loky_workers()
    assert not folder.exists()
    assert not loky_workers()


def test_a_workforce_restores_the_working_folder_and_removes_its_own(make_run):
    run, original_folder = make_run("worker", n_games=3), Path.cwd()
    with run_worker.local(run, DRAWS, 1) as workers:
        with workers.outcomes(iter([Chunk(0, (0, 1, 2))])) as outcomes:
            (outcome,) = outcomes
        assert Path.cwd() != original_folder  # trusted entries play in a folder of their own
        assert workers.task.parent.is_dir()
    assert Path.cwd() == original_folder
    assert not workers.task.parent.exists()
    assert outcome.numbers == (0, 1, 2)
