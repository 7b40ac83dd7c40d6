"""Which tests run which lines, and how long each takes: recorded once by coverage.py, a process per file of tests.

What a fixture of a module or session runs counts for all tests of the file that ask for it. A test that fails only
because it is measured counts for the lines it came to.
"""

import ast
import json
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import coverage
import pytest
from changes import AREAS, HOME
from team import Team, append
from trial import OPTIONS, first_failure, in_child

FOLDERS = ("games", "contest", "verify", "stats", "core", "league")
"""The folders of tests that count: those of the areas, and of what lies below them."""
LEFT_OUT = ("tests/contest/cluster/", "tests/league/test_bot", "tests/league/test_gateway", "tests/league/test_ocr",
            "tests/league/test_announcer")  # fmt: skip
"""What of them is about other code, and takes long."""
MAX_FILE_S = 600.0
QUICK_S = 0.1


@dataclass
class Recorded:
    """What one file of tests runs.

    Attributes:
        seconds: The processor seconds of each test, by its name.
        failed: The tests that failed.
        skipped: The tests that were skipped.
        lines: For each line "file:line" of the areas, the names of the tests that run it.
        wall_s: How long the file took, imports included.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    wall_s: float = 0.0


class Recorder:
    """A pytest plugin that tells coverage.py which test or fixture runs, and measures."""

    def __init__(self, measured: coverage.Coverage):
        self.measured, self.recorded = measured, Recorded()
        self.fixtures: dict[str, list[str]] = defaultdict(list)
        self._fixture_s, self._current = 0.0, ""

    def _switch(self, context: str) -> None:
        """Count lines for this test or fixture, those of processes that it starts too."""
        self.measured.switch_context(context)
        self.measured.config.context = context
        os.environ["COVERAGE_PROCESS_CONFIG"] = self.measured.config.serialize()
        self.measured.config.context = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._current, self._fixture_s, began = item.nodeid, 0.0, _cpu_s()
        for name in getattr(item, "fixturenames", ()):
            self.fixtures[name].append(item.nodeid)
        self._switch(item.nodeid)
        result = yield
        self._switch("")
        self.recorded.seconds[item.nodeid] = round(_cpu_s() - began - self._fixture_s, 4)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        if fixturedef.scope == "function":
            return (yield)
        began, before = _cpu_s(), self._fixture_s
        self._switch(f"fixture {fixturedef.argname}")
        try:
            return (yield)
        finally:
            self._switch(self._current)
            self._fixture_s = before + _cpu_s() - began

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = {"failed": self.recorded.failed, "skipped": self.recorded.skipped}.get(report.outcome, [])
        if report.nodeid not in found:
            found.append(report.nodeid)

    def of_contexts(self, contexts: Iterable[str]) -> list[str]:
        """Return the tests that these contexts stand for."""
        names = [
            name
            for one in contexts
            for name in (self.fixtures[one.removeprefix("fixture ")] if one.startswith("fixture ") else [one])
        ]
        return [name for name in dict.fromkeys(names) if name]


def _cpu_s() -> float:
    return sum(os.times()[:4])


def _record(file: str, folder: Path) -> Recorded:
    """Run a file of tests under coverage.py; in a process of its own, as the package is imported under it."""
    data = Path(os.environ["TMPDIR"], "coverage")
    data.mkdir()
    include = ",".join(f"{folder}/{one}" for patterns in AREAS.values() for one in patterns.split())
    rc = data / "rc"
    rc.write_text(f"[run]\nparallel=true\npatch=subprocess,fork,_exit\ninclude={include}\ndata_file={data}/data\n")
    measured = coverage.Coverage(config_file=str(rc))
    recorder, began = Recorder(measured), time.monotonic()
    measured.start()
    options = [one for one in OPTIONS if one != "-x"]
    pytest.main([*options, file], plugins=[recorder])
    measured.stop()
    measured.save()
    combined = coverage.CoverageData(basename=str(data / "all"))
    for path in data.glob("data.*"):
        part = coverage.CoverageData(basename=str(path))
        with suppress(coverage.CoverageException):  # a process that was killed left half of it
            part.read()
            combined.update(part)
    for measured_file in combined.measured_files():
        for line, contexts in combined.contexts_by_lineno(measured_file).items():
            if names := recorder.of_contexts(contexts):
                recorder.recorded.lines[f"{Path(measured_file).relative_to(folder)}:{line}"] = names
    recorder.recorded.wall_s = round(time.monotonic() - began, 2)
    return recorder.recorded


def _leave_out_failing(recorded: Recorded) -> None:
    """Leave out the tests that are skipped, or fail even if they are not measured: nothing can be learnt of them."""
    for name in recorded.failed:
        if first_failure({name: recorded.seconds[name]}):
            print(f"left out, as it fails without any change: {name}", file=sys.stderr)
            recorded.skipped.append(name)
    for name in recorded.skipped:
        recorded.seconds.pop(name, None)
    for at, names in recorded.lines.items():
        recorded.lines[at] = [name for name in names if name in recorded.seconds]


def files_of_tests() -> list[str]:
    """Return the files of tests that are looked at."""
    found = [path for name in FOLDERS for path in sorted((HOME / "tests" / name).rglob("test_*.py"))]
    names = [str(path.relative_to(HOME)) for path in found]
    return [name for name in names if not name.startswith(LEFT_OUT)] + _with_examples()


def _with_examples() -> list[str]:
    """Return the files of the areas that hold examples, which run as tests."""
    found = [path for patterns in AREAS.values() for one in patterns.split() for path in sorted(HOME.glob(one))]
    return [str(path.relative_to(HOME)) for path in found if b">>> " in path.read_bytes()]


class LineTests:
    """Which tests run which lines, of all files of tests."""

    def __init__(self, kept: Path):
        self.kept = kept
        self.files: dict[str, Recorded] = {}
        self._by_line: dict[str, dict[int, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))

    def _known(self) -> dict[str, dict[str, Any]]:
        lines = self.kept.read_text().splitlines() if self.kept.exists() else []
        return {one["key"]: one for one in map(json.loads, lines)}

    def record(self, folder: Path, team: Team) -> None:
        """Record each file of tests that has changed since it was recorded, and all after a change of the areas.

        The team shares the work. After a larger change of what lies below the areas, or of the tests' helpers, delete
        the file of records.
        """
        shared = _digest(path for patterns in AREAS.values() for one in patterns.split() for path in HOME.glob(one))
        keys = {file: f"{file} {shared} {_digest([HOME / file])}" for file in files_of_tests()}
        known = self._known()
        for file, key in team.share([one for one in keys.items() if one[1] not in known]):
            recorded = in_child(partial(_record, file, folder), MAX_FILE_S, Recorded())
            _leave_out_failing(recorded)
            append(self.kept, {"key": key, **vars(recorded)})
        known = self._known()
        self.files = {
            file: Recorded(**{name: known[key].get(name, []) for name in vars(Recorded())})
            for file, key in keys.items()
        }
        for one in self.files.values():
            for at, names in one.lines.items():
                file, _, line = at.rpartition(":")
                self._by_line[file][int(line)] |= {test: one.seconds[test] for test in names}

    def of(self, file: str, line: int) -> dict[str, float]:
        """Return the tests that may notice a change of this line, and their seconds, in the order to run them.

        They are those that run the line; where it is never seen to run, as in compiled code or in a default, those
        that run the function, or else the file. What runs on import may matter to whatever runs a function that
        mentions the name that is given there, in any of the areas, or else to whatever runs the file.
        """
        tree = ast.parse((HOME / file).read_text())
        whole = range(1, sys.maxsize)
        functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and _holds(one, line)]
        if not functions:
            names = {name for one in tree.body if _holds(one, line) for name in _given(one)}
            found = {
                test: cpu_s for path, lines in _mentions(names) for test, cpu_s in self._of_lines(path, lines).items()
            }
            parts = (found or self._of_lines(file, whole), self._reading(names), self._in_folder(_mirrored(file)))
            every = {test: cpu_s for part in parts for test, cpu_s in _in_order(part, file).items()}
            is_quick = {test: test.startswith(_mirrored(file)) and cpu_s <= QUICK_S for test, cpu_s in every.items()}
            return {test: every[test] for test in sorted(every, key=lambda test: not is_quick[test])}
        inner = max(functions, key=lambda one: one.lineno)
        at_line = range(line, line + 1) if line >= inner.body[0].lineno else range(0)
        around = range(inner.body[0].lineno, (inner.end_lineno or line) + 1)
        found = self._of_lines(file, at_line) or self._of_lines(file, around) or self._of_lines(file, whole)
        return _in_order(found, file)

    def _of_lines(self, file: str, lines: range) -> dict[str, float]:
        """Return the tests that run any of the lines, and their seconds."""
        return {
            test: cpu_s for at, tests in self._by_line[file].items() if at in lines for test, cpu_s in tests.items()
        }

    def _reading(self, names: set[str]) -> dict[str, float]:
        """Return the tests in files that mention any of the names, and their seconds."""
        texts = {file: set(re.findall(r"\w+", (HOME / file).read_text())) for file in self.files}
        return {test: cpu_s for file, one in self.files.items() if names & texts[file]
                for test, cpu_s in one.seconds.items()}  # fmt: skip

    def _in_folder(self, folder: str) -> dict[str, float]:
        """Return the tests of a folder, and their seconds."""
        return {test: cpu_s for file, one in self.files.items() if file.startswith(folder)
                for test, cpu_s in one.seconds.items()}  # fmt: skip


def _holds(part: ast.stmt, line: int) -> bool:
    return part.lineno <= line <= (part.end_lineno or 0)


def _given(statement: ast.stmt) -> set[str]:
    """Return the names that an assignment gives, or a class."""
    if isinstance(statement, ast.ClassDef):
        return {statement.name}
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {one.id for one in targets if isinstance(one, ast.Name)}


def _mentions(names: set[str]) -> Iterator[tuple[str, range]]:
    """Yield the functions of the areas in which one of the names stands, as a file and its lines."""
    for path in (path for patterns in AREAS.values() for one in patterns.split() for path in sorted(HOME.glob(one))):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                inside = {getattr(one, "id", getattr(one, "attr", None)) for one in ast.walk(function)}
                if names & inside:
                    yield str(path.relative_to(HOME)), range(function.body[0].lineno, (function.end_lineno or 0) + 1)


def _in_order(seconds: dict[str, float], file: str) -> dict[str, float]:
    """Return the tests in their order: first those of the mirrored folder, those that take little time, cheap files.

    Each file's tests stay together, as they share fixtures.
    """
    mirrored = _mirrored(file)
    by_file: dict[tuple[bool, str], float] = defaultdict(float)
    for name, cpu_s in seconds.items():
        by_file[cpu_s > QUICK_S, name.split("::")[0]] += cpu_s

    def place(name: str) -> tuple[bool, bool, float, str, float]:
        test_file, is_slow = name.split("::")[0], seconds[name] > QUICK_S
        return not name.startswith(mirrored), is_slow, by_file[is_slow, test_file], test_file, seconds[name]

    return {name: seconds[name] for name in sorted(seconds, key=place)}


def _mirrored(file: str) -> str:
    """Return the folder with the tests of a file's package."""
    return f"tests/{Path(file).parent.relative_to('wordpl')}/"


def _digest(paths: Iterable[Path]) -> str:
    digest = sha256()
    for path in sorted(paths):
        if path.is_file():
            digest.update(str(path.relative_to(HOME)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
