"""Measure the tree search in CPU seconds of a warm process on one core, and check every sum of guesses.

Run `python benchmarks/classic.py`, with --large for the lists of 14,855 guesses (which takes minutes), with --ideas to
measure the effect of each idea of the search, or with --sample N to estimate the cost of the two proofs from N random
openers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import process_time

import click
import numpy as np

from wordpl.core import words
from wordpl.core.words import WordLists, bundled
from wordpl.solvers.search import INFEASIBLE, Search
from wordpl.solvers.search.position import promising
from wordpl.solvers.search.problem import Problem

ORIGINAL = words.load()
RECENT = WordLists(bundled("answers-2023"), bundled("modern"))
OPENERS = ["salet", "reast", "crate", "trace", "slate", "crane", "carle", "slane", "carte", "torse"]
"""Good openers; the best sum among them is SALET's."""
IDEAS = {
    "uses_memo": "the memo",
    "checks_members": "asking a group's own words first",
    "counts_first": "counting parts before anything else",
    "raises": "raising bounds little by little",
    "thins_out": "one guess of each split",
}
SEED = 1


@dataclass(frozen=True)
class Task:
    """A measurement: its description, the sum of guesses it must find, and the required and the desired CPU seconds."""

    name: str
    total: int
    must: str
    aim: str
    run: Callable[[], int]


def rated(problem: Problem, openers: list[str], width: int | None, **ideas: bool) -> Callable[[], int]:
    """Return a function that finds the smallest sum of the openers, with a board built in advance and an empty memo."""
    position = problem.position()
    rows = [problem.lists.guesses.index(word) for word in openers]
    template = Search(position, width, **ideas)

    def run() -> int:
        search = template.twin()
        best = INFEASIBLE
        for row in rows:
            best = min(best, search.rate(row, best).bound)
        return best

    return run


def best(problem: Problem, width: int | None) -> Callable[[], int]:
    template = Search(problem.position(), width)
    return lambda: template.twin().best().bound


def tasks() -> list[Task]:
    normal, hard = Problem(ORIGINAL), Problem(ORIGINAL, is_hard=True)
    middle = Problem(ORIGINAL, (("tares", "....."),))
    return [
        Task("SALET, width 10", 7920, "0.10", "0.03", rated(normal, ["salet"], 10)),
        Task("SALET, exact", 7920, "0.15", "0.05", rated(normal, ["salet"], None)),
        Task("ten good openers, width 100", 7920, "0.80", "0.35", rated(normal, OPENERS, 100)),
        Task("after TARES all grey, 227 left, width 50", 633, "0.05", "0.02", best(middle, 50)),
        Task("hard mode: SALET, exact", 8122, "1.00", "0.30", rated(hard, ["salet"], None)),
    ]


def large_tasks() -> list[Task]:
    return [Task("3,158/14,855: TARSE, exact", 11219, "10", "3", rated(Problem(RECENT), ["tarse"], None))]


def show(task: Task, n_times: int) -> None:
    seconds = []
    for _ in range(n_times):
        start = process_time()
        total = task.run()
        seconds.append(process_time() - start)
    fault = "" if total == task.total else f"  should be {task.total:,}"
    spread = f"{np.median(seconds):.3f}  {min(seconds):.3f} to {max(seconds):.3f}"
    print(f"{task.name:44}{task.must:>6}{task.aim:>6}  {spread:>24}  {total:,}{fault}", flush=True)


def every_word_may_be_the_answer() -> None:
    """Search for trees of all 14,855 words within six and within seven guesses, and print the best found."""
    modern = bundled("modern")
    start = process_time()
    position = Problem(WordLists(modern, modern), limit=None).position()
    openers = promising(position)
    print(f"14,855/14,855: position and order of openers {process_time() - start:.1f} CPU s")
    for limit, width, n_openers in ((6, 10, 10), (6, 100, 2), (7, 10, 10)):
        start = process_time()
        search = Search(replace(position, left=limit), width)
        best = min((search.rate(row) for row in openers[:n_openers]), key=lambda rating: rating.bound)
        result = f"{modern[best.guess]} {best.bound:,}" if best.bound < INFEASIBLE else "none found"
        seconds = process_time() - start
        print(f"  within {limit}, width {width}, {n_openers} openers: {result} in {seconds:.1f} CPU s", flush=True)


def ideas() -> None:
    """Measure the exact rating of SALET and the refutation of ten openers with each idea switched off."""
    position = Problem(ORIGINAL).position()
    rows = np.random.default_rng(SEED).choice(len(ORIGINAL.guesses), 10, replace=False)
    for idea, name in {"": "all ideas", **IDEAS}.items():
        template = Search(position, None, **({idea: False} if idea else {}))
        search, start = template.twin(), process_time()
        total = search.rate(ORIGINAL.guesses.index("salet")).bound
        solved, middle = process_time() - start, process_time()
        bounds = [search.rate(int(row), 7920, is_limited=False).bound for row in rows]
        assert total == 7920 and min(bounds) >= 7920
        refuted = (process_time() - middle) / len(rows)
        print(f"{'without ' + name if idea else name:50}{solved:8.3f}{1000 * refuted:10.1f}", flush=True)


def sample_of_proof(n: int) -> None:
    rng = np.random.default_rng(SEED)
    for problem, bound in ((Problem(ORIGINAL), 7920), (Problem(ORIGINAL, is_hard=True), 8122)):
        search = Search(problem.position())
        rows = rng.choice(len(ORIGINAL.guesses), n, replace=False)
        start = process_time()
        for row in rows:
            assert search.rate(int(row), bound, is_limited=False).bound >= bound
        each = (process_time() - start) / n
        mode = "hard mode" if problem.is_hard else "normal"
        print(
            f"proof, {mode}: {1000 * each:.1f} ms an opener, so about {each * len(ORIGINAL.guesses):,.0f} CPU s for all"
        )


@click.command()
@click.option("--times", default=5, type=click.IntRange(1), help="Runs of each task.")
@click.option("--large", is_flag=True)
@click.option("--ideas", "with_ideas", is_flag=True)
@click.option("--sample", default=0, type=click.IntRange(0))
def main(times: int, large: bool, with_ideas: bool, sample: int) -> None:
    print(f"{'task':44}{'must':>6}{'aim':>6}  {'median, from to':>24}  sum")
    for task in tasks():
        task.run()
        show(task, times)
    if large:
        for task in large_tasks():
            show(task, 1)
        every_word_may_be_the_answer()
    if with_ideas:
        print(f"\n{'':50}{'SALET, s':>8}{'a refutation, ms':>18}")
        ideas()
    if sample:
        sample_of_proof(sample)


if __name__ == "__main__":
    main()
