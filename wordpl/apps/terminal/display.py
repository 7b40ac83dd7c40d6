"""What the line-by-line game shows: coloured tiles, the board with what is known about each letter, and hints."""

import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import zip_longest
from math import log2

from rich.console import Console
from rich.text import Text

from wordpl.contest.session import (
    ANSWER_PROBABILITY,
    Session,
    absurdle_guess,
    best_allowed,
    most_informative,
    suggestion,
)
from wordpl.core.moves import Move, NoisyMove, budget_text

# Only colours of the 256-colour palette, so that terminals show them unchanged.
NORMAL = {"c": "bold #ffffff on #008700", "i": "bold #000000 on #d7af00", ".": "bold #ffffff on #4e4e4e"}
CONTRAST = {"c": "bold #000000 on #ff8700", "i": "bold #000000 on #87d7ff", ".": "bold #ffffff on #303030"}
EMOJI = {"c": "🟩", "i": "🟨", ".": "⬛"}
CONTRAST_EMOJI = {"c": "🟧", "i": "🟦", ".": "⬛"}


def _console() -> Console:
    """Return a console that prints texts without markup, and wraps lines only on a terminal."""
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # characters that the encoding lacks must not end a game
    console = Console(markup=False, emoji=False, highlight=False)
    console.soft_wrap = not console.is_terminal
    return console


@dataclass(frozen=True)
class Screen:
    """The terminal on which a person plays.

    Attributes:
        contrast: Use orange and blue tiles instead of green and yellow, as in Wordle's high-contrast mode.
    """

    contrast: bool = False
    console: Console = field(default_factory=_console)

    @property
    def is_coloured(self) -> bool:
        """Whether clues are shown as coloured tiles."""
        return self.console.is_terminal and bool(self.console.color_system) and not self.console.no_color

    @property
    def styles(self) -> dict[str, str]:
        """The style of a letter, by its mark."""
        return CONTRAST if self.contrast else NORMAL

    def say(self, *lines: str | Text, style: str = "") -> None:
        """Print these lines."""
        for line in lines:
            self.console.print(line, style=style)

    def cut(self, line: str) -> Text:
        """Return the line, cut to the width of a terminal, for the rows of a table."""
        text = Text(line)
        if self.console.is_terminal:
            text.truncate(self.console.width, overflow="ellipsis")
        return text

    def thinking(self) -> AbstractContextManager[object]:
        """Return a context that shows "thinking..." on a terminal."""
        return self.console.status("thinking...")

    def tiles(self, word: str, clues: str) -> Text:
        """Return a guess with its clue, as tiles or as marks."""
        if not self.is_coloured:
            return Text(f"{word}  {clues}")
        return Text.assemble(
            *((f" {letter.upper()} ", self.styles[mark]) for letter, mark in zip(word, clues, strict=True))
        )

    @property
    def squares(self) -> dict[str, str]:
        """The coloured squares for marks in share texts."""
        return CONTRAST_EMOJI if self.contrast else EMOJI


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


