"""Decision trees, which define a guess for every clue: reading, saving, checking, measuring and comparing them."""

from wordpl.solvers.trees.checking import TreeCheck, TreeTerms, check, path_text
from wordpl.solvers.trees.files import TreeProvenance, load, require_writable, save
from wordpl.solvers.trees.text import as_text, read_text
from wordpl.solvers.trees.tree import MAX_GUESSES, Path, Tree, TreeComparison, compare

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
    "path_text",
    "read_text",
    "require_writable",
    "save",
]
