"""The level is found by trial, and said to those who read a result."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wordpl.players.sandbox import probe, seccomp, system_calls
from wordpl.players.sandbox.policy import Level

HEADERS = ["x86_64-linux-gnu/asm/unistd_64.h", "asm-generic/unistd.h"]  # for x86_64 and arm64
linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no jail")


@linux
@pytest.mark.parametrize("level", Level)
def test_attacks_fail_from_level_c_up_and_succeed_below(level):
    if level < probe.probe().level:
        pytest.skip(f"this machine has no level {level}: {probe.probe().missing[level]}")
    outcome, complaint = probe.trial(level)
    if complaint == probe.KILLED:  # by something else on this machine; the probe tries twice, too
        outcome, complaint = probe.trial(level)
    assert outcome is not None, complaint
    successes = {name for name, succeeded in outcome.items() if succeeded}
    if level == Level.D:
        assert {"connect", "fork", "write", "read_file"} <= successes
    else:
        assert successes <= ({"read_file"} if level == Level.C else set())


def test_the_obstacles_to_a_better_level_are_stated(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "install the package bubblewrap" in probe._obstacle(Level.A)
    result = probe.ProbeResult(Level.D, {Level.A: "no bubblewrap", Level.B: "no Landlock"})
    assert "NOT isolated" in str(result)
    assert "Not A: no bubblewrap. Not B: no Landlock." in str(result)


@pytest.mark.skipif(probe.probe().level != Level.A, reason="needs level A")
def test_a_sandbox_that_fails_once_to_start_does_not_cost_the_level(monkeypatch, tmp_path):
    program = tmp_path / "bwrap"
    program.write_text(f'#!/bin/sh\nmkdir {tmp_path}/failed && exit 1\nexec {shutil.which("bwrap")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert probe._obstacle(Level.A) == ""
    assert (tmp_path / "failed").exists()


@pytest.mark.parametrize("column", [0, 1])
def test_system_calls_have_the_kernel_s_numbers(column):
    header = Path("/usr/include") / HEADERS[column]
    if not header.exists():
        pytest.skip("the kernel's headers are not installed")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    defined.setdefault("newfstatat", defined.get("fstatat"))  # the generic table's name for it
    known = {name: numbers[column] for name, numbers in system_calls.NUMBERS.items() if numbers[column] is not None}
    assert known == {name: int(defined[name]) for name in known}


@pytest.mark.slow
@linux
@pytest.mark.skipif(system_calls.machine() is None, reason=f"no filter is written for {platform.machine()}")
@pytest.mark.parametrize(
    ("attempt", "succeeds"),
    [
        ("os.getpid()", True),
        ("os.kill(os.getpid(), 0)", True),
        ("os.kill(os.getppid(), 0)", False),
        ("threading.Thread(target=print).start()", True),
        ("join(libc)", True),
        ("futex(1 | 128)", True),
        ("futex(1)", False),
        ("futex(0)", False),
        ("futex(10)", False),
        ("futex(5)", False),
        ("advise(4)", True),
        ("advise(12)", False),
        ("advise(21)", False),
        ("os.fork()", False),
        ("mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)", True),
        ("mmap.mmap(-1, 4096)", False),
        ("fcntl.fcntl(0, fcntl.F_GETFD)", True),
        ("fcntl.flock(0, fcntl.LOCK_SH)", False),
        ("resource.getrlimit(resource.RLIMIT_DATA)", True),
        ("resource.setrlimit(resource.RLIMIT_CORE, (0, 0))", False),
        ("os.listdir('/')", True),
        ("open('/dev/null', 'w')", False),
        ("os.execv('/bin/true', ['true'])", False),
    ],
)
def test_the_system_call_filter_allows_only_computing(attempt, succeeds):
    program = f"""
import ctypes, errno, fcntl, mmap, os, resource, sys, threading
sys.path.insert(0, {str(Path(seccomp.__file__).parents[3])!r})
from wordpl.players.sandbox import seccomp
libc = ctypes.CDLL(None, use_errno=True)
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
word = ctypes.c_uint32.from_buffer(page)

def checked(result):
    if result < 0:
        raise OSError(errno.EPERM if ctypes.get_errno() == errno.EAGAIN else ctypes.get_errno(), "")

def futex(operation):
    number = ctypes.c_long({system_calls.number("futex")})
    checked(libc.syscall(number, ctypes.byref(word), operation, 1, None, None, 0))

def advise(advice):
    checked(libc.madvise(ctypes.byref(word), 4096, advice))

def join(libc):
    made, run = ctypes.c_ulong(), ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: 0)
    assert libc.pthread_create(ctypes.byref(made), None, run, None) == 0
    assert libc.pthread_join(made, None) == 0

seccomp.forbid_new_privileges()
seccomp.apply_to_player(writes=False)
try:
    {attempt}
except OSError as error:
    os._exit(error.errno)
os._exit(0)
"""
    result = subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, env=os.environ)
    assert result.returncode == (0 if succeeds else 1)  # EPERM
