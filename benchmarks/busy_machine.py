"""Play an entry that uses 80 % of its CPU time and one that sleeps, next to busy processes.

Run `python -m benchmarks.busy_machine`. However busy the machine is, no game of the first entry may time out, since it
waits only for a processor. Every game of the second entry must time out, even on an idle machine, since it sleeps.
"""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from msgspec.structs import replace

from benchmarks.harness import new_run
from wordpl.contest import official, runner
from wordpl.players.sandbox.policy import Level
from wordpl.run.config import default_enforced_s
from wordpl.run.folder import Run

SHARE = 0.8
ENTRY = """
import time


class Busy:
    def __init__(self, seconds):
        self.seconds = seconds

    def first_move(self):
        until = time.process_time() + self.seconds
        while time.process_time() < until:
            pass
        return "abide", 0

    def next_move(self, guess, epsilon, clues):
        pass


class Asleep(Busy):
    games = 0

    def first_move(self):
        self.games += 1
        time.sleep(self.seconds if self.games > 1 else 0)
        return "abide", 0
"""
BUSY = "while True: pass"


@click.command()
@click.option("--games", "n_games", default=200, show_default=True)
@click.option("--sleeping", "n_sleeping", default=3, show_default=True, help="Games of the entry that sleeps.")
@click.option("--timeout", "limit_s", default=5.0, show_default=True, help="CPU time limit of a game, in seconds.")
@click.option("--busy", "n_busy", default=8, show_default=True, help="Number of busy processes.")
@click.option("--level", default="A", show_default=True)
@click.option("--jobs", default=2, show_default=True)
def main(n_games: int, n_sleeping: int, limit_s: float, n_busy: int, level: str, jobs: int) -> None:
    """Print how the games of both entries ended and how long they took."""
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(n_busy)]
    try:
        with TemporaryDirectory(prefix="wordpl-busy-") as name:
            file = Path(name) / "busy.py"
            file.write_text(ENTRY)
            for make, games in ((f"Busy({SHARE * limit_s})", n_games), (f"Asleep({100 * limit_s})", n_sleeping)):
                run = new_run(Path(name), file, make, Level(level), games)
                run.info.config = replace(run.info.config, timeout_s=limit_s, enforced_s=default_enforced_s(limit_s))
                run.write_info()
                load, began = Path("/proc/loadavg").read_text().split()[0], time.monotonic()
                runner.play_run(run, official.run_key(run), jobs)
                click.echo(f"level {level}, {limit_s:g} s, {n_busy} busy processes, load {load}: {ended(run)}, "
                           f"{time.monotonic() - began:.0f} s in all")  # fmt: skip
    finally:
        for process in busy:
            process.kill()
            process.wait()


def ended(run: Run) -> str:
    """Return how the games of the run's entry ended, with the median and the largest times."""
    (entry,) = run.info.entries
    ends = Counter(str(record.verdict) for record in run.entry(entry).read())
    times = list(run.entry(entry).durations())
    cpu_s, wall_s = sorted(duration.cpu_s or 0.0 for duration in times), sorted(duration.wall_s for duration in times)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in ends.items())
    middle = len(times) // 2
    return (
        f"{entry.make}: {verdicts}; CPU {cpu_s[middle]:.2f} s (most {cpu_s[-1]:.2f}), wall {wall_s[middle]:.1f} s "
        f"(most {wall_s[-1]:.1f})"
    )


if __name__ == "__main__":
    main()
