"""The attacks of a hostile build. It runs in the sandbox of a build and reports the names of successful attacks.

Arguments: the folder for what is built, and a JSON file with what the attacker knows.
"""

import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

BUILT, KNOWN = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
LIBC = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    return LIBC.syscall(ctypes.c_long(number), *arguments) >= 0


def writes(path):
    Path(path).write_text("here")
    return True


def environments():
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if KNOWN["token"].encode() in (process / "environ").read_bytes():
                return True
        except OSError:
            continue
    return False


def capabilities():
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return False
    return int(status.partition("CapEff:")[2].split()[0], 16) != 0


def sets_clock():
    return call(227, 0, (ctypes.c_long * 2)(int(time.time()), 0))


def rises_to_root():
    os.setuid(0)
    return os.getuid() == 0 and KNOWN["user"] != 0


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(60)", KNOWN["mark"]])
        os._exit(0)
    return False  # the test looks for the process afterwards


def ignores_signals():
    if os.fork() == 0:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        os.setsid()
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(60)", KNOWN["mark"]])
    return False


def many_processes():
    started = 0
    try:
        while started < 2000:
            pid = os.fork()
            if pid == 0:
                time.sleep(3)
                os._exit(0)
            started += 1
    except OSError:
        pass
    return started >= 1000


def fork_bomb():
    if os.fork() == 0:
        os.setsid()
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(0.001)
    return False


def hard_link():
    os.link(KNOWN["secret"], BUILT / "hard")
    return "secret" in (BUILT / "hard").read_text()


def link_to_own_source():
    os.link(__file__, BUILT / "source")
    return writes(BUILT / "source")


def move_own_source():
    Path(__file__).rename(BUILT / "moved")
    return True


def opens_again():
    return os.open(f"/proc/self/fd/{os.open(__file__, os.O_RDONLY)}", os.O_WRONLY) > 0


def memory_of_all():
    """Make memory that outlives a process."""
    return call(319, ctypes.c_char_p(b"word"), 0)


def soft_link():
    (BUILT / "soft").symlink_to(KNOWN["secret"])
    return "secret" in (BUILT / "soft").read_text()


def set_user_id():
    path = BUILT / "suid"
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o6755)
    return False  # the test looks at the built files


def connects(kind, address):
    def attempt():
        with socket.socket(kind, socket.SOCK_STREAM) as out:
            out.settimeout(1)
            out.connect(address)
        return True

    return attempt


def has_referee_signalled():
    """Ask the kernel to signal the referee when a pipe becomes readable; nobody writes to it."""
    fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, KNOWN["referee"])
    return True


def wakes_another():
    """Wake a process that waits at a page of a file that others can map."""
    LIBC.mmap.restype = ctypes.c_void_p
    page = LIBC.mmap(None, 4096, 1, 2, os.open(sys.executable, os.O_RDONLY), 0)
    return call(202, ctypes.c_void_p(page), 1, 1, None, None, 0)


