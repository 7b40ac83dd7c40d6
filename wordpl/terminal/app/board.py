"""The widget that shows the rows of a game as clickable tiles."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from wordpl.terminal.app.style import SHAPES, tile_style

TILE, GAP, MARGIN = 4, 1, 2
MIN_ROOMY_HEIGHT, MAX_ROOMY_ROWS = 38, 7
"""The smallest screen height and the largest number of rows for tiles of three lines."""


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
    """Rows of tiles, one or (if `is_roomy`) three lines high."""

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
        self.is_roomy = False

    def show(self, rows: Sequence[BoardRow], length: int) -> None:
        """Show these rows, and scroll to the selected one."""
        old_extent = self._extent
        self.rows, self.length = tuple(rows), length
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

    @property
    def _lines_each(self) -> int:
        return 4 if self.is_roomy else 1

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
            if self.is_roomy:
                lines += [self._line(row, part) for part in ("above", "letters", "below")] + [Text()]
            else:
                lines.append(self._line(row, "letters"))
        return Text("\n", no_wrap=True).join(lines)

    def _line(self, row: BoardRow, part: str) -> Text:
        pointer = ("!" if row.is_wrong else "›" if row.is_selected else " ") if part == "letters" else " "
        text = Text(f"{pointer} ", style="bold red" if row.is_wrong else "bold")
        for place in range(self.length):
            letter = row.word[place : place + 1].upper() or " "
            mark = row.marks[place : place + 1] or " "
            style = tile_style(self.app.theme, mark)
            tile = f" {letter}{SHAPES[mark]} " if part == "letters" else " " * TILE
            text.append(tile, style).append(" " * GAP)
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
