"""A pytest plugin that runs one of several parts of the long and browser tests, as .ci/shard does.

`python -m pytest -p tests.helpers.shards --shard 3/10 tests` runs the third of ten parts. Each test belongs to one, and
all take about as long as each other by the durations in tests/durations.csv. On an idle machine, `--shard 1/1 --renew`
writes there what all tests take, after which they are divided anew. Tests of a file share fixtures and stay together
for up to PIECE_S. A new test belongs to the part of its file's last tests. Only files of the part are imported.
"""

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import pytest

from tests.helpers.paths import HOME

TABLE = HOME / "tests" / "durations.csv"
MARKS = ("long", "browser")
PIECE_S = 100.0
START_S = 1.0
"""What a piece takes beside its tests, such as to import its file."""


@dataclass(frozen=True)
class Duration:
    """What a test takes with all of its parameters."""

    n_tests: int
    seconds: float

    @property
    def n_pieces(self) -> int:
        """The number of pieces into which the test with its parameters is divided."""
        return max(1, min(self.n_tests, -int(-self.seconds // PIECE_S)))


@dataclass
class Piece:
    """Tests of one file that run in one part: names, each with the number of its piece."""

    file: str
    seconds: float = START_S
    tests: list[tuple[str, int]] = field(default_factory=list)


def read(path: Path = TABLE) -> dict[str, Duration]:
    """Return what tests take, by names without parameters."""
    with path.open(newline="") as file:
        return {row["test"]: Duration(int(row["tests"]), float(row["seconds"])) for row in csv.DictReader(file)}


def write(durations: dict[str, Duration], path: Path = TABLE) -> None:
    """Write what tests take, in the order of their names."""
    with path.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["test", "tests", "seconds"])
        lines.writerows([name, one.n_tests, f"{one.seconds:.1f}"] for name, one in sorted(durations.items()))


def pieces_of(durations: dict[str, Duration]) -> list[Piece]:
    """Divide the tests of each file into pieces, the longest first."""
    pieces: list[Piece] = []
    for name, one in sorted(durations.items()):
        file, seconds = name.partition("::")[0], one.seconds / one.n_pieces
        for number in range(one.n_pieces):
            if not pieces or pieces[-1].file != file or pieces[-1].seconds + seconds > PIECE_S:
                pieces.append(Piece(file))
            pieces[-1].tests.append((name, number))
            pieces[-1].seconds += seconds
    return sorted(pieces, key=lambda piece: (-piece.seconds, piece.tests))


class Shards:
    """Which part each test belongs to; parts are numbered from 0.

    Args:
        durations: What tests take.
        n_shards: The number of parts.
    """

    def __init__(self, durations: dict[str, Duration], n_shards: int):
        self.seconds: list[Counter[str]] = [Counter() for _ in range(n_shards)]  # by file
        self._of_tests = {name: [0] * one.n_pieces for name, one in durations.items()}
        self._of_new_tests: dict[str, int] = {}
        for piece in pieces_of(durations):
            # one worker runs all tests of a file in a part
            used = [seconds.total() + (PIECE_S if piece.file in seconds else 0) for seconds in self.seconds]
            shard = used.index(min(used))
            self.seconds[shard][piece.file] += piece.seconds
            self._of_new_tests[piece.file] = shard
            for name, number in piece.tests:
                self._of_tests[name][number] = shard

    def of(self, name: str, number: int = 0) -> int:
        """Return the part of a test with its parameters of this number."""
        pieces = self._of_tests.get(name)
        return pieces[number % len(pieces)] if pieces else self._of_new(name.partition("::")[0])

    def _of_new(self, file: str) -> int:
        return self._of_new_tests.get(file, crc32(file.encode()) % len(self.seconds))

    def has_tests_of(self, file: str, shard: int) -> bool:
        """Return whether tests of a file belong to a part."""
        return file in self.seconds[shard] or self._of_new(file) == shard


class ShardRun:
    """Selects the tests of a part, those of files that take longest first, and says which part that is."""

    def __init__(self, shard: int, n_shards: int):
        self.shard, self.n_shards = shard - 1, n_shards
        self.shards = Shards(read(), n_shards)
        self.name = f"shard {shard} of {n_shards}"

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        if not collection_path.match("test_*.py"):
            return None
        source = collection_path.read_text()
        if not any(f"pytest.mark.{mark}" in source for mark in MARKS):
            return True
        return not self.shards.has_tests_of(collection_path.relative_to(HOME).as_posix(), self.shard) or None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        numbers, kept, left = Counter[str](), [], []
        for item in items:
            name = item.nodeid.partition("[")[0]
            (kept if self.shards.of(name, numbers[name]) == self.shard else left).append(item)
            numbers[name] += 1
        seconds = self.shards.seconds[self.shard]
        kept.sort(key=lambda item: -seconds[item.nodeid.partition("::")[0]])
        items[:] = kept
        config.hook.pytest_deselected(items=left)

    def pytest_report_header(self) -> str:
        return f"{self.name} of the long and browser tests"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        reports = [one for key in ("passed", "failed", "error") for one in terminalreporter.stats.get(key, [])]
        tests = {one.nodeid: "browser" if "browser" in one.keywords else "long" for one in reports}
        n_tests = Counter(tests.values())
        counts = ", ".join(f"{n_tests[mark]} {mark} tests" for mark in MARKS)
        terminalreporter.write_line(f"{self.name}: {counts}; by hand: .ci/shard {self.shard + 1}")


class Renewal:
    """Writes what the tests that ran take."""

    def __init__(self) -> None:
        self.seconds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.skipped: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.partition("[")[0]
        self.seconds[name][report.nodeid] += report.duration
        if report.skipped:
            self.skipped.add(name)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            return
        kept = {name: one for name, one in read().items() if exists(name)}
        ran = {name: tests for name, tests in self.seconds.items() if name not in self.skipped}
        write(kept | {name: Duration(len(tests), sum(tests.values())) for name, tests in ran.items()})


def exists(name: str) -> bool:
    """Return whether there is such a test."""
    file, _, function = name.partition("::")
    path = HOME / file
    return path.is_file() and f"def {function.rpartition('::')[2]}(" in path.read_text()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--shard", metavar="I/N", help="run part I of N of the long and browser tests")
    parser.addoption("--renew", action="store_true", help=f"write what tests take to {TABLE.name}")


def pytest_configure(config: pytest.Config) -> None:
    """Select the long and browser tests of a part."""
    if shard := config.option.shard:
        number, _, n_shards = shard.partition("/")
        if not (number.isdecimal() and n_shards.isdecimal() and 1 <= int(number) <= int(n_shards)):
            raise pytest.UsageError(f"--shard should be two numbers such as 3/10, not {shard}")
        if config.option.renew and n_shards != "1":
            raise pytest.UsageError("--renew needs --shard 1/1: a part has some of the parameters of a test only")
        config.option.markexpr = " or ".join(MARKS)
        config.pluginmanager.register(ShardRun(int(number), int(n_shards)), "shard")
    if config.option.renew:
        config.pluginmanager.register(Renewal(), "renewal")
