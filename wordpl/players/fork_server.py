"""A fork server: a process that has imported what players need, and has read nothing of any entry.

On request it forks a player, and stops it. Only the player is told which entry it is. At level A, each player runs in a
pid namespace, whose init process is forked once and forks one player after another.
"""

import ctypes  # noqa: F401 - loaded before the fork, for the players
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, Protocol

import msgspec

from wordpl.kernels import cache_folder
from wordpl.players import player_process, rehearsal, shared_kernels
from wordpl.players.fork_client import End, Request, Start, receive_line
from wordpl.players.sandbox import namespaces, processes
from wordpl.players.sandbox.levels import Level, prepare

ENDING_S = 10.0
EXITING = 4
"""The flag of a process that exits, PF_EXITING of the kernel, which proc_pid_stat(5) shows."""
LAST_PID = Path("/proc/sys/kernel/ns_last_pid")
"""The process id that was last given in this pid namespace; see proc_sys_kernel(5)."""
PLAYER_PID = 2
"""The process id of each player in the pid namespace of its template."""


class Players(Protocol):
    """The players of a fork server."""

    def start(self, told: Start, files: Sequence[int]) -> tuple[int, int | None]:
        """Start a player; return its number, and a pidfd that the caller closes, or None if the system has none.

        Args:
            told: What this process is told about it.
            files: File descriptors for requests, for replies, with the player's `Request` and, optionally, for what the
                player prints.
        """

    def end(self, number: int, grace_s: float) -> int | None:
        """Stop a player and its descendants; return its wait status if it ended by itself in time, else None.

        Args:
            number: The player's number.
            grace_s: How long to wait for its end. If it is ending already, it gets up to ENDING_S more: on a busy
                machine it may wait that long for a processor.
        """

    def close(self) -> None:
        """Stop all players."""


class ForkedPlayers(Players):
    """Players that this process forks; their numbers are their process ids."""

    def __init__(self, own: Sequence[int], *, is_init: bool = False) -> None:
        """Fork no player yet.

        Args:
            own: File descriptors of this process that players must not inherit.
            is_init: Whether this is the init process of a pid namespace, in which one player runs at a time: whatever
                runs there ends with it.
        """
        self._own, self._is_init = own, is_init
        self._running: set[int] = set()

    def start(self, told: Start, files: Sequence[int], fault: str = "") -> tuple[int, int | None]:
        """Fork a player; if there is a fault, it only reports that."""
        prepare(told.policy)
        parent = os.getpid()
        if self._is_init:
            _reset_last_pid()
        pid = os.fork()
        if pid == 0:
            _close(self._own)
            player_process.run_player(files, parent, fault)
        self._running.add(pid)
        return pid, os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def end(self, number: int, grace_s: float = 0) -> int | None:
        """Stop a player and its descendants."""
        self._running.remove(number)
        now = time.monotonic()
        until, latest = now + grace_s, now + (ENDING_S if grace_s else 0)
        ended, status = os.waitpid(number, os.WNOHANG)
        while not ended and ((now := time.monotonic()) < until or (now < latest and _is_ending(number))):
            time.sleep(0.001)
            ended, status = os.waitpid(number, os.WNOHANG)
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses a process group of zombies
            os.killpg(number, signal.SIGKILL)
        if not ended:
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
        if self._is_init:
            _end_all_others()
        return status if ended else None

    def close(self) -> None:
        """Stop all players."""
        for number in list(self._running):
            self.end(number)


def _start_and_end(players: Players, told: Start) -> None:
    """Let a player start that cannot play, and end.

    What a process does for the first time leaves traces in its memory, which all but the first player would find.
    """
    request = Request(told.policy, "", broken="it is a rehearsal")
    own, theirs = socket.socketpair()
    nothing, file = os.open(os.devnull, os.O_RDWR), os.memfd_create("request")
    os.write(file, msgspec.json.encode(request))
    with own, theirs:
        socket.send_fds(own, [msgspec.json.encode(told) + b"\n"], [nothing, nothing, file])
        _answer(theirs, players)
        line, handles = receive_line(own)
        own.sendall(msgspec.json.encode(End(int(line), ENDING_S)) + b"\n")
        _answer(theirs, players)
        receive_line(own)
    _close([nothing, file, *handles])


