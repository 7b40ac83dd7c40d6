"""The files of an entry: a Python file, or a TOML file that describes a program to run."""

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
    """An entry that is a program rather than a Python file, as its TOML file describes it.

    In both commands, a word that names a file in the folder of the TOML file is replaced by the path of that file, and
    {build} by the path of the build folder.

    Attributes:
        game: the game that the program plays
        command: the program with its arguments
        build: the command that builds the program; empty if there is nothing to build
        name: the entry's name on the board; "" to use the default
    """

    game: str
    command: list[str]
    build: list[str] = []
    name: str = ""


def read_program(file: Path) -> Program:
    """Return the program that a TOML file describes.

    Raises:
        UserError: The file cannot be read, or is not the description of a program.
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


def sibling(file: Path, word: str) -> Path | None:
    """Return the file that a word of a command names in the folder of the TOML file; None if it names none."""
    try:
        path = (file.parent / word).resolve()
        return path if path.is_file() and path.is_relative_to(file.parent.resolve()) else None
    except (OSError, ValueError):  # for example, the word is too long for a file name
        return None


def source_files(file: Path) -> list[Path]:
    """Return the file and, if it describes a program, the files in its folder that its commands name."""
    if file.suffix != PROGRAM:
        return [file]
    program = read_program(file)
    named = {sibling(file, word) for word in [*program.build, *program.command]}
    return [file, *sorted(path for path in named if path is not None)]


def fills_cache(file: Path) -> bool:
    """Return whether a Python file declares `CACHE = True`, so that its entries fill a cache; see `entry_caches`."""
    if file.suffix != PYTHON:
        return False
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # its player will report it
        return False
    return any(ast.dump(node) == _CACHE_DECLARATION for node in body)


def digest(file: Path) -> str:
    """Return the SHA-256 of a Python file in hexadecimal; for a program, that of the `sha256sum` list of its files."""
    if file.suffix != PROGRAM:
        return sha256(file.read_bytes()).hexdigest()
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in source_files(file)]
    return sha256("".join(lines).encode()).hexdigest()


_CACHE_DECLARATION = ast.dump(ast.parse("CACHE = True").body[0])
