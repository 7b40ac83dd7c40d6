"""Output to the terminal, with clues as coloured tiles, or as the marks `c i .` if colours are not available."""

import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

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

    def complain(self, message: str) -> None:
        """Print an error message about the typed line."""
        self.say(f"  {message}", style="bold red")

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
