"""The files an entry consists of: a Python file, or a TOML file that says which program to run."""

import ast
import tomllib
from hashlib import sha256
from pathlib import Path

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.untrusted_text import sanitize_untrusted_text

PYTHON, PROGRAM = ".py", ".toml"
BUILD = "{build}"
EXAMPLE = 'game = "wordpl/1"\ncommand = ["node", "my_bot.js"]'


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a TOML file says of an entry that is a program of its own.

    Attributes:
        command: the program with its arguments
        build: the command that makes it, if it has to be made. In both, a word that names a file beside the TOML file
            means that file, and {build} the folder that is kept for what is built
    """

    game: str
    command: list[str]
    build: list[str] = []
    name: str = ""


def read_program(file: Path) -> Program:
    """Return what the file says.

    Raises:
        UserError: where it is no description of a program.
    """
    try:
        program = msgspec.convert(tomllib.loads(file.read_text()), Program)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UserError(
            f"{file.name}: {sanitize_untrusted_text(str(error), 300)}. It should say something like\n{EXAMPLE}"
        ) from None
    if not program.command:
        raise UserError(f"{file.name}: the command is empty. It should say something like\n{EXAMPLE}")
    return program


def beside(file: Path, word: str) -> Path | None:
    """Return the file beside the TOML file that a word of its commands names; None where it names none."""
    try:
        path = (file.parent / word).resolve()
        return path if path.is_file() and path.is_relative_to(file.parent.resolve()) else None
    except (OSError, ValueError):  # too long for a name, say
        return None


def parts(file: Path) -> list[Path]:
    """Return the file, and where it describes a program the files beside it that its commands name."""
    if file.suffix != PROGRAM:
        return [file]
    program = read_program(file)
    named = {beside(file, word) for word in [*program.build, *program.command]}
    return [file, *sorted(path for path in named if path is not None)]


def fills_cache(file: Path) -> bool:
    """Return whether the Python file says `CACHE = True`: its entries fill a cache, see `entry_caches`."""
    if file.suffix != PYTHON:
        return False
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # its player will say so
        return False
    return any(ast.dump(node) == _DECLARED for node in body)


def digest(file: Path) -> str:
    """Return the SHA-256, in hexadecimal, of a Python file's bytes; of a program's, that of the list of its parts'."""
    if file.suffix != PROGRAM:
        return sha256(file.read_bytes()).hexdigest()
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in parts(file)]
    return sha256("".join(lines).encode()).hexdigest()


_DECLARED = ast.dump(ast.parse("CACHE = True").body[0])
