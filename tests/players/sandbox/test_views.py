"""What each level restricts, which paths a player sees, and as whom and within which limits it runs."""

import errno
import resource
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from wordpl.core.messages import UserError
from wordpl.players.sandbox import levels, namespaces, processes
from wordpl.players.sandbox.levels import HiddenPaths, Level, Mount, SandboxPolicy, aliases, readable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are no levels elsewhere")


@pytest.fixture
def steps(monkeypatch):
    """What `enter_sandbox` asks the system for, none of which happens."""
    asked = []

    def note(module, name, result=None):
        monkeypatch.setattr(module, name, lambda *args, **named: asked.append((name, *args, *named.items())) or result)

    for name in ("prefer_for_oom_kill", "apply_limits", "limit_threads"):
        note(processes, name)
    note(levels, "die_with_parent")
    note(levels, "restrict_files")
    note(levels, "drop_privileges", True)
    note(levels.system_calls, "forbid_new_privileges")
    note(levels.system_calls, "restrict")
    return asked


def enter(level, folder, **values):
    levels.enter_sandbox(SandboxPolicy(level, 64, 32, str(folder), **values), 1)


@pytest.mark.parametrize("level", Level)
def test_each_level_limits_a_player_and_the_better_ones_forbid_calls_and_files(steps, tmp_path, level):
    enter(level, tmp_path)
    names = [name for name, *_ in steps]
    assert {"prefer_for_oom_kill", "apply_limits", "limit_threads", "die_with_parent"} <= set(names)
    assert steps[names.index("apply_limits")][1] == processes.player_limits(64, 32)
    assert ("restrict" in names) == ("forbid_new_privileges" in names) == ("drop_privileges" in names) == (level < "D")
    assert ("restrict_files" in names) == (level <= Level.B) == level.is_official
    if level < Level.D:
        assert names.index("drop_privileges") < names.index("die_with_parent") < names.index("restrict")
        calls = levels.system_calls.player_filter(programs=False, writes=level <= Level.B, fills=False)
        assert steps[-1] == ("restrict", calls)


def test_only_an_entry_that_is_being_loaded_may_fill_its_folder_up_to_a_limit(steps, tmp_path):
    for writes in (True, False):
        steps.clear()
        enter(Level.B, tmp_path, writes=writes)
        assert (sum(name == "apply_limits" for name, *_ in steps) == 2) == writes
        (allowed,) = (step[1] for step in steps if step[0] == "restrict_files")
        own = {right for path, right in allowed if path == str(tmp_path)}
        assert own == ({levels.READ, levels.FILL} if writes else {levels.READ})
    shared = dict(levels.allowed(SandboxPolicy(Level.B, 64, 32, "")))
    assert {shared.pop(name) for name in levels.DEVICES} == {levels.USE}
    assert "/dev/zero" not in shared
    assert set(shared.values()) == {levels.READ}


def test_a_player_runs_as_its_own_user_unless_others_cannot_read_its_files(steps, tmp_path, monkeypatch):
    for is_readable, user in ((True, 7), (False, None)):
        steps.clear()
        monkeypatch.setattr(levels, "readable_by_others", lambda paths, is_readable=is_readable: is_readable)
        levels.prepare.cache_clear()
        enter(Level.C, tmp_path, user=7)
        assert ("drop_privileges", user) in steps
    levels.prepare.cache_clear()


def test_what_all_players_share_is_that_of_no_single_one(tmp_path):
    policy = SandboxPolicy(Level.B, 64, 32, str(tmp_path), built="b", writes=True, program=True)
    assert policy.shared() == SandboxPolicy(Level.B, 64, 32, "", program=True)


def test_hidden_paths_are_left_out_with_all_below_them_and_links_beside_them(tmp_path):
    for name in ("a/one.py", "a/secret/deep", "a/two.py", "a/__pycache__/one.pyc", "a/__pycache__/two.pyc", "b/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a" / "link").symlink_to(tmp_path / "a" / "secret")
    (tmp_path / "a" / "__pycache__" / "link.pyc").symlink_to(tmp_path / "a" / "secret" / "deep")
    hidden = HiddenPaths([tmp_path / "a" / "secret", tmp_path / "a" / "two.py"])
    found = {str(path.relative_to(tmp_path)) for path in readable(tmp_path, hidden)}
    assert found == {"a/one.py", "a/__pycache__/one.pyc", "b"}
    assert hidden.covers(tmp_path / "a" / "secret" / "deep")
    assert not list(readable(tmp_path / "a" / "secret" / "deep", hidden))
    assert not list(readable(tmp_path / "a" / "secret", hidden))


