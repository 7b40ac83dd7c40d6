"""Restricting the files that a process may open with Landlock (landlock(7))."""

import ctypes
import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from wordpl.players.sandbox import system_calls

EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIRECTORY, REMOVE_FILE, MAKE_DIRECTORY, MAKE_FILE = 1 << 4, 1 << 5, 1 << 7, 1 << 8
TRUNCATE, DEVICE_CONTROL = 1 << 14, 1 << 15
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
READ = READ_FILE | READ_DIRECTORY
RUN = READ | EXECUTE
USE = READ_FILE | WRITE_FILE  # for devices
FILL = READ | WRITE_FILE | TRUNCATE | REMOVE_DIRECTORY | REMOVE_FILE | MAKE_DIRECTORY | MAKE_FILE
"""For creating and removing files and folders, but no links, pipes, sockets or devices."""
EVERYTHING = (1 << 16) - 1
RIGHTS_KNOWN = {1: 13, 2: 14, 3: 15, 4: 15}  # the number of rights by ABI version; later versions: all 16
TCP = 0b11  # binding and connecting
SCOPES = 0b11  # abstract sockets, and signals to processes outside
SCOPES_SIGNALS = 6  # the first ABI version that restricts signals
_ASK_VERSION, _BENEATH = 1, 1


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Rule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("rights", ctypes.c_uint64), ("beneath", ctypes.c_int32)]


def version() -> int:
    """Return the version of the kernel's Landlock ABI; 0 if there is none."""
    try:
        return system_calls.call("landlock_create_ruleset", None, 0, _ASK_VERSION)
    except OSError:
        return 0


def apply(rights: Iterable[tuple[Path, int]]) -> None:
    """Irrevocably restrict this process to these rights on these paths and everything below them.

    Missing paths are skipped. Only one path is open at a time, because a folder can contain more files than a process
    may open. If the kernel supports it, TCP, abstract sockets and signals to other processes are forbidden as well.

    Raises:
        OSError: Landlock is not available.
    """
    abi = version()
    if not abi:
        raise OSError("the kernel does not support Landlock")
    handled = (1 << RIGHTS_KNOWN.get(abi, 16)) - 1
    attributes = _Ruleset(handled, TCP if abi >= 4 else 0, SCOPES if abi >= SCOPES_SIGNALS else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = system_calls.call("landlock_create_ruleset", ctypes.byref(attributes), size, 0)
    try:
        for path, allowed in rights:
            _add_rule(ruleset, path, allowed & handled)
        system_calls.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _add_rule(ruleset: int, path: Path, rights: int) -> None:
    """Add a rule with those of the rights that apply to the path."""
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):  # without the rule, the player's games could differ
            raise
        return
    try:
        if not stat.S_ISDIR(os.fstat(file).st_mode):
            rights &= ON_FILES
        if rights:
            system_calls.call("landlock_add_rule", ruleset, _BENEATH, ctypes.byref(_Rule(rights, file)), 0)
    finally:
        os.close(file)
