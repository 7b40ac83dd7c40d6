"""With --fresh, an entry that leaves a bit for its next game in every way it can think of finds nothing there."""

import pytest

from tests.hostile.test_rivals import LEVELS
from wordpl.contest import Contest
from wordpl.players.sandbox.levels import Level
from wordpl.run.bundle import entries_in
from wordpl.run.config import RunConfig

HOARDER = '''
import builtins
import ctypes
import fcntl
import gc
import mmap
import os
import signal
import sys
import threading

import wordpl.strategy

libc = ctypes.CDLL(None, use_errno=True)
FILES = range(3)  # the others are its own pipes
PLACES = ("/tmp/left", "/dev/shm/left", "/var/tmp/left")  # its own folder is frozen, see test_written_files.py


def attempt(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__


def shared_mappings():
    with open("/proc/self/maps") as maps:
        return [line.split() for line in maps if line.split()[1] == "rw-s"]


def own_thread():
    ids = []
    thread = threading.Thread(target=lambda: ids.append(threading.get_native_id()))
    thread.start()
    thread.join()
    return ids[0] - os.getpid()


def find():
    """What an earlier game may have left: the same in every game if it left nothing."""
    return [
        hasattr(builtins, "left"), hasattr(wordpl.strategy, "left"), "left" in sys.modules, os.environ.get("left"),
        [attempt(fcntl.fcntl, file, fcntl.F_GETFL) for file in FILES],
        [attempt(fcntl.fcntl, file, fcntl.F_GETFD) for file in FILES],
        [attempt(os.lseek, file, 0, os.SEEK_CUR) for file in FILES],
        [attempt(os.path.exists, place) for place in PLACES], sorted(attempt(os.listdir, ".")), shared_mappings(),
        attempt(os.getpriority, os.PRIO_PROCESS, 0), signal.pthread_sigmask(signal.SIG_BLOCK, []),
        signal.sigpending(), signal.getsignal(signal.SIGUSR2) is signal.SIG_DFL, signal.getitimer(signal.ITIMER_REAL),
    ]


def count():
    """What counts the processes that were forked before this one."""
    return [
        os.getpid(), os.getppid(), sys.getallocatedblocks(), gc.get_count(), id(object()), len(gc.get_objects()),
        attempt(own_thread),
    ]


def leave():
    builtins.left = wordpl.strategy.left = os.left = sys.modules["left"] = 1
    os.environ["left"] = "1"
    for file in FILES:
        attempt(fcntl.fcntl, file, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)
        attempt(os.lseek, file, 7, os.SEEK_SET)
        attempt(fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        attempt(os.fchmod, file, 0o600)
        attempt(os.utime, file, (1, 1))
        attempt(fcntl.fcntl, file, 1031, 1 << 20)
    for place in PLACES:
        attempt(os.close, attempt(os.open, place, os.O_CREAT | os.O_RDWR))
        attempt(os.mkdir, place)
        attempt(os.mkfifo, place)
    for address, *_ in shared_mappings():
        ctypes.memset(int(address.split("-")[0], 16), 1, 1)
    attempt(mmap.mmap, -1, 4096)
    buffer = (ctypes.c_char * 8)()
    for pid in (1, os.getppid()):
        attempt(os.kill, pid, signal.SIGUSR2)
        attempt(os.sched_setaffinity, pid, {0})
        attempt(os.setpriority, os.PRIO_PROCESS, pid, 5)
        attempt(open, f"/proc/{pid}/mem", "r+b")
        libc.process_vm_writev(pid, ctypes.byref(buffer), 1, ctypes.byref(buffer), 1, 0)
        libc.ptrace(16, pid, 0, 0)
    libc.shmget(7, 4096, 0o1666)
    libc.semget(7, 1, 0o1666)
    libc.msgget(7, 0o1666)
    libc.syscall(248, b"user", b"left", b"1", 1, -3)  # add_key
    attempt(os.fork)
    attempt(os.umask, 0o777)
    attempt(signal.setitimer, signal.ITIMER_REAL, 1000)
    attempt(signal.pthread_sigmask, signal.SIG_BLOCK, [signal.SIGUSR2])
    attempt(signal.signal, signal.SIGUSR2, signal.SIG_IGN)


FOUND = f"{find()} {count() if COUNTS else None}"  # before its warm-up game


class Hoarder:
    def first_move(self):
        leave()
        raise ValueError(FOUND)

    def next_move(self, guess, epsilon, clues):
        return guess, 0
'''
COUNTING = '''
class Counting:
    """Plays differently from its tenth game on."""

    n_games = 0

    def first_move(self):
        Counting.n_games += 1
        return ("crane" if Counting.n_games < 10 else "slate"), 5.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0
'''


def played(tmp_path, source, name, **settings):
    """Return the records of an entry's games as bytes, and its records."""
    folder = tmp_path / "strategies"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(source)
    jobs = settings.pop("jobs", 1)
    config = RunConfig(repeats=0, seed="1", results=tmp_path / f"results-{jobs}", warmup_s=20.0, **settings)
    run = Contest(config, entries_in(folder), jobs=jobs).play()
    return run.entries[0].records_path.read_bytes(), run.entries[0].read()


@pytest.mark.parametrize("level", LEVELS)
def test_an_entry_that_leaves_a_bit_for_its_next_game_finds_nothing_in_a_fresh_process(tmp_path, level):
    source = f"COUNTS = {level == Level.A}\n{HOARDER}"
    _, records = played(tmp_path, source, "hoarder", n_games=12, fresh=True, level=level)
    messages = {record.message.strip().rpartition("\n")[2] for record in records}
    assert len(messages) == 1, messages
    assert "ValueError: [False, False, False, None" in messages.pop()


@pytest.mark.parametrize("level", LEVELS)
def test_an_entry_that_counts_its_games_plays_the_same_in_fresh_processes_on_any_number_of_workers(tmp_path, level):
    lines, records = played(tmp_path, COUNTING, "counting", n_games=24, fresh=True, level=level)
    assert {record.moves[0].guess for record in records} == {"crane"}
    assert played(tmp_path, COUNTING, "counting", n_games=24, fresh=True, level=level, jobs=3)[0] == lines
    _, without = played(tmp_path / "without", COUNTING, "counting", n_games=24, level=level)
    assert {record.moves[0].guess for record in without} == {"crane", "slate"}
