"""Which one-line changes of the code do the quick tests of its package notice?

    python -m benchmarks.mutants draw core games --count 40 --seed 1   # adds rows without an outcome
    python -m benchmarks.mutants run core games                        # runs rows without an outcome; resumable
    python -m benchmarks.mutants check                                 # runs each killed mutant with its killer alone

A package is a path below wordpl, such as `stats`, `apps/season` or `players/process.py`; its quick tests are those of
tests/stats, tests/apps/season or tests/players. Rows of mutants.csv with the operator "by hand" were written by hand:
file, line, before and after, and an empty outcome until `run` fills it in. Whoever explains a survivor writes why
into `by`, with the outcome "survived" or "equivalent"; `run` leaves it, and `--again` runs it anew.

Needs `pip install cosmic-ray`: it changes files, so that kernels and processes of players run what was changed, and its
operators are a library; mutmut leaves out decorated functions, which all kernels are.
"""

import argparse
import ast
import csv
import ctypes
import importlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import Any

HOME = Path(__file__).resolve().parents[1]
TABLE = HOME / "benchmarks" / "mutants.csv"
WORK = Path(gettempdir()) / "mutants-of-wordpl"
LIBRARIES = [
    "numpy",
    "pandas",
    "scipy.stats",
    "scipy.special",
    "scipy.optimize",
    "numba",
    "msgspec",
    "rich.console",
    "rich.table",
    "click",
    "joblib",
    "tqdm",
    "hypothesis",
    "hypothesis.strategies",
    "coverage",
    "pytest",
]
"""What the tests import and no mutant changes: imported once, before a process is forked for each mutant."""
FIRST = 12
"""How many tests run first: most mutants die there, and the other files of tests need not be imported."""
DIED = -1
"""Stands for the exit status of a pytest that was stopped, or ended by a test."""
SLOW_S = 0.3
"""The CPU time of a test from which its failure is confirmed: shorter ones depend on no clock."""
WALL_S = 600
"""The limit of one call of pytest."""
PR_SET_PDEATHSIG = 1
"""From Linux's prctl.h: a process ends with the one that made it, so that no endless loop is left behind."""
IGNORED_OPERATORS = ("VariableReplacer", "VariableInserter", "_Is", "RShift", "LShift", "NoOp")
"""What makes nonsense that any test notices, or needs arguments."""


@dataclass
class Mutant:
    """A row of the table."""

    file: str
    line: int
    operator: str
    before: str
    after: str
    outcome: str = ""
    by: str = ""
    seconds: str = ""

    def source(self, home: Path) -> str | None:
        """Return the changed source, or None if the line is no longer there; the nearest equal line is changed."""
        lines = (home / self.file).read_text().split("\n")
        equal = [number for number, line in enumerate(lines, 1) if line.strip() == self.before]
        if not equal:
            return None
        number = min(equal, key=lambda number: abs(number - self.line))
        self.line, line = number, lines[number - 1]
        lines[number - 1] = line[: len(line) - len(line.lstrip())] + self.after
        return "\n".join(lines)


@dataclass
class Reach:
    """Which tests of a package reach which lines: measured once, and again for files of tests that change."""

    sources: dict[str, str] = field(default_factory=dict)
    tests: dict[str, str] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def select(self, mutant: Mutant, source: str) -> tuple[list[str], bool]:
        """Return the tests that can notice the mutant, the likeliest first, and whether they reach its line."""
        reached = self.lines.get(mutant.file, {})
        chosen = {test for line in body_lines(source, mutant.line) for test in reached.get(str(line), ())}
        is_reached = bool(chosen & set(self.costs))
        if not is_reached:  # a line that is run at import, or compiled
            chosen = {test for tests in reached.values() for test in tests}
        costs: dict[str, float] = {}
        for test in (chosen or set(self.costs)) & set(self.costs):
            costs[function_of(test)] = costs.get(function_of(test), 0) + self.costs[test]
        stem = Path(mutant.file).stem.strip("_")
        return sorted(costs, key=lambda test: (stem not in test, costs[test], test)), is_reached


