"""What can be pasted into Solve: a shared game, with or without its words, or rows of guesses and clues."""

import re

from wordpl.core.clue_notation import SQUARES
from wordpl.core.errors import UserError

_SQUARES = "".join(SQUARES)


def read(text: str, length: int) -> list[tuple[str, str]]:
    """Return the rows of a pasted text as (marks, word), the word "" where the text has none.

    A shared game with its heading, bare rows of coloured squares, and rows as `tares:....i` or `tares BBBBY` are read.

    Raises:
        UserError: for a text that has no such row, or a grid that contradicts its heading.

    >>> read("Wordle 226 2/6\\n\\n⬛🟨⬛⬛⬛\\n🟩🟩🟩🟩🟩", 5)
    [('.i...', ''), ('ccccc', '')]
    >>> read("tares:....i", 5)
    [('....i', 'tares')]
    """
    from wordpl.league import share_text  # not before something is pasted

    shares = [share for _, share in share_text.find(text) if share.rows]
    if shares:
        if shares[0].fault:
            raise UserError(f"the pasted game can't be right: {shares[0].fault}.")
        return list(shares[0].rows)
    rows = [row for line in text.replace("\ufe0f", "").splitlines() if (row := _row(line, length))]
    if not rows:
        raise UserError("nothing to read was pasted: copy a shared game, rows of squares, or rows as tares:....i.")
    return rows


def read_typed(text: str, guesses: frozenset[str]) -> tuple[str, str]:
    """Return a guess and its clue from a text as tares:....i. Raises UserError for what is none."""
    word = text.partition(":")[0]
    row = _row(text, len(word))
    if row is None or not word:
        raise UserError(f"{text[:40]!r} should be a guess and its clue, as in tares:....i or tares:BBBBY.")
    if row[1] not in guesses:
        raise UserError(f"{row[1]!r} is not among the {len(guesses):,} guesses.")
    return row[1], row[0]


def _row(line: str, length: int) -> tuple[str, str] | None:
    colon = re.fullmatch(rf"\s*([A-Za-z]{{{length}}}):([{_SQUARES}]{{{length}}})\s*", line)
    if colon:
        return "".join(SQUARES[square] for square in colon[2]), colon[1].lower()
    squares = re.search(rf"([{_SQUARES}]{{{length}}})\s*(?:\|\|)?\s*([A-Za-z]{{{length}}})?", line)
    if squares:
        return "".join(SQUARES[square] for square in squares[1]), (squares[2] or "").lower()
    typed = re.fullmatch(rf"\s*([A-Za-z]{{{length}}})\s*[:\s]\s*([.icBYG]{{{length}}})\s*", line)
    if typed:
        return typed[2].translate(str.maketrans("BYG", ".ic")), typed[1].lower()
    return None
