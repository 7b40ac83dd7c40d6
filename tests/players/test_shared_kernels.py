"""Compilation in the background, for commands that have answered without kernels."""

import fcntl
import os
import subprocess
import sys
import time

import pytest

from wordpl.players import shared_kernels

START = "from wordpl.players import shared_kernels; print(shared_kernels.compile_in_background(['posterior']))"


def started(cache) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", START]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout


def test_nothing_is_compiled_in_the_background_while_another_process_compiles(tmp_path):
    with (tmp_path / shared_kernels.STAMP).open("w") as stamp:
        fcntl.flock(stamp, fcntl.LOCK_EX)
        assert started(tmp_path).strip() == "False"


@pytest.mark.long  # compiles a group of kernels
@pytest.mark.timeout(600)
def test_a_background_process_compiles_kernels_once(tmp_path):
    assert started(tmp_path).strip() == "True"
    until = time.monotonic() + 500
    while "posterior" not in (tmp_path / shared_kernels.STAMP).read_text():
        assert time.monotonic() < until
        time.sleep(0.5)
    assert started(tmp_path).strip() == "False"
