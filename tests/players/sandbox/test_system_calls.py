"""What the filters make of a system call, by running their instructions as the kernel does."""

import errno
import platform
import struct

import pytest

from wordpl.players.sandbox import system_calls
from wordpl.players.sandbox.system_calls import OWN_ID, build_calls, call_number, filter_program, player_filter

pytestmark = pytest.mark.skipif(system_calls.machine() is None, reason=f"no filter is written for {platform.machine()}")
ALLOWED, KILLED = "allowed", "killed"
ERRNO, ERROR_BITS = 0x00050000, 0xFFFF


def answer(program, number, *arguments, architecture=None):
    """Return the answer of a filter to a call: allowed, killed or an error's number."""
    if architecture is None:
        architecture = system_calls.AUDIT_ARCHITECTURES[system_calls.machine()]
    padded = [argument % 2**64 for argument in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    data = struct.pack("=iIQ6Q", number, architecture, 0, *padded)
    value = at = 0
    while True:
        operation, if_true, if_false, operand = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        if operation == 0x20:  # BPF_LD | BPF_W | BPF_ABS
            (value,) = struct.unpack_from("=I", data, operand)
        elif operation == 0x54:  # BPF_ALU | BPF_AND | BPF_K
            value &= operand
        elif operation in (0x15, 0x35):  # BPF_JMP | BPF_JEQ | BPF_K, BPF_JGE
            at += if_true if (value == operand if operation == 0x15 else value >= operand) else if_false
        else:
            assert operation == 0x06  # BPF_RET | BPF_K
            kinds = {0x7FFF0000: ALLOWED, 0x80000000: KILLED}
            return kinds.get(operand) or (operand & ERROR_BITS if operand & ~ERROR_BITS == ERRNO else operand)


def player(name, *arguments, programs=False, writes=False, fills=False):
    return answer(player_filter(programs=programs, writes=writes, fills=fills), call_number(name), *arguments)


ALLOWED_CALLS = [
    ("read",), ("getpid",), ("futex", 0, 128), ("madvise", 0, 0, 4), ("clone", 0x10000 | 0x400 | 0x100),
    ("mmap", 0, 0, 0, 0x22), ("mmap", 0, 0, 0, 0x01), ("ioctl", 0, 0x5401), ("ioctl", 0, 0x5451), ("fcntl", 0, 0),
    ("fcntl", 0, 1030), ("prctl", 15), ("kill", OWN_ID, 0), ("kill", OWN_ID, 15), ("tgkill", OWN_ID, 1, 6),
    ("prlimit64", 0, 7, 0), ("prlimit64", OWN_ID, 7, 0), ("openat", 0, 0, 0), ("openat", 0, 0, 0o2000000),
    ("getpgid", 0), ("getsid", OWN_ID), ("sched_getaffinity", 0), ("clock_gettime", 0), ("clock_gettime", 11),
    ("clock_nanosleep", 1),
]  # fmt: skip
REFUSED_CALLS = [
    ("madvise", 0, 0, 12), ("madvise", 0, 0, 21), ("clone", 0x10000), ("clone", 0x400), ("clone", 17),
    ("mmap", 0, 0, 0, 0x21), ("mmap", 0, 0, 0, 0x40022), ("mmap", 0, 0, 0, 0x122), ("ioctl", 0, 0x5412),
    ("fcntl", 0, 6), ("fcntl", 0, 1032), ("prctl", 4), ("kill", OWN_ID, 9), ("tgkill", OWN_ID, 1, 9), ("kill", 1, 0),
    ("kill", 0, 15), ("kill", -1, 15), ("tgkill", 1, 1, 6), ("prlimit64", 1, 7, 0), ("prlimit64", 0, 7, 1),
    ("prlimit64", 0, 7, 1 << 32), ("openat", 0, 0, 0o1), ("openat", 0, 0, 0o2), ("openat", 0, 0, 0o100),
    ("openat", 0, 0, 0o1000), ("openat", 0, 0, 0o20000000), ("getpgid", 1), ("getsid", 1), ("sched_getaffinity", 1),
    ("sched_getparam", 1), ("sched_getscheduler", 1), ("clock_gettime", -6), ("clock_getres", 12),
    ("clock_nanosleep", -6), ("execve",), ("execveat",), ("pipe2",), ("ftruncate",), ("unlinkat",), ("renameat2",),
    ("mkdirat",), ("setrlimit",), ("flock",), ("wait4",), ("fchmodat",), ("linkat",), ("symlinkat",), ("setsid",),
]  # fmt: skip


def test_a_player_may_compute_and_act_on_itself_and_neither_write_nor_start_nor_touch_another_process():
    assert {call: player(*call) for call in ALLOWED_CALLS} == dict.fromkeys(ALLOWED_CALLS, ALLOWED)
    assert {call: player(*call) for call in REFUSED_CALLS} == dict.fromkeys(REFUSED_CALLS, errno.EPERM)


def test_a_player_may_do_more_only_where_another_mechanism_restricts_it():
    for name, arguments, permission in (
        ("openat", (0, 0, 0o1), "writes"), ("execve", (), "programs"), ("pipe2", (), "programs"),
        ("unlinkat", (), "fills"), ("ftruncate", (), "fills"),
    ):  # fmt: skip
        for given in ("programs", "writes", "fills"):
            assert (player(name, *arguments, **{given: True}) == ALLOWED) == (given == permission), (name, given)


def test_calls_with_a_substitute_fail_as_if_unknown_and_waiting_for_a_shared_futex_as_if_it_had_changed():
    assert player("clone3") == player("statx") == errno.ENOSYS
    assert player("futex", 0, 0) == player("futex", 0, 1) == errno.EAGAIN


def test_calls_of_another_kind_of_machine_are_refused():
    program, number = player_filter(programs=False, writes=False), call_number("getpid")
    assert answer(program, number, architecture=0x40000003) == KILLED  # 32 bits, where numbers mean other calls
    if system_calls.machine() == 0:
        assert answer(program, 0x40000000 | number) == answer(program, 0x40000000) == errno.EPERM
        assert answer(program, 0x3FFFFFFF) == errno.EPERM


@pytest.mark.parametrize("signals", [True, False])
def test_a_build_starts_processes_but_gives_nobody_its_rights(signals):
    program = filter_program(*build_calls(signals=signals))

    def build(name, *arguments):
        return answer(program, call_number(name), *arguments)

    for call in (
        ("execve",), ("clone", 17), ("wait4",), ("fcntl", 0, 6), ("prctl", 4), ("prlimit64", 0, 7, 1),
        ("openat", 0, 0, 0o101, 0o755), ("fchmodat", 0, 0, 0o755), ("fchmod", 0, 0o1755), ("sched_setaffinity", 0),
    ):  # fmt: skip
        assert build(*call) == ALLOWED, call
    for call in (
        ("clone", 0x10000000), ("clone", 0x00020000), ("prctl", 22), ("prlimit64", 5), ("openat", 0, 0, 0o101, 0o4755),
        ("fchmodat", 0, 0, 0o2755), ("fchmod", 0, 0o4000), ("sched_setaffinity", 1),
    ):  # fmt: skip
        assert build(*call) == errno.EPERM, call
    assert (build("kill", 1, 9), build("tgkill", 1, 1, 9)) == ((ALLOWED,) * 2 if signals else (errno.EPERM,) * 2)
