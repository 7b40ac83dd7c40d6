"""Runs some tests on changed code, in a process forked from one that has imported all that takes long.

The code lies in a copy, so the checkout stays as it is, and processes that a test starts see the change too.
"""

import importlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis
import pytest
from changes import AREAS, HOME

SHARED = ("wordpl", "tests", "benchmarks", "strategies", "answers.txt", "valid.txt", "pyproject.toml", "conftest.py",
          "results", "evaluate.py", "interactive.py", "README.md", "CONTRIBUTING.md", "docs", "examples", ".github",
          "CHANGELOG.md", "action.yml", "setup.py", "MANIFEST.in", "LICENSE", "SECURITY.md", ".ci")  # fmt: skip
LIBRARIES = """
    numpy numba numba.core.caching numba.typed pandas pyarrow.parquet scipy.special scipy.stats scipy.optimize
    scipy.linalg joblib concurrent.futures multiprocessing asyncio aiohttp sqlite3 sqlalchemy msgspec click
    click.testing tqdm rich.console matplotlib.pyplot xml.dom xml.etree.ElementTree html.parser trueskillthroughtime
    openskill.models hypothesis.strategies hypothesis.extra.numpy hypothesis.stateful
    hypothesis.internal.conjecture.engine _pytest.doctest xdist.plugin pytest_timeout
"""
"""What tests import, apart from the package itself; what is not installed is passed over."""
OPTIONS = ("-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-profile", "mutants",
           "-m", "not long and not browser",
           "-W", "ignore::pytest.PytestAssertRewriteWarning")  # fmt: skip
TOO_SLOW, TIMED_OUT = "too slow", "timed out"
"""What is noted of a mutant whose tests run out of time once, and twice."""


class Limit(NamedTuple):
    """How long a trial may take, by what does not depend on how busy the machine is.

    Attributes:
        least_s: The processor seconds that every trial may take.
        times: How many times the processor seconds of its tests it may take on top of that.
        idle_s: The wall seconds in which its processes may do next to nothing.
    """

    least_s: float
    times: float
    idle_s: float


FIRST, SECOND = Limit(12.0, 4.0, 20.0), Limit(40.0, 10.0, 60.0)
NEXT_TO_NOTHING_S = 0.5


def warm_up(folder: Path) -> None:
    """Import what all trials need, and the parts of the package below all areas; kernels are loaded, too."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ |= {"PYTHONPATH": str(folder), "OPENBLAS_NUM_THREADS": "1"}
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in LIBRARIES.split():
        with suppress(ImportError):
            importlib.import_module(name)
    for path in sorted((folder / "wordpl/core").glob("[!_]*.py")):
        importlib.import_module(f"wordpl.core.{path.stem}")
    early = [name for name, module in sys.modules.items() if _area_of(folder, getattr(module, "__file__", None))]
    assert not early, f"these were imported before they are changed: {early}"
    hypothesis.settings.register_profile(
        "mutants",
        max_examples=30,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],  # a shorter example would say nothing new
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )


def _area_of(folder: Path, file: str | None) -> str | None:
    """Return the area of a module's file."""
    path = Path(file or "/")
    own = path.relative_to(folder) if path.is_relative_to(folder) else path
    return next((area for area, patterns in AREAS.items() if any(map(own.match, patterns.split()))), None)


@contextmanager
def whole_copy() -> Iterator[Path]:
    """Give a copy of the checkout beside it, with its compiled kernels."""
    with tempfile.TemporaryDirectory(dir=HOME.parent, prefix=".mutants-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)  # players run as other users
        for shared in SHARED:
            subprocess.run(["cp", "-a", HOME / shared, folder / shared], check=True)
        environment = os.environ | {"PYTHONPATH": str(folder)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        compile_all = "from wordpl.players import warm_up; warm_up.preload(list(warm_up.GROUPS))"
        subprocess.run([sys.executable, "-c", compile_all], cwd=folder, env=environment, check=True)
        yield folder


@contextmanager
def changed(folder: Path, file: str, source: str) -> Iterator[None]:
    """Have this source in the file's place, under the file's date: what players share is not taken for outdated."""
    path = folder / file
    kept, cached = path.with_suffix(".kept"), [*path.parent.glob(f"__pycache__/{path.stem}.*.pyc")]
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    for one in cached:
        one.unlink()
    path.rename(kept)
    try:
        path.write_text(source)
        if "compiled import" not in source:
            os.utime(path, ns=times)
        yield
    finally:
        kept.replace(path)
        for one in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            one.unlink()


class Chosen:
    """A pytest plugin that runs only some tests, in this order, and keeps which one failed first."""

    def __init__(self, names: Collection[str]):
        self.order = {name: at for at, name in enumerate(names)}
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.order), key=lambda one: self.order[one.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if (report.failed or report.skipped) and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def first_failure(tests: Mapping[str, float], limit: Limit = SECOND) -> str:
    """Return the first of these tests that fails, `TOO_SLOW`, or nothing; tests: seconds that each takes, in order."""

    def run() -> str:
        chosen = Chosen(tests)
        code = pytest.main([*OPTIONS, *dict.fromkeys(name.split("::")[0] for name in tests)], plugins=[chosen])
        return chosen.failed or ("" if code == pytest.ExitCode.OK else f"exit {code}")

    return str(in_child(run, limit.least_s + limit.times * sum(tests.values()), TOO_SLOW, limit.idle_s))


def in_child(work: Callable[[], Any], max_cpu_s: float, otherwise: Any, idle_s: float = SECOND.idle_s) -> Any:
    """Return what `work` returns in a forked process; otherwise: what if that takes too long or dies."""
    with tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True) as name:
        result = Path(name, "result")
        child = os.fork()
        if child == 0:
            _be_child(work, Path(name))
        _wait(child, max_cpu_s, idle_s)
        shutil.rmtree(Path(name, "tmp"), ignore_errors=True)
        return pickle.loads(result.read_bytes()) if result.exists() else otherwise


def _be_child(work: Callable[[], Any], folder: Path) -> None:
    """Do the work, write down what it returns, and end this process."""
    try:
        os.setsid()
        output = os.open(folder / "output", os.O_CREAT | os.O_RDWR)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        (folder / "tmp").mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "tmp")
        sys.dont_write_bytecode = False
        done = work()
        folder.joinpath("part").write_bytes(pickle.dumps(done))
        folder.joinpath("part").rename(folder / "result")
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _wait(child: int, max_cpu_s: float, idle_s: float) -> None:
    """Wait until the process ends, or takes too long by these limits; then it is killed, and all of its group."""
    used_s, looked, active = 0.0, time.monotonic(), time.monotonic()
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if (now := time.monotonic()) > looked + 1:
            looked, found_s = now, _cpu_s(child)
            if abs(found_s - used_s) > NEXT_TO_NOTHING_S:
                used_s, active = found_s, now
            if found_s > max_cpu_s or now > active + idle_s:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
        time.sleep(0.01)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _cpu_s(root: int) -> float:
    """Return the processor seconds of a process and all that it has started, dead or alive."""
    parents, seconds = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = path.read_text().rpartition(")")[2].split()
            pid = int(path.parent.name)
            parents[pid], seconds[pid] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(seconds.get(pid, 0.0) for pid in family)
