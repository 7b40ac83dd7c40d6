"""What a contestant is told about an exception: the entry's own lines, what failed, and whether the sandbox forbids it.

The player describes the exception; the referee, which knows the sandbox level, adds the rule.
"""

import errno
import importlib
import os
import re
import sys
import traceback
from bdb import BdbQuit
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from socket import gaierror
from types import FrameType

from wordpl.core.messages import WordplError
from wordpl.players.sandbox.levels import Level

HEAD = "Traceback (most recent call last):\n"
MAX_STACK_CHARACTERS = 1500
MAX_MESSAGE_CHARACTERS = 1000
NO_DEBUGGER = (
    "a debugger needs a terminal, which a sandboxed entry does not have. To debug a game, replay it without the "
    "sandbox: wordpl evaluate ENTRY --seed SEED --number N --trust"
)
"""The message for breakpoint() and pdb.set_trace() in a player."""
_HARNESS_PATHS = (str(Path(__file__).resolve().parent.parent), importlib.__path__[0], "<frozen importlib")


class Denied(StrEnum):
    """What an entry tried when it failed."""

    NETWORK = "network"
    PROCESS = "process"
    SIGNAL = "signal"
    WRITE = "write"
    READ = "read"
    TERMINAL = "terminal"
    EXIT = "exit"
    OTHER = "system call"


_RULES = {
    Denied.NETWORK: "The sandbox has no network and no sockets, and asyncio needs one: put the data that the entry "
    "needs into its folder.",
    Denied.PROCESS: "In the sandbox, an entry starts no other process and no program: compute in this process, or in "
    "its threads.",
    Denied.SIGNAL: "In the sandbox, an entry sends no signals to other processes.",
    Denied.WRITE: "In the sandbox, an entry writes files only while it is loaded and plays its warm-up game, and only "
    "into its working folder: compute tables then, or ship them in the entry's folder.",
    Denied.READ: "In the sandbox, an entry reads only its own files, Python with its packages, and the word lists: put "
    "the file into the entry's folder.",
    Denied.TERMINAL: "An entry has no terminal: its moves are what its methods return.",
    Denied.EXIT: "An entry does not end itself: each method returns a move, also in a game that it cannot win.",
    Denied.OTHER: "The sandbox does not allow what this line asks the system for; `wordpl docs isolation` says what "
    "it allows.",
}
_EVERYWHERE = (Denied.TERMINAL, Denied.EXIT)
"""What holds at all levels."""
_WRITES_NOTHING = "In the sandbox, an entry writes no files: ship them in the entry's folder."
_SOCKETS = {"aiohttp", "asyncio", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "ssl", "urllib3"}
_STARTERS = {"concurrent", "joblib", "loky", "multiprocessing", "pty", "subprocess"}
_FORKS = re.compile(r"\b(os\.)?(fork|forkpty|system|popen|exec[lv]\w*|spawn[lv]\w*|posix_spawnp?|pipe2?)\(")
_KILLS = re.compile(r"\b(kill|killpg|pidfd_send_signal|tgkill|pthread_kill)\(")
_CHANGES = re.compile(
    r"\b(mkdir|makedirs|mkstemp|mkdtemp|mkfifo|remove|unlink|rename|replace|rmdir|rmtree|symlink|link|truncate|touch|"
    r"chmod|chown|utime|write_text|write_bytes|save|savez|to_csv|to_parquet|dump|NamedTemporaryFile|TemporaryFile|"
    r"TemporaryDirectory)\b|[\"'][rb]*[wax+][wb+t]*[\"']"
)
_NO_DATABASE = re.compile("permission|unable to open|readonly|disk I/O")
_FORBIDDEN = (errno.EPERM, errno.EACCES, errno.EROFS)
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EAFNOSUPPORT)


def rule(denied: str, level: Level) -> str:
    """Return the rule of a sandbox level that a player ran into, and what to do instead; "" if there is none.

    Args:
        denied: What the player says that it tried, a value of `Denied`.
        level: The sandbox level.
    """
    if denied not in list(Denied) or (level == Level.D and denied not in _EVERYWHERE):
        return ""
    if level == Level.C and denied == Denied.READ:
        return ""
    return _WRITES_NOTHING if level == Level.C and denied == Denied.WRITE else _RULES[Denied(denied)]


