"""Unambiguous names for the board, even if entries choose names that look alike."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from pathlib import PurePath

from wordpl.core import paths
from wordpl.core.records import EntryInfo
from wordpl.players import bundled
from wordpl.strategy import MAX_NAME_CHARACTERS

MAX_MARK_CHARACTERS = 60
"""The maximum length of a file name in a mark; longer paths are truncated at the start."""
_LATIN_LOOKALIKES = str.maketrans(
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u0501\u04bb\u051b\u051d\u0432\u043a\u043c\u043d\u0442"
    "\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c4\u03c5\u03c7\u03b2\u03b7\u03bc\u03b5\u0131\u217c0|1",
    "aceopxyijsdhqwbkmhtaopviktuxbnueiloll",
)
"""Lower-case letters of other scripts, and signs, that look like Latin letters."""
_SIGN_LOOKALIKES = str.maketrans('`";:,_[]{}', "''...-()()")
"""Signs that look alike."""


def distinct_names(entries: Sequence[EntryInfo]) -> list[str]:
    """Return a name for each entry.

    The file is appended to a name that looks like that of an entry from another file, or that has non-ASCII letters. If
    exactly one of the entries with such a name is bundled, it keeps its name.
    """
    names = [entry.name for entry in entries]
    files = {entry.file for entry in entries}
    marked: set[int] = set()
    while clashing := [index for index in _clashing(names, entries) if index not in marked]:
        for index in clashing:
            mark = f" [{_mark(entries[index].file, files)}]"
            names[index] = names[index][: MAX_NAME_CHARACTERS - len(mark)] + mark
        marked.update(clashing)  # a marked name may look like another entry's name
    return names


def appearance(name: str) -> str:
    """Return a normalized form of a name, equal for names that look alike: without accents, case and spaces.

    >>> appearance("N\u0413u\u0435ss (2)") == appearance("nGuess(2)")
    False
    >>> appearance("NGu\u0435ss (2)") == appearance("nGuess(2)")
    True
    """
    plain = _letters(name).translate(_LATIN_LOOKALIKES).translate(_SIGN_LOOKALIKES).replace("i", "l")
    plain = re.sub(r"([-.'])\1+", r"\1", plain)  # their number is hard to see
    return plain.replace("rn", "m").replace("vv", "w").replace("cl", "d")


def _letters(name: str) -> str:
    """Return the name in lower case, without accents, spaces and invisible characters."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(sign for sign in plain if not (sign.isspace() or unicodedata.category(sign) in ("Mn", "Me", "Cf")))


def _clashing(names: Sequence[str], entries: Sequence[EntryInfo]) -> list[int]:
    """Return the indices of names that look like that of an entry from another file, or have non-ASCII letters."""
    files: dict[str, set[str]] = {}
    for name, entry in zip(names, entries, strict=True):
        files.setdefault(appearance(name), set()).add(entry.file)
    keeps = {look: _only_bundled(alike) for look, alike in files.items()}
    looks = [appearance(name) for name in names]
    return [
        index
        for index, look in enumerate(looks)
        if (len(files[look]) > 1 or not _letters(names[index]).isascii()) and entries[index].file != keeps[look]
    ]


def _only_bundled(files: Collection[str]) -> str | None:
    """Return the only bundled file among these; None unless there is exactly one."""
    bundled_files = [file for file in files if bundled.is_bundled(paths.find_file(file))]
    return bundled_files[0] if len(bundled_files) == 1 else None


def _mark(file: str, others: Collection[str]) -> str:
    """Return the end of a path in ASCII, with at least two parts and as many as distinguish it from other paths."""
    parts = PurePath(file).parts
    different = [PurePath(other).parts for other in others if other != file]
    n_parts = next((n for n in range(2, len(parts)) if all(parts[-n:] != path[-n:] for path in different)), len(parts))
    return ascii("/".join(parts[-n_parts:]))[1:-1][-MAX_MARK_CHARACTERS:]
