"""Which modules are looked at for examples that run as tests: those that have one."""

from collections.abc import Generator
from pathlib import Path

import pytest

BOT = Path(__file__).parent / "wordpl" / "apps" / "league" / "bot"
"""Modules that import hikari, which takes a CPU second; their examples belong to the slow part."""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Drop what would look for examples where there are none: it imports, and that takes seconds in each process."""
    found = yield
    is_left_out = BOT in file_path.parents and "not slow" in parent.config.option.markexpr
    if found and b">>> " in file_path.read_bytes() and not is_left_out:
        return found
    return [one for one in found if type(one) is pytest.Module]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the examples of the slow part."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and BOT in item.path.parents:
            item.add_marker("slow")
