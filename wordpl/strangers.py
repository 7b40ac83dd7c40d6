"""Text that strangers wrote, made fit to be shown and kept."""


def printable(text: str, most: int, keep: str = "") -> str:
    """Return at most `most` characters of the text, with ? for control characters other than those to keep.

    >>> printable("a\\x1b[31m name", 8)
    'a?[31m n'
    """
    return "".join(one if one.isprintable() or one in keep else "?" for one in text[:most])
