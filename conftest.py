"""Which modules of the package are looked at for examples that run as tests: those that have one."""

from pathlib import Path


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass over modules without an example, as importing all takes seconds in each process of the suite."""
    if collection_path.suffix != ".py" or Path(__file__).parent / "wordpl" not in collection_path.parents:
        return None
    return b">>> " not in collection_path.read_bytes() or None