def function_of(test: str) -> str:
    """Return the function of a test: names of cases may have characters that pytest does not take back."""
    return test.removesuffix(" (import)").split("[")[0]


def body_lines(source: str, line: int) -> range:
    """Return the lines of the statement at a line, or none if it runs when the module is imported."""
    smallest: ast.stmt | None = None
    is_in_function = False
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            smallest = node  # walked from the outside to the inside
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and line >= node.body[0].lineno:
                is_in_function = True
    if smallest is None or not is_in_function:
        return range(0)
    end = min((one.lineno for one in getattr(smallest, "body", ())), default=(smallest.end_lineno or line) + 1)
    return range(smallest.lineno, max(end, smallest.lineno + 1))


# --- trees


def sync(tree: Path) -> None:
    """Make a private copy of the project; compiled files stay, and so do times, which they are compared with."""
    listed = subprocess.run(
        ["git", "ls-files", "-zco", "--exclude-standard"], cwd=HOME, capture_output=True, check=True
    ).stdout.decode()
    wanted = {name for name in listed.split("\0") if name and (HOME / name).is_file()}
    wanted |= (
        {str(path.relative_to(HOME)) for path in HOME.glob("wordpl/**/__pycache__/*.nb?")}
        if not tree.exists()
        else set()
    )
    for path in [*tree.rglob("*.py")]:
        if str(path.relative_to(tree)) not in wanted:
            path.unlink()
    for name in wanted:
        old, new = HOME / name, tree / name
        if (
            not new.exists()
            or new.stat().st_mtime_ns != old.stat().st_mtime_ns
            or new.stat().st_size != old.stat().st_size
        ):
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old, new)


def compiled(tree: Path) -> dict[Path, bytes]:
    """Return the kernels that are cached in a tree."""
    return {path: path.read_bytes() for path in tree.glob("wordpl/**/__pycache__/*.nb?")}


def pytest_in(tree: Path, tests: list[str], cpu_s: float | None = 20.0, covered: Path | None = None) -> dict[str, Any]:
    """Run tests in a forked process, the working folder of which is the tree; return what became of them.

    cpu_s: the CPU time after which it is stopped; None: it is not
    """
    result, log = tree.parent / f"{tree.name}.json", tree.parent / f"{tree.name}.log"
    result.unlink(missing_ok=True)
    start = time.monotonic()
    child = os.fork()
    if not child:
        try:
            os.setsid()
            multiprocessing.process._parent_process = None  # or a worker of ours would end with a parent that it lacks
            out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for descriptor in (1, 2):
                os.dup2(out, descriptor)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if cpu_s is not None:
                resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s), int(cpu_s) + 1))
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.chdir(tree)
            os.environ["PYTHONPATH"] = str(tree)
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            if covered is None:  # the changed file's bytecode must not replace that of the true one
                os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
            sys.dont_write_bytecode = covered is None
            sys.path[:] = [str(tree), *(entry for entry in sys.path if entry not in ("", str(HOME)))]
            for name in [name for name in sys.modules if name.split(".")[0] in ("benchmarks", "tests", "wordpl")]:
                if name != __name__:
                    del sys.modules[name]
            run_tests(tree, tests, covered, result)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
    while True:
        done, end = os.waitpid(child, os.WNOHANG)
        if done or (cpu_s is not None and time.monotonic() - start > WALL_S):
            break
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it left running
    if not done:
        os.waitpid(child, 0)
    found = json.loads(result.read_text()) if result.exists() else {"failed": "", "costs": {}, "status": DIED}
    found["was_stopped"] = not done or (os.WIFSIGNALED(end) and os.WTERMSIG(end) == signal.SIGXCPU)
    return {**found, "seconds": time.monotonic() - start, "log": log.read_text(errors="replace")[-3000:]}


