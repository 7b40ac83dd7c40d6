"""The epsilons of a plan: integer multiples of a unit, so that rounding never makes their sum exceed the budget."""

from math import floor

UNIT = 2.0**-20


def shifted(left: tuple[float, ...], part: float) -> tuple[float, ...]:
    """Return the epsilons with a part of the last one moved to the first; their sum stays the same.

    Args:
        left: The epsilons.
        part: The part of the last epsilon to move; negative to move it the other way.
    """
    if not part:
        return left
    moved = floor(part * left[-1] / UNIT) * UNIT
    return left[0] + moved, *left[1:-1], left[-1] - moved
