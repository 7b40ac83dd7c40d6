"""Searches for the best parameters of an entry."""

from wordpl.workbench.tune.result import TuneResult
from wordpl.workbench.tune.tuner import TuneProgress, Tuner, TuneTerms

__all__ = ["TuneProgress", "TuneResult", "TuneTerms", "Tuner"]
