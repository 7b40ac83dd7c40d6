"""System calls: how to make them, and a filter that restricts a process to those of an allow list (seccomp(2))."""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

MACHINES = {"x86_64": 0, "aarch64": 1, "arm64": 1}
AUDIT_ARCHITECTURES = (0xC000003E, 0xC00000B7)  # AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 of linux/audit.h

# name: (x86_64, arm64); None if the architecture has no such call. Source: the kernel's
# arch/x86/entry/syscalls/syscall_64.tbl and, for arm64, include/uapi/asm-generic/unistd.h.
NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "lseek": (8, 62), "mmap": (9, 222),
    "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "ioctl": (16, 29), "pread64": (17, 67),
    "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66), "access": (21, None), "pipe": (22, None),
    "select": (23, None), "sched_yield": (24, 124), "mremap": (25, 216), "madvise": (28, 233), "dup": (32, 23),
    "dup2": (33, None), "pause": (34, None), "nanosleep": (35, 101), "getitimer": (36, 102), "alarm": (37, None),
    "setitimer": (38, 103), "getpid": (39, 172), "clone": (56, 220), "execve": (59, 221), "exit": (60, 93),
    "kill": (62, 129), "uname": (63, 160), "fcntl": (72, 25), "getdents": (78, None), "getcwd": (79, 17),
    "chdir": (80, 49), "fchdir": (81, 50), "readlink": (89, None), "gettimeofday": (96, 169), "getrlimit": (97, 163),
    "getrusage": (98, 165), "sysinfo": (99, 179), "times": (100, 153), "getuid": (102, 174), "getgid": (104, 176),
    "geteuid": (107, 175), "getegid": (108, 177), "getppid": (110, 173), "getpgrp": (111, None),
    "getgroups": (115, 158), "getresuid": (118, 148), "getresgid": (120, 150), "getpgid": (121, 155),
    "getsid": (124, 156), "rt_sigpending": (127, 136), "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132), "statfs": (137, 43), "fstatfs": (138, 44), "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120), "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126),
    "prctl": (157, 167), "arch_prctl": (158, None), "gettid": (186, 178), "tkill": (200, 130), "time": (201, None),
    "futex": (202, 98), "sched_getaffinity": (204, 123), "epoll_create": (213, None), "getdents64": (217, 61),
    "set_tid_address": (218, 96), "restart_syscall": (219, 128), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "exit_group": (231, 94), "epoll_wait": (232, None),
    "epoll_ctl": (233, 21), "tgkill": (234, 131), "openat": (257, 56), "open": (2, None), "newfstatat": (262, 79),
    "readlinkat": (267, 78), "faccessat": (269, 48), "pselect6": (270, 72), "ppoll": (271, 73),
    "set_robust_list": (273, 99), "epoll_pwait": (281, 22), "eventfd2": (290, 19), "epoll_create1": (291, 20),
    "dup3": (292, 24), "pipe2": (293, 59), "prlimit64": (302, 261), "getcpu": (309, 168), "getrandom": (318, 278),
    "execveat": (322, 281), "membarrier": (324, 283), "statx": (332, 291), "rseq": (334, 293), "clone3": (435, 435),
    "close_range": (436, 436), "faccessat2": (439, 439), "stat": (4, None), "lstat": (6, None), "poll": (7, None),
    "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445), "landlock_restrict_self": (446, 446),
    "chmod": (90, None), "chown": (92, None), "copy_file_range": (326, 285), "creat": (85, None),
    "fadvise64": (221, 223), "fallocate": (285, 47), "fchmod": (91, 52), "fchmodat": (268, 53), "fchown": (93, 55),
    "fchownat": (260, 54), "fdatasync": (75, 83), "fgetxattr": (193, 10), "flistxattr": (196, 13), "flock": (73, 32),
    "fork": (57, None), "fsync": (74, 82), "ftruncate": (77, 46), "futimesat": (261, None),
    "get_robust_list": (274, 100), "getpriority": (140, 141), "getxattr": (191, 8), "inotify_add_watch": (254, 27),
    "inotify_init1": (294, 26), "inotify_rm_watch": (255, 28), "lchown": (94, None), "lgetxattr": (192, 9),
    "link": (86, None), "linkat": (265, 37), "listxattr": (194, 11), "llistxattr": (195, 12), "mincore": (27, 232),
    "mkdir": (83, None), "mkdirat": (258, 34), "msync": (26, 227), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "preadv": (295, 69), "preadv2": (327, 286), "pwritev": (296, 70),
    "pwritev2": (328, 287), "readahead": (187, 213), "rename": (82, None), "renameat": (264, 38),
    "renameat2": (316, 276), "rmdir": (84, None), "sched_setaffinity": (203, 122), "sendfile": (40, 71),
    "setpgid": (109, 154), "setrlimit": (160, 164), "setsid": (112, 157), "signalfd4": (289, 74),
    "splice": (275, 76), "symlink": (88, None), "symlinkat": (266, 36), "sync_file_range": (277, 84),
    "timer_create": (222, 107), "timer_delete": (226, 111), "timer_getoverrun": (225, 109),
    "timer_gettime": (224, 108), "timer_settime": (223, 110), "timerfd_create": (283, 85),
    "timerfd_gettime": (287, 87), "timerfd_settime": (286, 86), "truncate": (76, 45), "umask": (95, 166),
    "unlink": (87, None), "unlinkat": (263, 35), "utime": (132, None), "utimensat": (280, 88), "utimes": (235, None),
    "capset": (126, 91), "vfork": (58, None), "wait4": (61, 260), "waitid": (247, 95),
}  # fmt: skip


