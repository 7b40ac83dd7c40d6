"""The widgets of the screen Solve: rows and answers on the left, suggestions and the effect of a guess on the right."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, Static

from wordpl.terminal.app.board import MAX_ROOMY_ROWS, MIN_ROOMY_HEIGHT, BoardRow, TileBoard
from wordpl.terminal.app.effect_view import effect_lines
from wordpl.terminal.app.setups import Setup
from wordpl.terminal.app.solve_search import SolveSearch
from wordpl.terminal.app.solve_view import answers_text, statistics_text, table_rows

MIN_EFFECT = (20, 3)
"""The minimum size of the effect, in columns and lines."""


class SolveBody(Horizontal):
    """The contents of Solve between the tab bar and the key bindings."""

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        with Vertical(id="solve-left"):
            with VerticalScroll(id="solve-rows", can_focus=False):
                yield TileBoard(id="solve-board")
            yield Static(id="solve-note", markup=False)
            yield Static(id="solve-answers", markup=False)
        with Vertical(id="solve-right"):
            yield DataTable[Text](id="solve-table", cursor_type="row")
            yield Static(id="solve-statistics", markup=False)
            yield Static(id="solve-effect", markup=False)

    def show(self, rows: Sequence[BoardRow], length: int, note: Text) -> None:
        """Show the rows, and a note below them."""
        board = self.query_one(TileBoard)
        board.is_roomy = self.screen.size.height >= MIN_ROOMY_HEIGHT and len(rows) <= MAX_ROOMY_ROWS
        board.show(rows, length)
        self.query_one("#solve-note", Static).update(note)

    def show_found(self, search: SolveSearch, setup: Setup) -> None:
        """Show the results of the search so far."""
        self.query_one("#solve-answers", Static).update(answers_text(search, setup))
        self.query_one("#solve-statistics", Static).update(statistics_text(search, setup))
        self._show_table(search, setup)
        pane = self.query_one("#solve-effect", Static)
        width, height = max(MIN_EFFECT[0], pane.size.width), max(MIN_EFFECT[1], pane.size.height)
        pane.update(effect_lines(search.effect, width, height, self.app.theme) if search.effect else "")

    def _show_table(self, search: SolveSearch, setup: Setup) -> None:
        table = self.query_one("#solve-table", DataTable)
        heads, rows = table_rows(search, setup)
        selected, scrolled = table.cursor_row, table.scroll_y
        table.clear(columns=True)
        for head in heads:
            table.add_column(head)
        for guess, texts in rows:
            table.add_row(*texts, key=guess)
        table.move_cursor(row=min(selected, max(0, len(rows) - 1)), animate=False)
        table.scroll_to(y=scrolled, animate=False)
