"""How many small faults the tests notice: changes one place of the code at a time, and runs the tests of that line.

    python benchmarks/mutants --n 400 --out build/mutants.jsonl      goes on where it was stopped
    python benchmarks/mutants --out build/mutants.jsonl --again      tries the survivors once more, after new tests
    python benchmarks/mutants --out build/mutants.jsonl --report     shares by area, and the survivors with their places

A mutant is killed when a test fails; one that only takes far too long counts as a survivor, and is tried again.
First, it is recorded which tests run which lines (some
minutes; only what has changed is recorded again). Then each mutant takes a second or two: a process that has imported
all libraries forks, imports the changed package from a copy, and runs the tests of the changed line, cheap ones first.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import trial
from changes import AREAS, HOME, Mutant, sample
from lines import LineTests
from outcomes import Outcomes, is_killed, report

Tests = dict[str, float]
LINES = HOME / "build" / "mutants-lines.jsonl"
ROUNDS = ((4.0, 4), (60.0, 100))
"""The processor seconds, and the files, of the tests that a mutant meets at most in each round that it survives."""


def run(chosen: list[tuple[Mutant, str]], outcomes: Outcomes, limits: tuple[float, int], *, again: bool) -> None:
    """Try the mutants that have not been tried, or that meet more tests than before; again: all that survived, too.

    Args:
        chosen: The mutants, with the changed source.
        outcomes: What has been tried.
        limits: The minutes that this may take, and the number of rounds.
        again: Whether to try all survivors, as after a change of tests.
    """
    minutes, n_rounds = limits
    until = time.monotonic() + 60 * minutes
    done = {key for key, one in outcomes.found.items() if is_killed(one)}
    with trial.whole_copy() as folder:
        trial.warm_up(folder)
        tests = LineTests(LINES)
        tests.record(folder)
        print(f"{len(tests.files)} files of tests, {tests.n_seconds():.0f} processor seconds", file=sys.stderr)
        for most_s, most_files in ROUNDS[:n_rounds]:
            for mutant, source in chosen:
                if mutant.key in done:
                    continue
                if time.monotonic() > until:
                    return
                of_line = tests.of(mutant.file, mutant.line)
                first = _first(of_line, most_s, most_files)
                is_open = mutant.key in outcomes.found and bool(outcomes.found[mutant.key]["killed_by"])
                if not (again or is_open) and len(first) <= outcomes.n_tests(mutant.key):
                    continue
                found = _tried(mutant, source, folder, (of_line, first))
                if is_killed(found):
                    done.add(mutant.key)
                outcomes.add(found)
                print(f"{found['killed_by'] or '-':.60}  {mutant.key[:150]}", file=sys.stderr)


def _first(tests: Tests, most_s: float, most_files: int) -> Tests:
    """Return the first of the tests: so many seconds of them, from so many files."""
    found: Tests = {}
    for name, cpu_s in tests.items():
        files = {one.split("::")[0] for one in [*found, name]}
        if len(files) <= most_files and sum(found.values()) + cpu_s <= most_s:
            found[name] = cpu_s
    return found


def _tried(mutant: Mutant, source: str, folder: Path, tests: tuple[Tests, Tests]) -> dict[str, Any]:
    """Return what is found when a mutant meets the second of these sets of tests, a part of the first."""
    every, chosen = tests
    began = time.monotonic()
    with trial.changed(folder, mutant.file, source):
        killed_by = trial.first_failure(chosen) if chosen else ""
    counts = {"n_tests": len(chosen), "n_left": len(every) - len(chosen)}
    return mutant.as_dict() | {"killed_by": killed_by, "seconds": round(time.monotonic() - began, 2)} | counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HOME / "build" / "mutants.jsonl")
    parser.add_argument("--minutes", type=float, default=1e6, help="end after so long")
    parser.add_argument("--rounds", type=int, default=len(ROUNDS), help="1: only the quickest tests")
    parser.add_argument("--area", choices=AREAS, help="only mutants of this area")
    parser.add_argument("--again", action="store_true", help="try the survivors again")
    parser.add_argument("--report", action="store_true", help="try nothing")
    asked = parser.parse_args()
    outcomes = Outcomes(asked.out.resolve())
    chosen = [one for one in sample(asked.n, asked.seed) if asked.area in (None, one[0].area)]
    if not asked.report:
        run(chosen, outcomes, (asked.minutes, asked.rounds), again=asked.again)
    report([outcomes.found[mutant.key] for mutant, _ in chosen if mutant.key in outcomes.found])


if __name__ == "__main__":
    main()
