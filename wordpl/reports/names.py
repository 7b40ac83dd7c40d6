"""Escapes names and other texts of contestants for each place where they are shown.

In the terminal, `shown` is enough if the text goes into a `rich.text.Text`, which does not interpret markup.
"""

import re
from ast import literal_eval
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wordpl.core.messages import sanitize_untrusted_text

MAX_CHARACTERS = 80
ENTITY = re.compile(r"[|\\`@$]|<(?![\s\d=])|&(?=#|\w+;)|#(?=\d)")
"""Characters that must become HTML entities, but not a < before a number; a # before a number would be an issue."""
LINK = re.compile(r":(?=//|[A-Za-z+-][\w+-]*:)|(?<=mailto):|(?<=xmpp):|(?<=www)\.", re.IGNORECASE)
"""Characters that turn the text around them into a link or an emoji."""
MARKUP = re.compile(r"(?<![^\W_])_|_(?![^\W_])|(?<=\S)\*|\*(?=\S)|^\*|[\[\]~]")
"""Characters that act as markup, but not an _ inside a word, nor a * between spaces."""
BLOCK = re.compile(r"^(?:#(?=#{0,5}(?:\s|$))|[-+](?=\s|$)|-(?=[-\s]*$)|=(?==*$)|>)|(?<=\s)#(?=#*$)")
"""The character that makes a heading, a list, a rule or a quote of a line, or ends a heading."""
NUMBER = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
"""What makes a numbered list of a line."""
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


def in_markdown(text: str, max_length: int = 200, *, begins_line: bool = True) -> str:
    """Return the text escaped for Markdown, so that it contains no markup, table separators, HTML or links.

    Ordinary names and sentences are not changed, so that the page is readable as plain text too. Spaces at the ends,
    which Markdown drops or takes for markup, are left out.

    Args:
        text: The text of a contestant.
        max_length: The most characters that are shown of it.
        begins_line: Whether it may begin a line, a list item or a quote, where it must not begin another block.

    >>> print(in_markdown("NGuess(n_guesses=3): it's 2 * 3"))
    NGuess(n_guesses=3): it's 2 * 3
    >>> print(in_markdown("_x_ <b>| http://a *b*"))
    \\_x\\_ &#60;b>&#124; http&#58;//a \\*b\\*
    >>> print(in_markdown("<1% & p > 0.5"))
    <1% & p > 0.5
    >>> print(in_markdown("1) # fast"), in_markdown("---"))
    1\\) # fast \\---
    """
    text = shown(text, max_length).strip()
    text = ENTITY.sub(lambda sign: f"&#{ord(sign[0])};", text)
    text = LINK.sub(lambda sign: f"&#{ord(sign[0])};", text)
    text = MARKUP.sub(lambda sign: f"\\{sign[0]}", text)
    return NUMBER.sub(r"\1\\\2", BLOCK.sub(r"\\\g<0>", text)) if begins_line else text


def in_csv(text: str) -> str:
    """Return the text so that a spreadsheet takes it for text: with an apostrophe before what would begin a formula.

    >>> print(in_csv("=1+1"), in_csv("Bot(1,@A1)"), in_csv("Bot(x=2, -3)"))
    '=1+1 Bot(1,'@A1) Bot(x=2, -3)
    """
    return FORMULA.sub(r"\g<0>'", sanitize_untrusted_text(str(text), 10_000))


CALL = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
ARGUMENT = re.compile(r"""\s*(\w+)=((?:'[^']*'|"[^"]*"|[^,'"()\[\]{}])+)(?:,|$)""")
Arguments = Mapping[str, str]


def labels(names: Iterable[str]) -> dict[str, str]:
    """Return a label for each name; a name whose label would be unclear keeps the whole name.

    Arguments that all entries of a class share are left out. Of the others, texts and one number are shown as they
    are, counts (`n_...`) with ×, and further numbers with the first letters of their names.

    >>> labels(["NGuess(epsilon=24.0, n_guesses=4)", "NGuess(epsilon=8.4, n_guesses=2)", "Entropy(width=3)"])
    {'NGuess(epsilon=24.0, n_guesses=4)': 'NGuess 24.0×4', 'NGuess(epsilon=8.4, n_guesses=2)': 'NGuess 8.4×2', \
'Entropy(width=3)': 'Entropy'}
    """
    names = list(dict.fromkeys(names))
    parsed = {name: _parsed(name) for name in names}
    classes: dict[str, list[Arguments]] = defaultdict(list)
    for call in parsed.values():
        if call is not None:
            classes[call[0]].append(call[1])
    found = {
        name: name if call is None else _label(call[0], call[1], classes[call[0]]) for name, call in parsed.items()
    }
    short = list(found.values())
    return {name: label if short.count(label) == 1 else name for name, label in found.items()}


def _parsed(name: str) -> tuple[str, Arguments] | None:
    """Return the class and the arguments of a name such as Bot(n=3, word='tares'); None if it is no such name."""
    call = CALL.fullmatch(name)
    if call is None:
        return None
    arguments, position = {}, 0
    while position < len(call[2]):
        argument = ARGUMENT.match(call[2], position)
        if argument is None:
            return None
        arguments[argument[1]] = argument[2].strip()
        position = argument.end()
    return call[1], arguments


def _label(of_class: str, arguments: Arguments, siblings: Sequence[Arguments]) -> str:
    differing = [name for name in arguments if len({sibling.get(name) for sibling in siblings}) > 1]
    texts: list[str] = []
    numbers: list[str] = []
    counts: list[str] = []
    for name in differing:
        value = arguments[name]
        if not re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", value):
            texts.append(_unquoted(value))
        elif name.startswith("n_"):
            counts.append(f"×{value}")
        else:
            numbers.append(value if not numbers else f"{_initials(name)}{value}")
    return (
        " ".join(filter(None, [of_class, *texts, *numbers[:1]]))
        + "".join(counts)
        + "".join(f" {further}" for further in numbers[1:])
    )


def _unquoted(value: str) -> str:
    try:
        return str(literal_eval(value))
    except (ValueError, SyntaxError):
        return value


def _initials(name: str) -> str:
    return "".join(part[0] for part in name.split("_") if part)