def test_others_can_read_a_file_only_through_folders_that_they_may_enter(tmp_path):
    file = tmp_path / "in" / "file"
    file.parent.mkdir()
    file.touch()
    for modes, expected in (
        ((0o755, 0o755, 0o644), True), ((0o755, 0o700, 0o644), False), ((0o755, 0o755, 0o600), False),
        ((0o700, 0o755, 0o644), False), ((0o711, 0o711, 0o644), True),
    ):  # fmt: skip
        for path, mode in zip((tmp_path, file.parent, file), modes, strict=True):
            path.chmod(mode)
        assert levels.readable_by_others([file], [tmp_path]) == expected
    assert levels.readable_by_others([file], [file.parent]), "what is mounted is seen whatever lies above it"
    assert not levels.readable_by_others([file.parent], [tmp_path]), "its list cannot be read"
    assert levels.readable_by_others([tmp_path / "none"], [tmp_path])


def test_a_folder_is_found_at_all_places_at_which_its_file_system_is_mounted():
    mounted = [
        Mount("8:1", Path("/"), Path("/")),
        Mount("8:2", Path("/"), Path("/data")),
        Mount("8:2", Path("/runs"), Path("/mnt/runs")),
        Mount("8:2", Path("/runs/one/records"), Path("/mnt/records")),
        Mount("8:3", Path("/"), Path("/other")),
    ]
    assert set(map(str, aliases([Path("/data/runs/one")], mounted))) == {
        "/data/runs/one", "/mnt/runs/one", "/mnt/records",
    }  # fmt: skip
    hiding = [*mounted, Mount("8:3", Path("/"), Path("/data"))]  # the later one is visible
    assert set(map(str, aliases([Path("/data/x")], hiding))) == {"/data/x", "/other/x"}


@pytest.fixture
def view(tmp_path):
    for name in ("working", "working/hidden", "folder", "written"):
        (tmp_path / name).mkdir()
    return SimpleNamespace(
        working=tmp_path / "working", folders=[tmp_path / "folder", tmp_path / "working" / "hidden"],
        hidden=[tmp_path / "working" / "hidden", tmp_path / "elsewhere"], written=[tmp_path / "written"],
    )  # fmt: skip


def test_bubblewrap_shows_folders_read_only_and_hidden_ones_empty(view, monkeypatch):
    monkeypatch.setattr(namespaces, "has_bubblewrap", lambda: False)
    with pytest.raises(UserError, match="level A needs bubblewrap"):
        namespaces.bubblewrap_command(["x"], view)
    monkeypatch.setattr(namespaces, "has_bubblewrap", lambda: True)
    of_root = {"--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"}
    for user, options in ((0, of_root), (5, {"--unshare-all"})):
        monkeypatch.setattr(namespaces.os, "geteuid", lambda user=user: user)
        words = namespaces.bubblewrap_command(["x", "y"], view)
        assert words[-3:] == ["--", "x", "y"]
        assert {"--die-with-parent", "--new-session", *options} <= set(words)
        assert words[words.index("--cap-drop") + 1] == "ALL"
        assert not set(namespaces.READ_ALL_CAPABILITIES) & set(words)
        read_only = [words[at + 1] for at, word in enumerate(words) if word == "--ro-bind"]
        assert str(view.working) in read_only and str(view.folders[0]) in read_only
        assert str(view.hidden[0]) not in read_only, "it lies in another one"
        assert [words[at + 1] for at, word in enumerate(words) if word == "--tmpfs"] == [str(view.hidden[0])]
        assert [words[at + 1] for at, word in enumerate(words) if word == "--bind"] == [str(view.written[0])]


def test_limits_of_a_player_are_those_of_the_run():
    limits = processes.player_limits(64, 32)
    assert limits[resource.RLIMIT_NOFILE] == 32
    assert limits[resource.RLIMIT_DATA] == 64 << 20
    assert limits[resource.RLIMIT_CORE] == limits[resource.RLIMIT_SIGPENDING] == 0
    assert processes.MAX_THREADS <= 128


def test_half_of_an_almost_full_disk_may_be_used(monkeypatch, tmp_path):
    free = SimpleNamespace(f_bavail=1000, f_frsize=1 << 10)
    monkeypatch.setattr(processes.os, "statvfs", lambda folder: free)
    space = processes.FreeSpace(tmp_path)
    for left, is_short in ((1000, False), (500, False), (499, True)):
        free.f_bavail = left
        assert space.is_short() == is_short


def test_each_process_that_starts_players_draws_another_user(monkeypatch):
    assert levels.new_user() == levels.new_user() != levels.FIRST_USER - 1
    drawn = {levels._drawn_user(-number) for number in range(3)}
    assert len(drawn) == 3
    assert all(levels.FIRST_USER <= user < levels.FIRST_USER + levels.N_USERS for user in drawn)


