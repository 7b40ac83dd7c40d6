"""Builds are untrusted: no attack succeeds at levels A and B, and no process outlives its build."""

import json
import os
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.paths import HOME
from tests.hostile.builds import attack_file
from wordpl.players import program_build
from wordpl.players.sandbox import build_sandbox, capabilities, fs_policy, probe
from wordpl.players.sandbox.build_sandbox import BuildWatch
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy
from wordpl.strategy import EntryError

OFFICIAL = [level for level in Level if level.is_official and level >= probe.probe().level]


@pytest.fixture
def hostile_build(tmp_path, monkeypatch):
    """Yield the file of an entry with a hostile build, the folders it attacks, and the mark of its traces."""
    mark = f"wordpl-{secrets.token_hex(6)}"
    monkeypatch.setenv("WORDPL_TEST_TOKEN", mark)
    folders = {name: tmp_path / name for name in ("bots", "results", "working", "builds/rival")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    for path in (*tmp_path.parents[:2], tmp_path, *folders.values()):
        path.chmod(0o755)
    for name in ("run.json", "secret"):
        (folders["results"] / name).write_text("secret")
    (folders["builds/rival"] / "bot").write_text("rival")
    (folders["bots"] / "rival.py").write_text("rival")
    file = folders["bots"] / "bot.toml"
    command = [sys.executable, "attack.py", "{build}", "known.json"]
    file.write_text(f'game = "wordpl/1"\nbuild = {json.dumps(command)}\ncommand = ["{{build}}/bot"]\n')
    shutil.copy(attack_file(), folders["bots"] / "attack.py")
    with socket.create_server(("127.0.0.1", 0)) as server:
        facts = {"mark": mark, "token": mark, "user": os.getuid(), "port": server.getsockname()[1]}
        facts |= {"referee": os.getpid(), "harness": str(HOME / "wordpl"), "home": str(Path.home())}
        facts |= {"secret": str(folders["results"] / "secret"), "rival": str(folders["bots"] / "rival.py")}
        (folders["bots"] / "known.json").write_text(json.dumps(facts))
        yield file, folders, mark


def policy_at(level, folders):
    hidden = fs_policy.aliases([folders["results"], folders["bots"] / "rival.py"])
    return SandboxPolicy(
        level, 512, 256, str(folders["bots"]), str(folders["working"]), tuple(map(str, hidden)),
        user=capabilities.new_user(),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("level", OFFICIAL)
def test_a_hostile_build_achieves_nothing_and_leaves_no_process(hostile_build, tmp_path, level):
    file, folders, mark = hostile_build
    build_folder = program_build.build(file, tmp_path, policy_at(level, folders))
    assert json.loads((build_folder / "report.json").read_text()) == []
    assert processes_with(mark, folders["bots"]) == []
    for path in build_folder.rglob("*"):
        assert path.lstat().st_uid == os.getuid()
        assert not path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)
    assert not list(Path("/var/tmp").glob(f"{mark}*")) + list(Path("/dev/shm").glob(f"{mark}*"))


@pytest.mark.slow
@pytest.mark.parametrize("level", OFFICIAL)
def test_an_entry_in_a_private_folder_can_be_built(hostile_build, tmp_path, level):
    file, folders, _ = hostile_build
    file.write_text('game = "wordpl/1"\nbuild = ["touch", "{build}/bot"]\ncommand = ["{build}/bot"]\n')
    folders["bots"].chmod(0o700)
    build_folder = program_build.build(file, tmp_path, policy_at(level, folders))
    assert (build_folder / "bot").exists()


@pytest.mark.slow
@pytest.mark.parametrize("level", [Level.C, Level.D])
def test_a_build_without_a_sandbox_runs_only_if_it_is_trusted(hostile_build, tmp_path, level):
    file, folders, _ = hostile_build
    file.write_text('game = "wordpl/1"\nbuild = ["touch", "{build}/bot"]\ncommand = ["{build}/bot"]\n')
    with pytest.raises(EntryError, match=f"at sandbox level {level}, it could write to any file"):
        program_build.build(file, tmp_path, policy_at(level, folders))
    build_folder = program_build.build(file, tmp_path, policy_at(level, folders), trusted=True)
    assert (build_folder / "bot").exists()


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
        program_build.build(file, tmp_path, policy_at(level, folders))
    assert [path.name for path in (tmp_path / "builds").iterdir() if not path.name.startswith(".")] == ["rival"]


@pytest.mark.slow
def test_a_build_with_too_many_files_is_stopped(tmp_path, monkeypatch):
    for number in range(6):
        (tmp_path / str(number)).touch()
    monkeypatch.setattr(build_sandbox, "MAX_FILES", 6)
    assert BuildWatch(tmp_path, 1 << 20).excess() == ""
    monkeypatch.setattr(build_sandbox, "MAX_FILES", 5)
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
