"""A pytest plugin that prints the CPU time of each file and of the most expensive tests, child processes included.

Run `python -m pytest -p tests.helpers.suite_cpu`; any other options are pytest's. Fixtures count for the test that
asks for them first. The time of a calibration loop, as in benchmarks/track.csv, tells how busy the machine is.
`WORDPL_SUITE_CPU=FILE` writes the times of all tests, in the order of the most expensive.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.track import calibration_s

N_SHOWN = 40
_tests: Counter[str] = Counter()
_processes: list[float] = []


def cpu_s() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure one test with its fixtures."""
    before = cpu_s()
    try:
        return (yield)
    finally:
        _tests[item.nodeid] += cpu_s() - before


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the times of a worker to the process that started it."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cpu_s"] = (dict(_tests), cpu_s())


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Take the times of a worker."""
    tests, all_s = getattr(node, "workeroutput", {}).get("cpu_s", ({}, 0.0))
    _tests.update(tests)
    _processes.append(all_s)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the files and tests that took most."""
    if not _tests:
        return
    files: Counter[str] = Counter()
    for name, used in _tests.items():
        files[name.partition("::")[0]] += used
    own_s = cpu_s()
    total_s = own_s if own_s > sum(_processes) else own_s + sum(_processes)  # workers that have ended are children
    terminalreporter.section(f"{sum(_tests.values()):.1f} CPU s in {len(_tests)} tests, {total_s:.1f} in all")
    terminalreporter.write_line(f"calibration loop {min(calibration_s() for _ in range(9)):.4f} s")
    for times in (files, _tests):
        for name, used in times.most_common(N_SHOWN):
            terminalreporter.write_line(f"{used:8.2f}  {name}")
        terminalreporter.write_line("")
    if path := os.environ.get("WORDPL_SUITE_CPU"):
        Path(path).write_text("".join(f"{used:.3f}  {name}\n" for name, used in _tests.most_common()))
