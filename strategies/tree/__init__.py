"""What other strategies import from here."""

from strategies.tree.tree import ENTRIES, Tree

__all__ = ["ENTRIES", "Tree"]
