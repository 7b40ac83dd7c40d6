"""Selects installed fonts for names in any script, and replaces characters that no font covers.

A font covers a character if its character map contains it. Useful Debian packages are fonts-noto-core (most scripts),
fonts-noto-cjk or fonts-wqy-zenhei (Chinese, Japanese, Korean) and fonts-symbola (emoji as outlines).
"""

import unicodedata
from contextlib import suppress
from functools import cache

DEFAULT = "DejaVu Sans"
"""The font that matplotlib includes."""
PREFERRED = ("Noto Sans", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Unifont", "Symbola", "Noto")
UNUSABLE = ("Last Resort", "Adobe Blank", "Noto Color Emoji")
"""Fonts that are not usable, since they draw boxes or nothing."""
PLAIN_WEIGHTS = ("400", "500", "normal", "regular", "book", "medium")
EMOJI_NAME = "[{}]"
SELECTORS = frozenset("\u200d\ufe0e\ufe0f")
"""Joiners and variation selectors, which have no glyph."""
MAX_FAMILIES = 8


@cache
def installed() -> tuple[tuple[str, str], ...]:
    """Return the family and the file of each installed regular font, the preferred fonts first."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {one.fname for one in fontManager.ttflist}
    for file in sorted(set(findSystemFonts()) - known):  # matplotlib's cached list may be outdated
        with suppress(OSError, RuntimeError, KeyError, ValueError):  # an unsupported kind of font
            fontManager.addfont(file)
    found: dict[str, str] = {}
    for one in fontManager.ttflist:
        is_plain = one.style == "normal" and str(one.weight) in PLAIN_WEIGHTS
        if is_plain and not one.name.startswith(UNUSABLE):
            found.setdefault(one.name, one.fname)
    order = {name: at for at, name in enumerate((DEFAULT, *PREFERRED))}

    def rank(item: tuple[str, str]) -> tuple[int, str]:
        name = item[0]
        return next((at for known, at in order.items() if name == known or name.startswith(f"{known} ")), 99), name

    return tuple(sorted(found.items(), key=rank))


@cache
def characters(file: str) -> frozenset[int]:
    """Return the code points that a font file covers; empty if it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        font: FT2Font = FT2Font(file)
    except (OSError, RuntimeError):
        return frozenset()
    return frozenset(font.get_charmap())


def families_for(texts: list[str]) -> list[str]:
    """Return the installed font families that together cover these texts as far as possible, the default first."""
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
    """Return the text with characters that no installed font covers replaced by their names or code points.

    >>> drawable("a\\u200d", ["DejaVu Sans"])
    'a'
    """
    files = dict(installed())
    known = [characters(files[name]) for name in families or families_for([text]) if name in files]

    def replacement(one: str) -> str:
        if one.isspace() or any(ord(one) in characters for characters in known):
            return one
        if one in SELECTORS or unicodedata.combining(one):
            return ""
        name = unicodedata.name(one, "")
        is_short = name and unicodedata.category(one) in ("So", "Sk")
        return EMOJI_NAME.format(name.lower() if is_short else f"U+{ord(one):04X}")

    return "".join(replacement(one) for one in text if one not in SELECTORS)
