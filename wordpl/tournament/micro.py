"""Micro points, which reward each guess of a puzzle for the information it reveals.

The total in the published rules' own example (secret YEAST) follows from no consistent interpretation of the rules. The
default interpretation here counts repeated letters as Wordle does, and counts a grey tile only if the letter does not
occur in the secret at all.
"""

from collections.abc import Sequence

from wordpl.core.clues import anywhere, counted
from wordpl.tournament.rules import MicroPoints

GREY, YELLOW, GREEN = ".ic"
Tile = tuple[str, int | str] | tuple[str, int, str]
"""The information in a tile: (green, place), (yellow, place, letter) or (grey, letter)."""
CLUES = {"classic": counted, "naive": anywhere}


def micro_points(guesses: Sequence[str], secret: str, rules: MicroPoints) -> list[float]:
    """Return the micro points of each guess of a puzzle, in order.

    >>> from wordpl.tournament.rules import load_rules
    >>> micro_points(["state", "steak", "meats", "beast", "feast", "least"], "yeast", load_rules().micro_points)
    [11.0, 5.0, 10.0, 11.0, 1.0, 1.0]
    """
    seen: set[Tile] = set()
    found = []
    for guess in guesses:
        points = 0.0
        for tile in _tiles(guess, secret, rules):
            points += _points(tile, tile not in seen, rules)
            seen.add(tile)
        found.append(points)
    return found


def _tiles(guess: str, secret: str, rules: MicroPoints) -> list[Tile]:
    """Return the tiles of a guess that may score points."""
    found: list[Tile] = []
    for place, (letter, mark) in enumerate(zip(guess, CLUES[rules.duplicates](guess, secret), strict=True)):
        if mark == GREEN:
            found.append((GREEN, place))
        elif mark == YELLOW:
            found.append((YELLOW, place, letter))
        elif rules.grey_for != "absent_only" or letter not in secret:
            found.append((GREY, letter))
    return found


def _points(tile: Tile, is_new: bool, rules: MicroPoints) -> float:
    if tile[0] == GREY:
        return rules.grey if is_new or rules.grey_repeat == "each" else 0.0
    return (rules.yellow if tile[0] == YELLOW else rules.green) if is_new else 0.0
