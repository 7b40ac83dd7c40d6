"""`wordpl evaluate --cluster` on a real scheduler of dask: the bytes of one machine, and a sentence for each fault."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from wordpl.apps.cluster import engine
from wordpl.core.messages import UserError
from wordpl.run.folder import Run

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
BOT = """
import random, time
from pathlib import Path
GUESSES, ANSWERS = (Path(name).read_text().split() for name in ("valid.txt", "answers.txt"))


class Bot:
    def first_move(self):
        time.sleep({sleep_s})
        return random.choice(GUESSES), 5.0

    def next_move(self, guess, epsilon, clues):
        return random.choice(ANSWERS), 0
"""
N_GAMES = 240


class Dask:
    """A scheduler and workers of dask on this machine."""

    def __init__(self, folder: Path):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.processes: list[subprocess.Popen] = []

    def start(self, *arguments: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        with (self.folder / f"{len(self.processes)}.log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, start_new_session=True)
        self.processes.append(process)
        return process

    def scheduler(self) -> subprocess.Popen:
        return self.start("scheduler", "--host", "127.0.0.1", "--port", self.address.rpartition(":")[2])

    def worker(self) -> subprocess.Popen:
        return self.start("worker", self.address, "--nworkers", "1", "--nthreads", "1")


@pytest.fixture
def dask(tmp_path):
    """Yield dask's processes, which end with the test."""
    (tmp_path / "dask").mkdir()
    started = Dask(tmp_path / "dask")
    yield started
    for process in started.processes:
        end(process)


def end(process: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)


@pytest.fixture
def home(tmp_path):
    """Return a folder with a bot."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def begin(home: Path, results: str, *options: str, sleep_s: float = 0.0) -> subprocess.Popen:
    (home / "bot.py").write_text(BOT.format(sleep_s=sleep_s))
    earlier = sorted((home / results).glob("2*/run.json"))
    what = (
        ["--resume", earlier[0].parent] if earlier else ["bot.py", "--seed", "7", "--games", N_GAMES, "--repeats", "2"]
    )
    where = [] if earlier else ["--results", results]
    command = [sys.executable, "-m", "wordpl", "evaluate", *what, *where, "--no-report", *options]
    return subprocess.Popen([*map(str, command)], cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def output_of(process: subprocess.Popen, code: int) -> str:
    output = process.communicate(timeout=500)[0]
    assert process.returncode == code, output
    assert "Traceback" not in output
    return " ".join(output.split())


def run_in(home: Path, results: str) -> Run:
    (folder,) = (home / results).glob("2*")
    return Run(folder)


def files_of(home: Path, results: str) -> dict[str, bytes]:
    run = run_in(home, results)
    assert run.info.finished is not None
    return {
        path.name: path.read_bytes() for part in ("records", "fingerprints") for path in (run.folder / part).iterdir()
    }


def wait_until(holds, timeout_s: float = 240.0) -> None:
    until = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.1)


def n_taken(home: Path, results: str) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (home / results).glob("2*/records/*"))


def test_a_run_on_workers_has_the_bytes_of_one_machine_and_survives_their_death(home, dask):
    output_of(begin(home, "one", "--jobs", "2"), 0)
    dask.scheduler()
    first, _ = dask.worker(), dask.worker()
    process = begin(home, "many", "--cluster", dask.address, sleep_s=0.1)
    wait_until(lambda: n_taken(home, "many") > 0)
    end(first)
    dask.worker()
    output = output_of(process, 0)
    assert output.count("entry done") >= 1
    assert files_of(home, "many") == files_of(home, "one")
    run = run_in(home, "many")
    assert len(run.info.parts) >= 4
    assert not any((run.folder / "parts").iterdir())


def test_each_fault_of_a_cluster_is_a_sentence_with_the_command_to_go_on(home, dask, monkeypatch):
    output = output_of(begin(home, "run", "--cluster", dask.address), 1)
    assert re.search(r"no scheduler answers at \S+ .*start one with `dask scheduler`", output)
    assert re.search(r"To play the rest: wordpl evaluate --resume run/\S+ --cluster tcp://", output)
    scheduler = dask.scheduler()
    monkeypatch.setattr(engine, "NO_WORKER_S", 2.0)
    with pytest.raises(
        UserError, match=r"has no worker: start one with `dask worker tcp://127.0.0.1:\d+ --nthreads 1`"
    ):
        list(engine.parts(run_in(home, "run"), dask.address))
    process = begin(home, "run", "--cluster", dask.address)  # Ctrl-C while it waits for a worker
    time.sleep(8)
    process.send_signal(signal.SIGINT)
    assert re.search("To play the rest|Stopped", output_of(process, 130))
    dask.worker()
    process = begin(home, "run", "--cluster", dask.address)
    wait_until(lambda: n_taken(home, "run") > 0)
    end(scheduler)
    output = output_of(process, 1)
    assert "lost the connection to the scheduler" in output
    n_kept = int(re.search(r"([\d,]+) games are kept", output)[1])
    assert 0 < n_kept < N_GAMES
    output_of(begin(home, "run", "--jobs", "2"), 0)
    output_of(begin(home, "one", "--jobs", "2"), 0)
    assert files_of(home, "run") == files_of(home, "one")
    (again,) = run_in(home, "run").info.played_again.values()  # which workers may have begun
    assert len(again) == N_GAMES - n_kept


def test_a_killed_host_goes_on_with_the_parts_that_it_had(home, dask):
    dask.scheduler()
    dask.worker()
    for _ in range(2):
        before = n_taken(home, "run")
        process = begin(home, "run", "--cluster", dask.address)
        wait_until(lambda before=before: n_taken(home, "run") > before)
        process.kill()
        process.communicate()
    output_of(begin(home, "run", "--cluster", dask.address), 0)
    output_of(begin(home, "one", "--jobs", "2"), 0)
    assert files_of(home, "run") == files_of(home, "one")


def test_a_worker_with_other_versions_is_named():
    with pytest.raises(
        UserError, match=r"the worker on .* has .*'wordpl': '2.* but the run is played with .*'wordpl': '1"
    ):
        engine.play_part({}, {"wordpl": "1.0.0"})
