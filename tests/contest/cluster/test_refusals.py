"""A worker that cannot play a run with its settings is refused with the reason, and the run goes on elsewhere."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import clusters
from tests.helpers.clusters import Cluster
from wordpl.core.paths import IMPORT_ROOT
from wordpl.players.sandbox import probe

OTHER_PYTHON = "/usr/bin/python3"
BOT = """
class Bot:
    def first_move(self):
        return "crane", 5.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not clusters.can_separate(), reason=clusters.NO_NAMESPACES),
]


def other_python() -> str:
    """Return a Python of another patch version, which can import what wordpl needs, "" if there is none."""
    try:
        version = subprocess.run([OTHER_PYTHON, "-V"], capture_output=True, text=True, timeout=10).stdout.split()
    except OSError:
        return ""
    same_minor_version = f"{sys.version_info[0]}.{sys.version_info[1]}."
    is_other_patch = (
        len(version) == 2 and version[1].startswith(same_minor_version) and version[1] != sys.version.split()[0]
    )
    return OTHER_PYTHON if is_other_patch else ""


@pytest.mark.skipif(probe.probe().level != "A", reason="only at level A a worker can have too little")
def test_workers_that_differ_are_refused_with_the_reason_and_the_run_goes_on(tmp_path):
    tmp_path.chmod(0o755)
    changed_list = tmp_path / "changed.txt"
    changed_list.write_text((IMPORT_ROOT / "answers.txt").read_text().replace("cigar\n", ""))
    no_bwrap = tmp_path / "path"
    no_bwrap.mkdir()
    for name in ("python3", "sh"):
        (no_bwrap / name).symlink_to(shutil.which(name))
    with Cluster(tmp_path) as cluster:
        cluster.start_scheduler()
        refused_workers = [
            cluster.start_worker("no-bubblewrap", PATH=str(no_bwrap)),
            cluster.start_worker("changed-list", prefix=f"mount --bind {changed_list} {IMPORT_ROOT / 'answers.txt'};"),
            cluster.start_worker("full-disk", prefix="mount -t tmpfs -o size=4k none $TMPDIR;"),
            cluster.start_worker("full-store", prefix="mount -t tmpfs -o size=4k none $HOME;", TMPDIR="/tmp"),
        ]
        if other_python():
            packages = str(Path(pytest.__file__).parent.parent)
            refused_workers.append(cluster.start_worker("other-python", python=other_python(), PYTHONPATH=packages))
        for worker in refused_workers:
            clusters.first_line(worker)
        output = output_of_run(tmp_path, cluster, len(refused_workers))
    assert "worker good plays" in output
    assert "worker no-bubblewrap does not play: the run requires isolation level A. " in output
    assert "bubblewrap is missing" in output
    assert (
        "worker changed-list does not play: its word lists differ from those of the run: answers.txt has changed"
        in output
    )
    for name in ("full-disk", "full-store"):
        assert f"worker {name} does not play: its system reports: No space left on device" in output
    if other_python():
        assert "worker other-python does not play: it has python 3." in output


def output_of_run(folder: Path, cluster: Cluster, n_refused: int) -> str:
    """Play, with a worker that fits as soon as the others have been refused; return the output."""
    (folder / "strategies").mkdir()
    (folder / "strategies" / "bot.py").write_text(BOT + "\n" * 5000)  # larger than a full disk
    command = [sys.executable, str(IMPORT_ROOT / "evaluate.py"), "strategies/bot.py", "--games", "20", "--seed", "7",
               "--repeats", "0", "--no-report", *cluster.options]  # fmt: skip
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output: list[str] = []
    while sum("does not play" in line for line in output) < n_refused:
        output.append(process.stdout.readline())
        assert output[-1], "".join(output)
    cluster.start_worker("good")
    output.append(process.communicate(timeout=200)[0])
    assert process.returncode == 0, "".join(output)
    return "".join(output)
