"""What a line of an entry tried tells which rule it broke; a long traceback is cut to its last lines."""

import errno
import sys
import traceback
from types import ModuleType

import pytest

from wordpl.players import diagnosis
from wordpl.players.diagnosis import Denied

FORBIDDEN = PermissionError(errno.EPERM, "not permitted")


@pytest.fixture
def raised(tmp_path, monkeypatch):
    """A function that returns the error that a library raises on this line of an entry."""
    package = ModuleType("strategies")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "strategies", package)

    def of(line, library, error):
        library_code = {"__name__": library, "error": error}
        exec("def fail(*_):\n    raise error.with_traceback(None)", library_code)
        (tmp_path / "bot.py").write_text(line)
        stub = type("Stub", (), {"__getattr__": lambda self, name: library_code["fail"]})()
        try:
            exec(
                compile(line, str(tmp_path / "bot.py"), "exec"), {"os": stub, "lib": stub, "call": library_code["fail"]}
            )
        except type(error) as found:
            return found
        raise AssertionError

    return of


@pytest.mark.parametrize(
    ("line", "library", "error", "expected"),
    [
        ("os.fork()", "os", FORBIDDEN, Denied.PROCESS),
        ("lib.run()", "subprocess", FORBIDDEN, Denied.PROCESS),
        ("lib.SharedMemory(3)", "multiprocessing", FORBIDDEN, Denied.OTHER),
        ("lib.connect()", "socket", FORBIDDEN, Denied.NETWORK),
        ("os.kill(1, 9)", "os", FORBIDDEN, Denied.SIGNAL),
        ("call()", "os", FORBIDDEN, Denied.OTHER),
        ("lib.TemporaryDirectory()", "tempfile", FileNotFoundError(errno.ENOENT, "No usable one"), Denied.WRITE),
        ("call()", "io", FileNotFoundError(errno.ENOENT, "x", "/srv/none"), Denied.READ),
        ("call('x', 'wb')", "io", FileNotFoundError(errno.ENOENT, "x", "/srv/none"), Denied.WRITE),
        ("call()", "io", OSError(errno.EROFS, "x", "/dev/null"), Denied.WRITE),
        ("call()", "io", PermissionError(errno.EACCES, "x", "/dev/null"), Denied.READ),
        ("call()", "io", PermissionError(errno.EACCES, "x", "/dev/none"), Denied.WRITE),
        ("call()", "io", OSError(errno.ENOSPC, "x", "/dev/null"), ""),
    ],
)
def test_the_line_its_library_and_the_error_tell_what_it_tried(raised, line, library, error, expected):
    assert diagnosis.denied(raised(line, library, error)) == expected


def test_a_file_that_an_entry_lacks_among_its_own_is_its_own_matter(raised, tmp_path):
    assert diagnosis.denied(raised("call()", "io", FileNotFoundError(errno.ENOENT, "x", f"{tmp_path}/table"))) == ""


def test_a_long_traceback_is_cut_to_its_last_lines(raised):
    error = raised("call()", "io", ValueError("first"))
    for number in range(40):
        after = raised("call()", "io", ValueError(f"number {number}"))
        after.__cause__ = error
        error = after
    explained = diagnosis.explain(error)
    head, *lines = explained.splitlines()
    whole = "".join(traceback.format_exception(error)).splitlines()
    assert head == "..."
    assert 1000 < len(explained) < diagnosis.MAX_STACK_CHARACTERS + 100
    assert lines[-1] == "ValueError: number 39"
    assert {line.strip() for line in lines if "File" not in line} <= {line.strip() for line in whole}