def run_tests(tree: Path, tests: list[str], covered: Path | None, result: Path) -> None:
    """Run pytest in this process and write which test failed first, and what each cost."""
    import coverage
    import pytest

    cov = None
    if covered:
        settings = covered.parent / f"{tree.name}.ini"
        settings.write_text(
            f"[run]\nsource = {tree / 'wordpl'}\nparallel = true\npatch = subprocess, fork, _exit\n"
            f"data_file = {covered}\n"
        )
        cov = coverage.Coverage(config_file=str(settings))
        cov.start()

    class Recorder:
        def __init__(self) -> None:
            self.failed = ""
            self.costs: dict[str, float] = {}

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
            test = item.nodeid
            if cov is not None:
                cov.switch_context(test)
                cov.config.context = test
                os.environ["COVERAGE_PROCESS_CONFIG"] = cov.config.serialize()
            before = sum(os.times()[:4])
            try:
                return (yield)
            finally:
                self.costs[test] = sum(os.times()[:4]) - before
                if cov is not None:
                    cov.switch_context("")
                self.save(DIED)

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed and not self.failed:
                self.failed = report.nodeid

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.failed and not self.failed:
                self.failed = f"{report.nodeid} (import)"

        def save(self, status: int) -> None:
            result.write_text(json.dumps({"failed": self.failed, "costs": self.costs, "status": status}))

    recorder = Recorder()
    options = [
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "--tb=short",
        "--basetemp",
        str(tree.parent / f"{tree.name}.tmp"),
    ]
    options += ["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]
    options += ["--timeout", "200", *([] if cov else ["-x"])]
    status = pytest.main([*options, *tests], plugins=[recorder])
    recorder.save(int(status))
    if cov is not None:
        cov.stop()
        cov.save()


def tests_of(package: str) -> list[str]:
    """Return the folder of a package's tests and the modules whose examples are tests."""
    path = package.removesuffix(".py")
    folder = next(one for one in (f"tests/{path}", f"tests/{Path(path).parent}") if (HOME / one).is_dir())
    return [folder]


def measure(package: str, work: Path) -> Reach:
    """Return what the tests of a package reach; only what has changed is run."""
    kept = work / f"reach-{package.replace('/', '-')}.json"
    reach = Reach(**json.loads(kept.read_text())) if kept.exists() else Reach()
    sources = {name: digest(name) for name in files_of(package)}
    if any(reach.sources.get(name, digest_) != digest_ for name, digest_ in sources.items()) or not reach.sources:
        reach = Reach()
    tests = {
        str(path.relative_to(HOME)): digest(str(path.relative_to(HOME)))
        for folder in tests_of(package)
        for path in sorted((HOME / folder).rglob("test_*.py"))
    }
    stale = [name for name, digest_ in tests.items() if reach.tests.get(name) != digest_]
    gone = [test for test in reach.costs if test.split("::")[0] not in tests or test.split("::")[0] in stale]
    if stale:
        sync(work / "tree-0")
    for test in gone:
        del reach.costs[test]
    for lines in reach.lines.values():
        for line in lines:
            lines[line] = [test for test in lines[line] if test in reach.costs]
    reach.sources = sources
    for file in stale:  # one by one, so that a measurement that is stopped goes on where it was
        if time.monotonic() > _deadline:
            sys.exit("the time is over: the same command goes on")
        print(f"measuring what {file} reaches", flush=True)
        found = measure_file(file, work, reach)
        failing = failing_tests(found)
        if failing:
            print(f"left out, as they fail without a mutant: {', '.join(sorted(failing))}", flush=True)
        reach.costs |= {test: cost for test, cost in found["costs"].items() if test not in failing}
        reach.tests[file] = tests[file]
        kept.write_text(json.dumps(asdict(reach)))
    return reach


def measure_file(file: str, work: Path, reach: Reach) -> dict[str, Any]:
    """Add what the tests of a file reach."""
    import coverage

    tree, covered = work / "tree-0", work / "cover"
    for old in work.glob("cover*"):
        old.unlink()
    found = pytest_in(tree, [file], None, covered)
    if not found["costs"] and found["status"] != 5:
        sys.exit(found["log"])
    combined = coverage.Coverage(data_file=str(covered), config_file=False)
    combined.combine([str(work)], keep=False)
    data = combined.get_data()
    for measured in data.measured_files():
        lines = reach.lines.setdefault(str(Path(measured).relative_to(tree)), {})
        for line, contexts in data.contexts_by_lineno(measured).items():
            lines[str(line)] = sorted({*lines.get(str(line), ()), *(one.split("|")[-1] for one in contexts if one)})
    return found


def failing_tests(found: dict[str, Any]) -> set[str]:
    """Return the tests that pytest's summary calls failed."""
    lines = [line.split() for line in found["log"].splitlines()]
    return {line[1] for line in lines if len(line) > 1 and line[0] in ("FAILED", "ERROR")}


def digest(name: str) -> str:
    """Return the digest of a file of the project."""
    return sha256((HOME / name).read_bytes()).hexdigest()[:16]


def files_of(package: str) -> list[str]:
    """Return the files of a package, as in the table."""
    path = HOME / "wordpl" / package
    found = [path] if path.suffix else sorted(path.rglob("*.py"))
    return [str(one.relative_to(HOME)) for one in found if "templates" not in one.parts]


# --- drawing


def draw(package: str, count: int, seed: int, known: list[Mutant]) -> list[Mutant]:
    """Draw mutants of a package: first a line, then an operator for it, and then what the operator makes of it."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    operators = {
        name.split("/")[1]: get_operator(name)()
        for name in operator_names()
        if not any(ignored in name for ignored in IGNORED_OPERATORS)
    }
    generator = random.Random(f"{package}/{seed}")
    taken = {(one.file, one.before, one.after) for one in known}
    places = [(name, line) for name in files_of(package) for line in code_lines((HOME / name).read_text())]
    generator.shuffle(places)
    drawn: list[Mutant] = []
    for name, line in places:
        if len(drawn) == count:
            break
        source = (HOME / name).read_text()
        first, part = definition_at(source, line)
        nodes = list(ast_nodes(get_ast(part)))
        near = [node for node in nodes if node.start_pos[0] + first <= line <= node.end_pos[0] + first]
        found: dict[str, list[tuple[str, int]]] = {}
        for operator, changes in operators.items():
            n_here = sum(start[0] + first == line for node in near for start, _ in changes.mutation_positions(node))
            found.setdefault(operator.split("_")[0], []).extend((operator, n) for n in range(n_here))
        families = sorted(family for family, choices in found.items() if choices)
        if not families:
            continue
        operator, n = generator.choice(found[generator.choice(families)])
        starts = [start[0] for node in nodes for start, _ in operators[operator].mutation_positions(node)]
        occurrence = [place for place, start in enumerate(starts) if start + first == line][n]
        one = one_line_change(name, operator, first, part, mutate_code(part, operators[operator], occurrence))
        if one and (one.file, one.before, one.after) not in taken:
            taken.add((one.file, one.before, one.after))
            drawn.append(one)
    return drawn


def definition_at(source: str, line: int) -> tuple[int, str]:
    """Return the statement of the module at a line, and how many lines precede it."""
    for node in ast.parse(source).body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) - 1
        if first < line <= (node.end_lineno or 0):
            return first, "\n".join(source.split("\n")[first : node.end_lineno]) + "\n"
    raise ValueError(f"no statement at line {line}")


def code_lines(source: str) -> list[int]:
    """Return the lines that do something: no imports, no annotations of attributes, no texts."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_declared = isinstance(node, ast.AnnAssign) and node.value is None
        if (
            isinstance(node, ast.stmt)
            and not is_text
            and not is_declared
            and not isinstance(
                node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef
            )
        ):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if isinstance(body, list) else node.end_lineno
            found |= set(range(node.lineno, (end or node.lineno) + 1))
    return sorted(found)


def one_line_change(name: str, operator: str, first: int, source: str, changed: str | None) -> Mutant | None:
    """Return the mutant, or None if it is no change of one line that Python can parse."""
    old, new = source.split("\n"), (changed or "").split("\n")
    differ = [number for number, (before, after) in enumerate(zip(old, new, strict=False)) if before != after]
    if changed is None or len(old) != len(new) or len(differ) != 1:
        return None
    try:
        same = ast.dump(ast.parse(source)) == ast.dump(ast.parse(changed))
    except SyntaxError:
        return None
    at = differ[0]
    return None if same else Mutant(name, first + at + 1, operator, old[at].strip(), new[at].strip())


# --- running

_deadline = float("inf")
_tree: Path
_reach: dict[str, Reach] = {}


def take_tree(numbers: Any, work: Path) -> None:
    """Give a worker its own tree."""
    global _tree
    _tree = work / f"tree-{numbers.get()}"
    sync(_tree)


def judge(task: tuple[int, str, Mutant]) -> tuple[int, Mutant]:
    """Run the tests of a mutant's package until one fails."""
    index, package, mutant = task
    if time.monotonic() > _deadline:
        return index, mutant
    source = mutant.source(HOME)
    if source is None:
        mutant.outcome, mutant.by = "gone", "the line is no longer there"
        return index, mutant
    reach = _reach[package]
    tests, is_reached = reach.select(mutant, (HOME / mutant.file).read_text())
    start = time.monotonic()
    with_mutant = changed_tree(mutant, source)
    next(with_mutant)
    mutant.outcome, mutant.by = "survived", "" if is_reached else "no quick test is seen to reach the line"
    queue = [tests[:FIRST], tests[FIRST:]]
    while queue:
        now = queue.pop(0)
        if not now:
            continue
        costs = sum(cost for test, cost in reach.costs.items() if function_of(test) in now)
        found = pytest_in(_tree, now, 20 + 5 * costs)
        killer = found["failed"] or ("timeout" if found["was_stopped"] else "")
        if not killer and found["status"] == DIED:  # no test failed: a test alone that ends its process kills nothing
            if len(now) == 1:
                mutant.outcome, mutant.by = "died", now[0]
            queue[:0] = [[test] for test in now if len(now) > 1]
            continue
        if not killer and found["status"] not in (0, 5):
            raise RuntimeError(found["log"])
        is_slow = reach.costs.get(killer, 0.0) > SLOW_S  # a busy machine can fail it
        if is_slow and not pytest_in(_tree, [function_of(killer)])["failed"]:
            queue.insert(0, now[now.index(function_of(killer)) + 1 :])
            continue
        if killer:
            mutant.outcome, mutant.by = "killed", killer
            break
    next(with_mutant, None)
    mutant.seconds = f"{time.monotonic() - start:.1f}"
    return index, mutant


def recheck(task: tuple[int, str, Mutant]) -> tuple[int, Mutant]:
    """Run a killed mutant with the test that killed it alone; the outcome is empty if it passes."""
    index, _, mutant = task
    if time.monotonic() > _deadline:
        return index, mutant
    source = mutant.source(HOME)
    if source is None:
        mutant.outcome, mutant.by = "gone", "the line is no longer there"
        return index, mutant
    start = time.monotonic()
    with_mutant = changed_tree(mutant, source)
    next(with_mutant)
    found = pytest_in(_tree, [function_of(mutant.by)])
    next(with_mutant, None)
    if not found["failed"] and found["status"] == 0:
        mutant.outcome = mutant.by = ""
    mutant.seconds = f"{time.monotonic() - start:.1f}"
    return index, mutant


def changed_tree(mutant: Mutant, source: str) -> Iterator[None]:
    """Change the worker's tree until the iterator is continued; kernels compiled from the change are removed then."""
    kernels = compiled(_tree) if ".compiled import" in source else None
    (_tree / mutant.file).write_text(source)
    yield
    shutil.copy2(HOME / mutant.file, _tree / mutant.file)
    if kernels is not None:
        for path in compiled(_tree).keys() - kernels.keys():
            path.unlink()
        for path, content in kernels.items():
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)


