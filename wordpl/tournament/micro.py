"""Micro points: what each guess of a puzzle finds out, as numbers.

The rules' own example (secret YEAST) claims a total that no consistent reading gives; the reading that is the default
here counts repeated letters as Wordle does, and a grey tile only for a letter that the secret does not have at all.
"""

from collections.abc import Sequence

from wordpl.core.clues import anywhere, counted
from wordpl.tournament.rules import MicroPoints

GREY, YELLOW, GREEN = ".ic"
Tile = tuple[str, int | str] | tuple[str, int, str]
"""What a tile shows: its mark, with the place, the letter or both."""
CLUES = {"classic": counted, "naive": anywhere}


def micro_points(guesses: Sequence[str], secret: str, rules: MicroPoints) -> list[float]:
    """Return the micro points of each guess of a puzzle, in turn.

    >>> from wordpl.tournament.rules import load_rules
    >>> micro_points(["state", "steak", "meats", "beast", "feast", "least"], "yeast", load_rules().micro_points)
    [11.0, 5.0, 10.0, 11.0, 1.0, 1.0]
    """
    seen: set[Tile] = set()
    return [sum((_tile(*tile, secret, rules, seen) for tile in _tiles(guess, secret, rules)), 0.0) for guess in guesses]


def _tiles(guess: str, secret: str, rules: MicroPoints) -> list[tuple[int, str, str]]:
    clues = CLUES[rules.duplicates](guess, secret)
    return [(place, letter, mark) for place, (letter, mark) in enumerate(zip(guess, clues, strict=True))]


def _tile(place: int, letter: str, mark: str, secret: str, rules: MicroPoints, seen: set[Tile]) -> float:
    if mark == GREY and rules.grey_for == "absent_only" and letter in secret:
        return 0.0
    tiles: dict[str, Tile] = {GREEN: (GREEN, place), YELLOW: (YELLOW, place, letter), GREY: (GREY, letter)}
    found = tiles[mark]
    is_new = found not in seen
    seen.add(found)
    if mark == GREY:
        return rules.grey if is_new or rules.grey_repeat == "each" else 0.0
    return (rules.yellow if mark == YELLOW else rules.green) if is_new else 0.0
