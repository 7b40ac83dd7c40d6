"""What is known about a word without asking whether it was an answer: one file for each set of features, found unasked.

A file has SOURCES, the libraries it asks; LEAKAGE, what its columns know of the answers; and `columns(words)`, which
returns a dict of numbers for each word. A set whose file is called NAME has the name NAME.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

from wordpl.core.errors import UserError
from wordpl.lexicon import LIGHT_FEATURES

if TYPE_CHECKING:
    import pandas as pd

    from wordpl.lexicon.sources import WordSource


def names() -> list[str]:
    """Return the names of the sets there are."""
    return sorted(module.name for module in iter_modules(__path__))


def find(name: str) -> ModuleType:
    """Return the set called `name`.

    Raises:
        UserError: where there is none.
    """
    if name not in names():
        raise UserError(f"there is no feature set {name!r}; there are {', '.join(names())}, or a file of word vectors.")
    return import_module(f"{__name__}.{name}")


def table(words: Sequence[str], sets: Sequence[str] = LIGHT_FEATURES) -> "pd.DataFrame":
    """Return the features of each word, float64, indexed by word; a column is called SET.NAME.

    Args:
        sets: names of feature sets, and paths of files of word vectors (see `vectors.columns`)
    """
    import pandas as pd  # a command's help does not need it

    parts = []
    for name in sets:
        rows = find("vectors").columns(words, Path(name)) if is_file(name) else find(name).columns(words)
        part = pd.DataFrame(rows, index=list(words), dtype=float).fillna(0.0)
        parts.append(part.add_prefix(f"{Path(name).stem}."))
    if not parts:
        raise UserError(f"no features were asked for; there are {', '.join(names())}.")
    return pd.concat(parts, axis=1)


def is_file(name: str) -> bool:
    """Return whether the name of a set is that of a file of word vectors."""
    return name not in names() and Path(name).is_file()


def sources(sets: Sequence[str]) -> "list[WordSource]":
    """Return the sources that these sets ask, each once."""
    found = [source for name in sets if not is_file(name) for source in find(name).SOURCES]
    return list(dict.fromkeys(found))
