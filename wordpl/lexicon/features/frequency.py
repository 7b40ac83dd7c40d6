"""How often a word is used, bent at several heights, so that a straight model can follow a curve."""

from collections.abc import Sequence

from wordpl.lexicon import sources

SOURCES = (sources.WORDFREQ,)
LEAKAGE = "none: text of many kinds up to 2021, before most answers were published"
KNOTS = (1.5, 2, 2.5, 3, 3.5, 4, 5)


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return the zipf of each word, what it exceeds each knot by, and whether it is common to all kinds of text."""
    common = sources.common_words()
    return [{**bent("zipf", sources.zipf(word), KNOTS), "common": word in common} for word in words]


def bent(name: str, value: float, knots: Sequence[float]) -> dict[str, float]:
    """Return the value, whether it is nothing, and what it exceeds each knot by."""
    return {name: value, f"no_{name}": value == 0, **{f"{name}_over_{knot}": max(0, value - knot) for knot in knots}}
