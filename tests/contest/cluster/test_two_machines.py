"""A run on machines that share nothing has the same bytes as on one machine, whichever process is killed."""

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
from wordpl.run.folder import Run, load_run

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

PRICE = float(pathlib.Path(__file__).with_name("bot-price.txt").read_text())

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
    """The host's folder: an entry with a shared module and a shared table, and word lists of its own."""
    home = tmp_path_factory.mktemp("host")
    home.chmod(0o755)
    folder = home / "strategies"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    (folder / "words_of_mine.py").write_text('FAVOURITE = "crane"\n')
    (folder / "shared.txt").write_text("words_of_mine.py\nbot-price.txt\n")
    (folder / "bot-price.txt").write_text("5.0")
    for name in ("answers.txt", "valid.txt"):
        words = (IMPORT_ROOT / name).read_text().split()
        (home / f"my-{name}").write_text("".join(f"{word}\n" for word in words[::-1]))
    return home


@pytest.fixture(scope="module")
def local_records(home):
    """The records of the run on one machine."""
    return records_of(output_of(evaluate(home, "alone", "--jobs", "1")), home / "alone")


def evaluate(home: Path, results: str, *options: str) -> subprocess.Popen:
    """Begin the run, or go on with it if there is one."""
    folder = home / results
    folder.mkdir(exist_ok=True)
    run_folders = [path for path in folder.iterdir() if (path / "run.json").exists()]
    if run_folders:
        arguments = ["--resume", str(run_folders[0])]
    else:
        arguments = [
            "strategies/bot.py", "--results", results, "--games", str(N_GAMES), "--seed", "7", "--repeats", "6",
            "--answers", "my-answers.txt", "--guesses", "my-valid.txt", "--isolation", "B",
        ]  # fmt: skip
    command = [sys.executable, str(IMPORT_ROOT / "evaluate.py"), *arguments, "--no-report", *options]
    return subprocess.Popen(
        command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def output_of(process: subprocess.Popen) -> str:
    output = process.communicate(timeout=300)[0]
    assert process.returncode == 0, output
    return output


def records_of(output: str, results: Path) -> bytes:
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
def cluster_of_two(tmp_path, home):
    """A scheduler, and two workers that share no folder with the host and none with each other."""
    tmp_path.chmod(0o755)
    with Cluster(tmp_path, hidden=home) as cluster:
        cluster.start_scheduler()
        for name in ("ada", "bob"):
            cluster.start_worker(name, separate=True)
        for worker in cluster.workers.values():
            clusters.first_line(worker)
        yield cluster


def test_two_machines_without_a_shared_folder_give_the_same_bytes_as_one(home, local_records, cluster_of_two):
    output = output_of(evaluate(home, "cluster", *cluster_of_two.options))
    assert records_of(output, home / "cluster") == local_records
    run = run_of(home / "cluster")
    assert set(run.info.workers) == {"ada", "bob"}
    assert {duration.machine for duration in run.entries[0].durations()} == {"ada", "bob"}
    assert not run.info.played_again
    assert len(load_run(run.folder)) == N_GAMES
    assert "6 games of each entry, all with the same moves" in (run.folder / "LEADERBOARD.md").read_text()


def test_a_joining_worker_plays_and_a_killed_worker_loses_no_game(home, local_records, tmp_path):
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
        output = output_of(process)
    assert records_of(output, home / "killed-worker") == local_records
    assert "worker ada lost" in output
    run = run_of(home / "killed-worker")
    assert 0 < len(run.info.played_again["bot"]) < N_GAMES
    assert set(run.info.workers) == {"ada", "eve"}


def test_a_run_whose_host_was_killed_can_be_resumed_on_any_machine(home, local_records, cluster_of_two):
    rng = random.Random(1)
    for options in (cluster_of_two.options, cluster_of_two.options, ["--jobs", "2"], cluster_of_two.options):
        process = evaluate(home, "killed-host", *options)
        n_before_kill = n_recorded(home / "killed-host") + rng.randint(1, N_GAMES // 5)
        wait_until(lambda process=process, n_before_kill=n_before_kill: process.poll() is not None
                   or n_recorded(home / "killed-host") >= n_before_kill)  # fmt: skip
        kill(process)
    output = output_of(evaluate(home, "killed-host", "--jobs", "1"))
    assert records_of(output, home / "killed-host") == local_records


def test_a_killed_scheduler_ends_the_run_with_a_message_and_it_resumes_locally(home, local_records, cluster_of_two):
    process = evaluate(home, "killed-scheduler", *cluster_of_two.options)
    wait_until(lambda: n_recorded(home / "killed-scheduler") > N_GAMES // 5)
    kill(cluster_of_two.scheduler)
    output = process.communicate(timeout=120)[0]
    assert process.returncode == 1
    assert "the scheduler" in output
    assert "lost the connection to" in output
    assert "Traceback" not in output
    assert "To play the rest" in output
    output = output_of(evaluate(home, "killed-scheduler", "--jobs", "2"))
    assert records_of(output, home / "killed-scheduler") == local_records


def test_ctrl_c_keeps_all_finished_games(home, local_records, cluster_of_two):
    process = evaluate(home, "interrupted", *cluster_of_two.options)
    wait_until(lambda: n_recorded(home / "interrupted") > N_GAMES // 5)
    os.kill(process.pid, signal.SIGINT)
    output = process.communicate(timeout=60)[0]
    assert process.returncode not in (0, None)
    assert "games are kept. To play the rest:" in output
    assert f"--resume {run_of(home / 'interrupted').folder}".rpartition("/")[2] in output
    assert (
        records_of(output_of(evaluate(home, "interrupted", *cluster_of_two.options)), home / "interrupted")
        == local_records
    )


def test_players_of_two_workers_end_with_the_run(home, cluster_of_two):
    output_of(evaluate(home, "ends", *cluster_of_two.options))
    for worker in cluster_of_two.workers:
        names = (path.name for path in (cluster_of_two.folder / worker / "tmp").iterdir())
        assert [name for name in names if not name.startswith(service.SCRATCH_PREFIX)] == []


def test_a_client_with_other_certificates_cannot_join(home, cluster_of_two, tmp_path):
    from wordpl.contest.cluster import certificates

    certificates.make(tmp_path / "others")
    process = evaluate(home, "unknown", *cluster_of_two.options[:3], str(tmp_path / "others"))
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 1
    assert "no scheduler answers at" in output
    assert "Traceback" not in output


def test_run_json_names_kind_and_speed_of_each_worker(home, cluster_of_two):
    output_of(evaluate(home, "named", *cluster_of_two.options))
    (folder,) = (home / "named").iterdir()
    for worker in json.loads((folder / "run.json").read_bytes())["workers"].values():
        assert worker["level"] in "AB"
        assert worker["machine"]["processor"]
        assert worker["versions"]["python"]
        assert worker["calibration_s"] > 0
