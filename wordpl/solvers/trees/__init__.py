"""Decision trees: what to guess after every clue, as values to be measured, saved, read, checked and compared."""

from wordpl.solvers.trees.checking import TreeCheck, TreeTerms, check, path_text
from wordpl.solvers.trees.comparing import TreeComparison, compare
from wordpl.solvers.trees.files import TreeProvenance, load, require_writable, save
from wordpl.solvers.trees.text import as_text, read_text
from wordpl.solvers.trees.tree import MAX_GUESSES, Path, Tree

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
