"""Comparison of a game with its repetition, where either may have been cut short by the machine."""

from enum import Enum

from wordpl.core.records import Record, Verdict

CUT_SHORT = (Verdict.LATE, Verdict.MEMORY, Verdict.FAULT, Verdict.UNPLAYED)
"""Verdicts that depend on the machine; games that end with one are compared by the moves they have in common."""


class GameComparison(Enum):
    """The result of comparing a game with its repetition in a new process."""

    SAME = "the same moves"
    CHANGED = "other moves"
    NOT_COMPARED = "cut short: nothing, or less than the game in the run, could be compared"


def compare(first: Record, again: Record) -> GameComparison:
    """Compare a game with its repetition; if either was cut short, compare the moves that both have.

    The result is NOT_COMPARED if the repetition was cut short before it had as many moves as the game, or if the game
    has no moves.
    """
    if not (first.verdict in CUT_SHORT or again.verdict in CUT_SHORT):
        is_same = first.moves == again.moves and first.verdict == again.verdict
        return GameComparison.SAME if is_same else GameComparison.CHANGED
    if any(a != b for a, b in zip(first.moves, again.moves, strict=False)):
        return GameComparison.CHANGED
    if len(again.moves) < len(first.moves) or not first.moves:
        return GameComparison.NOT_COMPARED
    return GameComparison.SAME


def agree(first: Record, again: Record) -> bool:
    """Return whether two records of a game agree as far as they can be compared."""
    return compare(first, again) != GameComparison.CHANGED
