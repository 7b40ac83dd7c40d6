"""Decision trees, which say what to guess after each clue: measuring, saving, reading, checking and comparing them."""

from wordpl.solvers.trees.checking import TreeCheck, TreeTerms, check, shown
from wordpl.solvers.trees.comparing import Comparison, compare
from wordpl.solvers.trees.files import TreeProvenance, load, require_writable, save
from wordpl.solvers.trees.text import as_text, read_text
from wordpl.solvers.trees.tree import MAX_GUESSES, Path, Tree

__all__ = [
    "MAX_GUESSES",
    "Comparison",
    "Path",
    "Tree",
    "TreeCheck",
    "TreeProvenance",
    "TreeTerms",
    "as_text",
    "check",
    "compare",
    "load",
    "read_text",
    "require_writable",
    "save",
    "shown",
]
