"""A search for the parameters of an entry."""

from wordpl.workbench.tune.tuner import TuneProgress, Tuner, TuneResult, TuneTerms

__all__ = ["TuneProgress", "TuneResult", "TuneTerms", "Tuner"]
