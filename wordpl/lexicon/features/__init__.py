"""Features of words, one module per feature set; new modules are found automatically.

A module defines SOURCES, the libraries that it uses; LEAKAGE, what its columns reveal about the answers; and
`columns(words)`, which returns a dict of numbers for each word. The name of the module is the name of the set.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

from wordpl.core.messages import UserError
from wordpl.lexicon import LIGHT_FEATURES

if TYPE_CHECKING:
    import pandas as pd

    from wordpl.lexicon.sources import WordSource


def names() -> list[str]:
    """Return the names of all feature sets, sorted."""
    return sorted(module.name for module in iter_modules(__path__))


def find(name: str) -> ModuleType:
    """Return the module of the feature set with this name.

    Raises:
        UserError: There is no such set.
    """
    if name not in names():
        raise UserError(f"there is no feature set {name!r}: use {', '.join(names())}, or a file of word vectors.")
    return import_module(f"{__name__}.{name}")


def table(words: Sequence[str], sets: Sequence[str] = LIGHT_FEATURES) -> "pd.DataFrame":
    """Return the features as a table of float64 with one row per word and columns SET.NAME.

    Args:
        sets: Names of feature sets and paths of files of word vectors (see `vectors.columns`).
    """
    import pandas as pd  # a command's help does not need it

    parts = []
    for name in sets:
        rows = find("vectors").columns(words, Path(name)) if is_file(name) else find(name).columns(words)
        part = pd.DataFrame(rows, index=list(words), dtype=float).fillna(0.0)
        parts.append(part.add_prefix(f"{Path(name).stem}."))
    if not parts:
        raise UserError(f"no feature set was given: use {', '.join(names())}, or a file of word vectors.")
    return pd.concat(parts, axis=1)


def is_file(name: str) -> bool:
    """Return whether the name of a set is the path of a file of word vectors."""
    return name not in names() and Path(name).is_file()


def sources(sets: Sequence[str]) -> "list[WordSource]":
    """Return the sources that these sets use, without duplicates."""
    word_sources = [source for name in sets if not is_file(name) for source in find(name).SOURCES]
    return list(dict.fromkeys(word_sources))
