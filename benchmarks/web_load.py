"""Simulate many players on a page served on the loopback interface: times of moves, errors, memory, and bad requests.

    python benchmarks/web_load.py --players 200 --seconds 60

Each player starts a game, makes a move every second, and starts another game when it has ended. Afterwards malformed,
huge, slow and forged requests are sent while players play, and every game that was started is read back.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from wordpl.core import words

PAUSE_S = 1.0
TIMEOUT_S = 30.0
PLAYERS_OF_ADDRESS = 50


@dataclass
class Tally:
    """Counts: the seconds of each move, the statuses, and the confirmed moves of each game by its token."""

    moves_s: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    games: dict[str, int] = field(default_factory=dict)

    def quantile(self, share: float) -> float:
        """Return a quantile of the times of moves."""
        return sorted(self.moves_s)[int(share * (len(self.moves_s) - 1))] if self.moves_s else float("nan")


@dataclass
class Load:
    """The results: at full load with the server's CPU seconds, next to bad requests, statuses, and lost games."""

    full: Tally
    cpu_s: float
    beside: Tally
    statuses: dict[str, str]
    n_lost: int


class Connection:
    """A persistent connection with a minimal client, which leaves most CPU time to the server on the same machine."""

    @classmethod
    async def open(cls, address: str, number: int = 0) -> "Connection":
        """Connect as the player with this number; the page serves only so many from one address."""
        self = cls()
        self._host, _, port = address.removeprefix("http://").rstrip("/").partition(":")
        source = f"127.0.0.{2 + number // PLAYERS_OF_ADDRESS}", 0
        self._reader, self._writer = await asyncio.open_connection(self._host, int(port), local_addr=source)
        return self

    async def request(self, path: str, body: dict | None = None, token: str = "") -> tuple[int, dict]:
        """Return the status and the decoded reply of a GET request, or of a POST request if there is a body."""
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{'GET' if body is None else 'POST'} /{path} HTTP/1.1\r\nHost: {self._host}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        head += f"Authorization: Bearer {token}\r\n\r\n" if token else "\r\n"
        async with asyncio.timeout(TIMEOUT_S):
            self._writer.write(head.encode() + data)
            lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
            length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length"))
            return int(lines[0].split()[1]), json.loads(await self._reader.readexactly(length))

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


async def player(address: str, number: int, until: float, tally: Tally) -> None:
    """Play games until the given time."""
    rng, guesses = random.Random(number), words.load().guesses
    await asyncio.sleep(rng.random() * PAUSE_S)
    connection = await Connection.open(address, number)
    while time.monotonic() < until:
        game = rng.choice(["wordpl/1", "wordle/1"])
        status, reply = await connection.request("api/games", {"game": game})
        tally.statuses[status] += 1
        if status != 200:
            break
        token, state = reply["token"], reply["state"]
        tally.games[token] = 0
        while state["is_open"] and len(state["rows"]) < 8 and time.monotonic() < until:
            body = {"round": state["round"], "word": rng.choice(guesses)}
            if game == "wordpl/1":
                body["epsilon"] = rng.choice([4, 8, 12.5])
            started = time.monotonic()
            status, state = await connection.request("api/game/moves", body, token)
            tally.moves_s.append(time.monotonic() - started)
            tally.statuses[status] += 1
            if status != 200:
                break
            tally.games[token] = len(state["rows"])
            await asyncio.sleep(max(0, PAUSE_S - (time.monotonic() - started)))
    connection.close()


async def bad_requests(address: str) -> Counter:
    """Return the statuses of malformed, huge, slow and forged requests."""
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    head = b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    sent = {
        "no HTTP": b"\x16\x03\x01 nonsense\r\n\r\n",
        "malformed JSON": head + b"Content-Length: 3\r\n\r\n{{{",
        "huge body": head + b"Content-Length: 9000000\r\n\r\n" + b"x" * 100_000,
        "huge headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        "slow headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        "slow body": head + b'Content-Length: 20\r\n\r\n{"game"',
        "other site": head + b"Origin: https://evil.example\r\nContent-Length: 2\r\n\r\n{}",
        "other host": b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "forged token": b"GET /api/game HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer forged\r\n\r\n",
    }

    async def exchange(data: bytes) -> str:
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            async with asyncio.timeout(TIMEOUT_S):
                writer.write(data)
                line = await reader.readline()
                return line.decode("latin-1").strip().removeprefix("HTTP/1.1 ") or "closed"
        except (TimeoutError, OSError) as error:
            return type(error).__name__
        finally:
            writer.close()

    statuses = await asyncio.gather(*(exchange(data) for data in sent.values()))
    return dict(zip(sent, statuses, strict=True))


async def load(address: str, n_players: int, seconds: float, cpu_s: Callable[[], float]) -> Load:
    """Return the results at full load, and with bad requests next to a few players."""
    full, beside = Tally(), Tally()
    until, cpu_before_s = time.monotonic() + seconds, cpu_s()
    await asyncio.gather(*(player(address, number, until, full) for number in range(n_players)))
    used_s = cpu_s() - cpu_before_s
    until = time.monotonic() + 15
    few = [player(address, number, until, beside) for number in range(min(20, n_players))]
    statuses, *_ = await asyncio.gather(bad_requests(address), *few)
    connection, n_lost = await Connection.open(address), 0
    for token, n_moves in {**full.games, **beside.games}.items():
        status, state = await connection.request("api/game", token=token)
        n_lost += status != 200 or len(state["rows"]) < n_moves
    connection.close()
    return Load(full, used_s, beside, statuses, n_lost)


def memory_mb(pid: int) -> float:
    """Return the peak memory of a process in MiB."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def cpu_s(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


@click.command()
@click.option("--players", default=200, show_default=True)
@click.option("--seconds", default=60.0, show_default=True)
def main(players: int, seconds: float) -> None:
    """Serve a page, let players play, and print what happened."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "wordpl", "serve", "--port", "0", "--rate", "0"]
        command += ["--database", f"{folder}/games.sqlite", "--max-open-per-address", "100000"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split()[2]
            measured = asyncio.run(load(address, players, seconds, lambda: cpu_s(server.pid)))
            memory = memory_mb(server.pid)
        finally:
            server.terminate()
            server.wait(20)
    print(f"{players} players, {seconds:g} s, load average {os.getloadavg()[0]:.1f}")
    full, n_requests = measured.full, sum(measured.full.statuses.values())
    print(f"{len(full.moves_s):,} moves, {len(full.games):,} games, statuses {dict(full.statuses)}, {memory:.0f} MiB")
    print(f"CPU of the server: {measured.cpu_s:.1f} s, {1000 * measured.cpu_s / n_requests:.2f} ms a request")
    print("moves: " + ", ".join(f"{share:.0%} within {1000 * full.quantile(share):.0f} ms" for share in (0.5, 0.95, 1)))
    late_ms = 1000 * measured.beside.quantile(0.95)
    print(f"beside bad requests: {dict(measured.beside.statuses)}, 95% within {late_ms:.0f} ms")
    print("\n".join(f"  {name}: {status}" for name, status in measured.statuses.items()))
    print(f"games lost: {measured.n_lost}")


if __name__ == "__main__":
    main()
