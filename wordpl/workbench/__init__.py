"""Tools for the authors of strategies."""