@cache
def libc() -> ctypes.CDLL:
    """Return the C library, loaded so that `ctypes.get_errno` works."""
    return ctypes.CDLL(None, use_errno=True)


def c_call(name: str, *arguments: object) -> None:
    """Call a function of the C library that returns 0 on success.

    Raises:
        OSError: The call failed.
    """
    if getattr(libc(), name)(*map(_as_long, arguments)) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


@cache
def machine() -> int | None:
    """Return this machine's column in NUMBERS; None if its system or architecture is not supported."""
    return MACHINES.get(platform.machine()) if platform.system() == "Linux" else None


def call_number(name: str) -> int | None:
    """Return the number of a system call on this machine; None if it has no such call."""
    column = machine()
    return None if column is None else NUMBERS[name][column]


def system_call(name: str, *arguments: object) -> int:
    """Make a system call and return its result.

    Raises:
        OSError: The call failed, or does not exist on this machine.
    """
    which = call_number(name)
    if which is None:
        raise OSError(f"this machine has no system call {name}")
    result: int = libc().syscall(ctypes.c_long(which), *map(_as_long, arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def _as_long(argument: object) -> object:
    """Return an integer as a C long, because ctypes would pass it as a 32-bit int."""
    return ctypes.c_long(argument) if isinstance(argument, int) else argument


PLAYER_CALLS = """
    read write close fstat lseek mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn pread64 pwrite64
    readv writev access select sched_yield mremap dup dup2 pause nanosleep getitimer alarm setitimer
    getpid exit uname getdents getcwd chdir fchdir readlink gettimeofday getrlimit getrusage times getuid
    getgid geteuid getegid getppid getpgrp getgroups getresuid getresgid rt_sigpending rt_sigtimedwait
    rt_sigsuspend sigaltstack sched_get_priority_max sched_get_priority_min arch_prctl gettid time epoll_create
    getdents64 set_tid_address restart_syscall exit_group epoll_wait epoll_ctl newfstatat readlinkat
    faccessat pselect6 ppoll set_robust_list epoll_pwait eventfd2 epoll_create1 dup3 getcpu getrandom membarrier
    rseq close_range faccessat2 stat lstat poll
"""
"""What Python and its libraries need. No pipes: their inode numbers reveal how many the machine has created."""
PROGRAM_CALLS = "pipe pipe2"
"""What the runtimes of other languages also need."""
FILL_CALLS = "mkdir mkdirat unlink unlinkat rmdir rename renameat renameat2 truncate ftruncate fsync fdatasync"
"""What a player that fills a cache also needs: no links, modes, time stamps or locks."""
BUILD_CALLS = """
    fork vfork wait4 waitid setpgid getpgid setsid getsid getpriority sysinfo statfs fstatfs statx
    unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir link linkat symlink symlinkat
    truncate ftruncate fallocate umask fsync fdatasync sync_file_range utime utimes utimensat futimesat flock
    chown fchown lchown fchownat
    sendfile copy_file_range splice preadv pwritev preadv2 pwritev2 readahead fadvise64 msync mincore
    getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
    sched_getaffinity sched_getparam sched_getscheduler clock_gettime clock_getres clock_nanosleep
    timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create timerfd_settime
    timerfd_gettime signalfd4 inotify_init1 inotify_add_watch inotify_rm_watch pidfd_open
    execve execveat mmap setrlimit get_robust_list
"""
"""What compilers and their drivers also need; other mechanisms restrict which files they can access."""

CLONE_THREAD = 0x10000 | 0x400
"""CLONE_THREAD and CLONE_FILES: a thread with a table of open files of its own could hide removed files in it."""
NEW_NAMESPACES = 0x7E020000  # CLONE_NEW*: mount, cgroup, UTS, IPC, user, pid, network
SHARED_NAMELESS = 0x21  # MAP_SHARED | MAP_ANONYMOUS: memory that does not count towards the limits of the process
UNCOUNTED = 0x40100  # MAP_HUGETLB, MAP_GROWSDOWN: does not count as data
TERMINAL_AND_BLOCKING = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS TIOCGWINSZ FIONREAD FIONBIO FIO*CLEX
LOCKS_AND_PIPES = (5, 6, 7, 36, 37, 38, 1031, 1032)  # F_*LK*, F_OFD_*LK*, F_[GS]ETPIPE_SZ; no owner, signal or lease
DUPLICATES_AND_FLAGS = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_[GS]ETFD, F_[GS]ETFL, F_DUPFD_CLOEXEC; no lock, no pipe size
NAMES = (15, 16)  # PR_SET_NAME, PR_GET_NAME
BUILD_PRCTL = (*NAMES, 1, 2, 3, 4, 38, 0x53564D41)  # PR_[GS]ET_PDEATHSIG, _DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_VMA
WRITING = 0o1 | 0o2 | 0o100 | 0o1000 | 0o20000000  # O_WRONLY O_RDWR O_CREAT O_TRUNC __O_TMPFILE
SYSTEM_AND_OWN_CLOCKS = range(12)  # CLOCK_REALTIME to CLOCK_TAI; another process's clock has a negative number
SIGKILL = 9
FUTEX_PRIVATE = 128
"""The flag of a process-private futex. Other futexes can be used by any process that maps the same file."""
ADVICE = (0, 1, 2, 3, 4, 8, 14, 15, 16, 17, 18, 19)
"""The allowed values for madvise(2): without merging pages with other processes or evicting shared pages."""


@dataclass(frozen=True)
class Condition:
    """A condition on a 32-bit half of a system call's argument.

    Attributes:
        argument: The index of the argument.
        values: The allowed values or, if `negated`, the forbidden ones.
        mask: The bits that are compared.
        negated: Whether the values are forbidden.
        half: 0 for the lower half, 1 for the upper half.
    """

    argument: int
    values: Sequence[int]
    mask: int = 0xFFFFFFFF
    negated: bool = False
    half: int = 0


Conditions = dict[str, list[Condition]]
"""For each partially allowed call, its conditions, all of which must hold."""

NO_SHARING = {"futex": [Condition(1, [FUTEX_PRIVATE], mask=FUTEX_PRIVATE)], "madvise": [Condition(2, ADVICE)]}
"""Conditions that keep processes from signalling each other through futexes or shared memory."""
EAGAIN_CALLS = frozenset({"futex"})
"""Calls that fail with EAGAIN instead of EPERM, so that joining a thread polls instead of failing."""
SET_ID = 0o6000
"""The set-user-id and set-group-id bits of a mode."""
MODE_ARGUMENTS = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "creat": 1, "open": 2, "openat": 3}
"""The index of the mode among the arguments of calls that set one; it is 0 where a file is only opened."""
MAPPING = [
    Condition(3, [SHARED_NAMELESS], mask=SHARED_NAMELESS, negated=True),
    Condition(3, [0], mask=UNCOUNTED),
]


OWN_ID = 0x7E57_1D00
"""Stands for a process's own id in the conditions of `player_calls`: no system gives this id to a process."""


def player_calls(*, programs: bool, writes: bool, fills: bool = False) -> tuple[list[str], Conditions]:
    """Return the unconditionally allowed calls of a player, and the conditionally allowed ones.

    Args:
        programs: Whether the process may execute another program.
        writes: Whether files may be opened for writing, because another mechanism restricts this.
        fills: Whether files may be removed and renamed, because another mechanism restricts this.
    """
    itself = Condition(0, [0, OWN_ID])
    conditional = {
        **NO_SHARING,
        "clone": [Condition(0, [CLONE_THREAD], mask=CLONE_THREAD)],
        "mmap": MAPPING,
        "ioctl": [Condition(1, TERMINAL_AND_BLOCKING)],
        "fcntl": [Condition(1, DUPLICATES_AND_FLAGS)],
        "prctl": [Condition(0, NAMES)],
        # Without SIGKILL, so that a killed player must have been killed from outside, which is not its fault.
        "kill": [Condition(0, [OWN_ID]), Condition(1, [SIGKILL], negated=True)],
        "tgkill": [Condition(0, [OWN_ID]), Condition(2, [SIGKILL], negated=True)],
        "prlimit64": [itself, Condition(2, [0]), Condition(2, [0], half=1)],  # reading limits, not setting them
        "openat": [] if writes else [Condition(2, [0], mask=WRITING)],
        "open": [] if writes else [Condition(1, [0], mask=WRITING)],
    }
    conditional |= {name: [itself] for name in ("getpgid", "getsid", "sched_getaffinity")}
    conditional |= {name: [itself] for name in ("sched_getparam", "sched_getscheduler")}
    clock = [Condition(0, SYSTEM_AND_OWN_CLOCKS)]
    conditional |= dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), clock)
    free = [*PLAYER_CALLS.split(), *(FILL_CALLS.split() if fills else [])]
    if not programs:
        return free, conditional
    return free + PROGRAM_CALLS.split(), conditional | {"execve": [], "execveat": []}


