"""Companion files of an entry: modules and data files in its folder, which affect its moves as much as its code does.

A file is a companion if the entry's source mentions it, or if its name starts with the entry's, such as my_bot.json.
"""

import re
from collections.abc import Container, Iterator, Mapping
from hashlib import file_digest
from pathlib import Path

from msgspec import UNSET, UnsetType

from wordpl.core.entry_files import PROGRAM, PYTHON


def companions(file: Path, without: Container[Path] = ()) -> list[Path]:
    """Return the companions of an entry's file, and the companions of these; for a folder, all files below it.

    A module is mentioned if its name occurs in the source without its suffix.

    Args:
        file: The entry's file.
        without: Files that belong to other entries, which are never companions.
    """
    found: dict[Path, None] = {}
    unread = [file]
    while unread:
        source = _source(unread.pop())
        for path in _mentioned(source, file) if source else ():
            if path not in found and path not in without:
                found[path] = None
                unread.append(path)
    return list(found)


def digests(file: Path) -> dict[str, str]:
    """Return the SHA-256 of each companion in hexadecimal, by its path relative to the folder of the entry's file.

    The digest of a companion that cannot be read is empty.
    """
    return {path.relative_to(file.parent).as_posix(): _digest(path) for path in sorted(companions(file))}


def changed(file: Path, known: Mapping[str, str] | UnsetType) -> list[str]:
    """Return the names of the companions that have changed, disappeared or been added.

    Args:
        file: The entry's file.
        known: The digests from before, as returned by `digests`; UNSET if they were not recorded.
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


def _source(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.suffix in (PYTHON, PROGRAM) else b""
    except OSError:
        return b""


def _mentioned(source: bytes, file: Path) -> Iterator[Path]:
    for path in sorted(file.parent.iterdir()):
        if path == file or path.name == "__pycache__" or not (_shares_name(path, file) or _mentions(source, path)):
            continue
        yield from (one for one in (sorted(path.rglob("*")) if path.is_dir() else [path]) if one.is_file())


def _shares_name(path: Path, file: Path) -> bool:
    rest = path.name.removeprefix(file.stem)
    return rest != path.name and rest[:1] in ("", ".", "_", "-") and path.suffix not in (PYTHON, PROGRAM)


def _mentions(source: bytes, path: Path) -> bool:
    name = path.stem if path.suffix == PYTHON else path.name
    word = name.encode()
    return word in source and re.search(rb"(?<![\w.-])" + re.escape(word) + rb"(?!\w)", source) is not None
