"""How many small faults the tests notice: changes one place of the code at a time, and runs the tests of that line.

    python benchmarks/mutants --n 400 --out build/mutants.jsonl      goes on where it was stopped
    python benchmarks/mutants --out build/mutants.jsonl --again      tries the survivors once more, after new tests
    python benchmarks/mutants --out build/mutants.jsonl --report     shares by area, and the survivors with their places

A mutant is killed when a test fails, or when its tests run out of time twice: the second time, they have 40 processor
seconds and ten times what they take without a change, and a minute in which they do nothing. First, it is recorded
which tests run which lines (some minutes; only what has changed is recorded again). Then each mutant takes a second or
two: a process that has imported all libraries forks, imports the changed package from a copy, and runs the tests of the
changed line, cheap ones first.
"""

import argparse
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import trial
from changes import AREAS, HOME, Mutant, sample
from lines import LineTests
from outcomes import Outcomes, report
from team import Team

Tests = dict[str, float]
LINES = HOME / "build" / "mutants-lines.jsonl"
ROUNDS = ((4.0, 4), (15.0, 100))
"""The processor seconds, and the files, of the tests that a mutant meets at most in each round that it survives."""


class Trials:
    """Tries mutants, in several processes, each with a copy of the checkout."""

    def __init__(self, chosen: list[tuple[Mutant, str]], outcomes: Outcomes, n_jobs: int, before: Outcomes):
        self.chosen, self.outcomes = chosen, outcomes
        self.killers = {key: [one["killed_by"]] for key, one in before.found.items()}
        self.tests = LineTests(LINES)
        self.team = Team(n_jobs)

    def run(self, n_rounds: int, *, again: bool) -> None:
        """Try the mutants that have not been tried, or that meet more tests than before; again: all survivors, too."""
        with ExitStack() as stack:
            folders = [stack.enter_context(trial.whole_copy()) for _ in range(self.team.n)]
            if not self.team.run(lambda number: self._run_one(folders[number], n_rounds, again=again)):
                raise SystemExit("a process failed: run the same command again to go on")

    def _run_one(self, folder: Path, n_rounds: int, *, again: bool) -> None:
        """Do the work of one of the processes."""
        trial.warm_up(folder)
        self.tests.record(folder, self.team)
        for most in ROUNDS[:n_rounds]:
            for limit in (trial.FIRST, trial.SECOND):
                self.outcomes.read()
                late = [one for one in self.chosen if self._state(one[0]) == trial.TOO_SLOW]
                parts = late if limit is trial.SECOND else self._open(most, again=again)
                for mutant, source in self.team.share(parts):
                    self._try(folder, (mutant, source), most, limit)

    def _state(self, mutant: Mutant) -> str | None:
        found = self.outcomes.found.get(mutant.key)
        return found["killed_by"] if found else None

    def _open(self, most: tuple[float, int], *, again: bool) -> list[tuple[Mutant, str]]:
        """Return the mutants to try with so many tests at most."""
        return [one for one in self.chosen if self._is_open(one[0], most, again=again)]

    def _is_open(self, mutant: Mutant, most: tuple[float, int], *, again: bool) -> bool:
        state = self._state(mutant)
        if state is None or (state == "" and again):
            return True
        return state == "" and len(_first(self._tests_of(mutant), *most)) > self.outcomes.n_tests(mutant.key)

    def _tests_of(self, mutant: Mutant) -> Tests:
        return self.tests.of(mutant.file, mutant.line)

    def _try(self, folder: Path, one: tuple[Mutant, str], most: tuple[float, int], limit: trial.Limit) -> None:
        """Try one mutant, and write down what is found."""
        mutant, source = one
        every = self._tests_of(mutant)
        first, began = _first(every, *most), time.monotonic()
        likely = {name: every[name] for name in self.killers.get(mutant.key, ()) if name in every}
        with trial.changed(folder, mutant.file, source):
            killed_by = trial.first_failure(likely, limit) if likely and limit is trial.FIRST else ""
            if first and not killed_by:
                killed_by = trial.first_failure(first, limit)
        if killed_by == trial.TOO_SLOW and limit is trial.SECOND:
            killed_by = trial.TIMED_OUT
        counts = {"n_tests": len(first), "n_left": len(every) - len(first)}
        seconds = round(time.monotonic() - began, 2)
        self.outcomes.add(mutant.as_dict() | {"killed_by": killed_by, "seconds": seconds} | counts)
        print(f"{killed_by or '-':.60}  {mutant.key[:150]}", file=sys.stderr)


def _first(tests: Tests, most_s: float, most_files: int) -> Tests:
    """Return the first of the tests: so many seconds of them, from so many files."""
    found: Tests = {}
    for name, cpu_s in tests.items():
        files = {one.split("::")[0] for one in [*found, name]}
        if len(files) <= most_files and sum(found.values()) + cpu_s <= most_s:
            found[name] = cpu_s
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HOME / "build" / "mutants.jsonl")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes try mutants")
    parser.add_argument("--before", type=Path, default=Path("none"), help="an earlier file: what killed is tried first")
    parser.add_argument("--rounds", type=int, default=len(ROUNDS), help="1: only the quickest tests")
    parser.add_argument("--area", choices=AREAS, help="only mutants of this area")
    parser.add_argument("--again", action="store_true", help="try the survivors again")
    parser.add_argument("--report", action="store_true", help="try nothing")
    asked = parser.parse_args()
    outcomes = Outcomes(asked.out.resolve())
    chosen = [one for one in sample(asked.n, asked.seed) if asked.area in (None, one[0].area)]
    if not asked.report:
        Trials(chosen, outcomes, asked.jobs, Outcomes(asked.before)).run(asked.rounds, again=asked.again)
        outcomes.read()
    report([outcomes.found[mutant.key] for mutant, _ in chosen if mutant.key in outcomes.found])


if __name__ == "__main__":
    main()
