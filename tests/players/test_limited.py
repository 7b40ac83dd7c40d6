"""What the process that parses does for a job and in its fork, and what is made of the answer, without a process."""

import io
import os
import resource
import signal
from types import SimpleNamespace

import msgspec
import pytest

from wordpl.players import limited
from wordpl.players.limited import ParseJob, Unread
from wordpl.players.sandbox import levels, processes, system_calls

pytestmark = pytest.mark.skipif(system_calls.machine() is None, reason="no filter is written for this machine")


class EndedError(BaseException):
    """The fork ended."""


def contents_of(contents, argument):
    return [content if isinstance(content, str) else len(content) for content in contents]


def too_large(contents, argument):
    raise MemoryError


def too_deep(contents, argument):
    raise RecursionError


def broken(contents, argument):
    raise ValueError


@pytest.fixture
def serve(monkeypatch):
    """Return a function that lets `main` serve jobs, with these functions of the system, and returns its replies."""

    def serve(function, *jobs, **calls):
        reader, writer = os.pipe()
        os.write(writer, msgspec.json.encode({"function": f"{__name__}:{function}", "jobs": list(jobs)}) + b"\n")
        os.close(writer)
        out = io.BytesIO()
        monkeypatch.setattr(limited, "os", SimpleNamespace(**vars(os) | calls))
        monkeypatch.setattr(limited.processes, "die_with_parent", calls.get("die_with_parent", lambda pid: None))
        monkeypatch.setattr(limited.warnings, "simplefilter", lambda action: None)
        with os.fdopen(reader) as stdin:
            monkeypatch.setattr(limited, "sys", SimpleNamespace(stdin=stdin, stdout=SimpleNamespace(buffer=out)))
            limited.main()
        return [msgspec.json.decode(line) for line in out.getvalue().splitlines()]

    return serve


@pytest.fixture
def run(serve, monkeypatch):
    """Return a function that runs a job as in the fork; it returns what is asked of the system, sent, and the code."""

    def run(function, job):
        steps, sent = [], []

        def note(module, name):
            monkeypatch.setattr(module, name, lambda *args: steps.append((name, *args)))

        for name in ("restrict_files", "drop_privileges"):
            note(levels, name)
        for name in ("apply_limits", "prefer_for_oom_kill"):
            note(processes, name)
        for name in ("forbid_new_privileges", "restrict"):
            note(system_calls, name)
        monkeypatch.setattr(levels, "landlock_version", lambda: 1)

        def end(code):
            steps.append(("exit", code))
            raise EndedError

        ends = os.pipe()
        with pytest.raises(EndedError):
            serve(
                function, job, pipe=lambda: ends, fork=lambda: 0, setsid=lambda: steps.append(("setsid",)),
                dup2=lambda *_: None, open=lambda *_: 9, close=lambda file: None, _exit=end,
                closerange=lambda *edges: steps.append(("closerange", *edges)),
                die_with_parent=lambda pid: steps.append(("die_with_parent", pid)),
                write=lambda file, line: sent.append((file, msgspec.json.decode(line))),
            )  # fmt: skip
        for file in ends:
            os.close(file)
        return steps[1:], sent  # the helper itself ends with its parent, too

    return run


def test_a_fork_gives_up_its_rights_before_it_parses_and_may_only_answer(run, tmp_path):
    (tmp_path / "bot.py").write_bytes(b"12345")
    steps, sent = run("contents_of", ParseJob([str(tmp_path / "bot.py")]))
    assert steps == [
        ("setsid",),
        ("closerange", limited.REPLIES + 1, processes.max_open_files()),
        ("prefer_for_oom_kill",),
        ("apply_limits", processes.player_limits(limited.MEMORY_MB, limited.MAX_OPEN_FILES)),
        ("apply_limits", {resource.RLIMIT_CPU: limited.CPU_S, resource.RLIMIT_FSIZE: 0}),
        ("forbid_new_privileges",),
        ("restrict_files", []),
        ("drop_privileges", levels.new_user()),
        ("die_with_parent", os.getpid()),
        ("restrict", system_calls.player_filter(programs=False, writes=False)),
        ("exit", 0),
    ]
    assert sent == [(limited.REPLIES, [5])]


