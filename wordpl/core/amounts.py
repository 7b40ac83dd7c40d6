"""Counts with their nouns, for messages."""


def amount(n: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun in the singular or plural.

    Args:
        n: The count.
        noun: The noun in the singular.
        nouns: The plural; "" appends an s to the singular.

    >>> amount(1, "game"), amount(12000, "game"), amount(0, "entry", "entries")
    ('1 game', '12,000 games', '0 entries')
    """
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"
