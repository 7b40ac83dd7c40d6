"""The process for slow tasks ends with the server."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
KILLED_SERVER = """
import asyncio, os, signal
from wordpl.apps.web.worker_process import WorkerProcess

if __name__ == "__main__":
    print(asyncio.run(WorkerProcess(60).run('os:getpid')), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_worker_process_ends_when_the_server_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(KILLED_SERVER, encoding="utf-8")
    result = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, text=True, timeout=120, check=False)
    pid, deadline = int(result.stdout), time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(pid)
