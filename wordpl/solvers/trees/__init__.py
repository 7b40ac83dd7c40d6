"""Decision trees, which define a guess for every clue: reading, saving, checking, measuring and comparing them."""

from wordpl.solvers.trees.tree import (
    MAX_GUESSES,
    Tree,
    TreeCheck,
    TreeComparison,
    TreeTerms,
    check,
    compare,
    path_text,
)
from wordpl.solvers.trees.tree_files import TreeProvenance, as_text, load, packed, read_text, require_writable, save

__all__ = [
    "MAX_GUESSES",
    "Path",
    "Tree",
    "TreeCheck",
    "TreeComparison",
    "TreeProvenance",
    "TreeTerms",
    "as_text",
    "check",
    "compare",
    "load",
    "packed",
    "path_text",
    "read_text",
    "require_writable",
    "save",
]
