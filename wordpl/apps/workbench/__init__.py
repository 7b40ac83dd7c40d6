"""Tools for authors of strategies."""
