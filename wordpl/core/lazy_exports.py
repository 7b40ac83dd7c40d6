"""Lazy imports of a package's public names, so that importing the package itself is fast."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_getattr(package: str, sources: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module-level `__getattr__` for a package (PEP 562), which imports each name on first use.

    Args:
        package: The package's `__name__`.
        sources: For each public name, the module that defines it; for a module, that module itself. A module that
            defines its own name, such as a function `check` in `check.py`, stands for that.
    """

    def getattr_(name: str) -> Any:
        if name not in sources:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(sources[name])
        value = getattr(module, name, module) if sources[name].endswith(f".{name}") else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return getattr_