def test_only_so_much_of_the_files_of_an_entry_is_read(run, tmp_path, monkeypatch):
    monkeypatch.setattr(limited, "MAX_BYTES", 10)
    for name, size in (("a", 6), ("b", 4), ("c", 1)):
        (tmp_path / name).write_bytes(b"x" * size)
    ((_, found),) = run("contents_of", ParseJob([str(tmp_path / name) for name in "abcd"]))[1]
    assert found == [6, 4, "its files have more than 0 MiB", "No such file or directory"]


@pytest.mark.parametrize(("function", "code"), [("too_large", 3), ("too_deep", 4), ("broken", 5)])
def test_what_stops_a_parser_is_told_by_the_exit_code(run, function, code):
    steps, sent = run(function, ParseJob([]))
    assert (steps[-1], sent) == (("exit", code), [])


LATE = f"reading it takes too long: {limited.LIMITS}"


@pytest.mark.parametrize(
    ("sent", "status", "cpu_s", "reason"),
    [
        (b"x", 0, 4.4, ""),
        (b"x" * limited.MAX_REPLY_BYTES, 0, 0.0, ""),
        (b"x" * (limited.MAX_REPLY_BYTES + 1), 0, 0.0, "it cannot be read"),
        (b"", 0, 0.0, "it cannot be read"),
        (b"x", signal.SIGKILL, 0.0, "it cannot be read"),
        (b"x", 3 << 8, 0.0, limited.REASONS[3]),
        (b"", 4 << 8, 0.0, "it is nested too deep to be read"),
        (b"x", 0, 4.6, LATE),
        (None, signal.SIGKILL, 0.0, LATE),
    ],
)
def test_a_parser_s_answer_counts_if_it_is_bounded_and_in_time(
    serve, tmp_path, monkeypatch, sent, status, cpu_s, reason
):
    (tmp_path / "sent").write_bytes(sent or b"")
    silent, silent_writer = os.pipe()
    killed = []

    def pipe():
        return os.dup(silent) if sent is None else os.open(tmp_path / "sent", os.O_RDONLY), os.open(os.devnull, 0)

    if sent is None:
        monkeypatch.setattr(limited, "WALL_S", 0.0)
    (reply,) = serve(
        "broken", ParseJob([]), pipe=pipe, fork=lambda: 77, kill=lambda *what: killed.append(what),
        wait4=lambda pid, _: (pid, status, SimpleNamespace(ru_utime=cpu_s / 2, ru_stime=cpu_s / 2)),
    )  # fmt: skip
    os.close(silent)
    os.close(silent_writer)
    assert (reply["reason"], bool(reply["sent"])) == (reason, not reason)
    assert killed == [(77, signal.SIGKILL)]


def test_each_file_is_read_or_the_reason_is_said_even_if_the_helper_ends(monkeypatch):
    lines = [limited._Reply(b"5", ""), limited._Reply(b"6", "why"), limited._Reply(b'"no number"', "")]
    stdout = io.BytesIO(b"".join(msgspec.json.encode(line) + b"\n" for line in lines) + b'{"sent":')
    helper = SimpleNamespace(stdin=io.BytesIO(), stdout=stdout, kill=lambda: None, communicate=lambda: None)
    monkeypatch.setattr(limited, "_kept", {})
    monkeypatch.setattr(limited.subprocess, "Popen", lambda *_, **__: helper)
    found = limited.parse("x:y", int, [ParseJob([])] * 5)
    killed = Unread("the process that reads it was killed from outside")
    assert found == [5, Unread("why"), Unread("it cannot be read"), killed, killed]
    assert limited.parse("x:y", int, []) == []
