"""How often a word is used, with hinge features, so that a linear model can fit a curve."""

from collections.abc import Sequence

from wordpl.lexicon import sources

SOURCES = (sources.WORDFREQ,)
LEAKAGE = "none: text of many kinds up to 2021, before most answers were published"
KNOTS = (1.5, 2, 2.5, 3, 3.5, 4, 5)


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return hinge features of each word's Zipf frequency, and whether it is common in all kinds of text."""
    common = sources.common_words()
    return [{**hinge_features("zipf", sources.zipf(word), KNOTS), "common": word in common} for word in words]


def hinge_features(name: str, value: float, knots: Sequence[float]) -> dict[str, float]:
    """Return a value, whether it is 0, and its excess over each knot (0 below the knot)."""
    return {name: value, f"no_{name}": value == 0, **{f"{name}_over_{knot}": max(0, value - knot) for knot in knots}}
