"""Which files belong to an entry, and what cannot be a file of one."""

import os
import shutil
import socket
import stat
import subprocess

import pytest

from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.run import bundle
from wordpl.run.bundle import Bundle, BundleStore, FileTree, Program, entries_in

DIGEST_COMMAND = "find . -type f -printf '%P\\n' | LC_ALL=C sort | xargs -d '\\n' sha256sum | sha256sum"


@pytest.fixture
def folder(tmp_path):
    """A folder of strategies."""
    (tmp_path / "strategies").mkdir()
    return tmp_path / "strategies"


def write(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# {name}\n")


def files_of(folder, name):
    return sorted(Bundle.of(folder / name).files)


def test_a_file_owns_itself_alone_whatever_lies_beside_it(folder):
    write(
        folder, "bot.py", "bot_2.py", "bot.json", "bot-words.txt", "bot_2.json", "bot.toml", "bot/bot.py", "bot.txt/x"
    )
    write(folder, "other.toml", "other.js", "other_bot.json", "__init__.py", "wordpl.py", "shipped.txt")
    assert files_of(folder, "bot.py") == ["bot.py"]
    assert files_of(folder, "bot.toml") == ["bot.toml"]
    assert files_of(folder, "bot") == ["bot/bot.py"]
    assert files_of(folder, "other.toml") == ["other.toml"]


def test_python_and_toml_files_and_folders_with_a_main_file_are_entries(folder):
    write(folder, "bot.py", "bot_2.py", "bot-c.toml", "_bot.py", "bot.json", "notes/bot.txt")
    assert [path.name for path in entries_in(folder)] == ["bot-c.toml", "bot.py", "bot_2.py"]


def test_a_folder_holds_everything_below_it(folder):
    write(folder, "bot/bot.py", "bot/helper.py", "bot/deep/table.json", "bot/__pycache__/x.pyc", "bot/.hidden")
    write(folder, "plain/data.json", "c/bot.toml", "c/c.c", "d/d.py")
    assert [path.name for path in entries_in(folder)] == ["bot", "c", "d"]
    assert files_of(folder, "bot") == ["bot/bot.py", "bot/deep/table.json", "bot/helper.py"]
    assert (Bundle.of(folder / "c").main, Bundle.of(folder / "d").main) == ("c/bot.toml", "d/d.py")
    write(folder, "e/e.toml", "f/bot.py", "f/f.toml")
    assert (Bundle.of(folder / "e").main, Bundle.of(folder / "f").main) == ("e/e.toml", "f/bot.py")


def test_shared_modules_belong_to_all_entries_and_are_none(folder):
    write(folder, "bot.py", "big/bot.py", "utils.py", "utils_words.txt", "utils_bot.py", "loose.py")
    (folder / "shared.txt").write_text("# of the host\n\nutils.py  # words\nutils_words.txt\n")
    assert [path.name for path in entries_in(folder)] == ["big", "bot.py", "loose.py", "utils_bot.py"]
    assert files_of(folder, "bot.py") == ["bot.py", "utils.py", "utils_words.txt"]
    assert files_of(folder, "big") == ["big/bot.py", "utils.py", "utils_words.txt"]
    for name in ("gone.py", "big/bot.py", "big"):
        (folder / "shared.txt").write_text(name)
        with pytest.raises(UserError, match=rf"^shared\.txt names {name}, which is not a file of "):
            Bundle.of(folder / "bot.py")
    for name in ("../bot.py", "/etc/passwd"):
        (folder / "shared.txt").write_text(name)
        with pytest.raises(UserError):
            Bundle.of(folder / "bot.py")


def test_the_host_s_folder_says_which_modules_are_shared_and_no_other_does(folder, tmp_path):
    write(folder, "utils.py")
    write(tmp_path / "sent", "bot.py", "utils.py", "mine.py")
    (folder / "shared.txt").write_text("utils.py")
    (tmp_path / "sent" / "shared.txt").write_text("mine.py")
    stored = Bundle.of(tmp_path / "sent" / "bot.py", folder)
    assert stored.files == {"bot.py": tmp_path / "sent" / "bot.py", "utils.py": folder / "utils.py"}
    with pytest.raises(UserError, match="has the name of a module that the host shares"):
        Bundle.of(tmp_path / "sent" / "utils.py", folder)


def test_a_list_of_shared_modules_has_limits(folder, monkeypatch):
    write(folder, "bot.py", "a.py", "b.py")
    (folder / "shared.txt").write_text("a.py\nb.py\n")
    monkeypatch.setattr(bundle, "MAX_FILES", 3)
    assert files_of(folder, "bot.py") == ["a.py", "b.py", "bot.py"]
    monkeypatch.setattr(bundle, "MAX_FILES", 2)
    with pytest.raises(UserError, match=r"bot\.py has 3 files, which exceeds the limit"):
        Bundle.of(folder / "bot.py")
    monkeypatch.setattr(bundle, "MAX_SOURCE_BYTES", 9)
    with pytest.raises(UserError, match=r"cannot read .*: it has more than 9 bytes"):
        Bundle.of(folder / "bot.py")


def test_a_link_in_place_of_a_folder_is_refused(folder, tmp_path):
    write(tmp_path, "elsewhere/bot.py")
    (folder / "bot").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="bot is a link: replace it by the file itself"):
        Bundle.of(folder / "bot")


