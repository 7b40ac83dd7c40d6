"""The epsilons of a plan: whole multiples of one unit, so that their sum is never rounded above the budget."""

from math import floor

UNIT = 2.0**-20


def shifted(left: tuple[float, ...], part: float) -> tuple[float, ...]:
    """Return the epsilons with this part of the last spent on the first of them; their sum stays the same."""
    if not part:
        return left
    moved = floor(part * left[-1] / UNIT) * UNIT
    return left[0] + moved, *left[1:-1], left[-1] - moved
