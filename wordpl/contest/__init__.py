"""Contests: playing single games, runs and official runs, and checking entries."""

from typing import TYPE_CHECKING

from wordpl.core import lazy_getattr

if TYPE_CHECKING:
    from wordpl.contest.contest import Contest
    from wordpl.contest.runner import EntryProgress, Observer

__all__ = ["Contest", "EntryProgress", "Observer"]
_SOURCES = {
    "Contest": "wordpl.contest.contest",
    "EntryProgress": "wordpl.contest.runner",
    "Observer": "wordpl.contest.runner",
}
__getattr__ = lazy_getattr(__name__, _SOURCES)
