"""Packages whose public names are imported when they are first used, so that importing the package costs nothing."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_getattr(package: str, sources: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    Args:
        package: its `__name__`
        sources: the module of each public name; for a name that is a module itself, that module
    """

    def getattr_(name: str) -> Any:
        if name not in sources:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(sources[name])
        value = module if sources[name].endswith(f".{name}") else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return getattr_