def build_calls(*, signals: bool) -> tuple[list[str], Conditions]:
    """Return the unconditionally allowed calls of a build, and the conditionally allowed ones.

    Args:
        signals: Whether the build may send signals, because another mechanism protects other processes.
    """
    conditional = {
        **NO_SHARING,
        "clone": [Condition(0, [0], mask=NEW_NAMESPACES)],
        "prctl": [Condition(0, BUILD_PRCTL)],
        "ioctl": [Condition(1, TERMINAL_AND_BLOCKING)],
        "fcntl": [Condition(1, DUPLICATES_AND_FLAGS + LOCKS_AND_PIPES)],
        # Only for itself, as the referee may run as the same user.
        "prlimit64": [Condition(0, [0])],
        "sched_setaffinity": [Condition(0, [0])],
        # Nobody may run what a build has made as the user who builds it.
        **{name: [Condition(index, [0], mask=SET_ID)] for name, index in MODE_ARGUMENTS.items()},
    }
    if signals:
        conditional |= {"kill": [], "tgkill": [], "tkill": [], "pidfd_send_signal": []}
    return [*PLAYER_CALLS.split(), *PROGRAM_CALLS.split(), *BUILD_CALLS.split()], conditional


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


def filter_program(free: Iterable[str], conditional: Conditions) -> bytes:
    """Return the filter as BPF instructions.

    Args:
        free: The unconditionally allowed calls.
        conditional: The conditionally allowed calls.
    """
    column = machine() or 0
    code = [
        _step(LOAD, ARCHITECTURE),
        _step(JUMP_EQUAL, AUDIT_ARCHITECTURES[column], 1, 0),
        _step(RETURN, KILL),
        _step(LOAD, NUMBER),
    ]
    if column == 0:
        code += [_step(JUMP_AT_LEAST, X32, 0, 1), _step(RETURN, REFUSE)]
    for name in free:
        code += _when(name, [_step(RETURN, ALLOW)])
    for name, conditions in conditional.items():
        code += _when(name, _all_of(conditions, AGAIN if name in EAGAIN_CALLS else REFUSE))
    for name in UNSUPPORTED:
        code += _when(name, [_step(RETURN, UNKNOWN)])
    return b"".join([*code, _step(RETURN, REFUSE)])


