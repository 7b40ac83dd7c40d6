"""Which system calls a player may make: those that computing takes, and no others (seccomp(2), a BPF program).

The program is an allow list. Everything not on it fails with "operation not permitted", so a call that a later kernel
invents is refused. Forks, sockets, locks, shared memory and signals to others are among what is left out.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wordpl.players.sandbox import system_calls

_FREE = """
    read write close fstat lseek futex mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn pread64 pwrite64
    readv writev access pipe select sched_yield mremap madvise dup dup2 pause nanosleep getitimer alarm setitimer
    getpid exit uname getdents getcwd chdir fchdir readlink gettimeofday getrlimit getrusage sysinfo times getuid
    getgid geteuid getegid getppid getpgrp getgroups getresuid getresgid getpgid getsid rt_sigpending rt_sigtimedwait
    rt_sigsuspend sigaltstack statfs fstatfs sched_getparam sched_getscheduler sched_get_priority_max
    sched_get_priority_min arch_prctl gettid time sched_getaffinity epoll_create getdents64 set_tid_address
    restart_syscall clock_gettime clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl newfstatat readlinkat
    faccessat pselect6 ppoll set_robust_list epoll_pwait eventfd2 epoll_create1 dup3 pipe2 getcpu getrandom membarrier
    statx rseq close_range faccessat2 stat lstat poll
"""

ALLOW, KILL, REFUSE, UNKNOWN = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
LOAD, AND, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # BPF_* of linux/bpf_common.h, combined
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # where struct seccomp_data holds them
X32 = 0x40000000  # a second set of numbers that x86_64 kernels understand

CLONE_THREAD = 0x10000
SHARED_NAMELESS = 0x21  # MAP_SHARED | MAP_ANONYMOUS: memory that no limit of the process counts
GROWS_DOWN = 0x100  # MAP_GROWSDOWN: counted as stack, so outside the limit of data
TERMINAL_AND_BLOCKING = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS TIOCGWINSZ FIONREAD FIONBIO FIO*CLEX
DUPLICATES_AND_FLAGS = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_[GS]ETFD, F_[GS]ETFL, F_DUPFD_CLOEXEC; no lock, no pipe size
NAMES = (15, 16)  # PR_SET_NAME, PR_GET_NAME
WRITING = 0o1 | 0o2 | 0o100 | 0o1000 | 0o20000000  # O_WRONLY O_RDWR O_CREAT O_TRUNC __O_TMPFILE
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER


@dataclass(frozen=True)
class Condition:
    """What half an argument, the lower unless said, must be: after `mask` one of `values`; if negated none of them."""

    argument: int
    values: Sequence[int]
    mask: int = 0xFFFFFFFF
    negated: bool = False
    half: int = 0


def conditions(*, programs: bool, writes: bool) -> dict[str, list[Condition]]:
    """Return the conditions, all of which must hold, of calls that are allowed in part.

    programs: whether another program may be executed in this process's place
    writes: whether files may be opened for writing, which then something else decides
    """
    own = os.getpid()
    conditional = {
        "clone": [Condition(0, [CLONE_THREAD], mask=CLONE_THREAD)],
        "mmap": [
            Condition(3, [SHARED_NAMELESS], mask=SHARED_NAMELESS, negated=True),
            Condition(3, [GROWS_DOWN], mask=GROWS_DOWN, negated=True),
        ],
        "ioctl": [Condition(1, TERMINAL_AND_BLOCKING)],
        "fcntl": [Condition(1, DUPLICATES_AND_FLAGS)],
        "prctl": [Condition(0, NAMES)],
        "kill": [Condition(0, [own])],
        "tgkill": [Condition(0, [own])],
        "prlimit64": [Condition(0, [0, own]), Condition(2, [0]), Condition(2, [0], half=1)],  # asking, not setting
        "openat": [] if writes else [Condition(2, [0], mask=WRITING)],
        "open": [] if writes else [Condition(1, [0], mask=WRITING)],
    }
    if programs:
        conditional |= {"execve": [], "execveat": []}
    return conditional


def program(free: Iterable[str], conditional: dict[str, list[Condition]]) -> bytes:
    """Return the filter as BPF instructions."""
    column = system_calls.machine()
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
        code += _when(name, _all_of(conditions))
    code += _when("clone3", [_step(RETURN, UNKNOWN)])  # its flags lie in memory; callers then fall back on clone
    return b"".join([*code, _step(RETURN, REFUSE)])


def _when(name: str, then: list[bytes]) -> list[bytes]:
    number = system_calls.number(name)
    return [] if number is None else [_step(JUMP_EQUAL, number, 0, len(then)), *then]


def _all_of(conditions: list[Condition]) -> list[bytes]:
    """Return the steps that allow a call when all conditions hold and refuse it otherwise."""
    code = [_step(RETURN, ALLOW), _step(RETURN, REFUSE)]
    for one in reversed(conditions):
        on, off = 0, len(code) - 1  # how far it is from behind the last comparison to the next condition, to the end
        hit, miss = (off, on) if one.negated else (on, off)
        after = range(len(one.values) - 1, -1, -1)  # the comparisons that follow each
        compare = [
            _step(JUMP_EQUAL, value, left + hit, 0 if left else miss)
            for value, left in zip(one.values, after, strict=True)
        ]
        code = [_step(LOAD, ARGUMENTS + 8 * one.argument + 4 * one.half), _step(AND, one.mask), *compare, *code]
    return code


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, if_true, if_false, value)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def forbid_new_privileges() -> None:
    """Have this process gain nothing from executing a program; both Landlock and seccomp demand it first."""
    _prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def apply(*, programs: bool = False, writes: bool = True) -> None:
    """Limit this process to the calls of the list, for good; `conditions` says what the arguments mean.

    Raises OSError where the kernel has no such filter.
    """
    if system_calls.machine() is None:
        raise OSError("seccomp filters are written for Linux on x86_64 and arm64")
    steps = program(_FREE.split(), conditions(programs=programs, writes=writes))
    _prctl(_SET_SECCOMP, _FILTER, ctypes.byref(_Program(len(steps) // 8, steps)), 0, 0)


def _prctl(option: int, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    if libc.prctl(ctypes.c_int(option), *words) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}): {os.strerror(ctypes.get_errno())}")
