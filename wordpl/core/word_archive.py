"""The word lists and tables of words that an installed package holds in one compressed file, each word once.

It imports nothing of wordpl: the build of the package uses it too.
"""

import json
import lzma
from collections.abc import Mapping, Sequence
from math import exp, log
from operator import itemgetter
from typing import Any

Archive = dict[str, Any]
HEADER = "word,probability\n"
STEP = 0.02
"""A table's numbers are rounded to whole powers of e ** STEP, by 1 % at most: less than any of them is known to."""
FIRST_KIND = ord("A")


def pack(texts: Mapping[str, str]) -> bytes:
    """Return an archive of these files.

    What is alike stands together: all words, then for each word the letter that says which files have it, then each
    digit of all numbers, those of words that are in the same files side by side.

    Args:
        texts: what each file holds: remarks, then words, one a line, or a table of words with their probabilities

    Raises:
        ValueError: unpacking it would not give exactly these texts.
    """
    files = {name: _split(held) for name, held in texts.items()}
    words = sorted({word for _, found, _ in files.values() for word in found})
    members = {name: frozenset(found) for name, (_, found, _) in files.items()}
    owners = [tuple(name for name in files if word in members[name]) for word in words]
    kinds = sorted(set(owners))
    letters = {kind: chr(FIRST_KIND + i) for i, kind in enumerate(kinds)}
    archive: Archive = {
        "words": " ".join(words),
        "kinds": kinds,
        "kind": "".join(letters[owner] for owner in owners),
    }
    archive["files"] = {name: _described(archive, name, *parts) for name, parts in files.items()}
    if any(text(archive, name) != texts[name] for name in texts):
        raise ValueError(f"not all of {', '.join(texts)} are word lists or tables of words with their probabilities")
    return lzma.compress(json.dumps(archive).encode(), preset=9 | lzma.PRESET_EXTREME)


def unpack(packed: bytes) -> Archive:
    """Return an archive, for `text` to read files from."""
    archive: Archive = json.loads(lzma.decompress(packed))
    return archive


def text(archive: Archive, name: str) -> str:
    """Return what a file of the archive holds.

    Raises:
        KeyError: it has no file of this name.
    """
    described = archive["files"][name]
    words, by_kind = _members(archive, name)
    if described["order"]:
        words = [words[int(rank)] for rank in _turned(described["order"])]
    if described["numbers"]:
        powers = dict(zip(by_kind, map(int, _turned(described["numbers"])), strict=True))
        words = [f"{word},{_number(powers[word])}" for word in words]
    return str(described["remarks"]) + "\n".join([*words, ""])


def _members(archive: Archive, name: str) -> tuple[list[str], list[str]]:
    """Return the words of a file, sorted, and again in the order of which other files have them."""
    having = {chr(FIRST_KIND + i) for i, kind in enumerate(archive["kinds"]) if name in kind}
    pairs = [
        (word, kind) for word, kind in zip(archive["words"].split(), archive["kind"], strict=True) if kind in having
    ]
    return [word for word, _ in pairs], [word for word, _ in sorted(pairs, key=itemgetter(1))]


def rounded(number: float) -> str:
    """Return a number above 0 as a table of words has it.

    >>> rounded(0.25), rounded(1), rounded(1.2345e-05)
    ('0.252', '1', '1.24e-05')
    """
    return _number(_power(number))


def _power(number: float) -> int:
    return round(log(number) / STEP)


def _number(power: int) -> str:
    return f"{exp(power * STEP):.3g}"


def _split(text: str) -> tuple[str, list[str], list[float]]:
    """Return the remarks, with a table's header, the words and their numbers."""
    lines = text.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if not line.startswith("#") and line != HEADER), len(lines))
    rows = [line.rstrip("\n").split(",") for line in lines[first:]]
    return "".join(lines[:first]), [row[0] for row in rows], [float(row[1]) for row in rows if len(row) > 1]


def _described(
    archive: Archive, name: str, remarks: str, words: Sequence[str], numbers: Sequence[float]
) -> dict[str, Any]:
    """Return what an archive says of a file beside which words it has."""
    in_order, by_kind = _members(archive, name)
    ranks = {word: f"{rank:05}" for rank, word in enumerate(in_order)}
    rows = dict(zip(words, (f"{_power(number):+05}" for number in numbers), strict=False))
    return {
        "remarks": remarks,
        "order": [] if list(words) == in_order else _turned([ranks[word] for word in words]),
        "numbers": _turned([rows[word] for word in by_kind]) if rows else [],
    }


def _turned(rows: Sequence[str]) -> list[str]:
    """Return the first characters of all rows, the second ones, and so on; twice, it returns the rows.

    >>> _turned(["120", "345"])
    ['13', '24', '05']
    """
    return ["".join(column) for column in zip(*rows, strict=True)]
