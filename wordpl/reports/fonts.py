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

    known_files = {font.fname for font in fontManager.ttflist}
    for file in sorted(set(findSystemFonts()) - known_files):  # matplotlib's cached list may be outdated
        with suppress(OSError, RuntimeError, KeyError, ValueError):  # an unsupported kind of font
            fontManager.addfont(file)
    files: dict[str, str] = {}
    for font in fontManager.ttflist:
        is_plain = font.style == "normal" and str(font.weight) in PLAIN_WEIGHTS
        if is_plain and not font.name.startswith(UNUSABLE):
            files.setdefault(font.name, font.fname)
    order = {name: place for place, name in enumerate((DEFAULT, *PREFERRED))}

    def rank(item: tuple[str, str]) -> tuple[int, str]:
        name = item[0]
        return next(
            (place for preferred, place in order.items() if name == preferred or name.startswith(f"{preferred} ")), 99
        ), name

    return tuple(sorted(files.items(), key=rank))


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
    missing_characters = {
        character for text in texts for character in text if not character.isspace() and character not in SELECTORS
    }
    families = [DEFAULT]
    for name, file in installed():
        if not missing_characters or len(families) == MAX_FAMILIES:
            break
        covered = {character for character in missing_characters if ord(character) in characters(file)}
        if covered:
            missing_characters -= covered
            families += [] if name in families else [name]
    return families


def drawable(text: str, families: list[str] | None = None) -> str:
    """Return the text with characters that no installed font covers replaced by their names or code points.

    >>> drawable("a\\u200d", ["DejaVu Sans"])
    'a'
    """
    files = dict(installed())
    covered_by_fonts = [characters(files[name]) for name in families or families_for([text]) if name in files]

    def replacement(character: str) -> str:
        if character.isspace() or any(ord(character) in font_characters for font_characters in covered_by_fonts):
            return character
        if character in SELECTORS or unicodedata.combining(character):
            return ""
        name = unicodedata.name(character, "")
        is_short = name and unicodedata.category(character) in ("So", "Sk")
        return EMOJI_NAME.format(name.lower() if is_short else f"U+{ord(character):04X}")

    return "".join(replacement(character) for character in text if character not in SELECTORS)
