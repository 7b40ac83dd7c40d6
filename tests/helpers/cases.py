"""Which cases of a test with many belong to the quick part."""

from collections.abc import Iterable
from typing import Any

import pytest


def one_quick_of(n: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases of a test; all but each n-th are marked as slow."""
    return [pytest.param(case, marks=pytest.mark.slow if number % n else ()) for number, case in enumerate(cases)]
