"""Measure the league store: importing 1,000,000 results into SQLite, and leaderboards of 2,000 players.

Run `python benchmarks/league.py`. Each line is measured in its own process: CPU and wall time without the start of
Python and the imports, and peak memory with them.
"""

import json
import resource
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from wordpl.league.discord_message import APP
from wordpl.league.puzzles import day_of
from wordpl.league.sources import ImportOptions, import_file
from wordpl.league.statistics import LeaderboardSettings
from wordpl.league.store import LeagueStore

SEED = 20251003
FIRST_NUMBER = 1000
PER_SUMMARY = 20
N_PARTS = 3
"""The parts of the export: no part may be larger than 64 MiB."""
METHODS = ("mean", "elo-batch", "map-elo")
MIB = 1 << 20


def guesses(n_players: int, n_days: int) -> np.ndarray:
    """Return simulated results of players of different strength, int[days, players]."""
    rng = np.random.default_rng(SEED)
    means = rng.normal(4, 0.4, n_players) + rng.normal(0, 0.3, (n_days, 1))
    return rng.normal(means, 1.1).round().clip(1, 7).astype(int)


def write_table(path: Path, rows: np.ndarray) -> None:
    with path.open("w") as file:
        file.write("player,puzzle,guesses\n")
        for day, row in enumerate(rows):
            file.writelines(f"Player {player},{FIRST_NUMBER + day},{n}\n" for player, n in enumerate(row))


def write_export(path: Path, rows: np.ndarray, first: int) -> None:
    """Write an export like DiscordChatExporter's, with PER_SUMMARY results in each summary.

    Args:
        path: The file.
        rows: The results, int[days, players].
        first: The position of the first day.
    """
    posts = []
    names = [{"id": str(10**17 + n), "name": f"player_{n}", "nickname": f"Player {n}"} for n in range(rows.shape[1])]
    for day, row in enumerate(rows, first):
        posted = datetime.combine(day_of(FIRST_NUMBER + day + 1), datetime.min.time(), UTC) + timedelta(hours=5)
        for start in range(0, len(row), PER_SUMMARY):
            people = names[start : start + PER_SUMMARY]
            lines = [f"{n if n < 7 else 'X'}/6: <@{user['id']}>" for n, user in zip(row[start:], people, strict=False)]
            content = f"**Your group is on a {day + 1} day streak!** 🔥 Here are yesterday's results:\n" + "\n".join(
                lines
            )
            author = {"id": APP, "name": "Wordle", "isBot": True}
            post = {"timestamp": posted.isoformat(), "content": content, "author": author, "mentions": people}
            posts.append(post | {"id": f"{10**18 + first * len(row) + len(posts)}"})
    place = {"guild": {"id": "1", "name": "Benchmark"}, "channel": {"id": "2", "name": "wordle"}}
    path.write_text(json.dumps(place | {"messages": posts}))


def write_files(table: Path, exports: tuple[Path, ...], n_players: int, n_days: int) -> None:
    rows, first = guesses(n_players, n_days), 0
    write_table(table, rows)
    for export, part in zip(exports, np.array_split(rows, len(exports)), strict=True):
        write_export(export, part, first)
        first += len(part)


def bring_in(url: str, path: Path) -> str:
    store = LeagueStore(url)
    report = import_file(store, path, ImportOptions())
    store.close()
    return f"{report.n_results:,} results, {report.n_new:,} of them new"


def rank(url: str, key: str, method: str, draws: int) -> str:
    store = LeagueStore(url)
    results = store.find(key).resolved().results
    table = LeaderboardSettings(method).ranking()(results, draws=draws)
    return f"{len(results):,} results, {len(table):,} players, {draws} resamples"


def measured(step: Callable[[], str]) -> tuple[str, float, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = step()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # a child starts with its parent's
    return result, time.process_time() - cpu, time.perf_counter() - wall, memory


def show(name: str, step: Callable[[], str]) -> None:
    with get_context("spawn").Pool(1) as pool:
        result, cpu, wall, memory = pool.apply(measured, (step,))
    click.echo(f"| {name} | {result} | {cpu:.1f} | {wall:.1f} | {memory:.0f} |")


@click.command()
@click.option("--players", default=2000, show_default=True)
@click.option("--days", default=500, show_default=True)
def main(players: int, days: int) -> None:
    """Measure imports and leaderboards with a store in a temporary folder."""
    with TemporaryDirectory() as folder:
        url, table = f"sqlite:///{folder}/league.sqlite", Path(folder, "table.csv")
        exports = tuple(Path(folder, f"export-{part}.json") for part in range(1, N_PARTS + 1))
        with get_context("spawn").Pool(1) as pool:
            pool.apply(write_files, (table, exports, players, days))
        for path in (table, *exports):
            click.echo(f"{path.name}: {path.stat().st_size / MIB:.0f} MiB")
        click.echo("| step | what | processor s | wall s | MiB at most |\n|---|---|---|---|---|")
        for path in (table, *exports):
            show(f"import {path.name}", partial(bring_in, url, path))
            show("the same again", partial(bring_in, url, path))
        for method, draws in product(METHODS, (0, 200)):
            show(f"leaderboard, {method}", partial(rank, url, "friends", method, draws))
        click.echo(f"{Path(folder, 'league.sqlite').stat().st_size / MIB:.0f} MiB of database")


if __name__ == "__main__":
    main()
