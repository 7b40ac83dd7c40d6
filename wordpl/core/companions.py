"""The files beside an entry's own that belong to it: modules and tables, which decide its moves as much as its code.

They are those that it names, and those whose names begin with its own, such as my_bot.json.
"""

import re
from collections.abc import Container, Iterator, Mapping
from hashlib import file_digest
from pathlib import Path

from msgspec import UNSET, UnsetType

from wordpl.core.entry_files import PROGRAM, PYTHON


def companions(file: Path, without: Container[Path] = ()) -> list[Path]:
    """Return the files beside an entry's that belong to it, and those that these name; of a folder, all files below it.

    A module counts as named where its name stands in the text without its ending.

    Args:
        file: The entry's file.
        without: Files that belong to others, whatever names them.
    """
    found: dict[Path, None] = {}
    left = [file]
    while left:
        one = left.pop()
        text = _text(one)
        for path in _named(text, file) if text else ():
            if path not in found and path not in without:
                found[path] = None
                left.append(path)
    return list(found)


def digests(file: Path) -> dict[str, str]:
    """Return the SHA-256, in hexadecimal, of each companion of an entry's file, by its path from the file's folder.

    It is empty where the companion cannot be read.
    """
    return {path.relative_to(file.parent).as_posix(): _digest(path) for path in sorted(companions(file))}


def changed(file: Path, known: Mapping[str, str] | UnsetType) -> list[str]:
    """Return which companions of the entry's file differ from the known ones, are missing or new.

    Args:
        file: The entry's file.
        known: Their digests, as `digests` gives them; UNSET: nobody noted them.
    """
    if known is UNSET:
        return []
    found = digests(file)
    return [name for name in sorted(found.keys() | known.keys()) if found.get(name) != known.get(name)]


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as data:
            return file_digest(data, "sha256").hexdigest()
    except OSError:
        return ""


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.suffix in (PYTHON, PROGRAM) else b""
    except OSError:
        return b""


def _named(text: bytes, file: Path) -> Iterator[Path]:
    for path in sorted(file.parent.iterdir()):
        if path == file or path.name == "__pycache__" or not (_begins_alike(path, file) or _mentions(text, path)):
            continue
        yield from (one for one in (sorted(path.rglob("*")) if path.is_dir() else [path]) if one.is_file())


def _begins_alike(path: Path, file: Path) -> bool:
    rest = path.name.removeprefix(file.stem)
    return rest != path.name and rest[:1] in ("", ".", "_", "-") and path.suffix not in (PYTHON, PROGRAM)


def _mentions(text: bytes, path: Path) -> bool:
    name = path.stem if path.suffix == PYTHON else path.name
    word = name.encode()
    return word in text and re.search(rb"(?<![\w.-])" + re.escape(word) + rb"(?!\w)", text) is not None
