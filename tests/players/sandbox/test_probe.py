"""What the probe says about a machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ASK = """
from wordpl.players.sandbox import probe
print(repr(probe.why_not_a("B")))
level = probe.probe().level
print(level, probe.why_not_a("A"), probe.why_not_a(""), probe.why_not_a("B" if level == "B" else level))
"""


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
def test_a_run_without_level_a_is_told_why(tmp_path: Path) -> None:
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    refusing.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True)
    before, after = done.stdout.splitlines()
    assert before == "''"  # this process had not probed yet, and the run may have chosen its level
    assert "not A: its sandbox could not be created (bwrap: setting up uid map: Permission denied)." in after


SLOW_HELPER = """
import os, time
from wordpl.players.sandbox import namespaces, processes

fork = namespaces._fork_in_new_namespace

def fork_slowly(writer):
    pid = fork(writer)
    if pid > 0:
        time.sleep(0.3)  # on a busy machine, the helper ends late
    return pid

namespaces._fork_in_new_namespace = fork_slowly
pid = namespaces.fork_init()
if pid == 0:
    processes.die_with_parent(os.getppid())
    time.sleep(0.6)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_the_init_process_of_a_namespace_outlives_the_helper_that_made_it():
    done = subprocess.run([sys.executable, "-c", SLOW_HELPER], capture_output=True, text=True)
    if "cannot create a pid namespace" in done.stderr:
        pytest.skip("this user may not create pid namespaces")
    assert done.stdout == "7\n", done.stderr
