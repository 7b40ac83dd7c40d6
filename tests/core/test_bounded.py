"""Files that others made are read within limits, through one module; docs/data/readers.csv lists who reads what."""

import ast
import csv
import gzip
import os
import re
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest

from tests.helpers.paths import HOME
from wordpl.core import apps, bounded
from wordpl.core.bounded import FileKind, NotRegularError, TooLargeError
from wordpl.core.messages import UserError

SMALL = FileKind("small file", "a test", 1000, 100)
TABLE = HOME / "docs" / "data" / "readers.csv"
WRITES = bool(os.environ.get("WORDPL_WRITE_OUTCOMES"))
KINDS = {name: kind for name, kind in vars(bounded).items() if isinstance(kind, FileKind)}


@pytest.mark.parametrize("read", [bounded.read, lambda *args: list(bounded.read_parts(*args, 10))])
@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "nowhere", "file"])
def test_a_link_is_not_followed(tmp_path, read, target):
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(NotRegularError, match="link is a link, where a regular file is needed"):
        read(SMALL, tmp_path / "link")


def test_a_file_that_the_reader_names_himself_may_be_a_link_but_not_to_a_device(tmp_path):
    own = FileKind("small file", "a test", 1000, may_be_link=True)
    (tmp_path / "file").write_text("text")
    for name, target in (("good", "file"), ("endless", "/dev/zero"), ("kernel", "/proc/self/status")):
        (tmp_path / name).symlink_to(target)
    assert bounded.read_text(own, tmp_path / "good") == "text"
    with pytest.raises(NotRegularError, match="is a device"):
        bounded.read(own, tmp_path / "endless")
    if Path("/proc/self/status").exists():
        with pytest.raises(NotRegularError, match="is a file of the system"):
            bounded.read(own, tmp_path / "kernel")


def test_a_file_is_read_in_blocks_within_its_limit(tmp_path, monkeypatch):
    large = FileKind("large file", "a test", 3 * bounded.CHUNK_BYTES)
    for size in (0, 1, bounded.CHUNK_BYTES, 3 * bounded.CHUNK_BYTES):
        (tmp_path / "file").write_bytes((b"0123456789" * size)[:size])
        blocks = list(bounded.read_blocks(large, tmp_path / "file"))
        assert b"".join(blocks) == (tmp_path / "file").read_bytes()
        assert max(map(len, blocks), default=0) <= bounded.CHUNK_BYTES
        assert bounded.digest(large, tmp_path / "file") == sha256(b"".join(blocks)).hexdigest()
    with (tmp_path / "file").open("ab") as file:
        file.write(b"x")
    with pytest.raises(TooLargeError, match="larger than 768 KiB, the limit for a large file"):
        next(bounded.read_blocks(large, tmp_path / "file"))
    before = os.stat_result([*(tmp_path / "file").stat()[:6], 1, 0, 0, 0])
    monkeypatch.setattr(os, "fstat", lambda handle: before)  # it grows after its size was read
    with pytest.raises(TooLargeError, match="larger than 768 KiB, the limit for a large file"):
        list(bounded.read_blocks(large, tmp_path / "file"))


def test_pipes_and_folders_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(NotRegularError, match=f"is a {name}, where a regular file is needed"):
            bounded.read(SMALL, tmp_path / name)


def test_a_sparse_file_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(3 << 30)
    for read in (bounded.read, bounded.read_lines):
        with pytest.raises(TooLargeError, match="larger than 1000 bytes, the limit for a small file"):
            read(SMALL, tmp_path / "sparse")
    with pytest.raises(TooLargeError, match="a line of a small file has at most 100 bytes"):
        list(bounded.read_parts(SMALL, tmp_path / "sparse", 10))


@pytest.mark.parametrize("size", [0, 1, 999, 1000])
def test_a_file_of_at_most_the_limit_is_read_whole(tmp_path, size):
    (tmp_path / "file").write_bytes(b"x" * size)
    assert bounded.read(SMALL, tmp_path / "file") == b"x" * size


