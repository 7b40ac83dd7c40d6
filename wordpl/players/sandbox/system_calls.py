"""The numbers of Linux system calls on the supported architectures, and a function to make system calls.

Source: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and, for arm64, include/uapi/asm-generic/unistd.h.
"""

import ctypes
import os
import platform
from functools import cache

MACHINES = {"x86_64": 0, "aarch64": 1, "arm64": 1}
AUDIT_ARCHITECTURES = (0xC000003E, 0xC00000B7)  # AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 of linux/audit.h

# name: (x86_64, arm64); None if the architecture has no such call
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
    "vfork": (58, None), "wait4": (61, 260), "waitid": (247, 95),
}  # fmt: skip


@cache
def libc() -> ctypes.CDLL:
    """Return the C library, loaded so that `ctypes.get_errno` works."""
    return ctypes.CDLL(None, use_errno=True)


@cache
def machine() -> int | None:
    """Return this machine's column in NUMBERS; None if its system or architecture is not supported."""
    return MACHINES.get(platform.machine()) if platform.system() == "Linux" else None


def number(name: str) -> int | None:
    """Return the number of a system call on this machine; None if it has no such call."""
    column = machine()
    return None if column is None else NUMBERS[name][column]


def call(name: str, *arguments: object) -> int:
    """Make a system call and return its result.

    Raises:
        OSError: The call failed, or does not exist on this machine.
    """
    which = number(name)
    if which is None:
        raise OSError(f"this machine has no system call {name}")
    result: int = libc().syscall(ctypes.c_long(which), *(_as_long(argument) for argument in arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


def _as_long(argument: object) -> object:
    """Return an integer as a C long, because ctypes would pass it as a 32-bit int."""
    return ctypes.c_long(argument) if isinstance(argument, int) else argument
