"""Untrusted text, made fit to be shown and kept."""

import re

COMMAND = re.compile(r"::(?=[\w-])|##(?=\w*\[)")
"""How a line begins that a build service takes for a command of its own: `::error::`, `##[group]`."""


def sanitize_untrusted_text(text: str, most: int, keep: str = "") -> str:
    """Return at most `most` characters of the text, with ? for control characters other than those to keep.

    A ? also breaks up what the log of a build service would take for a command.

    >>> sanitize_untrusted_text("a\\x1b[31m name", 8)
    'a?[31m n'
    >>> sanitize_untrusted_text("::error::all is lost ##[group]", 80)
    ':?error:?all is lost #?[group]'
    """
    shown = "".join(one if one.isprintable() or one in keep else "?" for one in text[:most])
    return COMMAND.sub(lambda mark: f"{mark[0][0]}?", shown)
