"""Measure how long numba takes to compile each kernel of players: `python -m benchmarks.compile_times [--save]`.

Times are CPU seconds of a kernel itself, without the kernels that it calls; numba's own functions, such as `np.empty`
for a type of array, are added up. --save writes benchmarks/compile_times.csv.
"""

import csv
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

TABLE = Path(__file__).with_suffix(".csv")
NUMBA = "functions of numba"


def measured() -> dict[tuple[str, str], list[float]]:
    """Return the times of each kernel by group and name, one for each combination of types."""
    from numba.core import event

    from wordpl.players import warm_up

    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    running: list[list[float]] = []  # when each compilation began, and how long those within it took
    group = ""

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            running.append([time.process_time(), 0.0])

        def on_end(self, event: Any) -> None:
            began, inner = running.pop()
            total = time.process_time() - began
            if running:
                running[-1][1] += total
            function = event.data["dispatcher"].py_func
            is_own = function.__module__.startswith("wordpl.")
            name = f"{function.__module__.removeprefix('wordpl.')}.{function.__qualname__}" if is_own else NUMBA
            found[group, name].append(total - inner)

    event.register("numba:compile", Listener())
    for group in warm_up.GROUPS:
        warm_up.preload([group])
    return found


@click.command(help=__doc__.partition("\n")[0])
@click.option("--save", is_flag=True, help="Write the table.")
def main(save: bool) -> None:
    """Measure in a process with an empty cache."""
    if "NUMBA_CACHE_DIR" not in os.environ or any(Path(os.environ["NUMBA_CACHE_DIR"]).iterdir()):
        with TemporaryDirectory(prefix="wordpl-kernels-") as folder:
            os.environ["NUMBA_CACHE_DIR"] = folder
            raise SystemExit(os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-m", *MODULE, *sys.argv[1:]]))
    found = measured()
    rows = sorted(
        ((group, name, len(times), sum(times)) for (group, name), times in found.items()), key=lambda r: -r[3]
    )
    for group, name, n, cpu_s in rows:
        click.echo(f"{cpu_s:7.2f} {n:3} {group:10} {name}")
    for group in dict.fromkeys(row[0] for row in rows):
        click.echo(f"{sum(row[3] for row in rows if row[0] == group):7.2f} {group} in all")
    click.echo(f"{sum(row[3] for row in rows):7.2f} in all; load {os.getloadavg()[0]:.1f}")
    if save:
        with TABLE.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["group", "kernel", "compilations", "cpu_s"])
            writer.writerows([*row[:3], f"{row[3]:.2f}"] for row in rows)


MODULE = ("benchmarks.compile_times",)

if __name__ == "__main__":
    main()
