"""Builds are untrusted: no attack succeeds at levels A and B, and no process outlives its build."""

import json
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.paths import HOME
from tests.hostile.builds import attack_file
from wordpl.core.messages import UserError
from wordpl.players import program_build
from wordpl.players.program_build import BuildWatch
from wordpl.players.sandbox import levels, namespaces, probe
from wordpl.players.sandbox.levels import Level, SandboxPolicy
from wordpl.run.bundle import Program
from wordpl.strategy import EntryError

OFFICIAL = [level for level in Level if level.is_official and level >= probe.probe().level]


def build(file, parent, policy, **options):
    """Build the program that a file describes; return the build folder."""
    return program_build.build(Program.parse(file.read_bytes(), file.name), file, parent, policy, "0" * 64, **options)


@pytest.fixture
def hostile_build(tmp_path, monkeypatch):
    """Yield the file of an entry with a hostile build, the folders it attacks, and the mark of its traces."""
    mark = f"wordpl-{secrets.token_hex(6)}"
    monkeypatch.setenv("WORDPL_TEST_TOKEN", mark)
    folders = {name: tmp_path / name for name in ("bots", "results", "working/strategies", "builds/rival")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    for path in (*tmp_path.parents[:2], tmp_path, *folders.values()):
        path.chmod(0o755)
    for name in ("run.json", "secret"):
        (folders["results"] / name).write_text("secret")
    (folders["builds/rival"] / "bot").write_text("rival")
    (folders["bots"] / "rival.py").write_text("rival")
    own = folders["working/strategies"]
    file = own / "bot.toml"
    command = [sys.executable, "attack.py", "{build}", "known.json"]
    file.write_text(f'game = "wordpl/1"\nbuild = {json.dumps(command)}\ncommand = ["{{build}}/bot"]\n')
    shutil.copy(attack_file(), own / "attack.py")
    with socket.create_server(("127.0.0.1", 0)) as server:
        facts = {"mark": mark, "token": mark, "user": os.getuid(), "port": server.getsockname()[1]}
        facts |= {"referee": os.getpid(), "harness": str(HOME / "wordpl"), "home": str(Path.home())}
        facts |= {"secret": str(folders["results"] / "secret"), "rival": str(folders["bots"] / "rival.py")}
        (own / "known.json").write_text(json.dumps(facts))
        yield file, folders, mark


def policy_at(level, folders):
    hidden = levels.aliases([folders["results"], folders["bots"] / "rival.py"])
    return SandboxPolicy(
        level, 512, 256, str(folders["working/strategies"].parent), hidden=tuple(map(str, hidden)),
        user=levels.new_user(),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("level", OFFICIAL)
def test_a_hostile_build_achieves_nothing_and_leaves_no_process(hostile_build, tmp_path, level):
    file, folders, mark = hostile_build
    build_folder = build(file, tmp_path, policy_at(level, folders))
    assert json.loads((build_folder / "report.json").read_text()) == []
    assert processes_with(mark, folders["working/strategies"]) == []
    for path in build_folder.rglob("*"):
        assert path.lstat().st_uid == os.getuid()
        assert not path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)
    assert not list(Path("/var/tmp").glob(f"{mark}*")) + list(Path("/dev/shm").glob(f"{mark}*"))


SET_ID_BUILD = """
import ctypes, mmap, os, stat, sys
made = sys.argv[1]
libc = ctypes.CDLL(None)
def tried(change):
    try: change()
    except OSError: pass
for number in range(4): open(f"{made}/{number}", "w").close()
os.mkdir(f"{made}/folder")
tried(lambda: os.chmod(f"{made}/0", 0o4755))
tried(lambda: os.fchmod(os.open(f"{made}/1", os.O_RDONLY), 0o6755))
tried(lambda: os.chmod("2", 0o2755, dir_fd=os.open(made, os.O_RDONLY)))
tried(lambda: os.chmod(f"{made}/folder", 0o2777))
os.umask(0)
tried(lambda: os.close(os.open(f"{made}/5", os.O_CREAT | os.O_RDWR, 0o4777)))
tried(lambda: os.close(os.open("6", os.O_CREAT | os.O_RDWR, 0o2777, dir_fd=os.open(made, os.O_RDONLY))))
tried(lambda: os.mkdir(f"{made}/7", 0o6777))
tried(lambda: os.mknod(f"{made}/8", stat.S_IFREG | 0o4755))
libc.creat(f"{made}/9".encode(), 0o4777)
libc.syscall(452, -100, f"{made}/3".encode(), 0o4755, 0)  # fchmodat2
print([name for name in os.listdir(made) if os.lstat(f"{made}/{name}").st_mode & 0o6000])
print(oct(os.stat(made + "/..").st_mode & 0o77))
sys.exit(1)
"""


@pytest.mark.slow
@pytest.mark.parametrize("level", OFFICIAL)
def test_a_build_makes_no_set_id_file_in_a_folder_that_others_can_enter(hostile_build, tmp_path, level):
    file, folders, _ = hostile_build
    (file.parent / "made.py").write_text(SET_ID_BUILD)
    command = json.dumps([sys.executable, "made.py", "{build}"])
    file.write_text(f'game = "wordpl/1"\nbuild = {command}\ncommand = ["{{build}}/bot"]\n')
    with pytest.raises(EntryError, match=r"\n\[\]\n" + ("" if level == Level.A else "0o0\n")):
        build(file, tmp_path, policy_at(level, folders))


@pytest.mark.slow
@pytest.mark.parametrize("level", [Level.C, Level.D])
def test_a_build_without_a_sandbox_runs_only_if_it_is_trusted(hostile_build, tmp_path, level):
    file, folders, _ = hostile_build
    file.write_text('game = "wordpl/1"\nbuild = ["touch", "{build}/bot"]\ncommand = ["{build}/bot"]\n')
    with pytest.raises(EntryError, match=f"at sandbox level {level}, it could write to any file"):
        build(file, tmp_path, policy_at(level, folders))
    build_folder = build(file, tmp_path, policy_at(level, folders), trusted=True)
    assert (build_folder / "bot").exists()


def test_a_build_at_level_a_without_bubblewrap_says_what_to_install(hostile_build, tmp_path, monkeypatch):
    file, folders, _ = hostile_build
    monkeypatch.setattr(namespaces, "has_bubblewrap", lambda: False)
    with pytest.raises(UserError, match=r"level A needs bubblewrap .*: install the package bubblewrap, or choose"):
        build(file, tmp_path, policy_at(Level.A, folders))


GREEDY_BUILDS = {
    "levels deep": "import os\nfor _ in range(3000): os.mkdir('d'); os.chmod('d', 0o300); os.chdir('d')",
    "2,048 MiB": (
        "import os\nfor n in range(9): os.posix_fallocate(os.open(str(n), os.O_RDWR | os.O_CREAT), 0, 250 << 20)\n"
        "import time; time.sleep(30)"
    ),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("level", OFFICIAL)
@pytest.mark.parametrize(
    "limit",
    [pytest.param(limit, marks=pytest.mark.long if "MiB" in limit else pytest.mark.slow) for limit in GREEDY_BUILDS],
)
def test_a_build_that_writes_too_much_is_stopped_and_removed(hostile_build, tmp_path, limit, level):
    file, folders, _ = hostile_build
    command = [sys.executable, "-c", GREEDY_BUILDS[limit]]
    file.write_text(f'game = "wordpl/1"\nbuild = {json.dumps(command)}\ncommand = ["{{build}}/bot"]\n')
    with pytest.raises(EntryError, match=f"The build was stopped: it (creates|writes) .*({limit}|cannot be read)"):
        build(file, tmp_path, policy_at(level, folders))
    assert [
        path.name for path in (tmp_path / "builds").iterdir() if not path.name.startswith(".") and any(path.iterdir())
    ] == ["rival"]


@pytest.mark.slow
def test_a_build_with_too_many_files_is_stopped(tmp_path, monkeypatch):
    for number in range(6):
        (tmp_path / str(number)).touch()
    monkeypatch.setattr(program_build, "MAX_FILES", 6)
    assert BuildWatch(tmp_path, 1 << 20).excess() == ""
    monkeypatch.setattr(program_build, "MAX_FILES", 5)
    assert BuildWatch(tmp_path, 1 << 20).excess() == "it creates more than 5 files"


@pytest.mark.slow
def test_a_build_that_uses_too_much_memory_is_stopped(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", "x = bytearray(80 << 20); print(flush=True); input()"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    with process:
        assert process.stdout.readline() == b"\n"
        assert BuildWatch(tmp_path, 1 << 20).excess() == ""
        assert BuildWatch(tmp_path, 70).excess() == "it uses more than 70 MiB of memory"
        process.stdin.close()


FORKS = """
import os, time
x = bytearray(80 << 20)
for _ in range(4):
    if not os.fork(): time.sleep(60)
print(flush=True)
input()
"""


@pytest.mark.slow
def test_memory_that_processes_of_a_build_share_since_a_fork_counts_once(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", FORKS],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)  # fmt: skip
    with process:
        try:
            assert process.stdout.readline() == b"\n"
            assert BuildWatch(tmp_path, 250).excess() == ""
            assert BuildWatch(tmp_path, 70).excess() == "it uses more than 70 MiB of memory"
        finally:
            os.killpg(process.pid, signal.SIGKILL)


USER = 1234567
WATCH = f"""
import os, signal, subprocess, sys
from pathlib import Path
from wordpl.players.program_build import BuildWatch
build = subprocess.Popen([sys.argv[1], "-c", {FORKS!r}], stdin=-1, stdout=-1, start_new_session=True,
                         user={USER}, group={USER}, extra_groups=[])
build.stdout.readline()
for limit, user in ((250, None), (250, {USER}), (70, {USER})):
    print(BuildWatch(Path(sys.argv[2]), limit, user).excess())
os.killpg(build.pid, signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_shared_memory_of_another_user_counts_once_where_root_may_not_look_into_its_processes(tmp_path):
    python = shutil.which("python3", path="/usr/bin:/bin")
    if python is None:
        pytest.skip("needs a Python that other users can run")
    without = ["setpriv", "--inh-caps=-all", "--bounding-set=-all,+setuid,+setgid,+kill,+dac_read_search"]
    result = subprocess.run([*without, sys.executable, "-c", WATCH, python, tmp_path], capture_output=True, text=True,
                            cwd=HOME, check=False)  # fmt: skip
    excesses = result.stdout.splitlines()
    assert excesses == ["it uses more than 250 MiB of memory", "", "it uses more than 70 MiB of memory"], result.stderr


def processes_with(mark, folder):
    """Return the processes with the mark or folder in their command line, after waiting for them to end."""
    deadline = time.monotonic() + 30
    while (
        processes := [process for process in Path("/proc").glob("[0-9]*") if belongs(process, mark, folder)]
    ) and time.monotonic() < deadline:
        time.sleep(0.05)
    return processes


def belongs(process, mark, folder):
    try:
        command_line = (process / "cmdline").read_bytes()
        return mark.encode() in command_line or str(folder).encode() in command_line
    except OSError:
        return False
