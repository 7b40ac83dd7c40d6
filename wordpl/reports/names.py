"""Escapes names and other texts of contestants for each place where they are shown.

In the terminal, `shown` is enough if the text goes into a `rich.text.Text`, which does not interpret markup.
"""

import re

from wordpl.core.messages import sanitize_untrusted_text

MAX_CHARACTERS = 80
ENTITY = re.compile(r"[|\\`@$]|<(?![\s\d=])|&(?=#|\w+;)|^\s*>(?!\d+(?:\.\d+)?%)")
"""Characters that must become HTML entities, but not a < before a number, nor the > of >99%."""
LINK = re.compile(r":(?=//|[A-Za-z+-][\w+-]*:)|(?<=mailto):|(?<=xmpp):|(?<=www)\.", re.IGNORECASE)
"""Characters that turn the text around them into a link or an emoji."""
MARKUP = re.compile(r"(?<![^\W_])_|_(?![^\W_])|(?<=\S)\*|\*(?=\S)|^\*|[\[\]~]")
"""Characters that act as markup, but not an _ inside a word, nor a * between spaces."""
FORMULA = re.compile(r"(^\s*|[,;\t]\s*)(?=[=+@＝＋－＠]|-(?!\d))|^\s*(?=-)")
"""Positions at which a spreadsheet would start a formula: at the start, and after a separator."""


def shown(name: str, max_length: int = MAX_CHARACTERS) -> str:
    """Return the name on one line, without control characters, cut to `max_length` characters.

    >>> shown("two\\nlines")
    'two?lines'
    """
    name = str(name)
    if len(name) <= max_length:
        return sanitize_untrusted_text(name, max_length)
    return sanitize_untrusted_text(name, max_length - 1) + "…"


def in_markdown(text: str, max_length: int = 200) -> str:
    """Return the text escaped for Markdown, so that it contains no markup, table separators, HTML or links.

    Ordinary names and sentences are not changed, so that the page is readable as plain text too.

    >>> print(in_markdown("NGuess(n_guesses=3): it's 2 * 3"))
    NGuess(n_guesses=3): it's 2 * 3
    >>> print(in_markdown("_x_ <b>| http://a *b*"))
    \\_x\\_ &#60;b>&#124; http&#58;//a \\*b\\*
    >>> print(in_markdown("<1% & p > 0.5"))
    <1% & p > 0.5
    """
    text = ENTITY.sub(lambda sign: "".join(f"&#{ord(character)};" for character in sign[0]), shown(text, max_length))
    text = LINK.sub(lambda sign: f"&#{ord(sign[0])};", text)
    return MARKUP.sub(lambda sign: f"\\{sign[0]}", text)


def in_csv(text: str) -> str:
    """Return the text so that a spreadsheet takes it for text: with an apostrophe before what would begin a formula.

    >>> print(in_csv("=1+1"), in_csv("Bot(1,@A1)"), in_csv("Bot(x=2, -3)"))
    '=1+1 Bot(1,'@A1) Bot(x=2, -3)
    """
    return FORMULA.sub(r"\g<0>'", sanitize_untrusted_text(str(text), 10_000))
