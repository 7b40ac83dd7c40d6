"""End the processes of a run by signals, again and again: no game may be lost, and the resumed run must be the same.

Run `python -m benchmarks.soak FOLDER --ends 400`. While a run is played, INT, TERM, HUP or KILL is sent to its host, to
a worker, to a process that forks players, or to a player, at random moments, at sandbox levels A and C, and with one
and two jobs. When the host ends, its exit code must tell why, no process of the run may survive it, and the run is
resumed. A finished run is compared byte by byte with one that was not disturbed, and `verify` must accept it. The
comparison leaves out what depends on the clock or on an end: durations/ and what is derived from it, dates, the seal,
which covers the dates, and the list of restarted games, on which run.json and the board must agree.

Only where players or the processes that fork them were killed may games be lost to faults: at most one for each kill,
whose moves begin the undisturbed game.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from shutil import rmtree
from typing import Any

import click
import msgspec

from tests.helpers import killed_runs
from wordpl.core import words
from wordpl.run.folder import Run
from wordpl.verify import verify

BOT = """
import random


class Bot:
    def __init__(self, pause_s):
        self.pause_s = pause_s

    def first_move(self):
        self.left = random.randrange(1, 4)
        return random.choice(["crane", "slate", "abide", "zebra"]), 5.0

    def next_move(self, guess, epsilon, clues):
        import time

        time.sleep(self.pause_s)
        self.left -= 1
        if self.left > 0:
            return random.choice(["salet", "moist", "pudgy"]), 2.5
        return random.choice(["abide", "zebra"]), 0


