"""Numba's cache in a sandbox: kernels compiled before are loaded, others are compiled and not kept.

Numba looks for a folder that it can write to before it even reads its cache. Where it finds none, as in a sandbox, it
refuses every function marked to be cached.
"""

from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any


def use_read_only() -> None:
    """Let numba read a cache that it cannot write to, and ignore what it cannot save."""
    from numba.core import caching

    def accept(locator: Any) -> None:
        """Take the folder as it is."""
        with suppress(OSError):
            Path(locator.get_cache_path()).mkdir(parents=True, exist_ok=True)

    library: Any = caching  # no types that allow what follows
    library._CacheLocator.ensure_cache_path = accept
    save = library.Cache.save_overload

    @wraps(save)
    def try_to_save(cache: Any, signature: Any, data: Any) -> None:
        with suppress(OSError):
            save(cache, signature, data)

    library.Cache.save_overload = try_to_save
