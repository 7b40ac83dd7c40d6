"""Boards of a game as a picture, for `render()`: coloured tiles with letters, without any library but numpy."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordpl.core.moves import Move

TILE, GAP, SCALE = 32, 4, 3
COLOURS = {".": (120, 124, 126), "i": (201, 180, 88), "c": (83, 141, 78), "": (211, 214, 218)}
PAPER, INK = (255, 255, 255), (255, 255, 255)
GLYPHS = {
    "a": "0e1111 1f111111", "b": "1e1111 1e11111e", "c": "0e1110 1010110e", "d": "1e1111 1111111e",
    "e": "1f1010 1e10101f", "f": "1f1010 1e101010", "g": "0e1110 1711110f", "h": "111111 1f111111",
    "i": "0e0404 0404040e", "j": "070202 0202120c", "k": "111214 18141211", "l": "101010 1010101f",
    "m": "111b15 15111111", "n": "111119 15131111", "o": "0e1111 1111110e", "p": "1e1111 1e101010",
    "q": "0e1111 1115120d", "r": "1e1111 1e141211", "s": "0f1010 0e01011e", "t": "1f0404 04040404",
    "u": "111111 1111110e", "v": "111111 11110a04", "w": "111111 1515150a", "x": "11110a 040a1111",
    "y": "111111 0a040404", "z": "1f0102 0408101f",
}  # fmt: skip
"""Letters of 5 x 7 dots: a byte for each row, whose lowest five bits are its dots."""

SQUARES = {".": "\x1b[97;100m", "i": "\x1b[30;43m", "c": "\x1b[97;42m", "": "\x1b[7m"}


def ansi(moves: Sequence[Move]) -> str:
    """Return the board as text for a terminal, with a line for each move; an answer without clues is inverted."""
    lines = []
    for move in moves:
        marks = move.clues or [""] * len(move.guess)
        tiles = (f"{SQUARES[mark]} {letter.upper()} \x1b[0m" for letter, mark in zip(move.guess, marks, strict=True))
        price = getattr(move, "epsilon", None)
        lines.append("".join(tiles) + ("" if price is None else f" {price:g}"))
    return "\n".join(lines)


def rgb(moves: Sequence[Move], n_rows: int, length: int) -> NDArray[np.uint8]:
    """Return the board as a picture, uint8[height, width, 3].

    Args:
        moves: The moves, of which the last `n_rows` are shown.
        n_rows: The number of rows.
        length: The number of letters of a word.
    """
    step = TILE + GAP
    picture = np.full((n_rows * step + GAP, length * step + GAP, 3), PAPER, np.uint8)
    shown = [*moves[-n_rows:]]
    for row in range(n_rows):
        move = shown[row] if row < len(shown) else None
        for place in range(length):
            top, left = row * step + GAP, place * step + GAP
            tile = picture[top : top + TILE, left : left + TILE]
            tile[:] = COLOURS[move.clues[place] if move and move.clues else ""]
            if move:
                _write(tile, move.guess[place])
    return picture


def _write(tile: NDArray[np.uint8], letter: str) -> None:
    rows = np.frombuffer(bytes.fromhex(GLYPHS[letter]), np.uint8)
    dots = np.unpackbits(rows[:, None], axis=1)[:, 3:].astype(bool)
    large = np.kron(dots, np.ones((SCALE, SCALE), bool)).astype(bool)
    top, left = (TILE - large.shape[0]) // 2, (TILE - large.shape[1]) // 2
    part = tile[top : top + large.shape[0], left : left + large.shape[1]]
    part[large] = INK if tile[0, 0, 0] < 211 else (0, 0, 0)