ENTRIES = [Bot(0.0), Bot(0.03)]
"""
FORK_SERVER, WORKER = b"fork_server.main()", b"joblib.externals.loky.backend.popen_loky"
HOST, OF_WORKER, OF_FORK_SERVER, OF_PLAYER = "host", "worker", "fork server", "player"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
"""The exit code of the host after a signal to it."""
WORKER_LOST = 1
LEVELS = ("A", "C")
MAX_ENDS = 20
"""The maximum number of ends of a run, which is then played to its end."""
GAMES_BETWEEN = 8
"""Twice the mean number of games between an end and the next, while games are played."""
ENDED_S = 120.0
FAULTY = {"fingerprints", "scores.csv", "LEADERBOARD.md", "records", "repeats"}
"""Files that differ after a fault."""


class SoakError(click.ClickException):
    """Something was lost, or differs."""


@dataclass
class SoakRun:
    """A run that is disturbed.

    Attributes:
        folder: The folder for the run and its temporary files.
        start: The command that starts the run.
        level: Its sandbox level.
        jobs: The number of games at a time.
        chance: The generator of all choices.
        n_records: The number of records of the finished run.
        ends: The number of signals of each kind so far.
    """

    folder: Path
    start: list[str]
    level: str
    jobs: int
    chance: random.Random
    n_records: int
    ends: Counter[str] = field(default_factory=Counter)

    @property
    def results(self) -> Path:
        """The folder of the run's results."""
        return self.folder / "results"

    @property
    def n_player_kills(self) -> int:
        """The number of kills that can cost a game."""
        return sum(n for end, n in self.ends.items() if end.startswith((f"KILL {OF_FORK_SERVER}", f"KILL {OF_PLAYER}")))

    def play(self) -> None:
        """Play the run to its end, disturbing it at random moments."""
        self.results.mkdir(parents=True)
        while True:
            how = ["--isolation", self.level, "--jobs", str(self.jobs)]
            process = killed_runs.begin(killed_runs.command(self.results, self.start, how), self.folder)
            expected = self._disturb(process)
            code = self._wait(process)
            if code not in expected:
                self._fail(f"exit code {code} in place of {expected}:\n{(self.folder / 'log').read_text()}")
            if left := killed_runs.survivors(self.folder):
                self._fail(f"these outlived the host: {', '.join(left)}")
            if code == 0:
                return

    def _disturb(self, process: "subprocess.Popen[bytes]") -> set[int]:
        """Send signals until one must end the host, or the run ends; return the possible exit codes."""
        while self.ends.total() < MAX_ENDS:
            kind = self.chance.choice([killed_runs.START, *[killed_runs.MIDDLE] * 18, killed_runs.END])
            n_games = min(GAMES_BETWEEN, self.n_records) if kind == killed_runs.MIDDLE else self.n_records
            if not self._wait_for(process, killed_runs.moment(kind, self.results, n_games, self.chance)):
                break
            number = self.chance.choice(SIGNALS)
            whom = self.chance.choice([HOST, OF_WORKER, OF_FORK_SERVER, OF_PLAYER])
            target = self._target(process.pid, whom)
            if target is None:
                continue
            with suppress(ProcessLookupError):
                os.kill(target, number)
                self.ends[f"{number.name[3:]} {whom}, level {self.level}, jobs {self.jobs}"] += 1
                if whom == HOST:
                    return {CODES[number], 0}  # 0: it had just finished
                if whom == OF_WORKER and number == signal.SIGKILL:
                    return {WORKER_LOST, 0}
        return {0}

    def _wait_for(self, process: "subprocess.Popen[bytes]", has_come: "killed_runs.Moment") -> bool:
        """Wait for a moment; return whether the host still runs."""
        began = time.monotonic()
        while process.poll() is None and not has_come(time.monotonic() - began):
            time.sleep(0.01)
        return process.poll() is None

    def _target(self, host: int, whom: str) -> int | None:
        """Return a random process of this kind; None if there is none."""
        if whom == HOST:
            return host
        if whom == OF_WORKER:
            targets = killed_runs.descendants(host, WORKER)
        else:
            marked = killed_runs.descendants(host, FORK_SERVER)
            parents = {parent for pid in marked if (parent := killed_runs.parent_of(pid)) is not None}
            targets = [pid for pid in marked if (pid in parents) == (whom == OF_FORK_SERVER)]
        return self.chance.choice(targets) if targets else None

    def _wait(self, process: "subprocess.Popen[bytes]") -> int:
        try:
            return process.wait(ENDED_S + (600 if self.ends.total() >= MAX_ENDS else 0))
        except subprocess.TimeoutExpired:
            process.kill()
            self._fail(f"the host did not end:\n{(self.folder / 'log').read_text()}")
            raise

    def _fail(self, what: str) -> None:
        raise SoakError(f"level {self.level}, jobs {self.jobs}, after {dict(self.ends)}, in {self.folder}: {what}")

    def compare(self, undisturbed: Path) -> int:
        """Return the number of games lost to kills of players; end the test if anything else differs."""
        folder = killed_runs.started(self.results) or self.folder
        n_faults = self._compare_games(folder, undisturbed)
        wrong = killed_runs.differences(folder, killed_runs.content(undisturbed))
        if n_faults:
            if n_faults > self.n_player_kills:
                self._fail(f"{n_faults} games were lost to {self.n_player_kills} kills of players")
            wrong = [name for name in wrong if Path(name).parts[0] not in FAULTY]
            wrong += [str(difference) for difference in verify(Run(folder), words.load()).differences]
        else:
            wrong += killed_runs.disagreements(folder)
        if wrong:
            self._fail(f"this differs: {', '.join(wrong)}")
        return n_faults

    def _compare_games(self, folder: Path, undisturbed: Path) -> int:
        """Return the number of games lost to faults; a game that begins otherwise than the undisturbed one fails."""
        n_faults = 0
        for path in sorted((undisturbed / "records").iterdir()):
            lost = set()
            expected, found = (records_by_game(run / "records" / path.name) for run in (undisturbed, folder))
            for game, (record,) in found.items():
                (other,), moves = expected[game], record["moves"]
                if record == other:
                    continue
                if record["verdict"] != "fault" or not moves or moves != other["moves"][: len(moves)]:
                    self._fail(f"records of {path.stem}: {record} in place of {other}")
                lost.add(game)
            n_faults += len(lost) + self._compare_repeats(folder, undisturbed, path.name, lost)
        return n_faults

    def _compare_repeats(self, folder: Path, undisturbed: Path, name: str, lost: set[int]) -> int:
        """Return the number of games whose repeats were lost to faults; the games `lost` were so when first played."""
        expected, found = (records_by_game(run / "repeats" / name) for run in (undisturbed, folder))
        differing = {game for game in expected | found if expected.get(game) != found.get(game)} - lost
        for game in differing:
            if all(record["verdict"] != "fault" for record in found.get(game, [])):
                self._fail(f"repeats of {name}: {found.get(game)} in place of {expected.get(game)}")
        return len(differing)


