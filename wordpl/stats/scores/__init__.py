"""The scoring rules, one file each: a file put into this folder is found without being listed.

A module says `SCORES = [...]`, any number of them; a module without it is help for the others.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from wordpl.stats.scores.score import Estimate, Score

__all__ = ["Estimate", "Score", "main_score", "scores_for"]


@cache
def _scores() -> tuple[Score, ...]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return tuple(score for module in modules for score in getattr(module, "SCORES", ()))


def scores_for(measure: str) -> list[Score]:
    """Return the scores of games measured in "budget", "guesses" or "tries", those that suit both included."""
    return [score for score in _scores() if score.measure in (measure, None)]


def main_score(measure: str) -> Score:
    """Return the score that decides the order of a table."""
    return next(score for score in scores_for(measure) if score.main)
