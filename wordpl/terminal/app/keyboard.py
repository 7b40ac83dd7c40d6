"""The on-screen keyboard, which shows what is known about each letter and can be clicked."""

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from wordpl.terminal.app.style import SHAPES, tile_style
from wordpl.terminal.board import KEYS, SHADES, UNKNOWN

WIDTH = 3
ENTER, ERASE = "enter", "backspace"
EXTRA = {1: ((" ↵ ", ENTER),), 2: ((" ⌫ ", ERASE),)}
DIGITS = "0123456789"
SIGNS = ((" . ", "."), (" ! ", "!"))


class Keyboard(Widget):
    """Three rows of letters, and a row of digits for noisy games."""

    DEFAULT_CSS = "Keyboard { height: auto; width: auto; }"

    class Pressed(Message):
        """A key was clicked: a letter, a digit, "enter" or "backspace"."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marks: dict[str, str] = {}
        self._chances: dict[str, float] = {}
        self._has_digits = False

    def show_marks(self, marks: dict[str, str]) -> None:
        """Show the most informative mark of each letter."""
        self._marks, self._chances, self._has_digits = marks, {}, False
        self.refresh(layout=True)

    def show_chances(self, chances: dict[str, float], *, has_digits: bool) -> None:
        """Shade each letter by its probability of being in the secret; digits type the epsilon of a guess."""
        self._marks, self._chances, self._has_digits = {}, chances, has_digits
        self.refresh(layout=True)

    def get_content_width(self, *_: object) -> int:
        """Return the width of the longest row, in columns."""
        return 10 * (WIDTH + 1)

    def get_content_height(self, *_: object) -> int:
        """Return the number of rows."""
        return len(self._rows())

    def _rows(self) -> list[list[tuple[str, str]]]:
        rows = [[(f" {key.upper()} ", key) for key in keys] for keys in KEYS]
        for index, extra in EXTRA.items():
            rows[index] += extra
        if self._has_digits:
            rows[-1] += SIGNS
            rows.insert(0, [(f" {key} ", key) for key in DIGITS])
        return rows

    def render(self) -> Text:
        """Return the keys."""
        lines = []
        for row in self._rows():
            text = Text()
            for label, key in row:
                text.append(self._label(label, key), self._style(key)).append(" ")
            lines.append(text)
        return Text("\n").join(lines)

    def _label(self, label: str, key: str) -> str:
        mark = self._marks.get(key)
        return f"{label[:2]}{SHAPES[mark]}" if mark else label

    def _style(self, key: str) -> Style:
        if mark := self._marks.get(key):
            return tile_style(self.app.theme, mark)
        if key in self._chances:
            return Style.parse(next(style for min_chance, style in SHADES.items() if self._chances[key] >= min_chance))
        return Style.parse(UNKNOWN)

    def on_click(self, event: events.Click) -> None:
        """Post `Pressed` for the clicked key."""
        offset = event.get_content_offset(self)
        if offset is None or not 0 <= offset.y < len(self._rows()):
            return
        row, place = self._rows()[offset.y], offset.x // (WIDTH + 1)
        if place < len(row):
            self.post_message(self.Pressed(row[place][1]))
