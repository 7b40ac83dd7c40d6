"""Importing optional rating libraries."""

from importlib import import_module
from types import ModuleType

from wordpl.core.errors import UserError


def library(module: str, ranking: str) -> ModuleType:
    """Return an optional library.

    Raises:
        UserError: It is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ImportError:
        raise UserError(f'{ranking} needs the library {module}: pip install "wordpl[rankings]"') from None
