"""Time exact searches of openers in hard mode, alternating with another program: `python benchmarks/hard_mode.py`.

`--against COMMAND` names the other program; `{answers}`, `{guesses}` and `{opener}` in it are replaced, and the last
number of the line of its output that contains `--total` is compared with ours. Its CPU seconds are those of the whole
process, ours those of a search with a board built in advance and an empty memo, in one warm process. Where the other
program needs more than `--at-most` CPU seconds, it is stopped.
"""

import os
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import click

from benchmarks.check_proofs import LISTS
from wordpl.core.words import WordLists
from wordpl.solvers.search import INFEASIBLE, Search
from wordpl.solvers.search.problem import Problem

OPENERS = [
    "salet", "reast", "crate", "trace", "slate", "carle", "slane", "tarse", "toile", "raise",
    "crane", "least", "stale", "parse", "leant", "roast", "tares", "soare", "adieu", "house",
]  # fmt: skip


def other_program(command: list[str], total_line: str, at_most_s: int) -> tuple[float, int | None]:
    """Return the CPU seconds of a command and the total that it prints; None if it was stopped."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (at_most_s, at_most_s)),
    )
    assert process.stdout
    output = process.stdout.read()
    _, _, used = os.wait4(process.pid, 0)
    lines = [line for line in output.splitlines() if total_line in line]
    total = int(re.findall(r"\d+", lines[-1])[-1]) if lines else None
    return used.ru_utime + used.ru_stime, INFEASIBLE if total is not None and total >= 10**9 else total


def compare(lists: WordLists, openers: list[str], against: str, total_line: str, at_most_s: int) -> None:
    """Print the CPU seconds of both programs for each opener."""
    template = Search(Problem(lists, is_hard=True).position())
    with TemporaryDirectory() as folder:
        files = {name: Path(folder, name) for name in ("answers", "guesses")}
        for name, file in files.items():
            file.write_text("".join(f"{word}\n" for word in getattr(lists, name)))
        for opener in filter(lists.guess_set.__contains__, openers):
            search, started = template.twin(), process_time()
            total = search.rate(lists.guesses.index(opener)).bound
            ours = process_time() - started
            shown = f"{total:,}" if total < INFEASIBLE else "none"
            line = f"{len(lists.answers):6,} {opener} {shown:>8} {ours:9.2f}"
            if against:
                command = [part.format(opener=opener, **files) for part in shlex.split(against)]
                theirs, found = other_program(command, total_line, at_most_s)
                line += f" {theirs:9.2f} {theirs / ours:7.1f}"
                line += "  stopped" if found is None else "" if found == total else f"  found {found:,}"
            print(line, flush=True)


@click.command()
@click.option("--against", default="", metavar="COMMAND")
@click.option("--total", "total_line", default="score", show_default=True)
@click.option("--openers", "n_openers", default=len(OPENERS), show_default=True)
@click.option("--skip", default=0, show_default=True)
@click.option("--at-most", "at_most_s", default=3600, show_default=True, metavar="SECONDS")
@click.option("--list", "which", type=click.Choice([str(len(lists.answers)) for lists in LISTS]), multiple=True)
def main(against: str, total_line: str, n_openers: int, skip: int, at_most_s: int, which: tuple[str, ...]) -> None:
    print("answers opener    total    CPU s" + ("    other   ratio" if against else ""))
    Search(Problem(LISTS[0], is_hard=True).position()).rate(LISTS[0].guesses.index("salet"))  # compiles
    for lists in LISTS:
        if not which or str(len(lists.answers)) in which:
            compare(lists, OPENERS[skip : skip + n_openers], against, total_line, at_most_s)


if __name__ == "__main__":
    sys.exit(main())
