"""Plays two entries on the same games until it is clear which one is better."""

from wordpl.workbench.match.match import Match, MatchObserver, MatchTerms
from wordpl.workbench.match.result import MatchResult, MatchVerdict

__all__ = ["Match", "MatchObserver", "MatchResult", "MatchTerms", "MatchVerdict"]
