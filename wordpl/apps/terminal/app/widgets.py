"""The look of the app: its style sheet, its themes and its widgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.theme import BUILTIN_THEMES, Theme
from textual.widget import Widget
from textual.widgets import DataTable

from wordpl.apps.terminal.display import CONTRAST, KEYS, NORMAL, SHADES, UNKNOWN

CSS = """
Screen { layers: base; }
#tabs { height: 1; background: $panel; color: $foreground; padding: 0 1; }
Footer { height: 1; }
DataTable { height: 1fr; scrollbar-size: 1 1; }
OptionList { padding: 0; scrollbar-size: 1 1; }
ModalScreen OptionList { border: none; }
.error { color: $error; text-style: bold; }
.panel {
    border: round $foreground 40%; border-title-color: $foreground; border-title-style: bold;
    border-subtitle-color: $text-muted; scrollbar-size: 1 1;
}
.panel:focus, .panel:focus-within { border: round $primary; }

#solve, #play { height: 1fr; }
#solve-left { min-width: 34; }
#solve-rows { height: auto; max-height: 72%; }
#solve-answers { height: 1fr; padding: 0 1; }
#solve-right { width: 1fr; }
#solve-table { width: 100%; height: 1fr; min-height: 6; }
#solve-effect { height: 42%; max-height: 18; min-height: 8; }
.note { height: auto; margin: 0 1; }

#play-left { min-width: 35; }
#play-rows { height: auto; max-height: 75%; }
#play-note { height: 1fr; padding: 0 1; }
#play-right { width: 1fr; }
#play-letters { height: auto; align-horizontal: center; }
#play-panel { height: 1fr; padding: 0 1; }
#play-side { width: 40; height: 100%; padding: 0 1; display: none; }
#play.-wide #play-side { display: block; }

ModalScreen { align: center middle; background: $background 60%; }
#help { width: 76; height: 90%; background: $surface; border: round $primary; padding: 0 1; }
#help-search { margin: 0 0 1 0; background: $panel; }
#help-body { height: 1fr; scrollbar-size: 1 1; }
.dialog { width: 60; height: auto; max-height: 95%; background: $surface; border: round $primary; padding: 0 1; }
.dialog OptionList { height: auto; max-height: 10; }
.dialog .buttons { height: 1; margin: 1 0 0 0; }
.dialog .buttons Button { margin: 0 2 0 0; }
.dialog-field { height: 1; }
.dialog-label { width: 12; }
.dialog Input, .dialog Select { width: 1fr; background: $panel; }

SetupScreen { align: left top; background: $background; }
#setup-title { height: 1; background: $panel; padding: 0 1; }
#setup-body { height: 1fr; }
#setup-fields { width: 38; padding: 0 1; scrollbar-size: 1 1; }
.setup-field { height: 1; margin: 0; }
.setup-label { width: 17; }
.setup-field Input, .setup-field Select { width: 1fr; background: $panel; }
.setup-field Button { margin: 0 0 0 1; }
#setup-exact { margin: 1 0 0 0; }
#setup-right { width: 1fr; padding: 0 1; }
.setup-head { text-style: bold; }
#setup-filters { height: 2fr; background: $panel; }
#setup-add { background: $panel; margin: 0 0 0 0; }
#setup-note { height: auto; max-height: 4; }
#setup-names { height: 1fr; background: $panel; }
"""
SHAPES = {"c": "●", "i": "○", ".": "·", " ": " "}
"""The shape next to a letter: in place, elsewhere, absent, not marked."""
DARK, LIGHT, HIGH_CONTRAST = "dark", "light", "high-contrast"
THEMES = (DARK, LIGHT, HIGH_CONTRAST)
EMPTY = {
    DARK: "#d0d0d0 on #303030",
    LIGHT: "#202020 on #d0d0d0",
    HIGH_CONTRAST: "#ffffff on #303030",
}


def themes() -> list[Theme]:
    """Return the app's themes."""
    dark, light = BUILTIN_THEMES["textual-dark"], BUILTIN_THEMES["textual-light"]
    blurred = {"block-cursor-blurred-background": "#444444", "block-cursor-blurred-foreground": "#ffffff"}
    return [
        Theme(name=DARK, primary=dark.primary, secondary=dark.secondary, accent=dark.accent, variables=blurred),
        Theme(name=LIGHT, primary="#004578", secondary=light.secondary, accent="#8a4b00", dark=False,
              background="#f5f5f5", surface="#eaeaea", panel="#dcdcdc", foreground="#101010"),
        Theme(name=HIGH_CONTRAST, primary="#ffff00", secondary="#00ffff", accent="#00ffff", warning="#ffd700",
              error="#ff8080", success="#00ff00", foreground="#ffffff", background="#000000", surface="#000000",
              panel="#202020", dark=True, variables=blurred | {"text-muted": "#ffffff"}),
    ]  # fmt: skip


def tile_style(theme: str, mark: str) -> Style:
    """Return the style of a tile with this mark; " " is a tile without a mark."""
    if mark == " ":
        return Style.parse(f"bold {EMPTY.get(theme, EMPTY[DARK])}")
    return Style.parse((CONTRAST if theme == HIGH_CONTRAST else NORMAL)[mark])


