"""Who wrote an entry, and what it does: texts of its author, which are read without running the entry's code.

A Python file says it with `AUTHOR = "..."` and `LINK = "..."`, and with the docstring of its class or else its own. A
program says it with `author`, `link` and `description` in its TOML file.
"""

import ast
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from wordpl.core.errors import UserError
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.run.bundle import PROGRAM, Program, main_of, read_source

MAX_AUTHOR_CHARACTERS, MAX_LINK_CHARACTERS, MAX_DESCRIPTION_CHARACTERS = 60, 200, 200
LINK_SCHEMES = ("https://", "http://")


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the author of an entry says about it. Nobody has checked it.

    Attributes:
        author: The author's name; "" if it is not given.
        link: An address that begins with https:// or http://; "" if it is not given.
        description: One sentence; "" if it is not given.
    """

    author: str = ""
    link: str = ""
    description: str = ""

    @classmethod
    def of_texts(cls, author: Any, link: Any, description: Any) -> "About | UnsetType":
        """Return these texts on one line each, without what is not a text or not a link; UNSET if nothing is left."""
        link = _line(link, MAX_LINK_CHARACTERS)
        about = cls(
            _line(author, MAX_AUTHOR_CHARACTERS),
            link if link.startswith(LINK_SCHEMES) else "",
            _line(description, MAX_DESCRIPTION_CHARACTERS),
        )
        return UNSET if about == cls() else about

    @classmethod
    def of_file(cls, place: Path, make: str) -> "About | UnsetType":
        """Return what an entry's file says.

        Args:
            place: The file or folder of the entry.
            make: The expression that creates the strategy, such as "MyBot(5)" or "ENTRIES[0]".
        """
        try:
            main = place.parent / main_of(place.parent, place.name)
            if main.suffix == PROGRAM:
                program = Program.read(main)
                return cls.of_texts(program.author, program.link, program.description)
            module = ast.parse(read_source(main))
        except (UserError, OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # its player will report it
            return UNSET
        values = _assigned(module)
        classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
        class_ = classes.get(_class_of(make, values))
        description = (class_ and ast.get_docstring(class_)) or ast.get_docstring(module)
        author, link = (_text_of(values.get(name)) for name in ("AUTHOR", "LINK"))
        return cls.of_texts(author, link, description)

    @classmethod
    def of_object(cls, strategy: Any) -> "About | UnsetType":
        """Return what the module and the class of a strategy say."""
        kind = type(strategy)
        module = sys.modules.get(kind.__module__)
        own = kind.__doc__ or ""
        is_generated = own.startswith(f"{kind.__name__}(")  # by dataclass
        return cls.of_texts(getattr(module, "AUTHOR", ""), getattr(module, "LINK", ""), "" if is_generated else own)


def _line(text: Any, most: int) -> str:
    """Return the first line of a text without what a terminal would interpret; "" if it is not a text."""
    lines = text.strip().splitlines() if isinstance(text, str) else []
    return sanitize_untrusted_text(lines[0].strip(), most) if lines else ""


def _assigned(module: ast.Module) -> Mapping[str, ast.expr]:
    """Return what is assigned to each name at the top level of a module."""
    return {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _text_of(value: ast.expr | None) -> str:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _class_of(make: str, values: Mapping[str, ast.expr]) -> str:
    """Return the name of the class that an expression calls; "" if it is not obvious.

    >>> _class_of("ENTRIES[1]", _assigned(ast.parse("ENTRIES = [Bot(), Other(2)]")))
    'Other'
    """
    try:
        made = ast.parse(make.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    if isinstance(made, ast.Subscript) and isinstance(made.slice, ast.Constant):
        listed = values.get("ENTRIES")
        position = made.slice.value
        if isinstance(listed, ast.List | ast.Tuple) and isinstance(position, int) and position < len(listed.elts):
            made = listed.elts[position]
    return made.func.id if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) else ""
