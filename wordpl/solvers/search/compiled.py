"""Compilation of the search's kernels; when any file in this folder changes, all of them are recompiled.

The kernels release the GIL, so that threads run in parallel.
"""

from pathlib import Path

from wordpl.kernels.compiled import bound_to_sources, compiler

FOLDER = Path(__file__).parent

kernel = bound_to_sources(FOLDER, nogil=True)

inner = bound_to_sources(FOLDER, nogil=True, no_cpython_wrapper=True)
"""A kernel that only kernels call; a wrapper for calls from Python would take as long to compile as the kernel."""

step = compiler(nogil=True, inline="always")
"""A function that is inlined into a kernel; a separate kernel would be compiled again for each caller.

Do not call it in loops over many guesses: passing an array increments its reference count, which takes longer than the
little work done with it.
"""
