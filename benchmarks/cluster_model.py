"""The wall time of a run in parts: measured with 1, 2 and 4 processes, a model fitted to that, and its picture.

    python -m benchmarks.cluster_model                 measure, write benchmarks/cluster.csv, and draw
    python -m benchmarks.cluster_model --draw-only     draw and print what benchmarks/cluster.csv says

The entry sleeps in each game instead of computing, so that four processes need no four idle processors. Each part is a
process of `wordpl evaluate RUN --part I/N`, as on another machine; then the host joins the parts. The model:

    wall = parts * PREPARE + rounds * (START + games in a part * (GAME + entry's time)) + parts * TAKE + games * JOIN

where rounds = parts / workers, rounded up. START and GAME are fitted, where processes that share PROCESSORS start by
turns; PREPARE, TAKE and JOIN are those of
`benchmarks.parts`, which measures the host alone.
"""

import argparse
import csv
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

HOME = Path(__file__).resolve().parents[1]
TABLE, PICTURE = HOME / "benchmarks" / "cluster.csv", HOME / "docs" / "images" / "cluster.svg"
PREPARE, TAKE, JOIN = 0.0014, 0.001, 1 / 165_000
"""Seconds of the host: preparing a part, and taking a part and each game of it, by `benchmarks.parts`."""
SLEEP_S = 0.02
WORKERS, PROCESSORS = (1, 2, 4), 2
CUTS = ((800, 8), (1600, 4))
"""The numbers of games and of parts that are measured."""
ENTRY = f"""
import time

from wordpl import Strategy


class Sleeper(Strategy):
    def first_move(self):
        time.sleep({SLEEP_S})
        return "crane", 0

    def next_move(self, guess, epsilon, clues):
        return guess, 0
"""
CONTESTS = ((20, 20_000, 0.05), (1_000, 1_001, 0.05), (1, 10_000_000, 0.005))
"""Entries, games of each, and seconds of a game."""
PARTS_PER_WORKER, MAX_GAMES_PER_PART = 4, 50_000


def measure() -> None:
    """Play runs in parts with 1, 2 and 4 processes, and write the wall times."""
    rows = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "strategies").mkdir()
        (folder / "strategies" / "sleeper.py").write_text(ENTRY)

        def wordpl(*words: object) -> None:
            command = [sys.executable, "-P", "-m", "wordpl", *map(str, words)]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)

        for n_games, n_parts in CUTS:
            for workers in WORKERS:
                place = folder / f"{n_games}-{workers}"
                wordpl("evaluate", "sleeper", "--trust", "--games", n_games, "--repeats", 0, "--results", place,
                       "--prepare")  # fmt: skip
                (run,) = place.iterdir()
                began = time.perf_counter()
                with ThreadPoolExecutor(workers) as pool:
                    texts = [f"{number}/{n_parts}" for number in range(1, n_parts + 1)]
                    list(pool.map(lambda text, run=run: wordpl("evaluate", run, "--part", text, "--trust"), texts))
                played = time.perf_counter() - began
                wordpl("join", run, "--trust", "--no-report")
                rows.append((n_games, n_parts, workers, f"{played:.2f}", f"{time.perf_counter() - began:.2f}"))
                print(*rows[-1], flush=True)
    with TABLE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["games", "parts", "workers", "played_s", "joined_s"])
        writer.writerows(rows)


def points() -> np.ndarray:
    """Return what was measured: games, parts, workers, wall time until all parts were played, and until the end."""
    with TABLE.open(newline="") as file:
        return np.array([[float(value) for value in row] for row in list(csv.reader(file))[1:]])


def starts(workers: float) -> float:
    """Return how long a part takes to start on this machine, as a multiple of the time on a machine of its own."""
    return max(1.0, workers / PROCESSORS)


def fit(measured: np.ndarray) -> tuple[float, float]:
    """Return the seconds that a part takes to start, and those of a game beyond the time of the entry."""
    games, parts, workers, played = measured.T[:4]
    rounds = np.ceil(parts / workers)
    per_game = rounds * games / parts
    (start, game), *_ = np.linalg.lstsq(
        np.array([rounds * [*map(starts, workers)], per_game]).T, played - per_game * SLEEP_S, rcond=None
    )
    return float(start), max(0.0, float(game))


def wall(
    games: float, parts: int, workers: int, entry_s: float, fitted: tuple[float, float], slower: float = 1.0
) -> float:
    """Return the wall time of a run by the model, with starts that are `slower`."""
    start, game = fitted[0] * slower, fitted[1]
    playing = ceil(parts / workers) * (start + games / parts * (game + entry_s))
    return parts * (PREPARE + TAKE) + playing + games * JOIN


def cut(games: int, workers: int) -> int:
    """Return the number of parts, as `--cluster` chooses it."""
    return min(games, max(PARTS_PER_WORKER * workers, -(-games // MAX_GAMES_PER_PART)))


def draw(measured: np.ndarray, fitted: tuple[float, float]) -> None:
    """Draw the measured points and the model of the three contests."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for n_games, n_parts in CUTS:
        own = measured[(measured[:, 0] == n_games) & (measured[:, 1] == n_parts)]
        (line,) = left.plot(
            WORKERS, [wall(n_games, n_parts, w, SLEEP_S, fitted, starts(w)) - n_games * JOIN for w in WORKERS]
        )
        left.plot(own[:, 2], own[:, 3], "o", color=line.get_color(), label=f"{n_games:,} games in {n_parts} parts")
    left.set(xlabel="processes", ylabel="seconds until all parts are played", xticks=WORKERS, ylim=(0, None),
             title="measured (dots) and model (lines)")  # fmt: skip
    left.legend(frameon=False)
    workers = np.unique(np.geomspace(1, 10_000, 60).astype(int))
    for entries, n_games, entry_s in CONTESTS:
        total = entries * n_games
        minutes = [wall(total, cut(total, w), w, entry_s, fitted) / 60 for w in workers]
        label = f"{entries:,} x {n_games:,} at {1000 * entry_s:g} ms"
        right.loglog(workers, minutes, label=label)
    right.set(xlabel="workers", ylabel="minutes until the run is joined", title="model only")
    right.legend(frameon=False)
    for axis in (left, right):
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw-only", action="store_true")
    if not parser.parse_args().draw_only:
        measure()
    measured = points()
    fitted = fit(measured)
    print(f"a part takes {fitted[0]:.2f} s to start, and a game {1000 * fitted[1]:.2f} ms beyond the entry's time")
    for games, parts, workers, played, _ in measured:
        found = wall(games, int(parts), int(workers), SLEEP_S, fitted, starts(workers)) - games * JOIN
        print(f"{games:6.0f} games, {parts:.0f} parts, {workers:.0f} workers: {played:6.2f} s, model {found:6.2f} s")
    for entries, n_games, entry_s in CONTESTS:
        total = entries * n_games
        found = [wall(total, cut(total, w), w, entry_s, fitted) for w in (1, 100, 1_000, 10_000)]
        print(f"{entries} x {n_games} at {entry_s} s:", *(f"{seconds:,.0f} s" for seconds in found))
    draw(measured, fitted)


if __name__ == "__main__":
    main()