def records_by_game(path: Path) -> dict[int, list[dict[str, Any]]]:
    """Return the records of a file as plain values, without repetitions that draw anew."""
    by_game: dict[int, list[dict[str, Any]]] = {}
    lines = (line for line in path.read_bytes().splitlines() if killed_runs.PLAYED_ANEW not in line)
    for record in map(msgspec.json.decode, lines):
        by_game.setdefault(record["game"], []).append(record)
    return by_game


def prepare(folder: Path, n_games: int, *options: str) -> list[str]:
    """Create an entry and an undisturbed run of each level in the folder; return the command that starts such a run."""
    start = [str(folder / "bot.py"), "--games", str(n_games), "--repeats", "3", "--seed", "soak", "--no-report"]
    start += options
    (folder / "bot.py").write_text(BOT)
    for level in LEVELS:
        if not (folder / level / "ended").exists():
            rmtree(folder / level, ignore_errors=True)
            (folder / level).mkdir()
            command = killed_runs.command(folder / level, start, ["--isolation", level, "--jobs", "1"])
            if killed_runs.begin(command, folder).wait() != 0:
                raise SoakError((folder / "log").read_text())
            (folder / level / "ended").touch()
    return start


@contextmanager
def load(least: float) -> Iterator[None]:
    """Keep the processors busy while the context lasts, with what is missing from a load of at least this."""
    n_missing = max(0, ceil(least - os.getloadavg()[0]))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n_missing)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--ends", "n_wanted", default=400, help="The number of signals.")
@click.option("--games", "n_games", default=120, help="Games of each of the two entries.")
@click.option("--load", "least_load", default=8.0, help="The least load: busy processes add to that of other work.")
@click.option("--seed", default=1, help="Seed of the random choices.")
@click.option("--fresh", is_flag=True, help="Play each game in a process of its own.")
def main(folder: Path, n_wanted: int, n_games: int, least_load: float, seed: int, fresh: bool) -> None:
    """Disturb runs in FOLDER at random moments, resume them, and compare the results."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs of a shell
    start = prepare(folder, n_games, *["--fresh"] * fresh)
    ends, loads, n_runs, n_lost, n_again = Counter[str](), [], 0, 0, 0
    while ends.total() < n_wanted:
        level, jobs, place = LEVELS[n_runs % 2], 1 + n_runs // 2 % 2, folder / f"run{n_runs}"
        rmtree(place, ignore_errors=True)  # left by an earlier soak
        run = SoakRun(place, start, level, jobs, random.Random(f"{seed}/{n_runs}"), 2 * n_games)
        with load(least_load):
            run.play()
        loads.append(os.getloadavg()[0])
        n_lost += run.compare(killed_runs.started(folder / level) or folder)
        n_again += sum(map(len, Run(killed_runs.started(run.results) or place).info.played_again.values()))
        n_runs, ends = n_runs + 1, ends + run.ends
        rmtree(place)
        click.echo(
            f"{ends.total()} ends, {n_runs} runs: {n_lost} games lost to kills of players, {n_again} played again, "
            f"no other difference; load {min(loads):.1f} to {max(loads):.1f}"
        )
    for end, n in sorted(ends.items()):
        click.echo(f"{n:5} {end}")


if __name__ == "__main__":
    main()