def _is_ending(pid: int) -> bool:
    """Return whether a child has been killed or exits, but its end has not been reported yet."""
    with suppress(OSError, IndexError, ValueError):
        # The name of the process, which may contain anything, precedes the last closing parenthesis.
        return bool(int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[6]) & EXITING)
    return False


def _end_all_others() -> None:
    """Kill all other processes of this pid namespace, and wait until they have ended."""
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _reset_last_pid() -> bool:
    """Let the next process of this pid namespace have the id PLAYER_PID; return whether the system allows it."""
    try:
        LAST_PID.write_bytes(b"%d" % (PLAYER_PID - 1))
    except OSError:
        return False
    return True


def _close(files: Iterable[int]) -> None:
    for file in files:
        os.close(file)


class Template:
    """The init process of a pid namespace, which forks one player after another and has read nothing of any entry.

    Attributes:
        loaded: The libraries and kernels that it has loaded.
        is_reusable: Whether it can fork another player: not if the next one would have another process id, from which
            it could tell how many there were.
    """

    def __init__(self, own: Sequence[int], told: Start) -> None:
        """Fork the process.

        Args:
            own: File descriptors of this process that it must not inherit.
            told: What is told about its first player.

        Raises:
            OSError: The namespaces cannot be created.
        """
        self.loaded = frozenset(_loaded)
        self._control, theirs = socket.socketpair()
        with theirs:
            self._pid = namespaces.fork_init()
            if self._pid == 0:
                _close([*own, self._control.detach()])
                _run_template(theirs, told)
        answer, _ = receive_line(self._control)
        self.is_reusable = answer == b"true\n"
        if not self.is_reusable and answer != b"false\n":
            self.close()
            raise OSError(answer.decode().strip() or "its init process has ended")

    def start(self, told: Start, files: Sequence[int]) -> int:
        """Let it fork a player, and return a pidfd of that.

        Raises:
            OSError: It has ended.
        """
        socket.send_fds(self._control, [msgspec.json.encode(told) + b"\n"], files)
        _, handles = receive_line(self._control)
        if not handles:
            raise OSError("their init process has ended")
        return handles[0]

    def end(self, grace_s: float) -> int | None:
        """Let it stop its player, see `Players.end`; if it has been killed, so has been the player."""
        with suppress(OSError):
            self._control.sendall(msgspec.json.encode(End(PLAYER_PID, grace_s)) + b"\n")
            line, _ = receive_line(self._control)
            if line:
                status: int | None = msgspec.json.decode(line)
                return status
        self.is_reusable = False
        return signal.SIGKILL

    def close(self) -> None:
        """Stop it."""
        self._control.close()
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _run_template(control: socket.socket, told: Start) -> NoReturn:
    """Fork players on request, as the init process of a new pid namespace; this function does not return."""
    try:
        os.setsid()
        namespaces.mount_own_proc()
        players = ForkedPlayers([control.fileno()], is_init=True)
        _start_and_end(players, told)
        control.sendall(json.dumps(_reset_last_pid()).encode() + b"\n")
        _serve(control, players)
    except OSError as error:
        with suppress(OSError):
            control.sendall(f"{error}\n".encode())
    finally:
        os._exit(0)


