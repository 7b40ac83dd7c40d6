"""How the kernels of the search are compiled: all of them anew once any of their files has changed.

They run without Python's lock, so that threads run side by side.
"""

from pathlib import Path

from wordpl.core.compiled import bound_to_sources, compiler

FOLDER = Path(__file__).parent

kernel = bound_to_sources(FOLDER, nogil=True, no_cfunc_wrapper=True)

inner = bound_to_sources(FOLDER, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)
"""A kernel that only others call: what would hand it Python's values takes as long to compile as itself."""

step = compiler(nogil=True, inline="always")
"""A part of one kernel, put into it as if written there: a kernel of its own would be compiled again in each caller.

Not for loops over many guesses: an array that is handed over is counted as used once more, which takes longer than the
little that is done with it.
"""
