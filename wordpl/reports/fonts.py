"""Fonts that the machine has for names in any script, and what is shown for what no font covers.

A font covers a character if its character map has it. Debian's packages: fonts-noto-core (most scripts),
fonts-noto-cjk or fonts-wqy-zenhei (Chinese, Japanese, Korean), fonts-symbola (emoji as outlines).
"""

import unicodedata
from contextlib import suppress
from functools import cache

DEFAULT = "DejaVu Sans"
"""Comes with matplotlib."""
PREFERRED = ("Noto Sans", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Unifont", "Symbola", "Noto")
BOXES = ("Last Resort", "Adobe Blank", "Noto Color Emoji")
"""Fonts that draw boxes for all characters, or nothing here."""
PLAIN_WEIGHTS = ("400", "500", "normal", "regular", "book", "medium")
EMOJI_NAME = "[{}]"
SELECTORS = frozenset("\u200d\ufe0e\ufe0f")
"""Joiners and variation selectors, which have no picture of their own."""
MAX_FAMILIES = 8


@cache
def installed() -> tuple[tuple[str, str], ...]:
    """Return family and file of each regular font of the machine, the preferred ones first."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {one.fname for one in fontManager.ttflist}
    for file in sorted(set(findSystemFonts()) - known):  # matplotlib's own list is of the day on which it was made
        with suppress(OSError, RuntimeError, KeyError, ValueError):  # a font of a kind that it cannot draw
            fontManager.addfont(file)
    found: dict[str, str] = {}
    for one in fontManager.ttflist:
        is_plain = one.style == "normal" and str(one.weight) in PLAIN_WEIGHTS
        if is_plain and not one.name.startswith(BOXES):
            found.setdefault(one.name, one.fname)
    order = {name: at for at, name in enumerate((DEFAULT, *PREFERRED))}

    def rank(item: tuple[str, str]) -> tuple[int, str]:
        name = item[0]
        return next((at for known, at in order.items() if name == known or name.startswith(f"{known} ")), 99), name

    return tuple(sorted(found.items(), key=rank))


@cache
def characters(file: str) -> frozenset[int]:
    """Return the code points that a font file has pictures for; none where it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        font: FT2Font = FT2Font(file)
    except (OSError, RuntimeError):
        return frozenset()
    return frozenset(font.get_charmap())


def families_for(texts: list[str]) -> list[str]:
    """Return the font families that together cover these texts as far as the machine can, the default first."""
    missing = {one for text in texts for one in text if not one.isspace() and one not in SELECTORS}
    found = [DEFAULT]
    for name, file in installed():
        if not missing or len(found) == MAX_FAMILIES:
            break
        covered = {one for one in missing if ord(one) in characters(file)}
        if covered:
            missing -= covered
            found += [] if name in found else [name]
    return found


def drawable(text: str, families: list[str] | None = None) -> str:
    """Return the text with what no font of the machine covers written out: by its name, or its number.

    >>> drawable("a\\u200d", ["DejaVu Sans"])
    'a'
    """
    files = dict(installed())
    known = [characters(files[name]) for name in families or families_for([text]) if name in files]

    def written(one: str) -> str:
        if one.isspace() or any(ord(one) in characters for characters in known):
            return one
        if one in SELECTORS or unicodedata.combining(one):
            return ""
        name = unicodedata.name(one, "")
        is_short = name and unicodedata.category(one) in ("So", "Sk")
        return EMOJI_NAME.format(name.lower() if is_short else f"U+{ord(one):04X}")

    return "".join(written(one) for one in text if one not in SELECTORS)
