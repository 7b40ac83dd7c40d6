"""Parsing untrusted files, in processes without rights.

A parser can be made to loop, to recurse or to fill the memory, so none reads an untrusted file in the process of the
harness. A helper process, which reads no file itself, forks a process for each entry. It copies the bytes of the files,
gives up all its rights, also that to open a file, parses them, and sends one bounded line back, which is checked.

The helper passes that line on unread. So where a filter of system calls keeps it out of the reach of the processes that
it forks, it is kept for later calls.
"""

import ast
import atexit
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NoReturn, TypeVar

import msgspec

from wordpl.core import bounded, current_folder
from wordpl.core.messages import UserError
from wordpl.players.sandbox import levels, processes, system_calls

CPU_S = 5
"""The CPU time that the files of one entry may take."""
WALL_S = 120.0
"""The time that they may take on a busy machine."""
IDLE_S = 60.0
"""The time after which a helper ends that nobody asks."""
MEMORY_MB = 512
MAX_BYTES = 4 << 20
"""How much of the files of one entry is read."""
MAX_REPLY_BYTES = 1 << 16
MAX_OPEN_FILES = 8
REPLIES = 3
"""The file descriptor of the pipe in a process without rights."""
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL")
CODECS = (
    "ascii", "latin_1", "iso8859_2", "iso8859_15", "cp1250", "cp1251", "cp1252", "koi8_r", "utf_8_sig", "utf_16",
    "gb18030", "shift_jis", "euc_jp", "euc_kr", "big5",
)  # fmt: skip
"""The encodings of sources: a process without rights can import no other one."""
EXIT_MEMORY, EXIT_DEPTH, EXIT_OTHER = 3, 4, 5
LIMITS = f"the limits are {CPU_S} s of CPU time and {MEMORY_MB} MiB"
REASONS = {
    EXIT_MEMORY: f"reading it needs too much memory: {LIMITS}",
    EXIT_DEPTH: "it is nested too deep to be read",
    EXIT_OTHER: "it cannot be read",
}


class ParseJob(msgspec.Struct, frozen=True):
    """What to parse.

    Attributes:
        files: The paths of the files, the most important one first.
        argument: The second argument of the function.
    """

    files: list[str]
    argument: str = ""


@dataclass(frozen=True)
class Unread:
    """What could not be parsed within the limits, and the reason."""

    reason: str


Contents = Sequence[bytes | str]
"""The content of each file, or why it cannot be read."""
T = TypeVar("T")


def parse(function: str, kind: type[T], jobs: Sequence[ParseJob]) -> list[T | Unread]:
    """Call a function for each job, in a process without rights, and return the results.

    Args:
        function: The function, as module:name. It takes the `Contents` of the files and the argument.
        kind: The type of its result, whose texts and lists have a maximum length.
        jobs: What to parse. One that exceeds the limits does not affect the others.
    """
    if not jobs:
        return []
    variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    request = msgspec.json.encode(_Request(function, list(jobs))) + b"\n"
    # Linux stops a helper when the thread that has started it ends.
    is_kept = threading.current_thread() is threading.main_thread() and system_calls.can_filter()
    helper = _kept.pop(os.getpid(), None) if is_kept else None
    replies: list[bytes] = []
    try:
        if helper is not None and helper.variables == variables:
            replies = helper.answers(request, len(jobs))
        if not replies:  # none is kept, or it has ended in the meantime
            if helper is not None:
                helper.stop()
            helper = _Helper(variables)
            replies = helper.answers(request, len(jobs))
    finally:
        if is_kept and helper is not None and len(replies) == len(jobs):
            _kept[os.getpid()] = helper
        elif helper is not None:
            helper.stop()
    found: list[T | Unread] = [_checked(line, kind) for line in replies]
    return found + [Unread("the process that reads it was killed from outside")] * (len(jobs) - len(found))


class _Request(msgspec.Struct, frozen=True):
    function: str
    jobs: list[ParseJob]