def word_tiles(word: str, marks: str, theme: str) -> Text:
    """Return a word as tiles, each a letter and the shape of its mark; marks may be missing at the end."""
    text = Text()
    for place, letter in enumerate(word):
        mark = marks[place : place + 1] or " "
        text.append(f"{letter.upper()}{SHAPES[mark]}", tile_style(theme, mark))
    return text


def percent(share: float) -> str:
    """Return a share in percent; only exact values are shown as 0% or 100%.

    >>> [percent(share) for share in (0.1234, 0.9999, 0.0001, 0.0, 1.0)]
    ['12.3%', '>99.9%', '<0.1%', '0%', '100%']
    """
    if share in (0, 1):
        return f"{100 * share:.0f}%"
    return "<0.1%" if share < 0.0005 else ">99.9%" if share > 0.9995 else f"{100 * share:.1f}%"


MIN_FIRST = 3
"""The number of characters of the first word that a shortened text keeps."""


def shortened(text: str, width: int) -> str:
    """Return the text in at most `width` characters, shortened in the middle since names often start alike.

    Of several words, the first is shortened if that is enough, so that no number is cut.

    >>> shortened("MaxClueEntropy(epsilon=13.0)", 15)
    'MaxClue…n=13.0)'
    >>> shortened("BayesianRandom 15.0 c0.96", 20)
    'Bayesian… 15.0 c0.96'
    """
    if len(text) <= width:
        return text
    first, space, others = text.partition(" ")
    n_first = width - 1 - len(space + others)
    if space and n_first >= MIN_FIRST:
        return f"{first[:n_first]}…{space}{others}"
    n_tail = max(0, width - 1) // 2
    return f"{text[: max(0, width - 1 - n_tail)]}…{text[len(text) - n_tail :]}"


GAP, MARGIN = 1, 2
MAX_WIDE = 6
"""The longest words whose tiles have a margin around letter and shape."""
FRAME, REMARK = 4, 7
"""The columns of a border with a scroll bar, and those of the text after a row."""
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

    @property
    def _tile(self) -> int:
        """The columns of a tile."""
        return 4 if self.length <= MAX_WIDE else 2

    def show(self, rows: Sequence[BoardRow], length: int, max_lines: int = 0) -> None:
        """Show these rows, with the highest tiles that fit in `max_lines` lines, and scroll to the selected row.

        The column around the board becomes as wide as the rows are.
        """
        old_extent = self._extent
        self.rows, self.length = tuple(rows), length
        fitting = (lines for lines in HEIGHTS if lines * len(rows) <= max_lines)
        self._lines_each = next(fitting, HEIGHTS[-1])
        self.refresh(layout=self._extent != old_extent)
        column = next((parent for parent in self.ancestors if parent.id in ("solve-left", "play-left")), None)
        if isinstance(column, Widget):
            tiles = MARGIN + length * (self._tile + GAP)
            column.styles.width = (
                tiles + FRAME + (REMARK if length > MAX_WIDE and any(row.after for row in rows) else 0)
            )
        self.call_after_refresh(self._scroll_to_selected)

    @property
    def _width(self) -> int:
        """The columns of the longest row."""
        return MARGIN + self.length * (self._tile + GAP) + max((len(row.after) for row in self.rows), default=0)

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
        return self._width

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
        margin = " " * ((self._tile - 2) // 2)
        for place in range(self.length):
            letter = row.word[place : place + 1].upper() or " "
            mark = row.marks[place : place + 1] or " "
            style = tile_style(self.app.theme, mark)
            if part == "letters":
                is_empty = letter == mark == " " and self._lines_each == HEIGHTS[-1]
                shown = "__" if is_empty else f"{letter}{SHAPES[mark]}"
                text.append(f"{margin}{shown}{margin}", "dim" if is_empty else style)
            else:
                block = ("▀" if part == "half" else " ") * self._tile
                text.append(block, Style(color=style.bgcolor) if part == "half" else style)
            text.append(" " * GAP)
        if part == "letters":
            text.append(row.after)
        return text

    def on_click(self, event: events.Click) -> None:
        """Post `TileClicked` for the clicked tile."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        row, place = offset.y // self._lines_each, (offset.x - MARGIN) // (self._tile + GAP)
        if 0 <= row < len(self.rows) and 0 <= place < self.length and offset.x >= MARGIN:
            self.post_message(self.TileClicked(row, place))


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

    def show(self, marks: dict[str, str], chances: dict[str, float], *, has_digits: bool) -> None:
        """Show marks of letters, or shade them by their probability of being in the secret; digits type an epsilon."""
        self._marks, self._chances, self._has_digits = marks, chances, has_digits
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


def fill(table: "DataTable[Text]", heads: Sequence[str], rows: Sequence[tuple[str | None, Sequence[Text]]]) -> None:
    """Replace the contents of a table.

    The widths of columns are set: a table that measures its values itself does so later, and cuts them until then.

    Args:
        table: The table.
        heads: The headings.
        rows: The key and the values of each row.
    """
    table.clear(columns=True)
    for index, head in enumerate(heads):
        table.add_column(head, width=max([len(head), *(values[index].cell_len for _, values in rows)]))
    for key, values in rows:
        table.add_row(*values, key=key)


W = TypeVar("W", bound=Widget)


def panel(widget: W, title: str) -> W:
    """Return the widget with a border and a title."""
    widget.add_class("panel")
    widget.border_title = Text(title)
    return widget