@cache
def player_filter(*, programs: bool, writes: bool, fills: bool = False) -> bytes:
    """Return the filter of `player_calls` with OWN_ID for a process that is not forked yet."""
    return filter_program(*player_calls(programs=programs, writes=writes, fills=fills))


def _when(name: str, then: list[bytes]) -> list[bytes]:
    number = call_number(name)
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
    c_call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)


@cache
def can_filter() -> bool:
    """Return whether `restrict` is supported: the kernel would look at the address of a filter, see prctl(2)."""
    if machine() is None:
        return False
    try:
        c_call("prctl", _SET_SECCOMP, _FILTER, None, 0, 0)
    except OSError as error:
        return error.errno == errno.EFAULT
    return False


def restrict(program: bytes) -> None:
    """Irrevocably restrict this process to the system calls that a filter allows.

    Args:
        program: The filter, as returned by `filter_program` or `player_filter`.

    Raises:
        OSError: The kernel does not support seccomp filters.
    """
    if machine() is None:
        raise OSError("seccomp filters are only supported on Linux for x86_64 and arm64")
    steps = program.replace(struct.pack("=I", OWN_ID), struct.pack("=I", os.getpid()))
    c_call("prctl", _SET_SECCOMP, _FILTER, ctypes.byref(_Program(len(steps) // 8, steps)), 0, 0)
