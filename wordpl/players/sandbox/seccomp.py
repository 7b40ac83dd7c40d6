"""A filter of system calls, compiled from an allow list into a BPF program (seccomp(2)).

All other calls, including those of future kernels, fail with "operation not permitted".
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

from wordpl.players.sandbox import allowed_calls, system_calls
from wordpl.players.sandbox.allowed_calls import Condition, Conditions

ALLOW, KILL, REFUSE, UNKNOWN = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
AGAIN = 0x00050000 | errno.EAGAIN
LOAD, AND, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # BPF_* of linux/bpf_common.h, combined
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # where struct seccomp_data holds them
X32 = 0x40000000  # the first number of the x32 ABI, a second set of system calls on x86_64
UNSUPPORTED = ("clone3", "statx")
"""Calls that fail with ENOSYS, so that callers fall back on older calls.

A filter cannot check the flags of clone3, which are in memory; statx reveals information about mounts.
"""
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def program(free: Iterable[str], conditional: Conditions) -> bytes:
    """Return the filter as BPF instructions.

    Args:
        free: The unconditionally allowed calls.
        conditional: The conditionally allowed calls.
    """
    column = system_calls.machine() or 0
    code = [
        _step(LOAD, ARCHITECTURE),
        _step(JUMP_EQUAL, system_calls.AUDIT_ARCHITECTURES[column], 1, 0),
        _step(RETURN, KILL),
        _step(LOAD, NUMBER),
    ]
    if column == 0:
        code += [_step(JUMP_AT_LEAST, X32, 0, 1), _step(RETURN, REFUSE)]
    for name in free:
        code += _when(name, [_step(RETURN, ALLOW)])
    for name, conditions in conditional.items():
        code += _when(name, _all_of(conditions, AGAIN if name in allowed_calls.EAGAIN_CALLS else REFUSE))
    for name in UNSUPPORTED:
        code += _when(name, [_step(RETURN, UNKNOWN)])
    return b"".join([*code, _step(RETURN, REFUSE)])


def _when(name: str, then: list[bytes]) -> list[bytes]:
    number = system_calls.number(name)
    return [] if number is None else [_step(JUMP_EQUAL, number, 0, len(then)), *then]


def _all_of(conditions: list[Condition], otherwise: int) -> list[bytes]:
    """Return the instructions that allow a call if all conditions hold, and return `otherwise` if not."""
    code = [_step(RETURN, ALLOW), _step(RETURN, otherwise)]
    for condition in reversed(conditions):
        on, off = 0, len(code) - 1  # jump distances from the last comparison to the next condition and to the end
        hit, miss = (off, on) if condition.negated else (on, off)
        after = range(len(condition.values) - 1, -1, -1)  # the number of comparisons that follow each one
        compare = [
            _step(JUMP_EQUAL, value, left + hit, 0 if left else miss)
            for value, left in zip(condition.values, after, strict=True)
        ]
        code = [
            _step(LOAD, ARGUMENTS + 8 * condition.argument + 4 * condition.half),
            _step(AND, condition.mask),
            *compare,
            *code,
        ]
    return code


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, if_true, if_false, value)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def forbid_new_privileges() -> None:
    """Set no_new_privs for this process, which both Landlock and seccomp require."""
    _prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def apply_to_player(*, programs: bool = False, writes: bool = True, fills: bool = False) -> None:
    """Irrevocably restrict this process to a player's system calls; see `allowed_calls.player_calls`.

    Raises:
        OSError: The kernel does not support seccomp filters.
    """
    _apply(*allowed_calls.player_calls(programs=programs, writes=writes, fills=fills))


def apply_to_build(*, signals: bool) -> None:
    """Irrevocably restrict this process to a build's system calls; see `allowed_calls.build_calls`.

    Raises:
        OSError: The kernel does not support seccomp filters.
    """
    _apply(*allowed_calls.build_calls(signals=signals))


def _apply(free: Iterable[str], conditional: Conditions) -> None:
    if system_calls.machine() is None:
        raise OSError("seccomp filters are only supported on Linux for x86_64 and arm64")
    steps = program(free, conditional)
    _prctl(_SET_SECCOMP, _FILTER, ctypes.byref(_Program(len(steps) // 8, steps)), 0, 0)


def _prctl(option: int, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_ulong(argument) if isinstance(argument, int) else argument for argument in arguments]
    if libc.prctl(ctypes.c_int(option), *words) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}): {os.strerror(ctypes.get_errno())}")