@pytest.mark.parametrize("size", [1001, 1002])
@pytest.mark.parametrize("grows", [False, True])
def test_a_file_beyond_the_limit_is_refused_even_if_it_grows_after_its_size_was_read(
    tmp_path, monkeypatch, size, grows
):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1000)
    before = path.stat()
    path.write_bytes(b"x" * size)
    if grows:
        monkeypatch.setattr(os, "fstat", lambda handle: before)
    with pytest.raises(TooLargeError, match="larger than 1000 bytes, the limit for a small file"):
        bounded.read(SMALL, path)


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x\n" * 11, "holds more than the 10 lines"),
        (b"x" * 101, "has at most 100 bytes"),
        (b"x\n" + b"y" * 101 + b"\n", "has at most 100 bytes"),
        (b"x\n" * 9 + b"y" * 101 + b"\n", "has at most 100 bytes"),
    ],
)
def test_lines_are_limited_in_number_and_length(tmp_path, monkeypatch, pack, data, message):
    path = tmp_path / "lines"
    path.write_bytes(pack(data))
    read = bounded.read_parts if pack(b"") == b"" else bounded.read_unpacked_parts
    with pytest.raises(TooLargeError, match=message):
        list(read(SMALL, path, 10))
    monkeypatch.setattr(bounded, "CHUNK_BYTES", 64)  # so that lines are cut
    with pytest.raises(TooLargeError, match=message):
        list(read(SMALL, path, 10))
    path.write_bytes(pack(b"z" * 100 + b"\n" + b"x\n" * 9))
    assert b"".join(read(SMALL, path, 10)).count(b"\n") == 10


def test_gzip_files_of_several_members_are_read_and_bombs_are_stopped(tmp_path):
    path = tmp_path / "packed"
    path.write_bytes(gzip.compress(b"a\n") + b"garbage")
    with pytest.raises(UserError, match="is damaged"):
        list(bounded.read_unpacked_parts(SMALL, path, 10))
    path.write_bytes(gzip.compress(b"a\n" * 9)[:-9])
    with pytest.raises(UserError, match="is damaged: it ends too early"):
        list(bounded.read_unpacked_parts(SMALL, path, 10))
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    assert b"".join(bounded.read_unpacked_parts(SMALL, path, 10)) == b"a\nb\n"
    path.write_bytes(gzip.compress(b"") * 2000)
    with pytest.raises(TooLargeError, match="has more than 1,000 compressed parts"):
        list(bounded.read_unpacked_parts(SMALL, path, 10))
    path.write_bytes(gzip.compress(bytes(20 << 20)))
    with pytest.raises(TooLargeError, match="has at most 100 bytes"):
        list(bounded.read_unpacked_parts(SMALL, path, 10))


@pytest.mark.parametrize("depth", [33, 900, 100_000])
def test_deep_json_and_toml_are_refused(tmp_path, depth):
    big = FileKind("file", "a test", 10**7)
    for name, text in (("json", "[" * depth + "]" * depth), ("toml", "a = " + "[" * depth + "]" * depth)):
        (tmp_path / name).write_text(text)
    with pytest.raises(TooLargeError, match="nested more than 32 deep"):
        bounded.read_json(big, tmp_path / "json")
    with pytest.raises(TooLargeError, match="nested more than 32 deep"):
        bounded.read_toml(big, tmp_path / "toml")
    assert bounded.parse_json("[" * 32 + "]" * 32, "it")


@pytest.mark.parametrize("part", ["a.", "a . ", "'a'.", '"."\t.'])
def test_long_keys_of_toml_are_refused_before_they_take_time(tmp_path, part):
    big, path = FileKind("file", "a test", 10**7), tmp_path / "toml"
    for n in (32, 200_000):
        for text in (f"{part * n}b = 1", f"[{part * n}b]", f"x = {{{part * n}b = 1}}"):
            path.write_text(text)
            with pytest.raises(TooLargeError, match="nested more than 32 deep"):
                bounded.read_toml(big, path)
    path.write_text(f"{part * 31}b = 1\nx = [{'1.5, ' * 1000}]\ny = '{'. ' * 1000}{'.' * 1000}'\nz = '{'a' * 10**6}'")
    assert len(bounded.read_toml(big, path)["x"]) == 1000


def readers() -> dict[str, list[str]]:
    """Return the functions that read each kind of file."""
    found: dict[str, list[str]] = {name: [] for name in KINDS}
    for path in sorted((HOME / "wordpl").rglob("*.py")):
        source = path.read_text()
        if "bounded." not in source:
            continue
        lines = source.splitlines()
        for function in ast.walk(ast.parse(source)):
            if isinstance(function, ast.FunctionDef):
                own = "\n".join(lines[function.lineno - 1 : function.end_lineno])
                for name in set(re.findall(r"bounded\.([A-Z_]+)\b", own)) & set(KINDS):
                    found[name].append(f"{path.relative_to(HOME / 'wordpl')} {function.name}")
    return found


