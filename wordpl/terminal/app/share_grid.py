"""Parses texts that are pasted into Solve: a shared game, with or without its words, or guesses with clues."""

import re

from wordpl.core.clues import SQUARES
from wordpl.core.errors import UserError

_SQUARES = "".join(SQUARES)


def read(text: str, length: int) -> list[tuple[str, str]]:
    """Return the rows of a pasted text as pairs (marks, word), with "" for rows without a word.

    The text may be a shared game with its heading, rows of coloured squares, or rows such as `tares:....i` or
    `tares BBBBY`.

    Raises:
        UserError: The text has no such row, or its grid contradicts its heading.

    >>> read("Wordle 226 2/6\\n\\n⬛🟨⬛⬛⬛\\n🟩🟩🟩🟩🟩", 5)
    [('.i...', ''), ('ccccc', '')]
    >>> read("tares:....i", 5)
    [('....i', 'tares')]
    """
    from wordpl.league import share_text  # imported only when needed

    shares = [found.game for found in share_text.find(text) if found.game.rows]
    if shares:
        if shares[0].fault:
            raise UserError(f"the pasted game is inconsistent: {shares[0].fault}.")
        return list(shares[0].rows)
    rows = [row for line in text.replace("\ufe0f", "").splitlines() if (row := _row(line, length))]
    if not rows:
        raise UserError("cannot read the pasted text: copy a shared game, rows of squares, or rows like tares:....i.")
    return rows


def read_typed(text: str, guesses: frozenset[str]) -> tuple[str, str]:
    """Return a guess and its clue from a text such as tares:....i. Raises UserError for an invalid text."""
    word = text.partition(":")[0]
    row = _row(text, len(word))
    if row is None or not word:
        raise UserError(f"{text[:40]!r} must be a guess with its clue, as in tares:....i or tares:BBBBY.")
    if row[1] not in guesses:
        raise UserError(f"{row[1]!r} is not one of the {len(guesses):,} allowed guesses.")
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
