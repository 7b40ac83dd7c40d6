"""Numbers of things in words."""


def amount(n: int, noun: str, nouns: str = "") -> str:
    """Return how many there are, in words.

    Args:
        n: How many.
        noun: What one is called.
        nouns: What several are called; "": with an s behind it.

    >>> amount(1, "game"), amount(12000, "game"), amount(0, "entry", "entries")
    ('1 game', '12,000 games', '0 entries')
    """
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"
