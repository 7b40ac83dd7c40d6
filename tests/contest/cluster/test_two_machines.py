"""A run on machines that share nothing has the same bytes as on one, whoever is killed and when."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import clusters
from tests.helpers.clusters import Cluster, kill, wait_until
from wordpl.contest.cluster import service
from wordpl.core.paths import IMPORT_ROOT
from wordpl.core.records import Run
from wordpl.core.run_records import load_run

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not clusters.can_separate(), reason=clusters.NO_NAMESPACES),
]
N_GAMES = 300
BOT = """
import pathlib
import random
from wordpl import Strategy
from strategies import words_of_mine

PRICE = float(pathlib.Path(__file__).with_name("price.txt").read_text())

class Bot(Strategy):
    def first_move(self):
        sum(range(150_000))
        self.left = random.randrange(4)
        return self.rng.choice(self.guesses), PRICE

    def next_move(self, guess, epsilon, clues):
        self.left -= 1
        return (self.rng.choice(self.guesses), 2.5) if self.left > 0 else (words_of_mine.FAVOURITE, 0)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The host's folder: an entry with a module and a data file of its own, and word lists of its own."""
    home = tmp_path_factory.mktemp("host")
    home.chmod(0o755)
    folder = home / "strategies"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    (folder / "words_of_mine.py").write_text('FAVOURITE = "crane"\n')
    (folder / "price.txt").write_text("5.0")
    for name in ("answers.txt", "valid.txt"):
        words = (IMPORT_ROOT / name).read_text().split()
        (home / f"my-{name}").write_text("".join(f"{word}\n" for word in words[::-1]))
    return home


@pytest.fixture(scope="module")
def alone(home):
    """The records of the run on one machine."""
    return records(finished(evaluate(home, "alone", "--jobs", "1")), home / "alone")


