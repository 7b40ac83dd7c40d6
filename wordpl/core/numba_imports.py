"""A quicker start for commands that need kernels and no more of numba."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

OPTIONAL = ("cffi", "coverage", "scipy")
"""What numba imports where it is installed, a quarter of a second or more; no kernel of ours uses any of it."""


@contextmanager
def without_optional() -> Iterator[None]:
    """Hide the packages that numba would import only because they are there, while its first kernel is loaded.

    For a process of our own: numba does without them in this process ever after, which other people's kernels may not.
    """
    hidden = [name for name in OPTIONAL if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: an import of it fails
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
