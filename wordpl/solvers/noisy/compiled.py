"""How the kernels for noisy clues are compiled: all of them anew once any of their files has changed."""

from pathlib import Path

from wordpl.core.compiled import bound_to_sources

FOLDER = Path(__file__).parent

kernel = bound_to_sources(FOLDER)

float_kernel = bound_to_sources(FOLDER, error_model="numpy")
"""Divisions are not checked: x / 0 is infinite or NaN, and loops vectorize."""
