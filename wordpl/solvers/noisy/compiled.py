"""Compilation of the kernels for noisy clues; when any file in this folder changes, all of them are recompiled."""

from pathlib import Path

from wordpl.kernels.compiled import bound_to_sources

FOLDER = Path(__file__).parent

kernel = bound_to_sources(FOLDER)

float_kernel = bound_to_sources(FOLDER, error_model="numpy")
"""Like `kernel`, but divisions are not checked: x / 0 is infinite or NaN, and loops can be vectorized."""

inner = bound_to_sources(FOLDER, no_cpython_wrapper=True)
"""A kernel that only kernels call; a wrapper for calls from Python would take as long to compile as the kernel."""

inner_float = bound_to_sources(FOLDER, error_model="numpy", no_cpython_wrapper=True)
