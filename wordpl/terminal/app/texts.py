"""Formats numbers and names for the screens."""


def percent(share: float) -> str:
    """Return a share in percent; only exact values are shown as 0% or 100%.

    >>> [percent(share) for share in (0.1234, 0.9999, 0.0001, 0.0, 1.0)]
    ['12.3%', '>99.9%', '<0.1%', '0%', '100%']
    """
    if share in (0, 1):
        return f"{100 * share:.0f}%"
    return "<0.1%" if share < 0.0005 else ">99.9%" if share > 0.9995 else f"{100 * share:.1f}%"


def shortened(text: str, width: int) -> str:
    """Return the text in at most `width` characters, shortened in the middle since names often start alike.

    >>> shortened("MaxClueEntropy(epsilon=13.0)", 15)
    'MaxClue…n=13.0)'
    """
    if len(text) <= width:
        return text
    n_tail = max(0, width - 1) // 2
    return f"{text[: max(0, width - 1 - n_tail)]}…{text[len(text) - n_tail :]}"
