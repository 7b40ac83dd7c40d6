"""What tries with the same chance come to, exactly: scipy.stats has it too, and takes a second to import."""

from math import ceil


def least_hits(share: float, n: int, chance: float) -> int:
    """Return the least number of hits that n tries stay within with probability `share`; chance: of each to be a hit.

    >>> least_hits(0.95, 20, 0.5)
    14
    """
    from scipy.special import bdtr, bdtrik  # slow to import, and playing does not need it

    hits = min(max(0, ceil(bdtrik(share, n, chance))), n)
    while hits and bdtr(hits - 1, n, chance) >= share:  # the inverse may err in its last digits
        hits -= 1
    while bdtr(hits, n, chance) < share:
        hits += 1
    return hits