def test_whoever_lacks_files_beside_an_entry_gets_the_commands_that_make_a_folder_of_it(folder, monkeypatch):
    monkeypatch.chdir(folder)
    write(folder, "ann.py", "ann.txt", "ann_plan.json", "annex.txt", "annual.py", "my data", "rival.py")
    place, lacks = folder / "ann.py", "FileNotFoundError: No such file or directory: {!r}"
    explained = bundle.explain_missing(place, lacks.format("my data"))
    assert "my data beside ann.py is not its own" in explained
    assert explained.endswith("\nmkdir ann && mv ann.py 'my data' ann.txt ann_plan.json ann/")
    for other in (lacks.format("nowhere"), "it opened 'my data'", lacks.format("../ann.txt"), lacks.format("ann.py")):
        assert bundle.explain_missing(place, other) == ""
    for name, is_told in (("my data", False), ("annex.txt", False), ("ann.txt", True)):
        assert bool(bundle.explain_missing(place, lacks.format(name), named_alike=True)) == is_told, name
    program = Program("wordpl/1", ["python3", "rival.py"])
    assert "mv ann.py rival.py" in bundle.explain_missing(place, "", program)
    write(folder, "ann/notes")
    assert bundle.commands_into_folder(place, ["rival.py"]) == (
        "mkdir ann_2 && mv ann.py ann_2/bot.py && mv rival.py ann.txt ann_plan.json ann_2/"
    )
    assert bundle.commands_into_folder(folder / "ann", ["rival.py"]) == "mv rival.py ann/"
    write(folder, f"bundles/{'0' * 64}/bot.py", f"bundles/{'0' * 64}/more")
    stored = folder / "bundles" / ("0" * 64) / "bot.py"
    assert bundle.explain_missing(stored, lacks.format("more")) == ""


def test_only_the_package_s_own_list_says_what_is_shipped(folder):
    write(folder, "n_guess.py", "rival.json")
    (folder / "shipped.txt").write_text("n_guess.py: rival.json ../escaped.py\nrival.json\n../escaped.py\n")
    assert files_of(folder, "n_guess.py") == ["n_guess.py"]


def test_what_is_stored_belongs_to_the_entry_that_it_stores(tmp_path):
    for folder in (tmp_path / "bundles" / ("0" * 64), tmp_path / "versions" / "bot@2"):
        write(folder, "bot.py", "bot.json", "utils.py", "table.txt")
        (folder / "shared.txt").write_text("utils.py")
        assert files_of(folder, "bot.py") == ["bot.json", "bot.py", "table.txt", "utils.py"]
        assert Bundle.of(folder / "bot.py").digest == FileTree({
            name: folder / name for name in ("bot.json", "bot.py", "table.txt", "utils.py")}).digest  # fmt: skip


@pytest.mark.parametrize("name", ["bot.py", "big/bot.py", "big/deep/table.json"])
def test_a_link_in_place_of_a_file_is_refused(folder, name):
    write(folder, "bot.py", "big/bot.py", name)
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/zero")
    with pytest.raises(UserError, match=rf"{(folder / name).name} is a link"):
        print(Bundle.of(folder / ("big" if "big" in name else "bot.py")).digest)