def explain(error: BaseException) -> str:
    """Return the traceback of a contestant's error with the entry's own frames, or all but the harness's without any.

    For errors that wordpl raises on purpose, return only the message.
    """
    if isinstance(error, BdbQuit):
        return NO_DEBUGGER
    if isinstance(error, WordplError):
        return str(error)
    try:
        summary = traceback.TracebackException.from_exception(error)
        own = _keep_own(summary)
        if not own:
            frames = [frame for frame in summary.stack if not frame.filename.startswith(_HARNESS_PATHS)]
            summary.stack = traceback.StackSummary.from_list(frames)
        said = "".join(summary.format_exception_only()).rstrip()
        stack = "".join(summary.format()).rstrip().removesuffix(said)
        stack = "" if stack == HEAD else stack
    except BaseException:  # the error raises when it is converted to text
        return f"{type(error).__name__} (its message could not be read)"
    if len(said) > MAX_MESSAGE_CHARACTERS:
        said = f"{said[: MAX_MESSAGE_CHARACTERS // 2]} ... {said[-MAX_MESSAGE_CHARACTERS // 2 :]}"
    if len(stack) > MAX_STACK_CHARACTERS:
        stack = f"...\n{stack[-MAX_STACK_CHARACTERS:].partition(chr(10))[2]}"
    return tidy(stack + said)


def _keep_own(summary: traceback.TracebackException) -> bool:
    """Keep the entry's own frames, and of the errors before this one those that have any; return whether it has."""
    for name in ("__cause__", "__context__"):
        before = getattr(summary, name)
        if before is not None and not _keep_own(before):
            setattr(summary, name, None)
    own = [frame for frame in summary.stack if frame.filename.startswith(_own_folders())]
    names_line = bool(getattr(summary, "filename", None))  # a SyntaxError
    if own or names_line:
        summary.stack = traceback.StackSummary.from_list(own)
    return bool(own) or names_line


def _own_folders() -> tuple[str, ...]:
    return tuple(f"{folder}{os.sep}" for folder in getattr(sys.modules.get("strategies"), "__path__", []))


def tidy(text: str) -> str:
    """Return the text without what differs between runs: memory addresses and the folders of files."""
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x...", text)
    folders = sorted(getattr(sys.modules.get("strategies"), "__path__", []), key=len)
    for folder in map(Path, folders):
        text = text.replace(f"{folder.parent if folder.name == 'strategies' else folder}{os.sep}", "")
    return text


def denied(error: BaseException) -> str:
    """Return what an entry tried when it failed, a value of `Denied`; "" if nothing that a sandbox forbids."""
    try:
        return next((str(found) for one in _chain(error) if (found := _denied(one, error))), "")
    except BaseException:  # untrusted objects may raise anything
        return ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that caused it, the first cause last."""
    seen: list[BaseException] = []
    left = [error]
    while left and len(seen) < 20:
        one = left.pop()
        if isinstance(one, BaseException) and not any(one is other for other in seen):
            seen.append(one)
            yield one
            left += [one.__context__, one.__cause__, getattr(one, "reason", None)]  # type: ignore[list-item]


def _denied(one: BaseException, raised: BaseException) -> Denied | None:
    """Return what was tried, if this error means that it was forbidden.

    Args:
        one: The error, or one that caused it.
        raised: The error that the entry raised.
    """
    called, line = _called(raised)
    if isinstance(one, EOFError) and "input(" in line:
        return Denied.TERMINAL
    if isinstance(one, SystemExit):
        return Denied.EXIT
    if type(one).__module__ == "sqlite3" and _NO_DATABASE.search(str(one)):
        return Denied.WRITE
    if isinstance(one, gaierror) or (isinstance(one, OSError) and one.errno in _UNREACHABLE):
        return Denied.NETWORK
    if not isinstance(one, OSError):
        return None
    if one.errno in _FORBIDDEN and _FORKS.search(line):
        return Denied.PROCESS
    if one.errno == errno.ENOENT and "tempfile" in called:
        return Denied.WRITE
    if one.errno == errno.ENOENT and str(one.filename).startswith(os.sep):
        if one.filename.startswith(_own_folders()):
            return None
        return Denied.WRITE if _CHANGES.search(line) else Denied.READ
    if one.errno not in _FORBIDDEN:
        return None
    if one.filename is not None and "multiprocessing" not in called:
        is_new = isinstance(one.filename, str) and not os.path.lexists(one.filename)
        writes = one.errno == errno.EROFS or is_new or _CHANGES.search(line)
        return Denied.WRITE if writes else Denied.READ
    if "SharedMemory" in line:
        return Denied.OTHER
    if called & _STARTERS:
        return Denied.PROCESS
    if called & _SOCKETS or "socket" in line:
        return Denied.NETWORK
    return Denied.SIGNAL if _KILLS.search(line) else Denied.OTHER


def _called(error: BaseException) -> tuple[set[str], str]:
    """Return which libraries the entry's last own line called, and that line; no line if there is none."""
    called: set[str] = set()
    line, folders = "", _own_folders()
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename.startswith(folders):
            called, line = set(), _source(frame, number)
        else:
            called.add(str(frame.f_globals.get("__name__", "")).partition(".")[0])
    return called, line


def _source(frame: FrameType, number: int) -> str:
    summary = traceback.FrameSummary(frame.f_code.co_filename, number, frame.f_code.co_name)
    return summary.line or ""