def evaluate(home: Path, results: str, *words: str) -> subprocess.Popen:
    """Begin the run, or go on with it if there is one."""
    folder = home / results
    folder.mkdir(exist_ok=True)
    begun = [path for path in folder.iterdir() if (path / "run.json").exists()]
    if begun:
        chosen = ["--resume", str(begun[0])]
    else:
        chosen = ["strategies/bot.py", "--results", results, "--games", str(N_GAMES), "--seed", "7", "--repeats", "6",
                  "--answers", "my-answers.txt", "--guesses", "my-valid.txt", "--isolation", "B"]  # fmt: skip
    command = [sys.executable, str(IMPORT_ROOT / "evaluate.py"), *chosen, "--no-report", *words]
    return subprocess.Popen(
        command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def finished(process: subprocess.Popen) -> str:
    output = process.communicate(timeout=300)[0]
    assert process.returncode == 0, output
    return output


def records(output: str, results: Path) -> bytes:
    (folder,) = results.iterdir()
    (path,) = (folder / "records").iterdir()
    assert not (folder / ".begun").exists()
    assert run_of(results).info.finished, output
    return path.read_bytes()


def run_of(results: Path) -> Run:
    (folder,) = results.iterdir()
    return Run(folder)


def n_recorded(results: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in results.glob("*/records/*"))


@pytest.fixture
def two(tmp_path, home):
    """A scheduler, and two workers that share no folder with the host and none with each other."""
    tmp_path.chmod(0o755)
    with Cluster(tmp_path, hidden=home) as cluster:
        cluster.start_scheduler()
        for name in ("ada", "bob"):
            cluster.start_worker(name, separate=True)
        for worker in cluster.workers.values():
            clusters.first_line(worker)
        yield cluster


def test_two_machines_without_a_shared_folder_give_the_same_bytes_as_one(home, alone, two):
    output = finished(evaluate(home, "cluster", *two.options))
    assert records(output, home / "cluster") == alone
    run = run_of(home / "cluster")
    assert set(run.info.workers) == {"ada", "bob"}
    assert {one.machine for one in run.durations(run.entries[0])} == {"ada", "bob"}
    assert not run.info.played_again
    assert len(load_run(run.folder)) == N_GAMES
    assert "6 games of each entry, all with the same moves" in output


def test_a_worker_that_joins_plays_and_one_that_is_killed_loses_no_game(home, alone, tmp_path):
    tmp_path.chmod(0o755)
    with Cluster(tmp_path, hidden=home) as cluster:
        cluster.start_scheduler()
        clusters.first_line(cluster.start_worker("ada", separate=True))
        process = evaluate(home, "killed-worker", *cluster.options)
        wait_until(lambda: n_recorded(home / "killed-worker") > N_GAMES // 20)
        os.killpg(cluster.workers["ada"].pid, signal.SIGSTOP)  # so that games are left when the other one joins
        clusters.first_line(cluster.start_worker("eve", separate=True))
        wait_until(lambda: "eve" in (run_of(home / "killed-worker").info.workers or {}))
        kill(cluster.workers.pop("ada"))
        output = finished(process)
    assert records(output, home / "killed-worker") == alone
    assert "worker ada lost" in output
    run = run_of(home / "killed-worker")
    assert 0 < len(run.info.played_again["bot"]) < N_GAMES
    assert set(run.info.workers) == {"ada", "eve"}


def test_a_run_whose_host_was_killed_can_be_resumed_on_any_machine(home, alone, two):
    chance = random.Random(1)
    for options in (two.options, two.options, ["--jobs", "2"], two.options):
        process = evaluate(home, "killed-host", *options)
        wanted = n_recorded(home / "killed-host") + chance.randint(1, N_GAMES // 5)
        wait_until(lambda process=process, wanted=wanted: process.poll() is not None
                   or n_recorded(home / "killed-host") >= wanted)  # fmt: skip
        kill(process)
    output = finished(evaluate(home, "killed-host", "--jobs", "1"))
    assert records(output, home / "killed-host") == alone


def test_a_killed_scheduler_ends_the_run_with_a_message_and_it_resumes_locally(home, alone, two):
    process = evaluate(home, "killed-scheduler", *two.options)
    wait_until(lambda: n_recorded(home / "killed-scheduler") > N_GAMES // 5)
    kill(two.scheduler)
    output = process.communicate(timeout=120)[0]
    assert process.returncode == 1
    assert "the scheduler" in output
    assert "lost the connection to" in output
    assert "Traceback" not in output
    assert "To play the rest" in output
    output = finished(evaluate(home, "killed-scheduler", "--jobs", "2"))
    assert records(output, home / "killed-scheduler") == alone


def test_ctrl_c_keeps_what_was_played(home, alone, two):
    process = evaluate(home, "interrupted", *two.options)
    wait_until(lambda: n_recorded(home / "interrupted") > N_GAMES // 5)
    os.kill(process.pid, signal.SIGINT)
    output = process.communicate(timeout=60)[0]
    assert process.returncode not in (0, None)
    assert "games are kept. To play the rest:" in output
    assert f"--resume {run_of(home / 'interrupted').folder}".rpartition("/")[2] in output
    assert records(finished(evaluate(home, "interrupted", *two.options)), home / "interrupted") == alone


def test_players_of_two_workers_end_with_the_run(home, two):
    finished(evaluate(home, "ends", *two.options))
    for name in two.workers:
        left = (path.name for path in (two.folder / name / "tmp").iterdir())
        assert [path for path in left if not path.startswith(service.SCRATCH_PREFIX)] == []


def test_a_client_with_other_certificates_cannot_join(home, two, tmp_path):
    from wordpl.contest.cluster import certificates

    certificates.make(tmp_path / "others")
    process = evaluate(home, "unknown", *two.options[:3], str(tmp_path / "others"))
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 1
    assert "no scheduler answers at" in output
    assert "Traceback" not in output


def test_run_json_names_kind_and_speed_of_each_worker(home, two):
    finished(evaluate(home, "named", *two.options))
    (folder,) = (home / "named").iterdir()
    for worker in json.loads((folder / "run.json").read_bytes())["workers"].values():
        assert worker["level"] in "AB"
        assert worker["machine"]["processor"]
        assert worker["versions"]["python"]
        assert 0 < worker["calibration_s"] < 1
