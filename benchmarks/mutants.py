"""How many small faults the tests notice: changes one place of the code at a time, and runs the tests that mirror it.

    python benchmarks/mutants.py --n 150 --out build/mutants.jsonl     goes on where it was stopped
    python benchmarks/mutants.py --out build/mutants.jsonl --report    shares, and the survivors with their places

A mutant is killed when a test fails or takes too long. Each is made in a copy of hard links: the checkout stays as it
is. What is changed: comparisons, numbers, conditions, `and` and `or`, arithmetic, and statements that are removed.
Texts, docstrings, types and messages are left alone, and so are branches that only raise an error.
"""

import argparse
import ast
import copy
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
TESTS = {
    "wordpl/games/*.py": ["games/test_noisy", "games/test_classic", "games/test_absurdle", "contest/test_transcripts",
                          "games/test_contract"],
    "wordpl/contest/match.py": ["contest/test_match", "contest/test_transcripts", "contest/test_losses",
                                "contest/test_runner"],
    "wordpl/contest/comparison.py wordpl/contest/determinism.py": ["contest/test_determinism",
                                                                   "contest/test_irregular_games"],
    "wordpl/contest/run*.py": ["contest/test_runner", "contest/test_contest", "contest/test_total_time",
                               "contest/test_losses"],
    "wordpl/contest/drawn*.py wordpl/contest/enum*.py wordpl/contest/evidence*.py wordpl/contest/win*.py": [
        "contest/test_evidence", "contest/test_win_rate"],
    "wordpl/contest/official.py wordpl/contest/seed_store.py": ["contest/test_official"],
    "wordpl/verify/*.py": ["verify/test_tree", "verify/test_records", "verify/test_rules", "verify/test_edits",
                           "verify/test_run"],
    "wordpl/stats/scores/*.py": ["stats/scores"],
    "wordpl/stats/compare/*.py": ["stats/compare"],
    "wordpl/stats/rankings/*.py": ["stats/rankings/test_exact_intervals", "stats/rankings/test_known_numbers",
                                   "stats/rankings/test_evidence", "stats/rankings/test_prediction",
                                   "stats/rankings/test_map_elo", "stats/rankings/test_every_ranking",
                                   "stats/rankings/test_reports", "stats/rankings/test_elo"],
    "wordpl/league/share_text.py wordpl/league/summaries.py": ["league/test_messages", "league/test_import"],
}  # fmt: skip
"""The files that are changed, and the tests that should notice, quick ones first; a file belongs to the first pattern
that fits."""
SHARED = ("wordpl", "tests", "benchmarks", "strategies", "answers.txt", "valid.txt", "pyproject.toml",
          "results", "evaluate.py", "interactive.py", "README.md", "CONTRIBUTING.md", "docs",
          "examples")  # fmt: skip
TIMEOUT_S = 180
SHOWN_CHARACTERS = 3000
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip


class Changer(ast.NodeTransformer):
    """Visits all places that can be changed, and changes the one with number `wanted`."""

    def __init__(self, wanted: int = -1):
        self.wanted, self.n = wanted, 0
        self.what, self.line = "", 0

    def _hit(self, node: ast.AST, what: str) -> bool:
        is_it = self.n == self.wanted
        self.n += 1
        if is_it:
            self.what, self.line = what, node.lineno
        return is_it

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        other = COMPARISONS.get(type(node.ops[0]))
        if other and self._hit(node, f"{type(node.ops[0]).__name__} to {other.__name__}"):
            node.ops[0] = other()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._hit(node, "and/or exchanged"):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if isinstance(node.op, ast.BitOr) or _is_text(node):
            return node
        self.generic_visit(node)
        other = ARITHMETIC.get(type(node.op))
        if other and self._hit(node, f"{type(node.op).__name__} to {other.__name__}"):
            node.op = other()
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) in (int, float) and self._hit(node, f"{node.value} to {node.value + 1}"):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        if type(node.value) is bool and self._hit(node, f"{node.value} to {not node.value}"):
            return ast.copy_location(ast.Constant(not node.value), node)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        if all(isinstance(one, ast.Raise) for one in node.body):
            node.test = self.visit(node.test)
            return node
        self.generic_visit(node)
        if self._hit(node, "condition turned round"):
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if not isinstance(node.value, ast.Call):
            return node  # a docstring
        self.generic_visit(node)
        return ast.copy_location(ast.Pass(), node) if self._hit(node, "call removed") else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Pass(), node) if self._hit(node, "assignment removed") else node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        node.defaults = [self.visit(one) for one in node.defaults]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node if isinstance(node.slice, ast.Tuple) else self.generic_visit(node)


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
               for side in sides)  # fmt: skip


def places() -> Iterator[tuple[str, str, int]]:
    """Yield (pattern, file, number) of everything that can be changed."""
    seen: set[Path] = set()
    for pattern in TESTS:
        for path in sorted({path for one in pattern.split() for path in HOME.glob(one)} - seen):
            seen.add(path)
            changer = Changer()
            changer.visit(ast.parse(path.read_text()))
            yield from ((pattern, str(path.relative_to(HOME)), number) for number in range(changer.n))