class _Helper:
    """A helper process.

    Attributes:
        variables: Its environment variables.
    """

    def __init__(self, variables: dict[str, str]) -> None:
        self.variables = variables
        self._process = subprocess.Popen(
            current_folder.python_command("players.limited"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=current_folder.EMPTY,
            env=variables,
            start_new_session=True,  # the harness handles Ctrl-C, and then stops the helper
        )

    def answers(self, request: bytes, n_jobs: int) -> list[bytes]:
        """Return a line for each job, or fewer if the process has ended."""
        requests, replies = self._process.stdin, self._process.stdout
        assert requests is not None and replies is not None
        with suppress(BrokenPipeError):
            requests.write(request)
            requests.flush()
        return [line for _ in range(n_jobs) if (line := replies.readline()).endswith(b"\n")]

    def stop(self) -> None:
        """Stop the process."""
        self._process.kill()
        with suppress(BrokenPipeError):
            self._process.communicate()


_kept: dict[int, _Helper] = {}
"""The helper that waits for the next call, by the id of the process that it serves: a fork has another one."""


@atexit.register
def _stop_kept() -> None:
    if (helper := _kept.pop(os.getpid(), None)) is not None:
        helper.stop()


class _Reply(msgspec.Struct, frozen=True):
    """The helper's reply: what a process without rights sent, or why it sent nothing."""

    sent: bytes
    reason: str


def _checked(line: bytes, kind: type[T]) -> T | Unread:
    reply = msgspec.json.decode(line, type=_Reply)
    if reply.reason:
        return Unread(reply.reason)
    try:
        return msgspec.json.decode(reply.sent, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Unread(REASONS[EXIT_OTHER])


def main() -> None:
    """Serve the requests on standard input until it is closed, or none comes for some time."""
    processes.die_with_parent(os.getppid())
    for name in CODECS:
        "".encode(name)
    ast.unparse(ast.Constant(0))  # from Python 3.14 on, it imports a module when it is first called
    warnings.simplefilter("ignore")  # those about untrusted code would be shown with its lines
    user = levels.new_user()
    while select.select([sys.stdin], [], [], IDLE_S)[0] and (line := sys.stdin.buffer.readline()):
        request = msgspec.json.decode(line, type=_Request)
        function = resolve_name(request.function)
        for job in request.jobs:
            sys.stdout.buffer.write(msgspec.json.encode(_answer(job, function, user)) + b"\n")
            sys.stdout.buffer.flush()


def _answer(job: ParseJob, function: Callable[[Contents, str], Any], user: int) -> _Reply:
    """Fork a process for a job, and return what it sends until it ends or exceeds a limit."""
    reader, writer = os.pipe()
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        os.close(reader)
        _run(job, function, writer, (parent, user))
    os.close(writer)
    until, sent, is_late = time.monotonic() + WALL_S, b"", False
    with os.fdopen(reader, "rb", buffering=0) as replies:
        while len(sent) <= MAX_REPLY_BYTES and not is_late:
            ready, _, _ = select.select([replies], [], [], max(0.0, until - time.monotonic()))
            part = replies.read(MAX_REPLY_BYTES) if ready else b""
            is_late = not ready
            if not part:
                break
            sent += part
    os.kill(pid, signal.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    if is_late or used.ru_utime + used.ru_stime > 0.9 * CPU_S:
        return _Reply(b"", f"reading it takes too long: {LIMITS}")
    code = os.waitstatus_to_exitcode(status)
    if code == 0 and 0 < len(sent) <= MAX_REPLY_BYTES:
        return _Reply(sent, "")
    return _Reply(b"", REASONS.get(code, REASONS[EXIT_OTHER]))


def _run(job: ParseJob, function: Callable[[Contents, str], Any], writer: int, ids: tuple[int, int]) -> NoReturn:
    """Parse in this forked process, send the result and exit."""
    code = EXIT_OTHER
    try:
        contents = _contents(job.files)
        _give_up_rights(writer, *ids)
        os.write(REPLIES, msgspec.json.encode(function(contents, job.argument)))
        code = 0
    except MemoryError:
        code = EXIT_MEMORY
    except RecursionError:
        code = EXIT_DEPTH
    finally:
        os._exit(code)


def _contents(files: Sequence[str]) -> list[bytes | str]:
    """Return the content of each file, or why it cannot be read; nothing else is done with it here."""
    contents: list[bytes | str] = []
    left = MAX_BYTES
    for name in files:
        try:
            content = bounded.read(bounded.SOURCE, Path(name))
        except UserError as error:
            contents.append(error.message)
        except OSError as error:
            contents.append(str(error.strerror))
        else:
            contents.append(content if len(content) <= left else f"its files have more than {MAX_BYTES >> 20} MiB")
            left -= min(left, len(content))
    return contents


def _give_up_rights(writer: int, parent: int, user: int) -> None:
    """Irrevocably give up all rights that this machine can take away, but that to write to a pipe.

    A mechanism that the machine lacks is left out: what remains at least are the limits on time and memory.
    """
    os.setsid()
    os.dup2(writer, REPLIES)
    os.closerange(REPLIES + 1, processes.max_open_files())
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.close(nothing)
    processes.prefer_for_oom_kill()
    processes.apply_limits(processes.player_limits(MEMORY_MB, MAX_OPEN_FILES))
    processes.apply_limits({resource.RLIMIT_CPU: CPU_S, resource.RLIMIT_FSIZE: 0})
    if system_calls.machine() is None:
        processes.die_with_parent(parent)
        return
    system_calls.forbid_new_privileges()
    if levels.landlock_version():
        levels.restrict_files([])
    levels.drop_privileges(user)
    processes.die_with_parent(parent)  # after changing the user, which resets this setting
    with suppress(OSError):  # the kernel, or a container, supports no filters
        system_calls.restrict(system_calls.player_filter(programs=False, writes=False))
