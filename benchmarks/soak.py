"""Kill the harness at random moments, again and again: a resumed run must end as if it had never been killed.

Run `python -m benchmarks.soak FOLDER`. Each kill is a SIGKILL to the harness, to one of its workers, or to its whole
process group; no process of the run may survive it. A finished run is compared byte by byte with one that was not
disturbed, and `verify` must accept it. The comparison leaves out what depends on the clock or on the kill: durations/
and the tables derived from it (cpu_* in scores.csv, "CPU per game" on the board), dates, the seal, which covers the
dates, and the list of restarted games, on which run.json and the board must agree.

With --players, players and the processes that fork them are killed instead, while the harness keeps running. Then all
records must be the same except those of faults, whose moves must be a prefix of the undisturbed game.

The folder keeps the counts, so that a soak test can be made in several sessions: each adds runs until there are enough
kills or the time is over.
"""

import json
import random
import time
from collections import Counter
from pathlib import Path
from shutil import rmtree

import click

from benchmarks import soak_players, soak_runs
from wordpl.core.records import Run

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


ENTRIES = [Bot(0.0), Bot(0.004)]
"""
GAMES = "games"
TRUSTED, ONE, TWO = ["--trust", "--jobs", "1"], ["--jobs", "1"], ["--jobs", "2"]
UNDISTURBED = {"trusted": TRUSTED, "sandboxed": ONE}
WAYS = [(TRUSTED, "harness"), (TRUSTED, "harness"), (ONE, "harness"), (TWO, "harness"), (TWO, "worker"), (TWO, "group")]
"""Options of runs, and which processes are killed. Trusted entries start no players, so kills hit files more often."""


def one_run(folder: Path, start: list[str], n_records: int, chance: random.Random) -> tuple[Path, Counter[str]]:
    """Play a run that is killed until it finishes; return its folder, and the number of kills of each kind."""
    (folder / "results").mkdir(parents=True)
    kills: Counter[str] = Counter()
    how, whom = chance.choice(WAYS)
    code = -1
    while code != 0:
        command = soak_runs.command(folder / "results", start, how)
        kind = chance.choice([soak_runs.START, soak_runs.MIDDLE, soak_runs.MIDDLE, soak_runs.END])
        code = soak_runs.kill_at(command, soak_runs.moment(kind, folder / "results", n_records, chance), whom, folder)
        if code > 0 and whom != "worker":
            raise click.ClickException(f"evaluate.py {' '.join(command)} failed:\n{(folder / 'log').read_text()}")
        if left := soak_runs.survivors(folder):
            raise click.ClickException(f"these outlived a kill {kind} of the {whom}: {', '.join(left)}")
        kills[f"{whom}, {'trusted' if how is TRUSTED else 'sandboxed'}, {kind}"] += code != 0
    return soak_runs.started(folder / "results") or folder, kills


def compare(run: Path, undisturbed: Path, kills: Counter[str]) -> None:
    """End the soak test if a run that was killed differs from one that was not, and show the difference."""
    wrong = soak_runs.differences(run, soak_runs.content(undisturbed))
    if wrong or (wrong := soak_runs.disagreements(run)):
        raise click.ClickException(f"after {kills.total()} kills this differs in {run}: {', '.join(wrong)}")


def prepare(folder: Path, n_games: int) -> list[str]:
    """Create an entry and undisturbed runs in the folder; return the command that starts such a run."""
    start = [str(folder / "bot.py"), "--games", str(n_games), "--repeats", "6", "--seed", "soak", "--no-report"]
    (folder / "bot.py").write_text(BOT)
    for kind, how in UNDISTURBED.items():
        if not (folder / kind / "ended").exists():
            rmtree(folder / kind, ignore_errors=True)
            (folder / kind).mkdir()
            soak_runs.kill_at(soak_runs.command(folder / kind, start, how), lambda passed_s: False, "harness", folder)
            (folder / kind / "ended").touch()
    return start


def kill_harnesses(folder: Path, place: Path, n_games: int, chance: random.Random, counts: Counter[str]) -> None:
    """Play a run in the folder `place` whose harness is killed until it finishes, and compare the result."""
    run, kills = one_run(place, prepare(folder, n_games), 2 * n_games, chance)
    kind = "trusted" if Run(run).info.config.is_trusted else "sandboxed"
    compare(run, soak_runs.started(folder / kind) or folder, kills)
    counts.update(kills)
    counts[f"{GAMES} played again"] += sum(map(len, (Run(run).info.played_again or {}).values()))


def kill_players(folder: Path, place: Path, n_games: int, chance: random.Random, counts: Counter[str]) -> None:
    """Play a run in the folder `place` whose players are killed, and compare the result."""
    run = soak_players.one_run(place, prepare(folder, n_games), 2 * n_games, chance, counts)
    soak_players.compare(run, soak_runs.started(folder / "sandboxed") or folder, counts)


def n_kills(counts: Counter[str]) -> int:
    """Return how many kills were counted; the same counter also counts games."""
    return sum(number for name, number in counts.items() if not name.startswith(GAMES))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--players", is_flag=True, help="Kill players and fork servers instead of harness and workers.")
@click.option("--kills", "n_wanted", default=300, help="Total number of kills, including earlier sessions.")
@click.option("--games", "n_games", default=60, help="Games of each of the two entries.")
@click.option("--seed", default=1, help="Seed of the random moments.")
@click.option("--minutes", default=1000.0, help="Start no run after this many minutes.")
def main(folder: Path, players: bool, n_wanted: int, n_games: int, seed: int, minutes: float) -> None:
    """Kill runs in FOLDER at random moments, resume them, and compare the results."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    state_file = folder / ("players.json" if players else "harness.json")
    state = json.loads(state_file.read_text()) if state_file.exists() else {"runs": 0, "counts": {}}
    counts, until = Counter[str](state["counts"]), time.monotonic() + 60 * minutes
    one_more = kill_players if players else kill_harnesses
    while n_kills(counts) < n_wanted and time.monotonic() < until:
        place = folder / f"run{state['runs']}"
        rmtree(place, ignore_errors=True)  # left by a session that was itself killed
        one_more(folder, place, n_games, random.Random(f"{seed}/{players}/{state['runs']}"), counts)
        rmtree(place)
        state = {"runs": state["runs"] + 1, "counts": dict(counts)}
        state_file.write_text(json.dumps(state, indent=1))
    click.echo(
        f"{n_kills(counts)} kills, {state['runs']} runs: " + ", ".join(f"{n} {name}" for name, n in counts.items())
    )


if __name__ == "__main__":
    main()
