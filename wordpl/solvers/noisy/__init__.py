"""Solvers for games with noisy clues; `__all__` lists the public names."""

from typing import TYPE_CHECKING

from wordpl.core import lazy_getattr

if TYPE_CHECKING:
    from wordpl.solvers.noisy import clue_entropy, final_guess, information
    from wordpl.solvers.noisy.final_guess import next_guess

__all__ = ["clue_entropy", "final_guess", "information", "next_guess"]

_MODULES = ("clue_entropy", "final_guess", "information")

__getattr__ = lazy_getattr(
    __name__, {name: f"{__name__}.{name}" for name in _MODULES} | {"next_guess": f"{__name__}.final_guess"}
)
