"""What a player may read: Python and the system's libraries, the project's code, and the folder of its own file."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from wordpl.core.words import HOME

SETTINGS = ("ld.so.cache", "alternatives", "localtime", "ssl/openssl.cnf", "pki/tls/openssl.cnf")
SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", *(f"/etc/{name}" for name in SETTINGS))
FACTS = ("/sys/devices/system/cpu", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
PROJECT = ("wordpl", "strategies", "answers.txt", "valid.txt")


def interpreter() -> list[Path]:
    """Return where Python and its packages lie, and where compiled code is kept."""
    kept = [os.environ["NUMBA_CACHE_DIR"]] if "NUMBA_CACHE_DIR" in os.environ else []
    packages = [path for path in sys.path if path and Path(path).is_absolute() and not HOME.is_relative_to(path)]
    return _outermost(Path(path).resolve() for path in [sys.prefix, sys.base_prefix, *packages, *kept])


def project() -> list[Path]:
    """Return the parts of the project that players need; results are not among them."""
    return [HOME / name for name in PROJECT]


def beside(folder: Path, hidden: Iterable[Path]) -> Iterator[Path]:
    """Yield what stands in an entry's folder, without what holds something hidden."""
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return
    for path in found:
        if not any(one.is_relative_to(path) or path.is_relative_to(one) for one in hidden):
            yield path


def by_others(paths: Iterable[Path]) -> bool:
    """Return whether any user could read these paths, as far as the permissions on the way there tell."""
    return all(_is_open(path, 0o5 if path.is_dir() else 0o4) and _is_reached(path) for path in paths if path.exists())


def _is_reached(path: Path) -> bool:
    return all(_is_open(parent, 0o1) for parent in path.resolve().parents)


def _is_open(path: Path, rights: int) -> bool:
    return path.stat().st_mode & rights == rights


def _outermost(paths: Iterable[Path]) -> list[Path]:
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if path.exists() and not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept
