"""What the tests share: small word lists, and strategies written on the spot."""

import gc
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, settings

from wordpl.cli import _status_line
from wordpl.core import words
from wordpl.core.game_kinds import Measure
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import Limits, RunConfig
from wordpl.core.words import WordLists
from wordpl.players import shared_kernels
from wordpl.players.pool import PlayerPool

PARTS = ("slow", "long", "browser", "postgres")
"""The markers of tests that `pytest` alone leaves out."""
collect_ignore = ["hostile/builds/attack.py"]  # a program that tests start, not a module of tests
CONFIG = RunConfig(timeout_s=0.3, enforced_s=0.3, warmup_s=0.6, memory_mb=512, limits=Limits(wall_s=0.2))
"""What the tests' players may use: little, so that a test of a limit is short."""

# A busy machine makes no property false. `--hypothesis-profile thorough` tries more examples, as .ci/long does.
for profile, n_examples in (("quick", 20), ("thorough", 200)):
    settings.register_profile(
        profile, max_examples=n_examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over files without a test of the part that is run: importing all takes seconds in each process."""
    if not collection_path.match("test_*.py"):
        return None
    source, chosen = collection_path.read_text(), config.option.markexpr
    if chosen in PARTS:
        return f"pytest.mark.{chosen}" not in source or None
    left_out = "|".join(part for part in PARTS if f"not {part}" in chosen)
    if not left_out:
        return None
    if re.search(rf"^pytestmark = (\[\s*)?pytest\.mark\.({left_out})\b", source, re.M):
        return True
    mark, test = re.compile(rf"^@pytest\.mark\.({left_out})\b", re.M), re.compile(r"^(async )?def test_", re.M)
    return all(mark.search(block) for block in source.split("\n\n\n") if test.search(block)) or None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what players share before the whole suite runs: a fresh clone's first test would take the time of all."""
    gc.disable()  # until all is imported, as what is imported stays
    if session.config.getoption("numprocesses", None):
        shared_kernels.ensure_compiled()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell without job control starts what is in its back
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep modules and tests out of every later garbage collection, each of which would visit a million objects."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """Have the next test begin with the same signals: a command that was interrupted ends with them ignored."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def lists() -> WordLists:
    return words.load()


@pytest.fixture(scope="module")
def pool(lists: WordLists, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayerPool]:
    with PlayerPool(lists, tmp_path_factory.mktemp("pool"), shown=[tmp_path_factory.getbasetemp()]) as pool:
        yield pool


@pytest.fixture
def write_entry(tmp_path: Path) -> Callable[..., EntryInfo]:
    """Write a strategy's file and return it as an entry; its class is called Bot unless said otherwise."""

    def write(source: str, make: str = "Bot()", rules: str = "wordpl/1", name: str = "bot") -> EntryInfo:
        path = tmp_path / f"{name}.py"
        path.write_text(dedent(source))
        measure = Measure.BUDGET if rules.startswith("wordpl") else Measure.GUESSES
        return EntryInfo(name, name, rules, measure, str(path), make, "")

    return write


@pytest.fixture(autouse=True)
def no_status_lines(monkeypatch):
    """Keep messages about slow steps out of the output: whether they appear depends on how busy the machine is."""
    monkeypatch.setattr(_status_line, "SILENT_S", 600.0)
