"""Using numba's cache in a sandbox, where it is read-only.

Before it loads a cached kernel, numba requires a writable cache folder, and raises an error if there is none. In a
sandbox there is none: cached kernels are loaded, and others are compiled without being cached.
"""

from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any


def use_read_only() -> None:
    """Let numba read a cache that it cannot write to, and ignore what it cannot save."""
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
