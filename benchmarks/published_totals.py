"""Search openers exactly whose totals were published, and compare: `python -m benchmarks.published_totals FILE OUT`.

FILE is one of the lists `results_easy_*` and `results_hard_*` of https://github.com/alex1770/wordle, with an opener,
its mean and its total, or Infinity, in a line, the best first; they are for games of six guesses. The best openers are
searched in one process, which remembers what it found, up to one guess more than the published total: ">" and the
published total means that there is no tree within it. Openers without a total are the best of the file `--strongest`,
or else drawn at random; each is searched in a process of its own, which is stopped after `--at-most` CPU seconds, as a
weak opener can take minutes. Rows are appended to OUT, and openers that it has are not searched again.
"""

import csv
import os
import random
import resource
import signal
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from benchmarks.check_proofs import GONE, LISTS
from wordpl.core import words
from wordpl.core.words import WordLists
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.search import ClassicSearch

MAX_GUESSES = 6
UNREACHED = 10**9
"""The total that stands for Infinity in the published lists."""
ORIGINAL = words.load()
CURRENT = {
    "nyt20220316": WordLists(tuple(word for word in ORIGINAL.answers if word not in GONE), ORIGINAL.guesses),
    "nyt20220830": LISTS[1],
    "nyt20230701": LISTS[2],
}
"""The word lists by the names that the published files have."""


def published(file: Path) -> dict[str, int]:
    """Return the published total of each opener; UNREACHED if it has none."""
    rows = (line.split() for line in file.read_text().splitlines())
    return {opener: int(total) for opener, _, total in rows}


def searched(search: ClassicSearch, row: int, at_most_s: int) -> tuple[str, float]:
    """Return the total of an opener, "none" without a tree, or "stopped", and the CPU seconds that it took."""
    receiving, sending = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (at_most_s, at_most_s + 1))
        bound = search.twin().rate(row).bound
        os.write(sending, b"none" if bound >= INFEASIBLE else str(bound).encode())
        os._exit(0)
    os.close(sending)
    with os.fdopen(receiving) as answer:
        text = answer.read()
    _, status, used = os.wait4(child, 0)
    stopped = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
    return text or ("stopped" if stopped else "failed"), used.ru_utime + used.ru_stime


@click.command()
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--finite", "n_finite", default=250, show_default=True, help="The number of the best openers to search.")
@click.option("--infinite", "n_infinite", default=50, show_default=True, help="The number of openers without one.")
@click.option("--at-most", "at_most_s", default=60, show_default=True, metavar="SECONDS")
@click.option("--strongest", type=click.Path(exists=True, path_type=Path), help="Another list, of the same words.")
def main(
    file: Path, out: Path, n_finite: int, n_infinite: int, at_most_s: int, strongest: Path | None
) -> None:  # fmt: skip
    """Search openers and append what was found."""
    mode, name = file.name.split("_")[1:]
    lists, totals = CURRENT[name], published(file)
    search = ClassicSearch(Problem(lists, limit=MAX_GUESSES, is_hard=mode == "hard").position())
    search.rate(lists.guesses.index("trace"), 2 * len(lists.answers))  # compiles
    known = list(csv.DictReader(out.open())) if out.exists() else []
    done = {row["opener"] for row in known if (row["list"], row["mode"]) == (name, mode)}
    infinite = [word for word in published(strongest or file) if totals[word] >= UNREACHED]
    if not strongest:
        random.Random(file.name).shuffle(infinite)
    openers = [*list(totals)[:n_finite], *infinite[:n_infinite]]
    with out.open("a", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        if not known:
            writer.writerow(("list", "mode", "opener", "published", "here", "cpu_s", "date"))
        for opener in openers:
            if opener in done:
                continue
            row, said, started = lists.guesses.index(opener), str(totals[opener]), time.process_time()
            if totals[opener] < UNREACHED:
                rating = search.rate(row, totals[opener] + 1)
                total = str(rating.bound) if rating.is_exact else f">{totals[opener]}"
                cpu_s = time.process_time() - started
            else:
                said, (total, cpu_s) = "none", searched(search, row, at_most_s)
            writer.writerow((name, mode, opener, said, total, f"{cpu_s:.2f}", f"{datetime.now(UTC):%Y-%m-%d}"))
            table.flush()
            if total not in (said, "stopped"):
                print(f"{opener}: {said} published, {total} here", flush=True)


if __name__ == "__main__":
    main()
