"""Analyses where an entry loses, from the records of a run."""

from wordpl.workbench.analyse.analysis import Analysis, analyse

__all__ = ["Analysis", "analyse"]
