"""The folder in which numba caches compiled kernels: beside their sources, or the user's if those are read-only.

An installation may be read-only, for example one that root made, and a service may have no home folder. Numba then has
no folder to choose, and fails.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, wraps
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from wordpl.core import paths

VARIABLE = "NUMBA_CACHE_DIR"
"""The environment variable from which numba, and every child process, takes the folder."""
is_player = False
"""Whether this process forks players or is one: they read the folder that the host has chosen, and choose none."""


@cache
def choose_folder() -> Path | None:
    """Choose the folder, tell numba and child processes, and return it.

    If the user has set NUMBA_CACHE_DIR, that is the folder.

    Returns:
        The folder, or None if no folder is writable: see `accept_read_only`.
    """
    if VARIABLE in os.environ:
        folder = Path(os.environ[VARIABLE])
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        return folder if os.access(folder, os.W_OK) else None
    if is_player:
        return None
    own = paths.PACKAGE / "__pycache__"
    if os.access(own if own.is_dir() else paths.PACKAGE, os.W_OK):
        return own
    chosen = next((folder for folder in _user_folders() if _is_usable(folder)), None)
    if chosen is not None:
        os.environ[VARIABLE] = str(chosen)
        if "numba" in sys.modules:  # which reads the environment when it is imported
            sys.modules["numba"].config.CACHE_DIR = str(chosen)
    return chosen


def _user_folders() -> Iterator[Path]:
    if os.getuid():  # the players of root may be another user, who cannot enter root's home folder
        with suppress(RuntimeError):  # there is no home folder
            yield paths.xdg_folder("cache") / "kernels"
    with suppress(FileNotFoundError):  # there is no temporary folder
        yield Path(gettempdir()) / f"wordpl-kernels-{os.getuid()}"


def _is_usable(folder: Path) -> bool:
    """Return whether this user can write to the folder, and nobody else, who could place code in it."""
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return False
    is_private = status.st_uid == os.geteuid() and not status.st_mode & 0o022
    return is_private and not folder.is_symlink() and os.access(folder, os.W_OK)


@cache
def accept_read_only() -> None:
    """Let numba read a cache that it cannot write to, and ignore what it cannot save.

    Before it loads a cached kernel, numba requires a writable cache folder, and raises an error if there is none. In a
    sandbox there is none: cached kernels are loaded, and others are compiled without being cached.
    """
    from numba.core import caching

    def accept(locator: Any) -> None:
        """Accept the folder even if it is not writable."""
        with suppress(OSError):
            Path(locator.get_cache_path()).mkdir(parents=True, exist_ok=True)

    library: Any = caching  # untyped, to patch what follows
    library._CacheLocator.ensure_cache_path = accept
    save = library.Cache.save_overload

    @wraps(save)
    def try_to_save(cache: Any, signature: Any, data: Any) -> None:
        with suppress(OSError):
            save(cache, signature, data)

    library.Cache.save_overload = try_to_save
