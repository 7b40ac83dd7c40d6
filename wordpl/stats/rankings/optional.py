"""Rating libraries that not every user needs."""

from importlib import import_module
from types import ModuleType

from wordpl.core.errors import UserError


def library(module: str, ranking: str) -> ModuleType:
    """Return the library; raises UserError that says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise UserError(f'{ranking} needs the library {module}: pip install "wordpl[rankings]"') from None