@pytest.mark.parametrize("name", ["bot.py", "big/table.json"])
def test_pipes_sockets_and_devices_are_refused(folder, name, monkeypatch):
    write(folder, "big/bot.py")
    entry = folder / name.partition("/")[0]
    os.mkfifo(folder / name)
    with pytest.raises(UserError, match=r" is a pipe, where a regular file is needed\.$"):
        print(Bundle.of(entry).digest)
    (folder / name).unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(folder)  # a path of a socket is short
        listener.bind(name)
        with pytest.raises(UserError, match=" is a socket, where a regular file is needed"):
            print(Bundle.of(entry).digest)
    (folder / name).unlink()
    if os.geteuid() == 0:
        os.mknod(folder / name, stat.S_IFCHR | 0o666, os.makedev(1, 5))
        with pytest.raises(UserError, match=" is a device, where a regular file is needed"):
            print(Bundle.of(entry).digest)


def test_a_folder_in_place_of_a_file_is_refused(folder):
    write(folder, "wrong.py/inside", "empty/notes", "two/bot.py", "two/bot.toml")
    with pytest.raises(UserError, match=r"^the folder wrong\.py/ should hold exactly one of "):
        Bundle.of(folder / "wrong.py")
    with pytest.raises(UserError, match=r"^the folder two/ should .* it holds bot\.py and bot\.toml\.$"):
        Bundle.of(folder / "two")


def test_too_many_files_bytes_and_levels_are_refused(folder, tmp_path, monkeypatch):
    write(folder, "files/bot.py", "files/1", "files/2", "deep/bot.py", "deep/a/b")
    cases = (
        ("MAX_FILES", 3, "files", "3", "it has more than 3 files"),
        ("MAX_DEPTH", 1, "deep", "a/c/d", "its folders"),
    )
    for limit, most, name, more, reason in cases:
        with monkeypatch.context() as context:
            context.setattr(bundle, limit, most)
            assert Bundle.of(folder / name).files
            (folder / name / more).parent.mkdir(exist_ok=True)
            (folder / name / more).touch()
            with pytest.raises(UserError, match=f"^{reason}"):
                Bundle.of(folder / name)
    monkeypatch.setattr(bundle, "MAX_BYTES", 30)
    for size in (15, 16):
        for name in ("one", "two"):
            (tmp_path / name).write_bytes(bytes(size))
        tree = FileTree({name: tmp_path / name for name in ("one", "two")})
        if size == 15:
            assert tree.digest
    with pytest.raises(UserError, match=r"^two: its files exceed the limit of"):
        tree.copy_to(tmp_path / "copy")
    assert not list((tmp_path / "copy").iterdir())  # nothing was read in vain


def test_a_name_that_is_not_printable_is_refused(folder):
    write(folder, "bot.\n.py", "big/bot.py", "big/a\x1b[31mb")
    for name in ("bot.\n.py", "big"):
        with pytest.raises(UserError, match=r"^the name .*\\(n|x1b).* is not printable\.$"):
            Bundle.of(folder / name)
    write(folder, "odd/bot.py", "odd/a\\b")
    with pytest.raises(UserError, match="has a backslash or a drive"):
        Bundle.of(folder / "odd")


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="sha256sum is not installed")
def test_a_shell_computes_the_digest(tmp_path):
    for name in ("b.txt", "a/b.txt", "a-b.txt", "a/\u00e9 c.txt", "Z"):
        write(tmp_path / "big", name)
    output = subprocess.run(
        ["bash", "-c", DIGEST_COMMAND], cwd=tmp_path / "big", capture_output=True, text=True, check=True
    ).stdout
    assert FileTree.below(tmp_path / "big").digest == output.split()[0]


def test_the_digest_depends_on_all_files_of_an_entry_and_on_no_others(folder):
    write(folder, "bot/bot.py", "bot/table.json", "utils.py", "rival.py", "bot.py")
    (folder / "shared.txt").write_text("utils.py")
    digests = {Bundle.of(folder / "bot").digest}
    for name in ("rival.py", "bot.py", "bot.json"):
        (folder / name).write_text("changed")
    assert {Bundle.of(folder / "bot").digest} == digests
    for name in ("bot/bot.py", "bot/table.json", "utils.py"):
        (folder / name).write_text("changed")
        digests.add(Bundle.of(folder / "bot").digest)
    assert len(digests) == 4


