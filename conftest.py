"""Which modules are looked at for examples that run as tests: those that have one."""

from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Drop what would look for examples where there are none: it imports, and that takes seconds in each process."""
    found = yield
    if found and b">>> " in file_path.read_bytes():
        return found
    return [one for one in found if type(one) is pytest.Module]