def sampled(n: int, seed: int) -> list[tuple[str, str, int]]:
    """Return mutants, as many of each pattern as of the others where it has as many."""
    by_pattern: dict[str, list[tuple[str, str, int]]] = {}
    for place in places():
        by_pattern.setdefault(place[0], []).append(place)
    rng = random.Random(seed)
    for found in by_pattern.values():
        rng.shuffle(found)
    queue = [found[at] for at in range(n) for found in by_pattern.values() if at < len(found)]
    return queue[:n]


def mutated(file: str, number: int) -> tuple[str, str, int]:
    """Return the changed source, what was changed, and its line."""
    tree = ast.parse((HOME / file).read_text())
    changer = Changer(number)
    changed = ast.fix_missing_locations(changer.visit(copy.deepcopy(tree)))
    return ast.unparse(changed), changer.what, changer.line


def linked_copy(folder: Path) -> None:
    """Make a copy of the checkout of hard links, but for the note of what is compiled, which is written in place."""
    for name in SHARED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-al", HOME / name, folder / name], check=True)
    (folder / "wordpl" / "__pycache__" / "compiled").unlink(missing_ok=True)
    subprocess.run([sys.executable, "-m", "compileall", "-q", folder / "wordpl", folder / "tests"], check=True)


def is_killed(folder: Path, file: str, source: str, tests: list[str]) -> bool:
    """Return whether the tests notice this source in the file's place; it is put back.

    The file keeps its date, so that what players share is not taken for outdated: unless it holds kernels itself.
    """
    path = folder / file
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.unlink()
    path.write_text(source)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()
    if "kernel" not in source and "numba" not in source:
        os.utime(path, ns=times)
    try:
        return not passes(folder, tests)
    finally:
        path.unlink()
        os.link(HOME / file, path)


def passes(folder: Path, tests: list[str], *, shown: bool = False) -> bool:
    """Return whether these tests pass, within their time; shown: whether to print what they say if not."""
    found = [one if (folder / (one := f"tests/{name}")).is_dir() else f"{one}.py" for name in tests]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *found]
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return False
    if shown and done.returncode != 0:
        print(done.stdout.decode()[-SHOWN_CHARACTERS:])
    return done.returncode == 0


def run(n: int, seed: int, out: Path, minutes: float) -> None:
    """Try mutants until there are n, or the time is up; each is written down at once."""
    out.parent.mkdir(parents=True, exist_ok=True)
    known = {(one["file"], one["number"]) for one in read(out)}
    until = time.monotonic() + 60 * minutes
    base = os.environ.get("WORDPL_MUTANTS", str(HOME.parent))  # hard links need the checkout's own file system
    with tempfile.TemporaryDirectory(dir=base, prefix=".mutants-") as name, out.open("a") as file:
        folder = Path(name)
        linked_copy(folder)
        passing = {one["pattern"] for one in read(out) if not one["killed"]}  # by a mutant that survived
        for pattern, path, number in sampled(n, seed):
            if (path, number) in known:
                continue
            if time.monotonic() > until:
                return
            if pattern not in passing and not passes(folder, TESTS[pattern], shown=True):
                sys.exit(f"the tests of {pattern} fail without a change: nothing would be learnt from them.")
            passing.add(pattern)
            source, what, line = mutated(path, number)
            began = time.monotonic()
            killed = is_killed(folder, path, source, TESTS[pattern])
            found = {"pattern": pattern, "file": path, "number": number, "line": line, "what": what, "killed": killed}
            file.write(json.dumps(found | {"seconds": round(time.monotonic() - began, 1)}) + "\n")
            file.flush()


def read(out: Path) -> list[dict]:
    """Return what has been tried."""
    return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def report(out: Path) -> None:
    """Print the share of each pattern, and the survivors."""
    found = read(out)
    tried, killed = Counter(one["pattern"] for one in found), Counter(one["pattern"] for one in found if one["killed"])
    for pattern in tried:
        print(f"{killed[pattern]:4} of {tried[pattern]:4}  {killed[pattern] / tried[pattern]:4.0%}  {pattern}")
    print(f"{killed.total():4} of {tried.total():4}  {killed.total() / max(1, tried.total()):4.0%}  in all")
    for one in found:
        if not one["killed"]:
            print(f"survived: {one['file']}:{one['line']}: {one['what']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HOME / "build" / "mutants.jsonl")
    parser.add_argument("--minutes", type=float, default=1e6, help="end after so long")
    parser.add_argument("--report", action="store_true")
    chosen = parser.parse_args()
    if not chosen.report:
        run(chosen.n, chosen.seed, chosen.out, chosen.minutes)
    report(chosen.out)


if __name__ == "__main__":
    main()
