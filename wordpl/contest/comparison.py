"""Whether a game that is played again goes as before, as far as the machine lets both come."""

from enum import Enum

from wordpl.core.records import Record, Verdict

CUT_SHORT = (Verdict.LATE, Verdict.MEMORY, Verdict.FAULT, Verdict.UNPLAYED)
"""Verdicts in which the machine has a say: a game that ends so is judged by its moves up to there."""


class Comparison(Enum):
    """What a game shows when it is held against the same game in a fresh process."""

    SAME = "the same moves"
    CHANGED = "other moves"
    NOT_COMPARED = "cut short: nothing, or less than the game in the run, could be compared"


def compare(first: Record, again: Record) -> Comparison:
    """Return what a game shows when it is played again: the same moves, as far as the machine let both come.

    A repeat that was cut short before it had as many moves as the game shows nothing, nor does a game without moves.
    """
    if not (first.verdict in CUT_SHORT or again.verdict in CUT_SHORT):
        is_same = first.moves == again.moves and first.verdict == again.verdict
        return Comparison.SAME if is_same else Comparison.CHANGED
    if any(a != b for a, b in zip(first.moves, again.moves, strict=False)):
        return Comparison.CHANGED
    if len(again.moves) < len(first.moves) or not first.moves:
        return Comparison.NOT_COMPARED
    return Comparison.SAME


def alike(first: Record, again: Record) -> bool:
    """Return whether nothing in the two records of a game differs that could be compared."""
    return compare(first, again) != Comparison.CHANGED
