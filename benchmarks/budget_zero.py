"""Try to win official games at budget 0 by meeting each secret twice: `python -m benchmarks.budget_zero`.

A thief pays for exact clues until it knows the secret. It then encodes the secret in the number of the next process, by
starting threads until the system's process counter has this value, and ends the game in a way that might have it played
again: by using up the grace period of its clock, by a timeout, or by a crash. In a process whose number encodes a word,
it answers with that word at no cost. An honest entry with the same guesses plays in the same run.

An older version of the harness played such games again, and the thief won every one of them at budget 0.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from wordpl.core.moves import Verdict
from wordpl.core.paths import IMPORT_ROOT
from wordpl.games import game_class
from wordpl.reports.run_report import irregularities
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import EntryInfo
from wordpl.run.records import cost

THIEF = """
import os
import threading
import time

PERIOD, FIRST = 8192, 4096
LIMIT_S = {limit_s}
WORDS = [line.strip() for line in open("answers.txt")]


class Thief:
    games = 0

    def __init__(self, ending):
        self.ending = ending

    def __str__(self):
        return f"Thief that ends by {{self.ending}}"

    def first_move(self):
        self.began = time.process_time()
        self.games += 1
        told = os.getpid() % PERIOD - FIRST
        if self.ending != "answering" and self.games == 2 and 0 <= told < len(WORDS):  # the first after the warm-up
            return WORDS[told], 0
        self.left = list(WORDS)
        return "crane", 400.0

    def next_move(self, guess, epsilon, clues):
        self.left = [word for word in self.left if marks(guess, word) == clues]
        if len(self.left) > 1:
            return self.left[0], 400.0
        return self.end() or (self.left[0], 0)

    def end(self):
        if self.ending == "answering" or self.games == 1:  # the warm-up does not count
            return
        leave_word(WORDS.index(self.left[0]))
        if self.ending == "crashing":
            os._exit(1)
        most = 1.02 * LIMIT_S if self.ending == "burning its grace" else 9.0 * LIMIT_S
        while time.process_time() < self.began + most:
            pass


def marks(guess, word):
    return "".join("c" if a == b else "i" if a in word else "." for a, b in zip(guess, word))


def leave_word(index):
    for _ in range(PERIOD):
        seen = []
        thread = threading.Thread(target=lambda: seen.append(threading.get_native_id()))
        thread.start()
        thread.join()
        if seen[0] % PERIOD == (FIRST + index - 1) % PERIOD:
            return


ENTRIES = [{entries}]
"""
EVALUATE, VERIFY = (f"from wordpl.cli.{name} import command; command()" for name in ("evaluate", "verify"))
ENDINGS = ("burning its grace", "running late", "crashing")


@click.command()
@click.option("--level", "levels", multiple=True, default=["A", "B"], show_default=True, help="Sandbox levels.")
@click.option(
    "--timeout",
    "limits",
    multiple=True,
    type=float,
    default=[0.5, 5.0],
    show_default=True,
    help="Time limits, in seconds.",
)
@click.option(
    "--games", "n_games", default=6, show_default=True, help="Games of each entry; each lasts until its limit."
)
def main(levels: tuple[str, ...], limits: tuple[float, ...], n_games: int) -> None:
    """Print how often each thief won, at budget 0 and in total, next to the honest entry with the same guesses."""
    for level in levels:
        for limit_s in limits:
            with TemporaryDirectory(prefix="wordpl-thief-") as name:
                run = play(Path(name), level, limit_s, n_games)
                click.echo(f"level {level}, {limit_s:g} s, {n_games} games of each entry, official with a beacon")
                for entry in run.info.entries:
                    click.echo(f"    {of_entry(run, entry)}")
                for sentence in irregularities(RunRecords(run)):
                    click.echo(f"    board: {sentence}")
                click.echo(f"    verify: {call(VERIFY, str(run.folder)).splitlines()[-1]}")


def play(folder: Path, level: str, limit_s: float, n_games: int) -> Run:
    """Return the official run of the thieves and the honest entry."""
    entries_of = {"thief": ", ".join(f"Thief({ending!r})" for ending in ENDINGS), "honest": "Thief('answering')"}
    for name, entries in entries_of.items():
        (folder / f"{name}.py").write_text(THIEF.format(limit_s=limit_s, entries=entries))
    options = ["--games", str(n_games), "--repeats", "2", "--timeout", str(limit_s), "--isolation", level]
    files = [str(folder / f"{name}.py") for name in entries_of]
    results = folder / "results"
    call(EVALUATE, *files, *options, "--official", "--beacon-from", "a round to come", "--results", str(results))
    (begun,) = results.glob("*/")
    call(EVALUATE, "--resume", str(begun), "--beacon", "00ff", "--jobs", "1", "--no-report")
    return Run(begun)


def call(program: str, *words: str) -> str:
    """Return the output of a command of the project."""
    command = [sys.executable, "-c", program, *words]
    completed = subprocess.run(command, capture_output=True, text=True, cwd=IMPORT_ROOT)
    if completed.returncode:
        raise click.ClickException(f"{' '.join(words)} failed:\n{completed.stdout}{completed.stderr}")
    return completed.stdout.strip()


def of_entry(run: Run, entry: EntryInfo) -> str:
    """Return the results of the entry's games in one line."""
    records = run.entry(entry).read()
    ends = Counter(str(record.verdict) for record in records)
    n_free = sum(cost(record, game_class("wordpl/1").facts) == 0 for record in records)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in ends.items())
    n_tried = sum(len(record.moves) == 1 and record.verdict in (Verdict.WON, Verdict.WRONG) for record in records)
    return f"{entry.name}: {n_free} won at budget 0 ({n_tried} tried), {verdicts}"


if __name__ == "__main__":
    main()