def table_of(functions_by_kind: dict[str, list[str]]) -> str:
    """Return the table of readers, as a CSV file."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["file", "made by", "limits", "may be a link", "readers"])
    for name, functions in functions_by_kind.items():
        kind = KINDS[name]
        own = "yes, the reader names it" if kind.may_be_link else "no"
        table.writerow([kind.name, kind.made_by, kind.limits, own, ", ".join(dict.fromkeys(functions))])
    return text.getvalue()


def is_there(reader: str) -> bool:
    """Return whether a file of the package, "apps/season/log.py read", is not of an app that has been deleted."""
    return not reader.startswith("apps/") or apps.is_installed(reader.split("/")[1])


def test_the_table_lists_every_reader_of_files_that_others_make():
    found = readers()
    if WRITES:
        TABLE.write_text(table_of(found))
    else:
        rows = list(csv.reader(TABLE.read_text().splitlines()[1:]))
        listed = {name: {*readers.split(", ")} for name, *_, readers in rows}
        terms = [row[:-1] for row in csv.reader(table_of(found).splitlines()[1:])]
        assert [row[:-1] for row in rows] == terms, "limits, or whether links are followed"
        assert all(readers != {""} for readers in listed.values()), "a kind of file that nobody reads"
        there = {name: {reader for reader in found if is_there(reader)} for name, found in listed.items()}
        assert there == {KINDS[name].name: set(functions) for name, functions in found.items()}, (
            "WORDPL_WRITE_OUTCOMES=1 writes it anew"
        )


OPENED_ELSEWHERE = {
    "files of the package": [
        "cli/docs.py",
        "core/paths.py",
        "kernels/compiled.py",
        "apps/words/features.py",
        "apps/daily_bot/adapters/__init__.py",
        "apps/daily_bot/bookmarklet.py",
        "contest/run_folder.py",
    ],
    "the system's own files, and devices such as /dev/null": [
        "cli/_command.py",
        "players/base.py",
        "players/fork_client.py",
        "players/limited.py",
        "players/player_process.py",
        "players/working_folder.py",
        "players/program_build.py",
        "players/sandbox/processes.py",
        "players/sandbox/processes.py",
        "players/sandbox/levels.py",
        "players/sandbox/probe.py",
    ],
    "attacks that probe a sandbox from inside": [
        "players/fork_server.py",
        "players/sandbox/probe.py",
    ],
    "what the same user keeps: caches, history, settings, posts to send, pages that are rewritten": [
        "apps/season/credits.py",
        "stats/estimates.py",
        "apps/terminal/app/user_files.py",
        "apps/terminal/app/setups.py",
        "apps/terminal/app/setups.py",
        "apps/terminal/app/user_files.py",
        "apps/daily_bot/daily.py",
        "apps/daily_bot/daily.py",
        "apps/daily_bot/targets/discord.py",
        "apps/daily_bot/targets/mastodon.py",
        "apps/league/site.py",
        "reports/record_boards.py",
    ],
    "the operator's databases and backups": [
        "apps/web/store.py",
        "apps/tournament/room.py",
        "apps/league/database.py",
    ],
    "pictures, after their size was checked": [
        "apps/league/ocr.py",
    ],
    "the host's own run while it is played, its seed, its lock, parts that it sends to workers": [
        "run/entry.py",
        "run/folder.py",
        "core/files.py",
        "contest/official.py",
        "apps/cluster/engine.py",
    ],
}
"""What is opened without a bounded reader, because nobody else makes it, and where."""

OPENING = {"read_bytes", "read_text", "open"}
OPENING_OF = {"np": "load", "gzip": "open", "sqlite3": "connect", "tomllib": "load", "Image": "open"}
"""The functions of modules that open files."""
CAN_OPEN = re.compile(rf"\b({'|'.join([*OPENING, *OPENING_OF.values()])})\(")
MODES = re.compile(r"[rwabxt+]+")


def opened_elsewhere() -> set[str]:
    """Return the files of the package in which something is opened for reading without a bounded reader."""
    return {
        str(path.relative_to(HOME / "wordpl"))
        for path in sorted((HOME / "wordpl").rglob("*.py"))
        if CAN_OPEN.search(source := path.read_text())
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and _opens(node)
    } - {"core/bounded.py"}


def _opens(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name not in OPENING.union(OPENING_OF.values()):
        return False
    owner = ast.unparse(function).rpartition(".")[0]
    if OPENING_OF.get(owner) == name:
        return True
    if name not in OPENING or owner.endswith("bounded") or (not owner and name != "open"):
        return False
    if owner == "os":
        return "O_WRONLY" not in ast.unparse(call) and "O_PATH" not in ast.unparse(call)
    if name != "open":
        return True
    mode = call.args[-1].value if call.args and isinstance(call.args[-1], ast.Constant) else None
    return isinstance(mode, str) and MODES.fullmatch(mode) is not None and "r" in mode


@pytest.mark.slow
def test_whatever_is_opened_without_a_bounded_reader_is_listed_with_its_reason():
    listed = {path for paths in OPENED_ELSEWHERE.values() for path in paths}
    assert opened_elsewhere() == {path for path in listed if is_there(path)}
