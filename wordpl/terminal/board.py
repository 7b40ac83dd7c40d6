"""The board that is shown between two guesses: the rows so far, and what is known about each letter."""

from itertools import zip_longest

from rich.text import Text

from wordpl.contest.session import Session
from wordpl.core.clues import keep_probability
from wordpl.core.moves import Move, NoisyMove, noisy
from wordpl.terminal.screen import Screen

KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
UNKNOWN = "#ffffff on #767676"
OUT = "#767676"
SHADES = {
    0.9: "bold #000000 on #d787ff",
    0.5: "#000000 on #af87d7",
    0.2: "#ffffff on #5f5f87",
    0.02: "#ffffff on #3a3a3a",
    0.0: OUT,
}
"""The style of a letter, by the lowest probability with which it is in the secret."""
UNLIKELY = 0.02
N_NAMED = 4
GAP = 3
RESERVED_LINES = 10
"""The number of terminal lines that are not used for rows."""


def show(session: Session, screen: Screen) -> None:
    """Show the rows so far next to the keyboard; only the newest row if the output is not a terminal."""
    max_rows = max(3, screen.console.height - RESERVED_LINES) if screen.console.is_terminal else 1
    rows = [_row(move, screen) for move in session.moves_with_clues[-max_rows:]]
    if not session.is_exact:
        with screen.thinking():
            chances = session.letter_chances()
        _say_beside(rows, _shades(chances), screen)
        if session.verdict is None:
            screen.say(*_noisy_lines(session, chances, screen))
        return
    marks = session.best_marks()
    _say_beside(rows, _hues(marks, screen), screen)
    if not screen.is_coloured and session.verdict is None:
        screen.say(_marks_in_words(marks))


def _say_beside(rows: list[Text], styles: dict[str, str], screen: Screen) -> None:
    if screen.is_coloured:
        screen.say("", *_beside(rows, _keyboard(styles), screen.console.width))
    else:
        screen.say(*rows)


def _row(move: Move, screen: Screen) -> Text:
    row = screen.tiles(move.guess, move.clues)
    if isinstance(move, NoisyMove):
        row.append(f"  epsilon {move.epsilon:g}")
    return row


def _keyboard(styles: dict[str, str]) -> list[Text]:
    rows = []
    for indent, keys in enumerate(KEYS):
        tiles = [(f" {key.upper()} ", styles.get(key, UNKNOWN)) for key in keys]
        rows.append(Text.assemble(" " * 2 * indent, *tiles))
    return rows


def _shades(chances: dict[str, float]) -> dict[str, str]:
    return {
        letter: next(style for min_chance, style in SHADES.items() if p >= min_chance) for letter, p in chances.items()
    }


def _hues(marks: dict[str, str], screen: Screen) -> dict[str, str]:
    return {letter: OUT if mark == "." else screen.styles[mark] for letter, mark in marks.items()}


def _beside(left: list[Text], right: list[Text], width: int) -> list[Text]:
    """Return the lines of two blocks side by side, or one above the other if the width is too small."""
    inner = max(row.cell_len for row in left)
    if 2 + inner + GAP + max(row.cell_len for row in right) > width:
        return [Text.assemble("  ", row) for row in [*left, *right]]
    return [
        Text.assemble("  ", a, " " * (inner - a.cell_len + GAP), b)
        for a, b in zip_longest(left, right, fillvalue=Text())
    ]


def _noisy_lines(session: Session, chances: dict[str, float], screen: Screen) -> list[str]:
    (last_move,) = noisy(session.moves[-1:])
    meaning = "Brighter letters are more likely in the secret" if screen.is_coloured else "Most likely letters"
    ranked = sorted(chances, key=lambda letter: -chances[letter])
    likely = "  ".join(f"{letter.upper()} {share(chances[letter])}" for letter in ranked[:N_NAMED])
    lines = [
        f"  {price(last_move.epsilon, session.game.lists.length)}. Spent so far: {session.spent:g}.",
        f"  {meaning}: {likely}",
    ]
    if not screen.is_coloured:
        unlikely = "".join(sorted(letter.upper() for letter in chances if chances[letter] < UNLIKELY))
        lines += [f"  Letters below {UNLIKELY}: {unlikely}"] if unlikely else []
    return lines


def _marks_in_words(marks: dict[str, str]) -> str:
    groups = {"in place": "c", "in the secret": "i", "not in it": "."}
    letters = {
        name: "".join(sorted(key.upper() for key in marks if marks[key] == mark)) for name, mark in groups.items()
    }
    return "  letters " + ", ".join(f"{name}: {group}" for name, group in letters.items() if group)


def price(epsilon: float, length: int) -> str:
    """Return how reliable clues are at this epsilon.

    >>> price(8.0, 5)
    'Epsilon 8: each clue is true with probability 0.71'
    """
    return f"Epsilon {epsilon:g}: each clue is true with probability {share(keep_probability(epsilon, length))}"


def share(probability: float) -> str:
    """Return a probability with two digits; only exact values are shown as 0 or 1.

    >>> [share(p) for p in (0.7123, 0.9999, 0.001, 0.0, 1.0)]
    ['0.71', '>0.99', '<0.01', '0', '1']
    """
    if probability in (0, 1):
        return f"{probability:g}"
    return "<0.01" if probability < 0.005 else ">0.99" if probability > 0.995 else f"{probability:.2f}"
