"""The files of an entry: a Python file, or a TOML file that describes a program, and its companion files.

Companions are modules and data files in the folder of the entry's file, which affect its moves as much as its code
does. A file is a companion if the entry's source mentions it, or if its name starts with the entry's, such as
my_bot.json.
"""

import ast
import re
import tomllib
from collections.abc import Container, Iterator, Mapping
from hashlib import file_digest, sha256
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from wordpl.core.errors import UserError
from wordpl.core.messages import sanitize_untrusted_text

PYTHON, PROGRAM = ".py", ".toml"
BUILD = "{build}"
EXAMPLE = 'game = "wordpl/1"\ncommand = ["node", "my_bot.js"]'
_CACHE_DECLARATION = ast.dump(ast.parse("CACHE = True").body[0])


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry that is a program rather than a Python file, as its TOML file describes it.

    In both commands, a word that names a file in the folder of the TOML file is replaced by the path of that file, and
    {build} by the path of the build folder.

    Attributes:
        game: The game that the program plays.
        command: The program with its arguments.
        build: The command that builds the program; empty if there is nothing to build.
        name: The entry's name on the board; "" to use the default.
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


def companions(file: Path, without: Container[Path] = ()) -> list[Path]:
    """Return the companions of an entry's file, and the companions of these; for a folder, all files below it.

    A module is mentioned if its name occurs in the source without its suffix.

    Args:
        file: The entry's file.
        without: Files that belong to other entries, which are never companions.
    """
    companion_files: dict[Path, None] = {}
    unread = [file]
    while unread:
        source = _source(unread.pop())
        for path in _mentioned(source, file) if source else ():
            if path not in companion_files and path not in without:
                companion_files[path] = None
                unread.append(path)
    return list(companion_files)


def companion_digests(file: Path) -> dict[str, str]:
    """Return the SHA-256 of each companion in hexadecimal, by its path relative to the folder of the entry's file.

    The digest of a companion that cannot be read is empty.
    """
    return {path.relative_to(file.parent).as_posix(): _digest(path) for path in sorted(companions(file))}


def changed_companions(file: Path, known: Mapping[str, str] | UnsetType) -> list[str]:
    """Return the names of the companions that have changed, disappeared or been added.

    Args:
        file: The entry's file.
        known: The digests from before, as returned by `companion_digests`; UNSET if they were not recorded.
    """
    if known is UNSET:
        return []
    digests = companion_digests(file)
    return [name for name in sorted(digests.keys() | known.keys()) if digests.get(name) != known.get(name)]


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as data:
            return file_digest(data, "sha256").hexdigest()
    except OSError:
        return ""


def _source(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.suffix in (PYTHON, PROGRAM) else b""
    except OSError:
        return b""


def _mentioned(source: bytes, file: Path) -> Iterator[Path]:
    for path in sorted(file.parent.iterdir()):
        if path == file or path.name == "__pycache__" or not (_shares_name(path, file) or _mentions(source, path)):
            continue
        mentioned = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (companion for companion in mentioned if companion.is_file())


def _shares_name(path: Path, file: Path) -> bool:
    ending = path.name.removeprefix(file.stem)
    return ending != path.name and ending[:1] in ("", ".", "_", "-") and path.suffix not in (PYTHON, PROGRAM)


def _mentions(source: bytes, path: Path) -> bool:
    name = path.stem if path.suffix == PYTHON else path.name
    word = name.encode()
    return word in source and re.search(rb"(?<![\w.-])" + re.escape(word) + rb"(?!\w)", source) is not None
