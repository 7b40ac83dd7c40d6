"""Builds HTML from values, with all text escaped."""

from collections.abc import Iterable
from html import escape

from wordpl.core.messages import sanitize_untrusted_text

MAX_TEXT = 2000
VOID = frozenset({"input", "meta", "br", "line", "rect", "circle", "path", "polyline", "polygon"})


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


Content = str | int | Markup | Iterable["Content"] | None


def text(value: object, most: int = MAX_TEXT) -> Markup:
    """Return the value as escaped text without control characters.

    >>> text('<b>"1"</b>')
    '&lt;b&gt;&quot;1&quot;&lt;/b&gt;'
    """
    return Markup(escape(sanitize_untrusted_text(str(value), most)))


def element(tag: str, *content: Content, **attributes: str | int | float | bool | None) -> Markup:
    """Return an element.

    In the names of attributes, an underscore at the end is removed, and others become hyphens. True gives an attribute
    without a value; False and None give no attribute. Values of any length are kept if they are markup, such as the
    points of a line.

    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    written = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        written.append(
            f" {name}" if value is True else f' {name}="{value if isinstance(value, Markup) else text(value)}"'
        )
    head = f"<{tag}{''.join(written)}"
    if tag in VOID:
        return Markup(f"{head}>" if tag in ("input", "meta", "br") else f"{head}/>")
    return Markup(f"{head}>{joined(content)}</{tag}>")


def joined(content: Content) -> Markup:
    """Return the concatenated content; text that is not markup is escaped."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, str | int):
        return text(content)
    return Markup("".join(joined(part) for part in content))
