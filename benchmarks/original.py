"""Play the strategies of the original contest with its own harness and with this one, and compare the games.

`python -m benchmarks.original CHECKOUT OUT` needs a checkout of https://github.com/TedTed/wordpl, whose files are not
changed and not part of this project, and pandas below version 3, with which its strategies were written. OUT keeps the
games of both harnesses, so that an interrupted call goes on; `--csv` replaces the rows of these entries in a table,
from which `python -m benchmarks.agreement` writes that of docs/records.md. In the original harness, the clock is that
of the wall: on a busy machine, raise it with `--timeout`. MaxClueEntropy computes a table of clues for eight minutes,
which it keeps in cache/ of the current folder; with `-- --trust`, it finds the one that the original harness made.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf, sqrt
from pathlib import Path

import click
import numpy as np
from scipy.stats import binom

from wordpl.core import words
from wordpl.core.intervals import MeanWithError
from wordpl.run.folder import Run
from wordpl.stats.clue_luck import LuckMeter
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.scores.quantiles import SCORES

PLAYER = Path(__file__).with_name("original_player.py")
SHARED = ("utils.py", "wordle_solver.py")
"""The files of the original repository that several of its strategies import."""
RULE = "anywhere"
ERRORS = 3.0
"""Figures agree within this many standard errors."""
TAIL = 0.00135
"""The probability of a normal variable beyond ERRORS, on one side."""
QUANTILES = {score.name: score for score in SCORES[:3]}
"""The scores p05, p50 and p95 of budgets."""


@dataclass(frozen=True)
class Original:
    """An entry of the original repository: the module of its class, its arguments, and how many games are played."""

    module: str
    make: str
    n_games: int = 1001


ENTRIES = [
    Original("g3", "G3(epsilon1=9.3, epsilon2=5.3)", 20_000),
    Original("n_guess", "NGuess(epsilon=7.8, G=3)", 4000),
    Original("two_guess", "TwoGuess(epsilon=17.9)", 4000),
    Original("d95", "D95(epsilon=12.3)"),
    Original("d95", "D95(epsilon=25.0)"),
    Original("n_guess", "NGuess(epsilon=34, G=4)"),
    Original("bayesian_wordle", "BayesianWordle(epsilon=11, certainty=0.02)"),
    Original("bayesian_wordle", "BayesianWordle(epsilon=16, certainty=0.3)"),
    Original("bayesian_wordle", "BayesianWordle(epsilon=30, certainty=0.7)"),
    Original("bayesian_random", "BayesianRandom(epsilon=10, certainty=0.6)"),
    Original("bayesian_greedy", "BayesianGreedy(epsilon=10, certainty=0.6)"),
    Original("max_clue_entropy", "MaxClueEntropy(n_guesses=3, epsilon_per_guess=13.0, monte_carlo=200)"),
    Original("max_clue_entropy", "MaxClueEntropy(n_guesses=3, epsilon_per_guess=32.0, monte_carlo=200)"),
]
"""All classes of strategies/, with the arguments that README.md and evaluate.py have or had in the leaderboard."""


@dataclass(frozen=True)
class Games:
    """Finished games of one entry.

    Attributes:
        costs: The score of each game, infinite if it was lost, float[n].
        spent: The sum of epsilons of each game, float[n].
        n_guesses: The number of guesses of each game, int[n].
        win: A value of each game, without most of the luck of its clues, whose mean is P(win), float[n].
        endings: How often games ended in each way.
    """

    costs: np.ndarray
    spent: np.ndarray
    n_guesses: np.ndarray
    win: np.ndarray
    endings: Counter[str]

    @classmethod
    def of(cls, endings: Sequence[str], moves: Sequence[Sequence[Sequence]]) -> "Games":
        """Return games that ended in these ways, "won" among them, after these moves of guess, epsilon, and clues."""
        answered = np.array([ending in ("won", "lost", "wrong") for ending in endings])
        complete = [game if is_answered else [] for game, is_answered in zip(moves, answered, strict=True)]
        luck = LuckMeter(words.load(), RULE).measure([[[*move, ""][:3] for move in game] for game in complete])
        spent = np.array([sum(move[1] for move in game if move[1] > 0) for game in moves])
        return cls(
            np.where([ending == "won" for ending in endings], spent, inf),
            spent,
            np.array([sum(move[1] > 0 for move in game) for game in moves]),
            LuckCorrected(np.arange(len(moves)), luck).win,
            Counter(endings),
        )

    def row(self, entry: str, harness: str) -> dict[str, str]:
        """Return the figures of these games as a row of the table."""
        counted, fair, mean = map(MeanWithError.of, (np.isfinite(self.costs).astype(float), self.win, self.spent))
        shares = Counter(self.n_guesses.tolist())
        row = {"entry": entry, "harness": harness, "games": str(len(self.costs))}
        row |= {"wins": f"{counted.value:.4f}", "wins_error": f"{counted.error:.4f}"}
        row |= {"without_luck": f"{fair.value:.4f}", "without_luck_error": f"{fair.error:.4f}"}
        for name, score in QUANTILES.items():
            low, high = bounds(self.costs, score.q)
            row |= {name: f"{score(self.costs).value:.6g}", f"{name}_low": f"{low:.6g}", f"{name}_high": f"{high:.6g}"}
        row |= {"mean_budget": f"{mean.value:.4f}", "mean_budget_error": f"{mean.error:.4f}"}
        row["guesses"] = " ".join(f"{n}:{shares[n] / len(self.costs):.4f}" for n in sorted(shares))
        row["late_or_failed"] = str(sum(self.endings[name] for name in set(self.endings) - {"won", "lost", "wrong"}))
        return row | {"date": f"{datetime.now(UTC):%Y-%m-%d}"}


def bounds(costs: np.ndarray, q: float) -> tuple[float, float]:
    """Return order statistics that enclose a quantile with the confidence of three standard errors."""
    ranked = np.concatenate([[0.0], np.sort(costs), [inf]])
    low, high = binom.ppf([TAIL, 1 - TAIL], len(costs), q)
    return float(ranked[int(low)]), float(ranked[min(int(high) + 1, len(costs) + 1)])


def disagreements(there: Games, here: Games) -> list[str]:
    """Return which figures of two harnesses are farther apart than their errors allow."""
    found = []
    pairs = {
        "P(win)": (np.isfinite(there.costs), np.isfinite(here.costs)),
        "P(win) without luck": (there.win, here.win),
    }
    pairs["the mean budget"] = (there.spent, here.spent)
    for n in sorted({*there.n_guesses.tolist(), *here.n_guesses.tolist()}):
        pairs[f"the share of games with {n} guesses"] = (there.n_guesses == n, here.n_guesses == n)
    for name, (first, second) in pairs.items():
        one, two = (np.asarray(values, float) for values in (first, second))
        error = sqrt(_squared_error(one) + _squared_error(two))
        if abs(one.mean() - two.mean()) > ERRORS * error + 1e-9:
            found.append(
                f"{name}: {one.mean():.4f} there, {two.mean():.4f} here, {ERRORS:g} errors are {3 * error:.4f}"
            )
    for name, score in QUANTILES.items():
        one, two = bounds(there.costs, score.q), bounds(here.costs, score.q)
        if max(one[0], two[0]) > min(one[1], two[1]) + 1e-9:
            found.append(f"{name}: {one[0]:g} to {one[1]:g} there, {two[0]:g} to {two[1]:g} here")
    return found


def _squared_error(values: np.ndarray) -> float:
    """Return the squared error of a mean; for shares near 0 or 1, as if one more game of each kind had been seen."""
    if set(np.unique(values)) <= {0.0, 1.0}:
        share = (values.sum() + 1) / (len(values) + 2)
        return share * (1 - share) / len(values)
    return float(values.var(ddof=1)) / len(values)


def played_there(checkout: Path, out: Path, entry: Original, n_games: int, timeout: int | None) -> Games:
    """Return games of an entry in the original harness; those that `out` does not have yet are played."""
    path = out / f"{entry.make}.jsonl"
    n_known = len(path.read_text().splitlines()) if path.exists() else 0
    if n_known < n_games:
        limits = [] if timeout is None else [str(timeout)]
        command = [sys.executable, "-W", "ignore", PLAYER.resolve(), entry.module, entry.make]
        with path.open("a") as file:
            subprocess.run(
                [*command, str(n_known), str(n_games), *limits],
                cwd=checkout, stdout=file, check=True, env=os.environ | {"TQDM_DISABLE": "1"},
            )  # fmt: skip
    return known_there(out, entry, n_games)


def known_there(out: Path, entry: Original, n_games: int) -> Games:
    """Return at most so many games of an entry in the original harness that `out` has."""
    lines = map(json.loads, (out / f"{entry.make}.jsonl").read_text().splitlines()[:n_games])
    _, endings, moves = zip(*lines, strict=True)
    return Games.of(endings, moves)


def played_here(checkout: Path, out: Path, entry: Original, n_games: int, options: Sequence[str]) -> Games:
    """Return games of an entry in this harness; they are played unless `out` has a run of this length.

    The strategies of the checkout are copied into a folder of their own, unchanged, with a file that names the modules
    that several of them import, as hosts name them.
    """
    folder = out / "contest"
    shutil.copytree(checkout / "strategies", folder / "strategies", dirs_exist_ok=True, ignore=_only_code)
    if (checkout / "cache").exists():
        shutil.copytree(checkout / "cache", folder / "cache", dirs_exist_ok=True)
    (folder / "strategies" / "shared.txt").write_text("".join(f"{name}\n" for name in SHARED))
    results = out / "results" / entry.make
    runs = _runs(out, entry)
    if not any(run.info.finished and run.info.config.n_games >= n_games for run in runs):
        command = [sys.executable, "-m", "wordpl", "evaluate", f"strategies/{entry.module}.py:{entry.make}"]
        terms = f"--games {n_games} --seed original --repeats 0 --warmup 3600 --memory 4096".split()
        place = ["--results", str(results.resolve()), "--quiet"]
        subprocess.run([*command, *terms, *place, *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return known_here(out, entry, n_games)


def known_here(out: Path, entry: Original, n_games: int) -> Games:
    """Return at most so many games of an entry from the longest run in `out`, which may not have ended."""
    records = max((run.entries[0].read() for run in _runs(out, entry)), key=len)[:n_games]
    moves = [[[move.guess, move.epsilon, move.clues] for move in record.moves] for record in records]
    return Games.of([str(record.verdict) for record in records], moves)


def _runs(out: Path, entry: Original) -> list[Run]:
    return [Run(path.parent) for path in sorted((out / "results" / entry.make).glob("*/run.json"))]


def replace_rows(table: Path, rows: Sequence[dict[str, str]]) -> None:
    """Write the rows of one entry to the table, in the place of its earlier ones, in the order of ENTRIES."""
    kept = []
    if table.exists():
        with table.open(newline="") as file:
            kept = [row for row in csv.DictReader(file) if row["entry"] != rows[0]["entry"]]
    order = [entry.make for entry in ENTRIES]
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*kept, *rows], key=lambda row: order.index(row["entry"])))


def _only_code(folder: str, names: Iterable[str]) -> set[str]:
    return {name for name in names if not name.endswith(".py")}


@click.command()
@click.argument("checkout", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--only", multiple=True, help="Play only entries whose names contain this text.")
@click.option("--games", type=int, help="The number of games of each entry. [default: 1,001 or more]")
@click.option("--timeout", type=int, help="The limit of the original harness in seconds. [default: its own]")
@click.option("--known", "only_known", is_flag=True, help="Play nothing: compare the games that OUT has.")
@click.option("--csv", "table", type=click.Path(path_type=Path), help="Write the rows of these entries to this table.")
@click.argument("options", nargs=-1)
def main(
    checkout: Path, out: Path, only: Sequence[str], games: int | None, timeout: int | None, only_known: bool,
    table: Path | None, options: Sequence[str],
) -> None:  # fmt: skip
    """Compare both harnesses. OPTIONS, after --, are further options of `wordpl evaluate`."""
    out.mkdir(parents=True, exist_ok=True)
    n_failed = 0
    for entry in ENTRIES:
        if only and not any(text in entry.make for text in only):
            continue
        n_games = games or entry.n_games
        if only_known:
            there, here = known_there(out, entry, n_games), known_here(out, entry, n_games)
        else:
            there = played_there(checkout, out, entry, n_games, timeout)
            here = played_here(checkout, out, entry, n_games, options)
        found = disagreements(there, here)
        n_failed += bool(found)
        print(f"{entry.make}: {'; '.join(found) or 'agrees'}", flush=True)
        if table:
            replace_rows(table, [there.row(entry.make, "original"), here.row(entry.make, "wordpl")])
    sys.exit(bool(n_failed))


if __name__ == "__main__":
    main()
