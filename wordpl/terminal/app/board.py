"""The widget that shows the rows of a game as clickable tiles."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from wordpl.terminal.app.style import SHAPES, tile_style

TILE, GAP, MARGIN = 4, 1, 2
HEIGHTS = (4, 2, 1)
"""The lines of a row: a tile of three lines and a gap, a tile of one and a half and half a gap, or one line."""


@dataclass(frozen=True)
class BoardRow:
    """A row of tiles.

    Attributes:
        word: The letters typed so far.
        marks: The marks of the first letters; may be shorter than the word.
        after: The text after the tiles, such as the epsilon.
        is_selected: Whether this row receives typed keys.
        is_wrong: Whether the row is marked as a contradiction.
    """

    word: str = ""
    marks: str = ""
    after: str = ""
    is_selected: bool = False
    is_wrong: bool = False


class TileBoard(Widget, can_focus=True):
    """Rows of tiles, as high as fits: see `show`."""

    DEFAULT_CSS = "TileBoard { height: auto; width: auto; }"

    class TileClicked(Message):
        """A tile was clicked; row and place count from 0."""

        def __init__(self, row: int, place: int) -> None:
            super().__init__()
            self.row, self.place = row, place

    def __init__(self, length: int = 5, id: str | None = None) -> None:
        super().__init__(id=id)
        self.length = length
        self.rows: tuple[BoardRow, ...] = (BoardRow(is_selected=True),)
        self._lines_each = HEIGHTS[-1]

    def show(self, rows: Sequence[BoardRow], length: int, max_lines: int = 0) -> None:
        """Show these rows, with the highest tiles that fit in `max_lines` lines, and scroll to the selected row."""
        old_extent = self._extent
        self.rows, self.length = tuple(rows), length
        fitting = (lines for lines in HEIGHTS if lines * len(rows) <= max_lines)
        self._lines_each = next(fitting, HEIGHTS[-1])
        self.refresh(layout=self._extent != old_extent)
        self.call_after_refresh(self._scroll_to_selected)

    @property
    def _extent(self) -> tuple[int, int, int, int]:
        """The values that determine the size of the board."""
        return len(self.rows), self.length, max((len(row.after) for row in self.rows), default=0), self._lines_each

    def _scroll_to_selected(self) -> None:
        index = next((index for index, row in enumerate(self.rows) if row.is_selected), len(self.rows) - 1)
        if self.parent is not None and isinstance(self.parent, Widget):
            step = self._lines_each
            self.parent.scroll_to_region(Region(0, index * step, self.size.width, step), animate=False, force=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the width of the longest row, in columns."""
        return MARGIN + self.length * (TILE + GAP) + max((len(row.after) for row in self.rows), default=0)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height of all rows, in lines."""
        return max(1, len(self.rows) * self._lines_each)

    def render(self) -> Text:
        """Return the rows."""
        lines: list[Text] = []
        for row in self.rows:
            letters = self._line(row, "letters")
            if self._lines_each == HEIGHTS[0]:
                lines += [self._line(row, "full"), letters, self._line(row, "full"), Text()]
            elif self._lines_each == HEIGHTS[1]:
                lines += [letters, self._line(row, "half")]
            else:
                lines.append(letters)
        return Text("\n", no_wrap=True).join(lines)

    def _line(self, row: BoardRow, part: str) -> Text:
        pointer = ("!" if row.is_wrong else "›" if row.is_selected else " ") if part == "letters" else " "
        text = Text(f"{pointer} ", style="bold red" if row.is_wrong else "bold")
        for place in range(self.length):
            letter = row.word[place : place + 1].upper() or " "
            mark = row.marks[place : place + 1] or " "
            style = tile_style(self.app.theme, mark)
            if part == "letters":
                is_empty = letter == mark == " " and self._lines_each == HEIGHTS[-1]
                text.append(" __ " if is_empty else f" {letter}{SHAPES[mark]} ", "dim" if is_empty else style)
            else:
                text.append(
                    ("▀" if part == "half" else " ") * TILE, Style(color=style.bgcolor) if part == "half" else style
                )
            text.append(" " * GAP)
        if part == "letters":
            text.append(row.after)
        return text

    def on_click(self, event: events.Click) -> None:
        """Post `TileClicked` for the clicked tile."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        row, place = offset.y // self._lines_each, (offset.x - MARGIN) // (TILE + GAP)
        if 0 <= row < len(self.rows) and 0 <= place < self.length and offset.x >= MARGIN:
            self.post_message(self.TileClicked(row, place))
