"""Sanitizing untrusted text before it is shown or stored."""

import re

COMMAND = re.compile(r"::(?=[\w-])|##(?=\w*\[)")
"""Markers of workflow commands in the logs of CI services, such as `::error::` and `##[group]`."""


def sanitize_untrusted_text(text: str, most: int, keep: str = "") -> str:
    """Return the start of a text with its control characters replaced by "?".

    Workflow commands of CI services are broken up by a "?" too.

    Args:
        text: The untrusted text.
        most: The maximum number of characters to return.
        keep: Control characters to keep.

    >>> sanitize_untrusted_text("a\\x1b[31m name", 8)
    'a?[31m n'
    >>> sanitize_untrusted_text("::error::all is lost ##[group]", 80)
    ':?error:?all is lost #?[group]'
    """
    shown = "".join(one if one.isprintable() or one in keep else "?" for one in text[:most])
    return COMMAND.sub(lambda mark: f"{mark[0][0]}?", shown)
