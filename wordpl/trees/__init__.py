"""Decision trees: what to guess after every clue, as values to be measured, saved, read, checked and compared."""

from wordpl.trees.checking import Check, Terms, check, shown
from wordpl.trees.comparing import Comparison, compare
from wordpl.trees.files import Provenance, load, save
from wordpl.trees.text import as_text, read_text
from wordpl.trees.tree import MOST_GUESSES, Path, Tree

__all__ = [
    "MOST_GUESSES",
    "Check",
    "Comparison",
    "Path",
    "Provenance",
    "Terms",
    "Tree",
    "as_text",
    "check",
    "compare",
    "load",
    "read_text",
    "save",
    "shown",
]