class NamespacedPlayers(Players):
    """Players in pid namespaces of their own, which are forked by templates.

    At most one template is idle: as a rule, one player runs at a time, while its predecessor may still be ending.
    """

    def __init__(self, own: Sequence[int]) -> None:
        """Fork nothing yet.

        Args:
            own: File descriptors of this process that templates and players must not inherit.
        """
        self._own, self._faulty = own, ForkedPlayers(own)
        self._idle: Template | None = None
        self._playing: dict[int, Template] = {}
        self._n_started = 0

    def start(self, told: Start, files: Sequence[int]) -> tuple[int, int | None]:
        """Start a player in a pid namespace; if that fails, in one that only reports the reason."""
        try:
            template, handle = self._started(told, files)
        except OSError as error:
            return self._faulty.start(told, files, f"its namespaces cannot be created: {error}")
        self._n_started -= 1  # unlike process ids, these numbers are negative
        self._playing[self._n_started] = template
        return self._n_started, handle

    def _started(self, told: Start, files: Sequence[int]) -> tuple[Template, int]:
        """Return a pidfd of a new player, and its template: the idle one, or a new one if that has been killed."""
        template, self._idle = self._idle, None
        if template is not None:
            if template.loaded.issuperset(told.uses):
                with suppress(OSError):
                    return template, template.start(told, files)
            template.close()
        template = Template([*self._own, *files], told)
        try:
            return template, template.start(told, files)
        except OSError:
            template.close()
            raise

    def end(self, number: int, grace_s: float = 0) -> int | None:
        """Stop a player; its template is kept for the next one, or ended as well."""
        if number not in self._playing:
            return self._faulty.end(number, grace_s)
        template = self._playing.pop(number)
        status = template.end(grace_s)
        if template.is_reusable and self._idle is None:
            self._idle = template
        else:
            template.close()
        return status

    def close(self) -> None:
        """Stop all players and templates."""
        for template in filter(None, (self._idle, *self._playing.values())):
            template.close()
        self._faulty.close()


_loaded: set[str] = set()


def _load(told: Start) -> None:
    """Load what players may use, and rehearse a game, unless that has been done."""
    if "" in _loaded and _loaded.issuperset(told.uses):
        return
    shared_kernels.preload_for_entry(told.uses)
    rehearsal.rehearse(told.policy, player_process.play)
    _loaded.update(["", *told.uses])


def main() -> None:
    """Fork players until the referee disconnects or ends, then stop the remaining players.

    The arguments of the program are two file descriptors: the socket for requests, and a file that is locked while this
    process runs. Players must not inherit them.
    """
    control, lock = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    cache_folder.is_player = True
    sys.stdout = os.fdopen(1, "w", buffering=1)  # line by line, for the players
    processes.n_threads(os.getuid())  # cached here, so that players need not count again
    processes.own_processors()
    own = (control.fileno(), lock)
    players = NamespacedPlayers(own) if sys.argv[3] == Level.A else ForkedPlayers(own)
    with suppress(BrokenPipeError, ConnectionResetError):  # the referee has ended
        control.sendall(b'"ready"\n')
        _serve(control, players)
    players.close()


def _serve(control: socket.socket, players: Players) -> None:
    """Answer requests until the other side disconnects."""
    while _answer(control, players):
        pass


def _answer(control: socket.socket, players: Players) -> bool:
    """Answer a request; return False if the other side has disconnected.

    It leaves nothing behind in the memory that the next player inherits, which could tell how many there were before.
    """
    line, files = receive_line(control)
    if not line:
        return False
    request = _decode(line)
    if isinstance(request, Start):
        _load(request)
        try:
            number, handle = players.start(request, files)
        finally:
            _close(files)
        _send_number(control, number, handle)
    else:
        status = players.end(request.number, request.grace_s)
        control.sendall(json.dumps(status).encode() + b"\n")
    return True


_decode = msgspec.json.Decoder(Start | End).decode


def _send_number(control: socket.socket, number: int, handle: int | None) -> None:
    """Send the number of a player, with a pidfd from which its id in other pid namespaces can be determined."""
    line = b"%d\n" % number
    if handle is None:  # not on Linux, so there are no pid namespaces either
        control.sendall(line)
    else:
        socket.send_fds(control, [line], [handle])
        os.close(handle)
