"""Fixtures of all tests: word lists, players and strategies whose source is in the test."""

import gc
import os
import random
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.paths import HOME
from wordpl import games
from wordpl.cli import _output
from wordpl.core import apps, seeds, words
from wordpl.core.words import WordLists
from wordpl.games import game_class
from wordpl.players import shared_kernels
from wordpl.players.pool import PlayerPool
from wordpl.run.config import Limits, RunConfig
from wordpl.run.info import EntryInfo

PARTS = ("slow", "long", "browser")
"""Markers of tests that `pytest` without options skips."""
# Where bytecode is not kept, each pytest rewrites the assertions of all tests, and each process that a test starts
# compiles the package anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

os.fsync = lambda file: None  # no test needs what it wrote after a power cut; those of power cuts record the calls

collect_ignore = ["hostile/builds/attack.py"]  # a program that tests run, not a test module
CONFIG = RunConfig(timeout_s=0.3, enforced_s=0.3, warmup_s=0.6, memory_mb=512, limits=Limits(wall_s=1.0))
"""The limits of players in tests: small, so that tests of a limit are short."""

# No deadline, as the machine may be busy. The quick profile tries the same examples in each run, so that a commit
# passes or fails for what it changed; `--hypothesis-profile thorough`, as in .ci/long, tries more, and new ones.
for profile, n_examples in (("quick", 20), ("thorough", 200)):
    settings.register_profile(
        profile,
        max_examples=n_examples,
        derandomize=profile == "quick",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("quick")


@pytest.fixture(autouse=True, scope="module")
def forget_own_games() -> Iterator[None]:
    """Forget the games of hosts that the tests of a module have bound, which later ones would find."""
    before = games.names()
    yield
    for name in games.names():
        if name not in before:
            games.unbind(name)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files without tests of the selected part, as importing all files takes seconds in each process."""
    if not collection_path.match("test_*.py"):
        return None
    if not all(apps.is_installed(app) for app in apps_of(collection_path)):
        return True
    source, selected = collection_path.read_text(), config.option.markexpr
    if selected in PARTS:
        return f"pytest.mark.{selected}" not in source or None
    excluded = "|".join(part for part in PARTS if f"not {part}" in selected)
    if not excluded:
        return None
    if re.search(rf"^pytestmark = (\[\s*)?pytest\.mark\.({excluded})\b", source, re.M):
        return True
    mark, test = re.compile(rf"^@pytest\.mark\.({excluded})\b", re.M), re.compile(r"^(async )?def test_", re.M)
    return all(mark.search(block) for block in source.split("\n\n\n") if test.search(block)) or None


def apps_of(path: Path) -> set[str]:
    """Return the apps that a file of tests, or a helper that it imports, imports at its top."""
    source = path.read_text()
    helpers = re.findall(r"^from tests\.helpers\.(\w+) import", source, re.M)
    for names in re.findall(r"^from tests\.helpers import (.*)", source, re.M):
        helpers += names.split(", ")
    own = set(re.findall(r"^from wordpl\.apps\.(\w+)", source, re.M))
    return own.union(*(apps_of(HOME / "tests" / "helpers" / f"{name}.py") for name in helpers))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile shared kernels before the suite, or the first test of a fresh clone would have to compile them all."""
    gc.disable()  # until collection has imported everything, as none of that is garbage
    if session.config.getoption("numprocesses", None):
        shared_kernels.ensure_compiled()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in background jobs of a shell without job control
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep modules and tests out of every later garbage collection, each of which would visit a million objects."""
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Add the reasons of skipped tests, one a line, to the file that .ci/run names and shows at its end."""
    if path := os.environ.get("WORDPL_SKIPPED"):
        reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])]
        with Path(path).open("a") as file:
            file.writelines(f"{' '.join(reason.removeprefix('Skipped: ').split())}\n" for reason in reasons)


@pytest.fixture(scope="session", autouse=True)
def own_user_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep what commands remember about a user out of the folder of whoever runs the tests."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("user"))


@pytest.fixture(autouse=True)
def same_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each test find what any other one finds; one fixture, as there are thousands of tests.

    The seeds of its runs are drawn from its name, so that a statistical check fails always or never. No messages about
    slow steps are shown, as they depend on how busy the machine is. Signal handlers are restored, as an interrupted
    command ends with signals ignored.
    """
    monkeypatch.setattr(seeds, "secrets", _drawn_from(request.node.nodeid))
    monkeypatch.setattr(_output, "SILENT_S", 600.0)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in handlers.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef, request: pytest.FixtureRequest) -> Iterator[object]:
    """Draw the seeds of runs that several tests share from the name of their fixture."""
    if fixturedef.scope == "function":
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seeds, "secrets", _drawn_from(f"{request.node.nodeid} {fixturedef.argname}"))
        return (yield)


def _drawn_from(name: str) -> SimpleNamespace:
    generator = random.Random(name)
    return SimpleNamespace(
        token_bytes=generator.randbytes, token_hex=lambda n_bytes: generator.randbytes(n_bytes).hex()
    )


@pytest.fixture(scope="session")
def lists() -> WordLists:
    return words.load()


@pytest.fixture(scope="module")
def pool(lists: WordLists, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayerPool]:
    with PlayerPool(lists, tmp_path_factory.mktemp("pool")) as pool:
        yield pool


@pytest.fixture
def write_entry(tmp_path: Path) -> Callable[..., EntryInfo]:
    """Return a function that writes a strategy's file and returns its entry; the class is Bot by default."""

    def write(source: str, make: str = "Bot()", rules: str = "wordpl/1", name: str = "bot") -> EntryInfo:
        path = tmp_path / f"{name}.py"
        path.write_text(dedent(source))
        return EntryInfo(name, name, game_class(rules).facts, str(path), make, "", uses=[])

    return write
