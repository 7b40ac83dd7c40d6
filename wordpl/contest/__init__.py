"""Contests: one game, a run of many, official runs, and what an entry has to show."""

from wordpl.contest.contest import Contest
from wordpl.contest.observer import EntryProgress, Observer

__all__ = ["Contest", "EntryProgress", "Observer"]
