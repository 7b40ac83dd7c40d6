"""The scoring rules, one module each. Modules added to this folder are found automatically.

A module defines its scores as `SCORES = [...]`; modules without it contain shared code.
"""

from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from wordpl.stats.scores.means import LOSS_COST, MeanCost
from wordpl.stats.scores.score import Estimate, Score

__all__ = ["LOSS_COST", "Estimate", "Score", "main_score", "scores_for"]


@cache
def _scores() -> tuple[Score, ...]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return tuple(score for module in modules for score in getattr(module, "SCORES", ()))


def scores_for(measure: str, loss_cost: float = LOSS_COST) -> list[Score]:
    """Return the scores for games with this measure, including scores for all measures.

    Args:
        measure: The unit of the cost of a game: "budget", "guesses" or "tries".
        loss_cost: The cost of a lost game in the mean cost.
    """
    fitting = [score for score in _scores() if score.measure in (measure, None)]
    return [_with_loss(score, loss_cost) if isinstance(score, MeanCost) else score for score in fitting]


def _with_loss(score: MeanCost, loss_cost: float) -> MeanCost:
    return replace(score, loss_cost=loss_cost)


def main_score(measure: str) -> Score:
    """Return the score by which tables of games with this measure are sorted."""
    return next(score for score in scores_for(measure) if score.main)
