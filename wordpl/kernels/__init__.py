"""Compiled rules: the clue matrix, how kernels are compiled and cached, and how they are loaded."""
