"""Kills the harness again and again, at random moments: a run that is resumed should end as if it had not been killed.

Run `python benchmarks/soak.py`. Each kill is SIGKILL, to the harness alone, to one of its workers or to its whole
process group; a run that has ended is compared with one that nobody disturbed, file by file and byte by byte. What
depends on the clock, on the run's folder or on the kill is left out: in run.json the times, the seal that covers them
and the games that began again, and the tables, which hold these and CPU times.

With --players, players and the processes that fork them are killed instead, while the harness goes on. Then all records
must be the same but those of faults, whose moves must be the first ones of the undisturbed game.
"""

import os
import random
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec

from wordpl.core.paths import IMPORT_ROOT

BOT = """
import random
from wordpl import Strategy


class Bot(Strategy):
    def __init__(self, pause_s):
        self.pause_s = pause_s

    def first_move(self):
        self.left = random.randrange(1, 4)
        return self.rng.choice(self.guesses), 5.0

    def next_move(self, guess, epsilon, clues):
        import time

        time.sleep(self.pause_s)
        self.left -= 1
        return (self.rng.choice(self.guesses), 2.5) if self.left > 0 else (self.rng.choice(self.answers), 0)


ENTRIES = [Bot(0.0), Bot(0.004)]
"""
START, MIDDLE, END = "in the first seconds", "while games are played", "at the end"
START_S = 4.0
PAUSES_S = {MIDDLE: 0.02, END: 1.0}
"""How long after a random number of games, or after all, a kill follows on average."""
TIMES = {"started", "finished", "seal", "played_again"}
LEFT_OUT = {"durations", "fingerprints", ".lock", ".begun", "LEADERBOARD.md", "report.html", "scores.csv"}
MOST_KILLS = 6  # of players in a run


def command(results: Path, start: list[str]) -> list[str]:
    """Return the words that go on with the run in the folder `results`, or `start` it where there is none."""
    run = started(results)
    return [*([*start, "--results", str(results)] if run is None else ["--resume", str(run)]), "--jobs", "2"]


def started(results: Path) -> Path | None:
    """Return the folder of the run that has begun there, if its description has been written."""
    return next((path.parent for path in results.glob("*/run.json")), None)


def n_recorded(results: Path) -> int:
    """Return how many games have been written down."""
    return sum(path.read_bytes().count(b"\n") for path in results.glob("*/records/*.jsonl"))


def content(run: Path) -> dict[str, bytes]:
    """Return all files of a finished run by their names, without what depends on the clock."""
    found = {}
    for path in sorted(run.rglob("*")):
        name = str(path.relative_to(run))
        if path.is_file() and not LEFT_OUT & set(path.relative_to(run).parts):
            found[name] = path.read_bytes()
    facts = msgspec.json.decode(found["run.json"])
    found["run.json"] = msgspec.json.encode({name: fact for name, fact in facts.items() if name not in TIMES})
    return found


def moment(kind: str, results: Path, n_records: int, chance: random.Random) -> Callable[[float], bool]:
    """Return what tells whether a random moment of this kind has come, so many seconds after the start."""
    if kind == START:
        delay_s = chance.uniform(0, START_S)
        return lambda passed_s: passed_s > delay_s
    wanted = n_records if kind == END else n_recorded(results) + chance.randint(1, n_records // 2)
    pause_s = chance.expovariate(1 / PAUSES_S[kind])
    reached: list[float] = []

    def has_come(passed_s: float) -> bool:
        if not reached and n_recorded(results) >= wanted:
            reached.append(passed_s)
        return bool(reached) and passed_s > reached[0] + pause_s

    return has_come


def kill_at(words: list[str], has_come: Callable[[float], bool], whom: str, folder: Path) -> int:
    """Run the harness and kill it when the moment has come; return its exit code.

    whom: "harness", "group" for all its processes, or "worker" for one of its workers, which it does not survive
    """
    process = begin(words, folder)
    begun = time.monotonic()
    while process.poll() is None and not has_come(time.monotonic() - begun):
        time.sleep(0.002)
    if process.poll() is None:
        targets = descendants(process.pid, b"joblib.externals.loky.backend.popen_loky") if whom == "worker" else []
        with suppress(ProcessLookupError):
            if whom == "group":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                os.kill(targets[0] if targets else process.pid, signal.SIGKILL)
    return process.wait()


def begin(words: list[str], folder: Path) -> "subprocess.Popen[bytes]":
    """Start the harness with these words."""
    program, own = [sys.executable, str(IMPORT_ROOT / "evaluate.py")], {**os.environ, "TMPDIR": str(folder)}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [*program, *words], stdout=log, stderr=log, cwd=IMPORT_ROOT, start_new_session=True, env=own
        )


def descendants(pid: int, mark: bytes) -> list[int]:
    """Return the descendants of the process whose command line has the mark."""
    children: dict[int, list[int]] = {}
    words: dict[int, bytes] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(process.name))
            words[int(process.name)] = (process / "cmdline").read_bytes()
    found, left = [], list(children.get(pid, []))
    while left:
        one = left.pop()
        found += [one] if mark in words.get(one, b"") else []
        left += children.get(one, [])
    return sorted(found)


def differences(run: Path, expected: dict[str, bytes]) -> list[str]:
    """Return the names of the files that differ from those expected, or are there when they should not be."""
    found = content(run)
    return [name for name in sorted(found.keys() | expected.keys()) if found.get(name) != expected.get(name)]


