"""The level is found by trial, and said to those who read a result."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wordpl.contest import run_folder
from wordpl.players.sandbox import probe, system_calls
from wordpl.players.sandbox.levels import Level
from wordpl.run.config import RunConfig

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


@pytest.fixture
def probes(monkeypatch, tmp_path):
    """Return a list that gets a line for each probe, with an empty folder of the user."""
    made, cache = [], tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    def found(level=Level.A):
        made.append("probed")
        return probe.ProbeResult(level, {})

    monkeypatch.setattr(probe, "probe", found)
    return made


@linux
def test_level_a_is_kept_for_this_boot_in_a_private_file_but_never_for_official_runs(probes):
    configs = [RunConfig(), RunConfig(), RunConfig(official=True), RunConfig(official=True)]
    levels = [run_folder.describe(config, []).config.level for config in configs]
    assert levels == [Level.A] * 4
    assert len(probes) == 1 + 2
    file = probe.kept_file()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@linux
def test_a_weaker_level_is_not_kept(probes, monkeypatch):
    monkeypatch.setattr(probe, "probe", lambda: probe.ProbeResult(Level.B, {Level.A: "no bubblewrap"}))
    assert probe.level_since_boot() == Level.B
    assert not probe.kept_file().exists()


def _replace_by_a_link(file):
    file.rename(file.with_name("elsewhere"))
    file.symlink_to(file.with_name("elsewhere"))


@linux
@pytest.mark.parametrize(
    "tamper",
    [
        lambda file: file.write_bytes(b"0" * 64),
        lambda file: file.chmod(0o644),
        lambda file: file.parent.chmod(0o777),
        lambda file: os.chown(file, 12345, -1),
        lambda file: os.chown(file.parent, 12345, -1),
        _replace_by_a_link,
    ],
    ids=[
        "other contents",
        "readable for others",
        "an open folder",
        "another user's",
        "another user's folder",
        "a link",
    ],
)
def test_a_kept_level_that_another_user_may_have_written_is_ignored(probes, tamper):
    probe.level_since_boot()
    try:
        tamper(probe.kept_file())
    except PermissionError:
        pytest.skip("only root can give files away")
    probe.level_since_boot()
    assert len(probes) == 2


@linux
@pytest.mark.parametrize("changed", ["boot", "bwrap", "sources"])
def test_a_kept_level_holds_only_under_the_conditions_under_which_it_was_found(probes, monkeypatch, tmp_path, changed):
    for name in ("boot", "bwrap"):
        (tmp_path / name).write_text("1")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(probe, "CONDITIONS", (str(tmp_path / "boot"),))
    monkeypatch.setenv("PATH", str(tmp_path))
    probe.level_since_boot()
    probe.level_since_boot()
    assert len(probes) == 1
    if changed == "sources":
        monkeypatch.setattr(probe, "__file__", str(tmp_path / "probe.py"))
    else:
        (tmp_path / changed).write_text("2 or more")
    probe.level_since_boot()
    assert len(probes) == 2


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
sys.path.insert(0, {str(Path(system_calls.__file__).parents[3])!r})
from wordpl.players.sandbox import system_calls
libc = ctypes.CDLL(None, use_errno=True)
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
word = ctypes.c_uint32.from_buffer(page)

def checked(result):
    if result < 0:
        raise OSError(errno.EPERM if ctypes.get_errno() == errno.EAGAIN else ctypes.get_errno(), "")

def futex(operation):
    number = ctypes.c_long({system_calls.call_number("futex")})
    checked(libc.syscall(number, ctypes.byref(word), operation, 1, None, None, 0))

def advise(advice):
    checked(libc.madvise(ctypes.byref(word), 4096, advice))

def join(libc):
    made, run = ctypes.c_ulong(), ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: 0)
    assert libc.pthread_create(ctypes.byref(made), None, run, None) == 0
    assert libc.pthread_join(made, None) == 0

system_calls.forbid_new_privileges()
system_calls.restrict(system_calls.player_filter(programs=False, writes=False))
try:
    {attempt}
except OSError as error:
    os._exit(error.errno)
os._exit(0)
"""
    result = subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, env=os.environ)
    assert result.returncode == (0 if succeeds else 1)  # EPERM
