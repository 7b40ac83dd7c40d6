"""A pytest plugin that prints the CPU time of each file and of the most expensive tests, child processes included.

Run `python -m pytest -p benchmarks.suite_cpu -n 0`; any other options are pytest's. Fixtures count for the test that
asks for them first.
"""

import os
from collections import Counter
from collections.abc import Iterator

import pytest

N_SHOWN = 40
_files: Counter[str] = Counter()
_tests: Counter[str] = Counter()


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
        used = cpu_s() - before
        _tests[item.nodeid] += used
        _files[item.nodeid.partition("::")[0]] += used


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the files and tests that took most."""
    total = sum(_tests.values())
    terminalreporter.section(f"{total:.1f} CPU s in {len(_tests)} tests, {cpu_s():.1f} in all")
    for times in (_files, _tests):
        for name, used in times.most_common(N_SHOWN):
            terminalreporter.write_line(f"{used:8.2f}  {name}")
        terminalreporter.write_line("")