def one_run(folder: Path, start: list[str], n_records: int, chance: random.Random) -> tuple[Path, Counter]:
    """Play a run that is killed until it gets through; return its folder, and how many kills of each kind it took."""
    (folder / "results").mkdir(parents=True)
    kills: Counter = Counter()
    code = -1
    while code != 0:
        words = command(folder / "results", start)
        kind = chance.choice([START, MIDDLE, MIDDLE, END])
        has_come = moment(kind, folder / "results", n_records, chance)
        whom = chance.choice(["harness", "group", "worker"])
        code = kill_at(words, has_come, whom, folder)
        if code > 0 and whom != "worker":
            raise click.ClickException(f"evaluate.py {' '.join(words)} failed:\n{(folder / 'log').read_text()}")
        kills[kind] += code != 0
    return started(folder / "results"), kills


def kill_players(folder: Path, start: list[str], n_records: int, chance: random.Random) -> tuple[Path, int]:
    """Play a run while its players and fork servers are killed; return its folder and the number of kills."""
    (folder / "results").mkdir(parents=True)
    process, n_kills = begin(command(folder / "results", start), folder), 0
    wanted = sorted(chance.randint(1, n_records - 1) for _ in range(MOST_KILLS))
    while process.poll() is None:
        if wanted and n_recorded(folder / "results") >= wanted[0]:
            wanted = [one for one in wanted if one > n_recorded(folder / "results")]
            time.sleep(chance.uniform(0, 0.02))
            targets = descendants(process.pid, b"fork_server.main()")
            if targets:
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(targets), signal.SIGKILL)
                    n_kills += 1
        time.sleep(0.002)
    if process.wait() != 0:
        raise click.ClickException(f"the run did not end:\n{(folder / 'log').read_text()}")
    return started(folder / "results"), n_kills


def lost_games(run: Path, undisturbed: Path) -> tuple[int, list[str]]:
    """Return how many games are recorded as faults, and which records differ otherwise from the undisturbed ones."""
    n_faults, wrong = 0, []
    for path in sorted((undisturbed / "records").iterdir()):
        pairs = zip(lines_of(run / "records" / path.name), lines_of(path), strict=True)
        for found, expected in ((msgspec.json.decode(one), msgspec.json.decode(other)) for one, other in pairs):
            if found["verdict"] == "fault":
                n_faults += 1
                if found["moves"] != expected["moves"][: len(found["moves"])]:
                    wrong.append(f"{path.name} game {found['game']}, moves")
            elif found != expected:
                wrong.append(f"{path.name} game {found['game']}")
    return n_faults, wrong


def lines_of(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return (zlib.decompress(data, 31) if path.suffix == ".gz" else data).splitlines()


def soak_players(folder: Path, start: list[str], n_games: int, n_kills: int, chance: random.Random) -> None:
    """Kill players until there are as many kills as wanted, and compare what each run leaves."""
    done, n_lost, n_runs, undisturbed = 0, 0, 0, started(folder / "undisturbed")
    while done < n_kills:
        run, more = kill_players(folder / f"{n_runs}", start, 2 * n_games, chance)
        n_faults, wrong = lost_games(run, undisturbed)
        done, n_lost, n_runs = done + more, n_lost + n_faults, n_runs + 1
        if wrong:
            raise click.ClickException(f"in {run}: {', '.join(wrong)}")
        click.echo(f"{done:4} kills of players and fork servers, {n_lost} games lost to them, {n_runs} runs")


@click.command()
@click.option("--players", is_flag=True, help="Kill players and fork servers instead of harness and workers.")
@click.option("--kills", "n_kills", default=200, help="How many kills at least.")
@click.option("--games", "n_games", default=150, help="Games of each of the two entries of a run.")
@click.option("--seed", default=1, help="Decides the moments, as far as the machine does not.")
@click.option("--trust", is_flag=True, help="Start no players: a kill then costs less time, and hits files more often.")
def main(players: bool, n_kills: int, n_games: int, seed: int, trust: bool) -> None:
    """Kill runs at random moments, resume them, and compare what they leave."""
    chance, kills, n_runs, begun = random.Random(seed), Counter(), 0, time.monotonic()
    with TemporaryDirectory(prefix="wordpl-soak-") as name:
        folder = Path(name)
        (folder / "bot.py").write_text(BOT)
        (folder / "undisturbed").mkdir()
        start = [str(folder / "bot.py"), "--games", str(n_games), "--repeats", "6", "--seed", "soak"]
        start += ["--trust"] if trust else []
        kill_at(command(folder / "undisturbed", start), lambda passed_s: False, "harness", folder)
        expected = content(started(folder / "undisturbed"))
        if players:
            soak_players(folder, start, n_games, n_kills, chance)
        while not players and kills.total() < n_kills:
            run, more = one_run(folder / f"{n_runs}", start, 2 * n_games, chance)
            n_runs, kills = n_runs + 1, kills + more
            if wrong := differences(run, expected):
                raise click.ClickException(f"after {more.total()} kills these differ in {run}: {', '.join(wrong)}")
            click.echo(f"{kills.total():4} kills, {n_runs} runs ended as undisturbed, {time.monotonic() - begun:.0f} s")
    click.echo(", ".join(f"{count} {kind}" for kind, count in kills.items()))


if __name__ == "__main__":
    main()