def show_board(session: Session, screen: Screen) -> None:
    """Show the rows so far next to the keyboard; only the newest row if the output is not a terminal."""
    max_rows = max(3, screen.console.height - RESERVED_LINES) if screen.console.is_terminal else 1
    rows = [_row(move, screen) for move in session.moves_with_clues[-max_rows:]]
    if not session.leaves_a_set:
        with screen.thinking():
            chances = session.letter_chances()
        _say_beside(rows, _shades(chances), screen)
        if session.verdict is None:
            screen.say(*_noisy_lines(session, chances, screen))
        return
    marks = session.best_marks()
    _say_beside(rows, {key: OUT if mark == "." else screen.styles[mark] for key, mark in marks.items()}, screen)
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
    last_move = session.moves[-1]
    if isinstance(last_move, NoisyMove):
        truth = f"{price(session, last_move.epsilon, last_move.clues)}. Spent so far: {budget_text(session.spent)}."
    else:
        truth = f"Each mark is true with probability {share(session.kept(last_move.clues))}."
    meaning = "Brighter letters are more likely in the secret" if screen.is_coloured else "Most likely letters"
    ranked = sorted(chances, key=lambda letter: -chances[letter])
    likely = "  ".join(f"{letter.upper()} {share(chances[letter])}" for letter in ranked[:N_NAMED])
    lines = [
        f"  {truth}",
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


def price(session: Session, epsilon: float, clues: str = "") -> str:
    """Return how reliable clues are at this epsilon, such as "Epsilon 8: each clue is true with probability 0.71"."""
    return f"Epsilon {epsilon:g}: each clue is true with probability {share(session.kept(clues, epsilon))}"


def share(probability: float) -> str:
    """Return a probability with two digits; only exact values are shown as 0 or 1.

    >>> [share(p) for p in (0.7123, 0.9999, 0.001, 0.0, 1.0)]
    ['0.71', '>0.99', '<0.01', '0', '1']
    """
    if probability in (0, 1):
        return f"{probability:g}"
    return "<0.01" if probability < 0.005 else ">0.99" if probability > 0.995 else f"{probability:.2f}"


N_WORDS = 6
N_CANDIDATES = 30
BAR = 24


def hints(session: Session) -> list[str]:
    """Return what is known from the clues, and a suggestion for the next move."""
    return classic_hints(session) if session.leaves_a_set else noisy_hints(session)


def noisy_hints(session: Session) -> list[str]:
    """Return the hints of a game whose clues may be false."""
    posterior = session.posterior()
    bits = posterior.bits
    ranked = posterior.top(N_WORDS)
    lines = [f"{bits:.1f} bits left, as with {2**bits:,.0f} equally likely words. Most likely:"]
    for word, probability in ranked:
        lines.append(f"  {word}  {probability:.3f}  {'▪' * round(BAR * probability)}".rstrip())
    if not session.has_epsilon:
        guess, gain = most_informative(session, posterior)
        return [*lines, f"Suggested: {guess}, {f'{gain:.1f} bits expected' if gain else 'the answer'}."]
    best, probability = ranked[0]
    if probability >= ANSWER_PROBABILITY:
        return [
            *lines,
            f"Suggested: !{best}, right with probability {share(probability)}. Another guess is not worth its price.",
        ]
    move = suggestion(session.game, posterior)
    is_all = move.n_rated == len(session.game.lists.guesses)
    among = ("all" if is_all else "the most likely") + f" {move.n_rated:,} words"
    return [
        *lines,
        f"Suggested: {move.guess} {move.epsilon:g}. It gives {move.bits:.1f} bits on average, the most of {among},",
        f"  at the epsilon with the most bits for its price. Answer at a probability of {ANSWER_PROBABILITY} or more.",
    ]


def classic_hints(session: Session) -> list[str]:
    """Return the hints of a game with true clues."""
    candidates = session.candidates()
    examples = " ".join(candidates[:N_CANDIDATES]) + (" ..." if len(candidates) > N_CANDIDATES else "")
    n_left = f"{len(candidates):,} answers are" if len(candidates) > 1 else "1 answer is"
    if not session.game.facts.has_secret:
        settled = ", and the game has not settled on one of them" if len(candidates) > 1 else ""
        return [f"{n_left} left{settled}.", f"  {examples}", _cornering(session, candidates)]
    chance_note = f", each with probability {share(1 / len(candidates))}" if len(candidates) > 1 else ""
    lines = [f"{n_left} left{chance_note}: {log2(len(candidates)):.1f} bits.", f"  {examples}"]
    guess, bits = best_allowed(session, candidates)
    reason = f"{bits:.1f} bits expected" if bits else "the answer"
    if bits and guess in candidates:
        reason += ", and a possible answer"
    return [*lines, f"Suggested: {guess}, {reason}."]


def _cornering(session: Session, candidates: list[str]) -> str:
    """Return the suggestion for an adversarial game: the guess that leaves the fewest words in the worst case."""
    guess, n_left = absurdle_guess(session, candidates)
    effect = (
        "the answer" if len(candidates) == 1 else f"which leaves at most {n_left:,} word{'' if n_left == 1 else 's'}"
    )
    return f"Suggested: {guess}, {effect}."
