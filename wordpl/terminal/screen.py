"""What the terminal can show, and the marks of clues on it: coloured tiles where there is colour, `c i .` elsewhere."""

import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

# All of them colours that a terminal of 256 shows as they are.
NORMAL = {"c": "bold #ffffff on #008700", "i": "bold #000000 on #d7af00", ".": "bold #ffffff on #4e4e4e"}
CONTRAST = {"c": "bold #000000 on #ff8700", "i": "bold #000000 on #87d7ff", ".": "bold #ffffff on #303030"}
EMOJI = {"c": "🟩", "i": "🟨", ".": "⬛"}
CONTRAST_EMOJI = {"c": "🟧", "i": "🟦", ".": "⬛"}


def _console() -> Console:
    """Return a console that takes texts as they are, and breaks lines only for a person to read."""
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a stray byte, or a tile that the encoding lacks, ends no game
    console = Console(markup=False, emoji=False, highlight=False)
    console.soft_wrap = not console.is_terminal
    return console


@dataclass(frozen=True)
class Screen:
    """Where a person plays.

    contrast: orange and blue tiles in place of green and yellow, as Wordle's own high-contrast mode
    """

    contrast: bool = False
    console: Console = field(default_factory=_console)

    @property
    def is_coloured(self) -> bool:
        """Whether marks are shown as colours."""
        return self.console.is_terminal and bool(self.console.color_system) and not self.console.no_color

    @property
    def styles(self) -> dict[str, str]:
        """How a letter with each mark looks."""
        return CONTRAST if self.contrast else NORMAL

    def say(self, *lines: str | Text, style: str = "") -> None:
        """Print these lines."""
        for line in lines:
            self.console.print(line, style=style)

    def cut(self, line: str) -> Text:
        """Return the line without what a terminal would break, for the rows of a table."""
        text = Text(line)
        if self.console.is_terminal:
            text.truncate(self.console.width, overflow="ellipsis")
        return text

    def thinking(self) -> AbstractContextManager[object]:
        """Say "thinking..." on a terminal while something runs whose compiler may have to start first."""
        return self.console.status("thinking...")

    def complain(self, message: str) -> None:
        """Print what was wrong with a line."""
        self.say(f"  {message}", style="bold red")

    def tiles(self, word: str, clues: str) -> Text:
        """Return a guess with its clues."""
        if not self.is_coloured:
            return Text(f"{word}  {clues}")
        return Text.assemble(
            *((f" {letter.upper()} ", self.styles[mark]) for letter, mark in zip(word, clues, strict=True))
        )

    @property
    def squares(self) -> dict[str, str]:
        """The coloured squares that stand for marks where text is pasted."""
        return CONTRAST_EMOJI if self.contrast else EMOJI
