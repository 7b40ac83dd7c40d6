"""What all packages use, and lazy imports of their public names."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
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
        is_namesake = sources[name].endswith(f".{name}")
        value = getattr(module, name, module) if is_namesake else getattr(module, name)
        if is_namesake and isinstance(value, ModuleType):  # such as the module `search` of the package `search`
            value = module
        setattr(sys.modules[package], name, value)
        return value

    return getattr_