def test_a_store_keeps_each_bundle_once_and_notices_every_change(folder, tmp_path):
    write(folder, "big/bot.py", "big/deep/table.json")
    store = BundleStore(tmp_path / "store")
    digest = store.add(Bundle.of(folder / "big"))
    assert store.add(Bundle.of(folder / "big")) == digest
    assert [path.name for path in store.folder.iterdir()] == [digest]
    assert store.folder.stat().st_mode & 0o777 == 0o700
    (store.path(digest) / "big" / "bot.py").write_text("")  # as a power cut may have left it
    assert store.add(Bundle.of(folder / "big")) == digest
    assert store.holds(digest)
    store.publish()
    assert store.folder.stat().st_mode & 0o777 == 0o755
    store.copy(digest, tmp_path / "copy")
    assert FileTree.below(tmp_path / "copy").digest == digest
    for path, mode in (("big", 0o755), ("big/deep", 0o755), ("big/deep/table.json", 0o644)):
        status = (tmp_path / "copy" / path).stat()
        assert (status.st_mode & 0o777, status.st_mtime, status.st_atime) == (mode, 0, bundle.FIXED_ATIME)
    with pytest.raises(OSError, match="exists"):
        store.copy(digest, tmp_path / "copy")  # nothing is written over
    FileTree({"a/b/c": folder / "big" / "bot.py"}).copy_to(tmp_path / "deep")
    mask = os.umask(0o077)
    try:
        FileTree({"a/b": folder / "big" / "bot.py"}).copy_to(tmp_path / "private")
    finally:
        os.umask(mask)
    assert (tmp_path / "private" / "a" / "b").stat().st_mode & 0o777 == 0o644  # players may be other users
    for damage in ("changed", "added", "link", "gone"):
        other = BundleStore(tmp_path / damage)
        other.copy_from(store, [digest])
        assert other.holds(digest)
        table = other.path(digest) / "big" / "deep" / "table.json"
        if damage == "added":
            table.with_name("more").touch()
        else:
            table.unlink()
        if damage == "changed":
            table.write_text("other")
        if damage == "link":
            table.symlink_to(folder / "big" / "deep" / "table.json")
        assert not other.holds(digest)
        with pytest.raises(UserError):
            other.copy(digest, tmp_path / f"copy of {damage}")
        with pytest.raises(UserError):
            BundleStore(tmp_path / "third").copy_from(other, [digest])
    for name in ("0" * 64, "../store", ""):
        assert not store.holds(name)
        with pytest.raises(UserError, match="is missing: restore it"):
            store.tree(name)


def test_every_tracked_strategy_is_shipped_with_what_it_imports_and_no_other_file_is(monkeypatch):
    folder = paths.bundled() / "strategies"
    shipped = set(bundle.shipped_tree().files)
    git = subprocess.run(["git", "ls-files"], cwd=folder, capture_output=True, text=True, check=False)
    if git.returncode == 0 and git.stdout:
        assert shipped == set(git.stdout.split()) - {"shipped.txt"}
    assert bundle.is_shipped(folder / "n_guess.py")
    assert not bundle.is_shipped(folder / "contestant.py")
    published = files_of(folder, "published.py")
    assert {"published.py", "schedule/schedule.py", "schedule/schedule-g3.json"} <= set(published) < shipped
    assert set(files_of(folder, "schedule")) < set(published)
    assert bundle.is_shipped(folder / "schedule")


def test_a_copy_of_a_shipped_strategy_is_a_contestant_s_own(folder):
    shutil.copy(paths.bundled() / "strategies" / "n_guess.py", folder)
    assert not bundle.is_shipped(folder / "n_guess.py")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('game = "wordpl/1"', "the command is empty"),
        ('game = "wordpl/1"\ncommand = ["x"]\n[model]\na = 1', "one command or one table"),
        ('game = "wordpl/1"\nbuild = ["x"]\n[model]\na = 1', "one command or one table"),
        ('game = "wordpl/1"\n[model]\na = 1\n[echo]\na = 1', "one command or one table"),
        ('game = "wordpl/1"\ncommand = "x"', "Expected `array`"),
        ('game = "wordpl/1"\ncommand = ["x"]\nmore = 1', "unknown field `more`"),
    ],
)
def test_a_toml_file_describes_one_command_or_one_entry_without_code(text, reason):
    with pytest.raises(UserError, match=f"bot.toml: .*{reason}"):
        Program.parse(text.encode(), "bot.toml")
    assert Program.parse(b'game = "wordpl/1"\n[model]\na = 1', "bot.toml").kind == "model"
    assert Program.parse(b'game = "wordpl/1"\ncommand = ["x"]', "bot.toml").kind == ""
