"""Measure how long a round takes from the command to its first game, against a run of the same entries.

`python -m benchmarks.season_start`: a season of 20 versions in which two rounds were played, then, by turns, `wordpl
season round` and `wordpl evaluate --official` with the files of the round's players, the same number of games and the
same limits. The clock runs until a journal or the records have a line; then the command is interrupted. The first pair
warms up and does not count.
"""

import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from wordpl.season.season import Season

N_VERSIONS, N_GAMES = 20, 10
BOT = '''
"""Guess a word, then the word that is most probable."""

from wordpl import Posterior


class Bot:
    def first_move(self):
        self.posterior = Posterior.uniform()
        return "crane", {epsilon}

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        word, probability = self.posterior.best()
        return (word, 0) if probability > 0.5 else (word, {epsilon})
'''


def command(*arguments: object) -> list[str]:
    """Return a command of wordpl."""
    return [sys.executable, "-m", "wordpl", *map(str, arguments)]


def seconds_to_first_game(arguments: list[str], results: Path, environment: dict[str, str]) -> float:
    """Return the time until the command has recorded a game in a new folder of `results`, and interrupt it."""
    known = {path.name for path in results.glob("*")}
    started = time.monotonic()
    process = subprocess.Popen(arguments, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    new: list[Path] = []
    while process.poll() is None:
        new = [path for path in results.glob("*") if path.name not in known and path.is_dir()]
        if any(_has_line(path) for path in new):
            break
        time.sleep(0.01)
    seconds = time.monotonic() - started
    if process.poll() not in (None, 0):
        raise SystemExit(f"{' '.join(arguments)} ended:\n{process.stderr and process.stderr.read()}")
    process.send_signal(signal.SIGINT)
    process.communicate()
    return seconds


def _has_line(run: Path) -> bool:
    """Return whether a run has the line of a game, in its records or in a journal."""
    return any(path.is_file() and path.stat().st_size for part in ("records", ".journals", ".begun")
               for path in (run / part).rglob("*"))  # fmt: skip


@click.command()
@click.option("--pairs", default=5, help="Pairs of starts that count.")
def main(pairs: int) -> None:
    """Print the times of both commands, and the median of their differences."""
    with tempfile.TemporaryDirectory(prefix="wordpl-start-", ignore_cleanup_errors=True) as name:
        work = Path(name)
        cup = work / "cup"
        environment = os.environ | {"XDG_STATE_HOME": str(work / "state"), "XDG_CACHE_HOME": str(work / "cache")}
        subprocess.run(command("season", "new", cup, "--no-bundled", "--score", "p50", "--score", "p_win"), check=True)
        terms = cup / "season.toml"
        terms.write_text(terms.read_text().replace("games = 1000 ", f"games = {N_GAMES} "))
        for number in range(N_VERSIONS):
            place = cup / "strategies" / f"bot_{number:02}.py"
            place.write_text(BOT.format(epsilon=6.0 + number / 4))
        subprocess.run(command("season", "submit", "--changed", "-C", cup), check=True, env=environment)
        for _ in range(2):
            subprocess.run(command("season", "round", "-C", cup, "--quiet"), check=True, env=environment,
                           stdout=subprocess.DEVNULL)  # fmt: skip
        files = [str(v.place(cup)) for v in Season(cup).next_players()]
        rows = []
        for _ in range(pairs + 1):
            fresh = work / "fresh"
            shutil.rmtree(fresh, ignore_errors=True)
            shutil.copytree(cup, fresh)
            run = command("evaluate", *files, "--official", "--games", N_GAMES, "--repeats", N_GAMES, "--quiet",
                          "--results", work / "results")  # fmt: skip
            (work / "results").mkdir(exist_ok=True)
            of_round = seconds_to_first_game(command("season", "round", "-C", fresh, "--quiet"), fresh / "rounds",
                                             environment)  # fmt: skip
            rows.append((of_round, seconds_to_first_game(run, work / "results", environment)))
    print(f"python -m benchmarks.season_start, {datetime.now(UTC):%Y-%m-%d}, {len(files)} players, load "
          f"{os.getloadavg()[0]:.0f}")  # fmt: skip
    for of_round, of_run in rows[1:]:
        print(f"  round {of_round:5.2f} s, run {of_run:5.2f} s, difference {of_round - of_run:+.2f} s")
    differences = [of_round - of_run for of_round, of_run in rows[1:]]
    print(f"median difference {statistics.median(differences):+.2f} s")


if __name__ == "__main__":
    main()
