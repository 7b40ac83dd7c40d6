"""Measure the tree search in CPU seconds of a warm process on one core, and check every sum of guesses.

Run `python benchmarks/classic.py`, with --large for the lists of 14,855 guesses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import click
import numpy as np

from wordpl.core import words
from wordpl.core.words import WordLists, bundled
from wordpl.solvers.search import INFEASIBLE, ClassicSearch
from wordpl.solvers.search.problem import Problem

ORIGINAL = words.load()
RECENT = WordLists(bundled("answers-2023"), bundled("modern"))
OPENERS = ["salet", "reast", "crate", "trace", "slate", "crane", "carle", "slane", "carte", "torse"]
"""Good openers; the best sum among them is SALET's."""


@dataclass(frozen=True)
class Task:
    """A measurement: its description, the sum of guesses it must find, and the required and the desired CPU seconds."""

    name: str
    total: int
    must: str
    aim: str
    run: Callable[[], int]


def rated(problem: Problem, openers: list[str], width: int | None) -> Callable[[], int]:
    """Return a function that finds the smallest sum of the openers, with a board built in advance and an empty memo."""
    rows = [problem.lists.guesses.index(word) for word in openers]
    template = ClassicSearch(problem.position(), width)

    def run() -> int:
        search, best = template.twin(), INFEASIBLE
        for row in rows:
            best = min(best, search.rate(row, best).bound)
        return best

    return run


def best(problem: Problem, width: int | None) -> Callable[[], int]:
    template = ClassicSearch(problem.position(), width)
    return lambda: template.twin().best().bound


def tasks(is_large: bool) -> list[Task]:
    normal, hard = Problem(ORIGINAL), Problem(ORIGINAL, is_hard=True)
    middle = Problem(ORIGINAL, (("tares", "....."),))
    found = [
        Task("SALET, width 10", 7920, "0.10", "0.03", rated(normal, ["salet"], 10)),
        Task("SALET, exact", 7920, "0.15", "0.05", rated(normal, ["salet"], None)),
        Task("ten good openers, width 100", 7920, "0.80", "0.35", rated(normal, OPENERS, 100)),
        Task("after TARES all grey, 227 left, width 50", 633, "0.05", "0.02", best(middle, 50)),
        Task("hard mode: SALET, exact", 8122, "1.00", "0.30", rated(hard, ["salet"], None)),
    ]
    if is_large:
        found.append(Task("3,158/14,855: TARSE, exact", 11219, "10", "3", rated(Problem(RECENT), ["tarse"], None)))
    return found


def show(task: Task, n_times: int) -> None:
    seconds = []
    for _ in range(n_times):
        start = process_time()
        total = task.run()
        seconds.append(process_time() - start)
    fault = "" if total == task.total else f"  should be {task.total:,}"
    spread = f"{np.median(seconds):.3f}  {min(seconds):.3f} to {max(seconds):.3f}"
    print(f"{task.name:44}{task.must:>6}{task.aim:>6}  {spread:>24}  {total:,}{fault}", flush=True)


@click.command()
@click.option("--times", default=5, type=click.IntRange(1), help="Runs of each task.")
@click.option("--large", is_flag=True)
def main(times: int, large: bool) -> None:
    """Print the CPU seconds of each task."""
    print(f"{'task':44}{'must':>6}{'aim':>6}  {'median, from to':>24}  sum")
    for task in tasks(large):
        task.run()
        show(task, times)


if __name__ == "__main__":
    main()
