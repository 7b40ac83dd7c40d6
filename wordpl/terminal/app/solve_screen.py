"""Solve: somebody else's puzzle, guess by guess, with suggestions that stream in."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import DataTable, Input, Static

from wordpl.core.errors import UserError
from wordpl.terminal.app import share_grid, solve_state
from wordpl.terminal.app.base_screen import BaseScreen
from wordpl.terminal.app.board import Board
from wordpl.terminal.app.effect_view import effect_lines
from wordpl.terminal.app.puzzle import Puzzle
from wordpl.terminal.app.setup_screen import SetupScreen
from wordpl.terminal.app.setups import Setup
from wordpl.terminal.app.solve_search import SolveSearch
from wordpl.terminal.app.solve_view import answers_text, board_rows, note_text, statistics_text, table_rows
from wordpl.terminal.app.word_choice import WordChoice

MAX_UNDO = 200
REDRAW_S = 0.1


class SolveScreen(BaseScreen):
    """Type guesses and their marks; read what to guess next."""

    name_of_tab = "solve"
    help_text = (
        "Solve somebody else's puzzle. Type a guess, then a mark for each letter: c (or g) for the right place, "
        "i (or y) for another place, . (or b, x) for absent. Enter counts the row; marks left out are absent. "
        "Suggestions come in while the search goes on. Tab goes to the suggestions and back."
    )
    typed_keys = (
        ("a to z", "letters of the guess; c g i y . b x are marks once the word is whole"),
        ("1 to 9", "change the mark of that tile; clicking on the tile does the same"),
        ("Enter", "count the row, or take the suggestion that is selected"),
        ("Up, Down", "select a row to change it"),
        ("Backspace", "take off the last mark or letter; opens a row again"),
        ("Delete", "remove the selected row"),
        ("= and a number", "noisy games: the epsilon of the row"),
        ("paste", "a shared game, rows of squares, or rows as tares:....i"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "setup", "Setup"),
        Binding("ctrl+n", "new", "New"),
        Binding("ctrl+u", "undo", "Undo"),
        Binding("ctrl+y", "redo", "Redo", show=False),
        Binding("ctrl+b", "copy_best", "Copy best"),
        Binding("ctrl+g", "take_best", "Take best"),
        Binding("delete", "remove", "Remove row", show=False),
        Binding("tab", "switch_focus", "Suggestions"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.setup = Setup()
        self.choice = WordChoice((), ())
        self.puzzle = Puzzle(5)
        self.search = SolveSearch(self)
        self._undone: list[Puzzle] = []
        self._done: list[Puzzle] = []
        self._epsilon_text: str | None = None
        self._is_stale = False

    def compose_body(self) -> Iterable[Widget]:
        """Yield the board and the answers left, the suggestions and the effect of a guess."""
        with Horizontal(id="solve"):
            with Vertical(id="solve-left"):
                with VerticalScroll(id="solve-rows", can_focus=False):
                    yield Board(id="solve-board")
                yield Static(id="solve-note", markup=False)
                yield Static(id="solve-answers", markup=False)
            with Vertical(id="solve-right"):
                yield DataTable(id="solve-table", cursor_type="row", zebra_stripes=False)
                yield Static(id="solve-statistics", markup=False)
                yield Static(id="solve-effect", markup=False)

    def on_mount(self) -> None:
        """Begin with the setup and the rows that the app was started with."""
        self.set_interval(REDRAW_S, self._redraw_if_stale)
        self.query_one(Board).focus()
        self.use(self.wordpl.options.setup)

    def use(self, setup: Setup) -> None:
        """Solve with this setup from now on; rows are kept where the words have as many letters."""
        self.setup = setup
        self.search.load_words(setup)
        self.redraw()

    def words_loaded(self, choice: WordChoice) -> None:
        """Begin to suggest from these words."""
        self.choice = choice
        length = len(choice.answers[0])
        if not self._done and self.puzzle == Puzzle(self.puzzle.length):
            self.puzzle = self.wordpl.first_puzzle(length, self.setup)
        if self.puzzle.length != length:
            self.puzzle = Puzzle(length)
        self.search.start(self.puzzle)
        self.redraw()

    # Typing

    def on_key(self, event: events.Key) -> None:
        """Take letters, marks and digits wherever the focus is, but for fields of text."""
        if isinstance(self.focused, Input):
            return
        is_taken = self._epsilon_key(event) if self._epsilon_text is not None else self._row_key(event)
        if is_taken:
            event.stop()
            event.prevent_default()

    def _row_key(self, event: events.Key) -> bool:
        puzzle, in_table = self.puzzle, isinstance(self.focused, DataTable)
        if event.key == "backspace":
            self.change(puzzle.erase())
        elif event.key == "enter" and not in_table:
            self.commit()
        elif event.key in ("up", "down") and not in_table:
            self.change(puzzle.select(puzzle.at + (1 if event.key == "down" else -1)), keeps=False)
        elif event.character == "=" and self.setup.is_noisy:
            self._epsilon_text = ""
            self.redraw()
        elif event.character and event.character in "123456789":
            self.change(puzzle.cycle(int(event.character) - 1))
        elif event.is_printable and event.character:
            self.change(puzzle.type(event.character.lower()))
        else:
            return False
        return True

    def _epsilon_key(self, event: events.Key) -> bool:
        assert self._epsilon_text is not None
        if event.key == "backspace":
            self._epsilon_text = self._epsilon_text[:-1]
        elif event.key == "enter":
            self._end_epsilon(self._epsilon_text)
        elif event.key == "escape":
            self._epsilon_text = None
        elif event.character and event.character in "0123456789.":
            self._epsilon_text += event.character
        else:
            return False
        self.redraw()
        return True

    def _end_epsilon(self, text: str) -> None:
        self._epsilon_text = None
        try:
            epsilon = float(text)
        except ValueError:
            epsilon = 0.0
        if not 0 < epsilon <= 1000:
            self.say(f"an epsilon is a number above 0, up to 1000, not {text!r}", is_error=True)
            return
        self.change(self.puzzle.set_epsilon(epsilon))

    def commit(self) -> None:
        """Count the selected row, unless its word is none."""
        row = self.puzzle.row
        if len(row.word) < self.puzzle.length:
            return
        if row.word not in self.search.guess_set:
            self.say(f"{row.word.upper()} is not among the {len(self.choice.guesses):,} guesses", is_error=True)
            return
        puzzle = self.puzzle
        if self.setup.is_noisy and row.epsilon is None:
            puzzle = puzzle.set_epsilon(self.search.epsilon)
        self.change(puzzle.commit())

    def on_paste(self, event: events.Paste) -> None:
        """Read a shared game."""
        event.stop()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Fill the rows from a shared game or rows of squares; where it has no words, they are typed afterwards."""
        try:
            rows = share_grid.read(text, self.puzzle.length)
        except UserError as error:
            self.say(str(error), is_error=True)
            return
        self.change(self.puzzle.with_grid(rows))
        n_open = sum(not word for _, word in rows)
        self.say(f"{len(rows)} rows pasted." + (f" Type the {n_open} words." if n_open else ""))

    def on_board_tile_clicked(self, message: Board.TileClicked) -> None:
        """Give the tile its next mark."""
        self.change(self.puzzle.cycle(message.place, message.row))

    # Changes

    def change(self, puzzle: Puzzle, keeps: bool = True) -> None:
        """Go on with a changed puzzle; keeps: whether it can be undone."""
        before = self.puzzle
        if puzzle == before:
            return
        if keeps:
            self._done = [*self._done[-MAX_UNDO:], before]
            self._undone.clear()
        self._continue(puzzle)

    def _continue(self, puzzle: Puzzle) -> None:
        before, self.puzzle = self.puzzle, puzzle
        if puzzle.noisy_hints != before.noisy_hints:
            solve_state.save(puzzle, self.setup)
            self.search.start(puzzle)
        elif puzzle.row.word != before.row.word or puzzle.row.epsilon != before.row.epsilon:
            self.search.show_effect(puzzle.row.word, puzzle.row.epsilon)
        self.redraw()

    def action_undo(self) -> None:
        """Take back the last change."""
        if self._done:
            self._undone.append(self.puzzle)
            self._continue(self._done.pop())

    def action_redo(self) -> None:
        """Make the change again that was taken back."""
        if self._undone:
            self._done.append(self.puzzle)
            self._continue(self._undone.pop())

    def action_new(self) -> None:
        """Begin another puzzle."""
        self.change(Puzzle(self.puzzle.length))

    def action_remove(self) -> None:
        """Remove the selected row."""
        self.change(self.puzzle.remove())

    def action_switch_focus(self) -> None:
        """Go from the rows to the suggestions and back."""
        table, board = self.query_one(DataTable), self.query_one(Board)
        (board if self.focused is table else table).focus()
        if self.focused is table:
            self._show_selected(table.cursor_row)

    def action_setup(self) -> None:
        """Choose lists, filters, rules and effort."""
        self.app.push_screen(SetupScreen(self.setup), self._setup_chosen)

    def _setup_chosen(self, setup: Setup | None) -> None:
        if setup is not None and setup != self.setup:
            self.use(setup)

    def action_copy_best(self) -> None:
        """Copy the best guess."""
        if best := self.search.best:
            self.app.copy_to_clipboard(best)
            self.say(f"{best.upper()} copied.")

    def action_take_best(self) -> None:
        """Put the best guess into the row."""
        if best := self.search.best:
            self.take(best)

    def take(self, word: str) -> None:
        """Put a word into the row where typing goes."""
        puzzle = self.puzzle.set_word(word)
        if self.setup.is_noisy:
            puzzle = puzzle.set_epsilon(self.search.epsilon)
        self.change(puzzle)
        self.query_one(Board).focus()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Take the suggestion."""
        if event.row_key.value:
            self.take(event.row_key.value)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the effect of the suggestion that is selected."""
        if isinstance(self.focused, DataTable):
            self._show_selected(event.cursor_row)

    def _show_selected(self, at: int) -> None:
        if 0 <= at < len(self.search.ranked):
            self.search.show_effect(self.search.ranked[at]["guess"], None)

    # What is shown

    def redraw(self) -> None:
        """Have everything shown anew soon; many changes in a moment are drawn once."""
        self._is_stale = True
        if not self.search.is_running:
            self._redraw_if_stale()

    def _redraw_if_stale(self) -> None:
        if not self.is_mounted or self.app.screen is not self:
            return
        self.search.tick()
        if self._is_stale:
            self._is_stale = False
            self._draw()

    def _draw(self) -> None:
        puzzle = self.puzzle
        if self._epsilon_text is not None:
            typed = replace(puzzle.row, epsilon=None)
            rows = board_rows(puzzle.with_row(typed), self.search, f" ε {self._epsilon_text}_")
        else:
            rows = board_rows(puzzle, self.search, "")
        board = self.query_one(Board)
        board.is_roomy = self.size.height >= 38 and len(puzzle.rows) <= 6
        board.show(rows, puzzle.length)
        self.query_one("#solve-note", Static).update(note_text(self))
        self.query_one("#solve-answers", Static).update(answers_text(self.search, self.setup))
        self.query_one("#solve-statistics", Static).update(statistics_text(self.search, self.setup))
        self._draw_table()
        self._draw_effect()

    def _draw_table(self) -> None:
        table = self.query_one(DataTable)
        heads, rows = table_rows(self.search, self.setup)
        selected, row = table.cursor_row, table.scroll_y
        table.clear(columns=True)
        for head in heads:
            table.add_column(head)
        for guess, texts in rows:
            table.add_row(*texts, key=guess)
        table.move_cursor(row=min(selected, max(0, len(rows) - 1)), animate=False)
        table.scroll_to(y=row, animate=False)

    def _draw_effect(self) -> None:
        pane = self.query_one("#solve-effect", Static)
        size = pane.size
        message: dict[str, Any] | None = self.search.effect
        pane.update(effect_lines(message, max(20, size.width), max(3, size.height), self.app.theme) if message else "")

    def on_resize(self) -> None:
        """Use the room there is."""
        self._is_stale = True

    def on_screen_resume(self) -> None:
        """Show what has come in meanwhile."""
        self._is_stale = True

    def worker_changed(self) -> None:
        """Show whether the search is ready."""
        self.search.worker_changed()
        self._is_stale = True