ATTACKS = {
    "has capabilities": capabilities,
    "reads environments": environments,
    "is root and may be": lambda: os.getuid() == 0 and (os.setgroups([5]) or True),
    "becomes root": rises_to_root,
    "sets the clock": sets_clock,
    "opens a raw socket": lambda: socket.socket(17, socket.SOCK_RAW) and True,
    "opens a socket": lambda: socket.socket(socket.AF_INET) and True,
    "opens a datagram socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM) and True,
    "opens a local socket": lambda: socket.socket(socket.AF_UNIX) and True,
    "opens a socket of the kernel's": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) and True,
    "opens a socket to the host machine": lambda: socket.socket(40) and True,
    "connects": connects(socket.AF_INET, ("127.0.0.1", KNOWN["port"])),
    "takes priority": lambda: os.nice(-5) is not None,
    "takes real-time priority": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)) is None,
    "raises a limit": lambda: resource.setrlimit(resource.RLIMIT_DATA, (-1, -1)) is None,
    "writes to /tmp": lambda: writes(f"/tmp/{KNOWN['mark']}"),
    "writes to /var/tmp": lambda: writes(f"/var/tmp/{KNOWN['mark']}"),
    "writes to shared memory": lambda: writes(f"/dev/shm/{KNOWN['mark']}"),
    "writes beside its source": lambda: writes(Path(__file__).with_name("written")),
    "writes to its working folder's parent": lambda: writes(BUILT.parent / "written"),
    "writes to another build": lambda: writes(BUILT.parent / "rival" / "bot"),
    "edits the harness": lambda: writes(Path(KNOWN["harness"]) / "hostile.txt"),
    "edits its interpreter": lambda: writes(Path(sys.prefix) / "hostile.txt"),
    "reads the seed": lambda: bool(Path(KNOWN["secret"]).read_text()),
    "lists the results": lambda: "run.json" in os.listdir(Path(KNOWN["secret"]).parent),
    "reads a rival's source": lambda: bool(Path(KNOWN["rival"]).read_text()),
    "reads what others built": lambda: bool((BUILT.parent / "rival" / "bot").read_text()),
    "lists the home folder": lambda: bool(os.listdir(KNOWN["home"])),
    "reads passwords": lambda: bool(Path("/etc/shadow").read_text()),
    "reads the kernel's log": lambda: bool(Path("/dev/kmsg").read_bytes()),
    "makes memory of System V": lambda: call(29, 7, 64, 0o1600),
    "makes a message queue": lambda: call(68, 7, 0o1600),
    "makes a POSIX message queue": lambda: call(240, ctypes.c_char_p(KNOWN["mark"].encode()), 0o102, 0o600, None),
    "keeps a key": lambda: call(248, ctypes.c_char_p(b"user"), ctypes.c_char_p(b"mark"), ctypes.c_char_p(b"x"), 1, -3),
    "mounts": lambda: LIBC.mount(b"none", b"/mnt", b"tmpfs", 0, None) == 0,
    "makes a user namespace": lambda: LIBC.unshare(0x10000000) == 0,
    "makes a mount namespace": lambda: LIBC.unshare(0x20000) == 0,
    "clones into a namespace": lambda: call(56, ctypes.c_long(0x10000000 | 17), 0, 0, 0, 0) and os.getuid() == 65534,
    "changes its root": lambda: os.chroot("/") is None,
    "makes a device": lambda: os.mknod(BUILT / "disk", 0o60600, os.makedev(8, 0)) is None,
    "traces its parent": lambda: LIBC.ptrace(0x4206, os.getppid(), 0, 0) == 0,
    "traces the referee": lambda: LIBC.ptrace(0x4206, KNOWN["referee"], 0, 0) == 0,
    "signals the referee": lambda: os.kill(KNOWN["referee"], 0) is None,
    "limits the referee": lambda: resource.prlimit(KNOWN["referee"], resource.RLIMIT_CORE, (0, 0)) is not None,
    "takes a file of the referee's": lambda: call(438, os.pidfd_open(KNOWN["referee"]), 0, 0),
    "opens the referee's files": lambda: os.listdir(f"/proc/{KNOWN['referee']}/fd") is not None,
    "reads the referee's memory": lambda: open(f"/proc/{KNOWN['referee']}/mem", "rb") and True,
    "moves the referee": lambda: os.sched_setaffinity(KNOWN["referee"], {0}) is None,
    "signals the referee by a handle": lambda: call(424, os.pidfd_open(KNOWN["referee"]), 0, None, 0),
    "has the referee signalled": has_referee_signalled,
    "sets the referee's scheduling": lambda: (
        os.sched_setscheduler(KNOWN["referee"], os.SCHED_BATCH, os.sched_param(0)) is None
    ),
    "lowers the referee's priority": lambda: os.setpriority(os.PRIO_PROCESS, KNOWN["referee"], 19) is None,
    "lowers the priority of all processes of its user": lambda: os.setpriority(os.PRIO_USER, KNOWN["user"], 19) is None,
    "joins the referee's group": lambda: os.setpgid(0, os.getpgid(KNOWN["referee"])) is None,
    "wakes another process": wakes_another,
    "loads a kernel program": lambda: call(321, 0, 0, 0),
    "counts the processor's events": lambda: call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0),
    "sets up io_uring": lambda: call(425, 4, ctypes.create_string_buffer(256)),
    "handles page faults": lambda: call(323, 1),
    "names the machine": lambda: socket.sethostname(socket.gethostname()) is None,
    "turns on accounting": lambda: call(163, None),
    "finds sudo": lambda: subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0,
    "is spared when memory runs out": lambda: writes("/proc/self/oom_score_adj"),
    "links to what it may not read": hard_link,
    "reads through a link": soft_link,
    "edits its source by a link": link_to_own_source,
    "takes its source away": move_own_source,
    "edits its source by /proc": opens_again,
    "edits the word lists": lambda: writes(Path(KNOWN["harness"]).parent / "answers.txt"),
    "edits kept kernels": lambda: writes(Path(KNOWN["harness"]) / "__pycache__" / "compiled"),
    "marks a file for all": lambda: os.setxattr(__file__, "user.mark", b"x") is None,
    "asks which files are opened anywhere": lambda: call(300, 0, 0),
    "keeps memory with a handle": memory_of_all,
    "makes secret memory": lambda: call(447, 0),
    "opens a terminal": lambda: os.openpty() and True,
    "binds an abstract socket": lambda: socket.socket(socket.AF_UNIX).bind("\0" + KNOWN["mark"]) is None,
    "makes a pair of sockets": lambda: socket.socketpair() and True,
    "leases a file": lambda: fcntl.fcntl(os.open(__file__, os.O_RDONLY), 1024, 0) == 0,
    "locks a file of other users": lambda: os.open("../.occupied", os.O_RDWR) > 0,
    "reads the referee's command line": lambda: b"pytest" in Path(f"/proc/{KNOWN['referee']}/cmdline").read_bytes(),
    "writes to the control group": lambda: writes("/sys/fs/cgroup/cgroup.procs"),
    "leaves a program for another user": set_user_id,
    "starts a daemon": daemon,
    "starts what ignores signals": ignores_signals,
    "starts a thousand processes": many_processes,
    "starts a fork bomb": fork_bomb,
}


def main():
    achieved = []
    for name, attack in ATTACKS.items():
        try:
            if attack():
                achieved.append(name)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise
    (BUILT / "report.json").write_text(json.dumps(achieved))


main()
