"""The package's word lists and prior: files in a checkout, one compressed archive in an installed package.

The build of the package imports this module too, without any of the package's dependencies.
"""

import lzma
from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, log
from operator import itemgetter
from pathlib import Path
from typing import TypedDict

from wordpl.core import bounded, paths

HEADER = "word,probability\n"
LOG_STEP = 0.02
"""Numbers of a table are rounded to whole powers of e ** LOG_STEP, by at most 1%; none is known that precisely."""
FIRST_LETTER = ord("A")


class ArchivedFile(TypedDict):
    """A file of an archive, without its words.

    Numbers are written with a fixed number of digits and transposed: the first digits of all numbers, the second
    digits, and so on. Like digits side by side compress well.
    """

    remarks: str
    """The comments at the head of the file, and the header of a table."""
    order: list[str]
    """The alphabetic rank of each word, transposed; empty if the words are sorted."""
    numbers: list[str]
    """The exponent of each word's number, transposed, with the words ordered by letter; empty for a word list."""


class WordArchive(TypedDict):
    """The content of several word lists or tables, with each word once."""

    words: str
    """All words, sorted."""
    kinds: Sequence[Sequence[str]]
    """Each set of files that have a word in common; the i-th is denoted by the i-th letter from A on."""
    kind: str
    """For each word, the letter of the set of files that contain it."""
    files: dict[str, ArchivedFile]


def read_text(path: Path) -> str:
    """Return the text of a file, from the archive if it is one of the package's files and does not exist.

    Raises:
        OSError: The file does not exist or cannot be read.
        UnicodeDecodeError: The file is not text.
    """
    try:
        return bounded.read_text(bounded.WORD_LIST, path, encoding="utf-8-sig")
    except FileNotFoundError:
        archive = _package_archive()
        if archive and path.parent in (paths.DATA, paths.bundled()) and path.name in archive["files"]:
            return text(archive, path.name)
        raise


@cache
def _package_archive() -> WordArchive | None:
    """Return the archive of an installed package, or None in a checkout."""
    return unpack(paths.ARCHIVE.read_bytes()) if paths.ARCHIVE.is_file() else None


def pack(texts: Mapping[str, str]) -> bytes:
    """Return an archive of these files.

    Args:
        texts: The text of each file: comments, then either one word per line or a table of words and probabilities.

    Raises:
        ValueError: The archive would not reproduce the texts exactly.
    """
    files = {name: _split(content) for name, content in texts.items()}
    words = sorted({word for _, file_words, _ in files.values() for word in file_words})
    members = {name: frozenset(file_words) for name, (_, file_words, _) in files.items()}
    owners = [tuple(name for name in files if word in members[name]) for word in words]
    kinds = sorted(set(owners))
    letters = {kind: chr(FIRST_LETTER + i) for i, kind in enumerate(kinds)}
    archive: WordArchive = {
        "words": " ".join(words),
        "kinds": kinds,
        "kind": "".join(letters[owner] for owner in owners),
        "files": {},
    }
    for name, parts in files.items():
        archive["files"][name] = _archived(archive, name, *parts)
    if any(text(archive, name) != texts[name] for name in texts):
        raise ValueError(f"not all of {', '.join(texts)} are word lists or tables of words with their probabilities")
    import json  # a command's help does not need it

    return lzma.compress(json.dumps(archive).encode(), preset=9 | lzma.PRESET_EXTREME)


def unpack(packed: bytes) -> WordArchive:
    """Return the archive that `pack` returned as bytes; `text` reads files from it."""
    import json

    archive: WordArchive = json.loads(lzma.decompress(packed))
    return archive


def text(archive: WordArchive, name: str) -> str:
    """Return the text of a file of the archive.

    Raises:
        KeyError: The archive has no file of this name.
    """
    file = archive["files"][name]
    words, by_letter = _words_of(archive, name)
    if file["order"]:
        words = [words[int(rank)] for rank in _transposed(file["order"])]
    if file["numbers"]:
        exponents = dict(zip(by_letter, map(int, _transposed(file["numbers"])), strict=True))
        words = [f"{word},{_number(exponents[word])}" for word in words]
    return file["remarks"] + "\n".join([*words, ""])


def rounded(number: float) -> str:
    """Return a positive number as a table of words contains it.

    >>> rounded(0.25), rounded(1), rounded(1.2345e-05)
    ('0.252', '1', '1.24e-05')
    """
    return _number(_exponent(number))


def _words_of(archive: WordArchive, name: str) -> tuple[list[str], list[str]]:
    """Return the words of a file in alphabetic order, and again ordered by their letter in `kind`."""
    letters = {chr(FIRST_LETTER + i) for i, files in enumerate(archive["kinds"]) if name in files}
    pairs = [
        (word, letter)
        for word, letter in zip(archive["words"].split(), archive["kind"], strict=True)
        if letter in letters
    ]
    return [word for word, _ in pairs], [word for word, _ in sorted(pairs, key=itemgetter(1))]


def _exponent(number: float) -> int:
    return round(log(number) / LOG_STEP)


def _number(exponent: int) -> str:
    return f"{exp(exponent * LOG_STEP):.3g}"


def _split(text: str) -> tuple[str, list[str], list[float]]:
    """Return the comments with a table's header, the words, and the numbers of a table."""
    lines = text.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if not line.startswith("#") and line != HEADER), len(lines))
    rows = [line.rstrip("\n").split(",") for line in lines[first:]]
    return "".join(lines[:first]), [row[0] for row in rows], [float(row[1]) for row in rows if len(row) > 1]


def _archived(
    archive: WordArchive, name: str, remarks: str, words: Sequence[str], numbers: Sequence[float]
) -> ArchivedFile:
    """Return a file as the archive describes it besides its set of words."""
    in_order, by_letter = _words_of(archive, name)
    ranks = {word: f"{rank:05}" for rank, word in enumerate(in_order)}
    exponents = dict(zip(words, (f"{_exponent(number):+05}" for number in numbers), strict=False))
    return {
        "remarks": remarks,
        "order": [] if list(words) == in_order else _transposed([ranks[word] for word in words]),
        "numbers": _transposed([exponents[word] for word in by_letter]) if exponents else [],
    }


def _transposed(rows: Sequence[str]) -> list[str]:
    """Return the columns of rows of the same length; the columns of the columns are the rows again.

    >>> _transposed(["120", "345"])
    ['13', '24', '05']
    """
    return ["".join(column) for column in zip(*rows, strict=True)]