@pytest.mark.parametrize("exists", [True, False])
def test_a_player_changes_to_its_user_or_to_nobody(monkeypatch, exists):
    asked = []

    def change(*users):
        asked.append(users)
        if users[0] == 7 and not exists:
            raise OSError(errno.EINVAL, "there is no such user")

    monkeypatch.setattr(levels.os, "geteuid", lambda: 0)
    monkeypatch.setattr(levels.os, "setgroups", lambda groups: asked.append(tuple(groups)))
    monkeypatch.setattr(levels.os, "setresgid", change)
    monkeypatch.setattr(levels.os, "setresuid", change)
    monkeypatch.setattr(levels.system_calls, "system_call", lambda name, *_: asked.append(name))
    assert levels.drop_privileges(7) == exists
    assert asked[0] == ()
    assert asked[-2:] == [(7,) * 3 if exists else (levels.NOBODY,) * 3, "capset"]
    assert not levels.drop_privileges(levels.NOBODY)
    asked.clear()
    assert not levels.drop_privileges(None)
    assert asked == ["capset"]


@pytest.fixture
def landlock(monkeypatch):
    """The version of the kernel's Landlock, and what is asked of it."""
    kernel = SimpleNamespace(version=6, rulesets=[], rules=[], n_restricted=0)

    def call(name, *arguments):
        if name == "landlock_create_ruleset" and arguments[0] is None:
            return kernel.version
        if name == "landlock_create_ruleset":
            made = arguments[0]._obj
            kernel.rulesets.append((made.files, made.network, made.scoped, arguments[1]))
            return levels.os.open("/dev/null", 0)
        if name == "landlock_add_rule":
            kernel.rules.append(arguments[2]._obj.rights)
        kernel.n_restricted += name == "landlock_restrict_self"
        return 0

    monkeypatch.setattr(levels.system_calls, "system_call", call)
    return kernel


@pytest.mark.parametrize(
    ("version", "ruleset"),
    [
        (1, ((1 << 13) - 1, 0, 0, 8)),
        (3, ((1 << 15) - 1, 0, 0, 8)),
        (4, ((1 << 15) - 1, levels.TCP, 0, 16)),
        (5, ((1 << 16) - 1, levels.TCP, 0, 16)),
        (6, ((1 << 16) - 1, levels.TCP, levels.SCOPES, 24)),
        (9, ((1 << 16) - 1, levels.TCP, levels.SCOPES, 24)),
    ],
)
def test_all_that_the_kernel_can_forbid_is_forbidden(landlock, tmp_path, version, ruleset):
    landlock.version = version
    (tmp_path / "file").touch()
    every = (1 << 20) - 1
    levels.restrict_files([(tmp_path, every), (tmp_path / "file", every), (tmp_path / "none", every)])
    assert landlock.rulesets == [ruleset]
    assert landlock.rules == [ruleset[0], ruleset[0] & levels.ON_FILES]
    assert landlock.n_restricted == 1


def test_without_landlock_or_if_a_rule_is_missing_for_want_of_files_no_player_starts(landlock, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(errno.EMFILE, "too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(levels, "os", SimpleNamespace(**vars(levels.os) | {"open": fail}))
        patch.setattr(levels.system_calls, "system_call", lambda name, *_: processes.os.open("/dev/null", 0))
        with pytest.raises(OSError, match="too many open files"):
            levels.restrict_files([(tmp_path, levels.READ)])
    landlock.version = 0
    with pytest.raises(OSError, match="does not support Landlock"):
        levels.restrict_files([])


def test_a_limit_is_lowered_and_never_raised(monkeypatch):
    hard = {resource.RLIMIT_CORE: 5, resource.RLIMIT_NOFILE: 50, resource.RLIMIT_DATA: resource.RLIM_INFINITY}
    found = {}
    monkeypatch.setattr(processes.resource, "getrlimit", lambda kind: (1, hard[kind]))
    monkeypatch.setattr(processes.resource, "setrlimit", found.__setitem__)
    processes.apply_limits(dict.fromkeys(hard, 10))
    assert found == {
        resource.RLIMIT_CORE: (5, 5), resource.RLIMIT_NOFILE: (10, 10), resource.RLIMIT_DATA: (10, 10),
    }  # fmt: skip


@pytest.mark.parametrize(("parent", "killed"), [(17, []), (1, [(5, 9)])])
def test_a_process_ends_with_its_parent_even_if_that_has_ended_before(monkeypatch, parent, killed):
    asked, sent = [], []
    monkeypatch.setattr(processes, "libc", lambda: SimpleNamespace(prctl=lambda *args: asked.append(args)))
    system = SimpleNamespace(getppid=lambda: parent, getpid=lambda: 5, kill=lambda *args: sent.append(args))
    monkeypatch.setattr(processes, "os", system)
    processes.die_with_parent(17)
    assert (asked, sent) == ([(1, 9)], killed)