def package_of(file: str, packages: list[str]) -> str | None:
    """Return the most specific of the packages that a file belongs to."""
    inside = [one for one in packages if f"wordpl/{one}" == file or file.startswith(f"wordpl/{one}/")]
    return max(inside, key=len, default=None)


def load(table: Path) -> list[Mutant]:
    """Return the rows of a table."""
    if not table.exists():
        return []
    with table.open(newline="") as file:
        return [Mutant(**{**row, "line": int(row["line"])}) for row in csv.DictReader(file)]


def save(table: Path, mutants: list[Mutant]) -> None:
    """Write the table in the order of files and lines."""
    ordered = sorted(mutants, key=lambda one: (one.file, one.line, one.before, one.after))
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, [one.name for one in fields(Mutant)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, ordered))


def main() -> None:
    """Draw, run or check mutants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["draw", "run", "check"])
    parser.add_argument("packages", nargs="*", help="paths below wordpl; none: core games run stats")
    parser.add_argument("--count", type=int, default=40, help="how many to draw of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument(
        "--work", type=Path, default=Path(gettempdir()) / "mutants-of-wordpl", help="where trees are kept"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing new after this time")
    parser.add_argument("--again", action="store_true", help="run survivors, too")
    options = parser.parse_args()
    global _deadline
    _deadline = time.monotonic() + options.seconds
    packages = [one.strip("/") for one in options.packages] or ["core", "games", "run", "stats"]
    mutants, work = load(options.table), options.work
    work.mkdir(parents=True, exist_ok=True)
    if options.part == "draw":
        for package in packages:
            mutants += draw(package, options.count, options.seed, mutants)
        save(options.table, mutants)
        return
    for library in LIBRARIES:
        importlib.import_module(library)
    wanted = {"", "died", "survived"} if options.again else {""}
    tasks = []
    for index, mutant in enumerate(mutants):
        package = package_of(mutant.file, packages)
        is_wanted = (
            mutant.outcome == "killed" and mutant.by != "timeout"
            if options.part == "check"
            else mutant.outcome in wanted
        )
        if package and is_wanted:
            tasks.append((index, package, mutant))
    if options.part == "run":
        for package in {package for _, package, _ in tasks}:
            _reach[package] = measure(package, work)
    context = multiprocessing.get_context("fork")
    numbers = context.Queue()
    for number in range(options.workers):
        numbers.put(number)
    lost = 0
    with context.Pool(options.workers, take_tree, (numbers, work)) as pool:
        one = judge if options.part == "run" else recheck
        for n_done, (index, mutant) in enumerate(pool.imap_unordered(one, tasks), 1):
            if time.monotonic() > _deadline and not mutant.outcome:
                continue
            lost += options.part == "check" and mutant.outcome != "killed"
            mutants[index] = mutant
            save(options.table, mutants)
            print(
                f"{n_done}/{len(tasks)} {mutant.file}:{mutant.line} {mutant.before[:60]} -> {mutant.after[:60]}: "
                f"{mutant.outcome or 'NOT KILLED'} {mutant.by} ({mutant.seconds} s)",
                flush=True,
            )
    if options.part == "check":
        print(f"{len(tasks) - lost} of {len(tasks)} are still killed by the test that is named")


if __name__ == "__main__":
    main()
