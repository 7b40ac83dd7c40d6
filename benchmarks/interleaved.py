"""Compare the tree search of two checkouts: `python benchmarks/interleaved.py --against ../older`.

Each checkout has a warm process of its own. Both run every task in turn, in random order, so that other load affects
both alike. Times are CPU seconds of the process without imports, boards and compilation; for commands, they include
everything. Only this checkout searches openers after which no tree exists: searches before 2026-11-22 do not terminate
there.
"""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import click

HERE = Path(__file__).resolve().parent.parent
GONE = {"agora", "fibre", "lynch", "pupal", "slave", "wench"}
OPENERS = ["salet", "reast", "crate", "trace", "slate", "crane", "carle", "slane", "carte", "torse"]
FEASIBLE = {"SALET exact": 7920, "ten openers, width 100": 7920, "hard SALET exact": 8122, "mid-game, width 50": 633}
LARGE = {"TARSE on 3,158, exact": 11219}
INFEASIBLE = {"hard RATHE": 0, "hard DOONA, 2,309": 0, "hard CHART, 2,309": 0, "SALET within 4": 0}
COMMANDS = {
    "mid-game, whole process": ["suggest", "tares:....."],
    "RATHE, whole process": ["solve", "--hard", "--opener", "rathe", "--exact"],
    "DOONA, whole process": ["solve", "--hard", "--opener", "doona", "--exact", "2309"],
    "CHART, whole process": ["solve", "--hard", "--opener", "chart", "--exact", "2309"],
    "SALET within 4, whole process": ["solve", "--max-guesses", "4", "--opener", "salet", "--exact"],
}
OF_TASK = re.compile(r"\b[A-Z]{5}\b")
NEW_ONLY = {*INFEASIBLE, *COMMANDS} - {"mid-game, whole process"}


def serve() -> None:
    """Execute the tasks named on stdin, each with an empty memo, and print the time and the result of each."""
    try:  # the original layout first: an installed version of this checkout would be found as well
        from wordpl.words import WordLists, bundled  # type: ignore[no-redef,import-not-found]

        from wordpl import words  # type: ignore[no-redef,attr-defined]
    except ImportError:
        from wordpl.core import words
        from wordpl.core.words import WordLists, bundled
    from wordpl.solvers.search import Search
    from wordpl.solvers.search.problem import Problem

    original = words.load()
    lists = {"2315": original}
    lists["2309"] = WordLists(tuple(word for word in original.answers if word not in GONE), bundled("modern"))
    lists["3158"] = WordLists(bundled("answers-2023"), bundled("modern"))
    prepared: dict[str, tuple[Any, list[int]]] = {}

    def task(name: str) -> tuple[Any, list[int]]:
        n = "2309" if "2,309" in name else "3158" if "3,158" in name else "2315"
        hints = (("tares", "....."),) if name.startswith("mid-game") else ()
        problem = Problem(lists[n], hints, 4 if name.endswith("within 4") else 6, name.startswith("hard"))
        openers = OPENERS if name.startswith("ten") else [word.lower() for word in OF_TASK.findall(name)]
        width = int(name.split()[-1]) if "width" in name else None
        return Search(problem.position(), width), [lists[n].guesses.index(word) for word in openers]

    for line in sys.stdin:
        name = line.strip()
        if name not in prepared:
            prepared[name] = task(name)
        search, best = prepared[name][0].twin(), 1 << 40
        started = process_time()
        for row in prepared[name][1]:
            best = min(best, search.rate(row, best).bound)
        if not prepared[name][1]:
            best = search.best().bound
        print(json.dumps([process_time() - started, best]), flush=True)


def command_s(folder: Path, words: list[str], answers: Path) -> float:
    """Return the CPU seconds of a whole command."""
    if words[-1] == "2309":
        words = [*words[:-1], "--answers", str(answers), "--guesses", str(HERE / "wordpl/data/modern.txt")]
    package = "wordpl.commands" if (folder / "wordpl" / "commands").is_dir() else "wordpl.cli"
    program = f"from {package} import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(folder)},
    )
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, f"{' '.join(words)} fails in {folder}"
    return used.ru_utime + used.ru_stime


class Side:
    """A checkout with its warm process."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            cwd=folder,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(folder)},
        )

    def seconds(self, name: str, answers: Path) -> float:
        """Return the CPU seconds of a task, and check its result."""
        if name in COMMANDS:
            return command_s(self.folder, COMMANDS[name], answers)
        assert self.process.stdin and self.process.stdout
        print(name, file=self.process.stdin, flush=True)
        seconds, total = json.loads(self.process.stdout.readline())
        expected = (FEASIBLE | LARGE).get(name, 1 << 40)
        assert total == expected, f"{name}: {total:,} found in {self.folder}, {expected:,} is right"
        return float(seconds)


def measure(name: str, sides: dict[str, Side], times: int, answers: Path) -> str:
    """Return the table row of a task."""
    if name in NEW_ONLY:
        sides = {"new": sides["new"]}
    times_s: dict[str, list[float]] = {side: [] for side in sides}
    for side in sides.values():
        side.seconds(name, answers)  # compiles, and builds the board
    for _ in range(min(times, 5) if name in LARGE or name in NEW_ONLY else times):
        for which in random.sample(list(sides), len(sides)):
            times_s[which].append(sides[which].seconds(name, answers))
    cells = [
        f"{median(times_s[s]):8.3f}{min(times_s[s]):8.3f}" if s in times_s else f"{'-':>8}" * 2 for s in ("new", "old")
    ]
    ratio = f"{median(times_s['new']) / median(times_s['old']):9.2f}" if "old" in times_s else ""
    return f"{name:34}{''.join(cells)}{ratio}"


@click.command()
@click.option("--against", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The older checkout.")
@click.option("--times", default=7, show_default=True, type=click.IntRange(1))
@click.option("--only", default="", metavar="REGEX", help="Only the tasks whose name matches.")
@click.option("--serve", "is_worker", is_flag=True, hidden=True)
def main(against: Path | None, times: int, only: str, is_worker: bool) -> None:
    if is_worker:
        serve()
        return
    sides = {"new": Side(HERE)} | ({"old": Side(against.resolve())} if against else {})
    print(f"{'task':34}{'new':>8}{'least':>8}{'old':>8}{'least':>8}{'new/old':>9}   CPU seconds, medians")
    with TemporaryDirectory() as folder:
        answers = Path(folder) / "answers-2309.txt"
        answers_kept = [word for word in (HERE / "answers.txt").read_text().split() if word not in GONE]
        answers.write_text("".join(f"{word}\n" for word in answers_kept))
        for name in [*FEASIBLE, *LARGE, *INFEASIBLE, *COMMANDS]:
            if re.search(only, name):
                print(measure(name, sides, times, answers), flush=True)
    for side in sides.values():
        side.process.communicate()


if __name__ == "__main__":
    main()
