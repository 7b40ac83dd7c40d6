"""The screen Solve, which suggests guesses for a puzzle on another site."""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import DataTable, Input

from wordpl.core.errors import UserError
from wordpl.core.messages import amount
from wordpl.terminal.app import share_grid
from wordpl.terminal.app.base_screen import BaseScreen
from wordpl.terminal.app.board import TileBoard
from wordpl.terminal.app.puzzle import EpsilonText, Puzzle, UndoHistory, save_puzzle
from wordpl.terminal.app.setups import Setup
from wordpl.terminal.app.solve_search import SolveSearch
from wordpl.terminal.app.solve_view import SolveBody, board_rows, note_text, statistics_text
from wordpl.terminal.app.word_choice import WordChoice

REDRAW_S = 0.1


class SolveScreen(BaseScreen):
    """A board to type guesses and marks into, with suggestions for the next guess."""

    name_of_tab = "solve"
    help_text = (
        "Solve a puzzle on another site. Type a guess, then a mark for each letter: c (or g) for the right place, "
        "i (or y) for another place, . (or b, x) for absent. Enter completes the row; missing marks are absent. "
        "Suggestions appear while the search is running. Tab switches between the rows and the suggestions."
    )
    typed_keys = (
        ("a to z", "letters of the guess; after a complete word, c g i y . b x are marks"),
        ("1 to 9", "change the mark of that tile, as a click on it does"),
        ("Enter", "complete the row, or use the selected suggestion"),
        ("Up, Down", "select a row to change it"),
        ("Backspace", "delete the last mark or letter"),
        ("Delete", "remove the selected row"),
        ("= and a number", "noisy games: the epsilon of the row"),
        ("paste", "a shared game, rows of squares, or rows like tares:....i"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "setup", "Setup"),
        Binding("ctrl+n", "new", "New"),
        Binding("ctrl+u", "undo", "Undo"),
        Binding("ctrl+y", "redo", "Redo", show=False),
        Binding("ctrl+b", "copy_best", "Copy best"),
        Binding("ctrl+g", "take_best", "Use best"),
        Binding("delete", "remove", "Remove row", show=False),
        Binding("tab", "switch_focus", "Suggestions"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.setup = Setup()
        self.choice = WordChoice((), ())
        self.puzzle = Puzzle(5)
        self.search = SolveSearch(self)
        self._history = UndoHistory()
        self._epsilon_text: str | None = None
        self._is_stale = False

    def compose_body(self) -> Iterable[Widget]:
        """Yield the board and the answers left, the suggestions and the effect of a guess."""
        yield SolveBody(id="solve")

    def on_mount(self) -> None:
        """Start with the setup and the rows of the options."""
        self.set_interval(REDRAW_S, self._redraw_if_stale)
        self.query_one(TileBoard).focus()
        self.use(self.wordpl.options.setup)

    def use(self, setup: Setup) -> None:
        """Use this setup; the rows are kept if its words have the same length."""
        self.setup = setup
        self.search.load_words()
        self.redraw()

    def words_loaded(self, choice: WordChoice) -> None:
        """Start to suggest guesses for these words."""
        self.choice = choice
        length = len(choice.answers[0])
        if self._history.is_empty and self.puzzle == Puzzle(self.puzzle.length):
            self.puzzle = self.wordpl.first_puzzle(length, self.setup)
        if self.puzzle.length != length:
            self.puzzle = Puzzle(length)
        self.search.start()
        self.redraw()

    # Typing

    def on_key(self, event: events.Key) -> None:
        """Handle letters, marks and digits, unless a text field has the focus."""
        if isinstance(self.focused, Input):
            return
        is_taken = self._epsilon_key(event) if self._epsilon_text is not None else self._row_key(event)
        if is_taken:
            event.stop()
            event.prevent_default()

    def _row_key(self, event: events.Key) -> bool:
        puzzle, in_table = self.puzzle, isinstance(self.focused, DataTable)
        if event.key == "enter" and not in_table:
            self.commit()
        elif event.key in ("up", "down") and not in_table:
            self.change(puzzle.select(puzzle.at + (1 if event.key == "down" else -1)), is_undoable=False)
        elif event.character == "=" and self.setup.has_epsilon:
            self._epsilon_text = ""
            self.redraw()
        elif event.key == "backspace" or (event.is_printable and event.character):
            self.change(puzzle.press(event.character or event.key, event.key))
        else:
            return False
        return True

    def _epsilon_key(self, event: events.Key) -> bool:
        typed = EpsilonText(self._epsilon_text or "")
        if event.key == "enter":
            self._epsilon_text = None
            try:
                self.change(self.puzzle.set_epsilon(typed.value()))
            except UserError as error:
                self.say(str(error), is_error=True)
        else:
            changed = typed.press(event.key, event.character)
            if changed is None:
                return False
            self._epsilon_text = None if event.key == "escape" else changed
        self.redraw()
        return True

    def commit(self) -> None:
        """Complete the selected row if its word is allowed."""
        row = self.puzzle.row
        if len(row.word) < self.puzzle.length:
            return
        if row.word not in self.search.guess_set:
            n_guesses = f"{len(self.choice.guesses):,}"
            self.say(f"{row.word.upper()} is not one of the {n_guesses} allowed guesses.", is_error=True)
            return
        puzzle = self.puzzle
        if self.setup.has_epsilon and row.epsilon is None:
            puzzle = puzzle.set_epsilon(self.search.epsilon)
        self.change(puzzle.commit())

    def on_paste(self, event: events.Paste) -> None:
        """Read a shared game."""
        event.stop()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Fill the rows from a pasted text; missing words are typed afterwards."""
        try:
            rows = share_grid.read(text, self.puzzle.length)
        except UserError as error:
            self.say(str(error), is_error=True)
            return
        self.change(self.puzzle.with_grid(rows))
        n_open = sum(not word for _, word in rows)
        self.say(f"Pasted {amount(len(rows), 'row')}." + (f" Now type the {amount(n_open, 'word')}." if n_open else ""))

    def on_tile_board_tile_clicked(self, message: TileBoard.TileClicked) -> None:
        """Change the clicked tile to its next mark."""
        self.change(self.puzzle.cycle(message.place, message.row))

    # Changes

    def change(self, puzzle: Puzzle, is_undoable: bool = True) -> None:
        """Continue with a changed puzzle."""
        if puzzle != self.puzzle:
            if is_undoable:
                self._history.add(self.puzzle)
            self._continue(puzzle)

    def _continue(self, puzzle: Puzzle) -> None:
        old_puzzle, self.puzzle = self.puzzle, puzzle
        if puzzle.noisy_hints != old_puzzle.noisy_hints:
            save_puzzle(puzzle, self.setup)
            self.search.start()
        elif puzzle.row.word != old_puzzle.row.word or puzzle.row.epsilon != old_puzzle.row.epsilon:
            self.search.show_effect(puzzle.row.word, puzzle.row.epsilon)
        self.redraw()

    def action_undo(self) -> None:
        """Undo the last change."""
        self._continue(self._history.undo(self.puzzle))

    def action_redo(self) -> None:
        """Redo the last undone change."""
        self._continue(self._history.redo(self.puzzle))

    def action_new(self) -> None:
        """Start a new puzzle."""
        self.change(Puzzle(self.puzzle.length))

    def action_remove(self) -> None:
        """Remove the selected row."""
        self.change(self.puzzle.remove())

    def action_switch_focus(self) -> None:
        """Switch the focus between the rows and the suggestions."""
        table, board = self.query_one(DataTable), self.query_one(TileBoard)
        (board if self.focused is table else table).focus()
        if self.focused is table:
            self._show_selected(table.cursor_row)

    def action_setup(self) -> None:
        """Open the setup."""
        from wordpl.terminal.app.setup_screen import SetupScreen  # imported only when needed

        self.app.push_screen(SetupScreen(self.setup, self.client), self._setup_chosen)

    def _setup_chosen(self, setup: Setup | None) -> None:
        if setup is not None and setup != self.setup:
            self.use(setup)

    def action_copy_best(self) -> None:
        """Copy the best guess."""
        if best := self.search.best:
            self.app.copy_to_clipboard(best)
            self.say(f"Copied {best.upper()}.")

    def action_take_best(self) -> None:
        """Put the best guess into the row."""
        if best := self.search.best:
            self.take(best)

    def take(self, word: str) -> None:
        """Put a word into the row that is being typed."""
        puzzle = self.puzzle.set_word(word)
        if self.setup.has_epsilon:
            puzzle = puzzle.set_epsilon(self.search.epsilon)
        self.change(puzzle)
        self.query_one(TileBoard).focus()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Use the suggestion."""
        if event.row_key.value:
            self.take(event.row_key.value)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the effect of the selected suggestion."""
        if isinstance(self.focused, DataTable):
            self._show_selected(event.cursor_row)

    def _show_selected(self, index: int) -> None:
        if 0 <= index < len(self.search.ranked):
            self.search.show_effect(self.search.ranked[index]["guess"], None)

    # Drawing

    def redraw(self) -> None:
        """Schedule a redraw. Changes within REDRAW_S are drawn together."""
        self._is_stale = True
        if not self.search.is_running:
            self._redraw_if_stale()

    def _redraw_if_stale(self) -> None:
        if not self.is_mounted or self.app.screen is not self:
            return
        if self._is_stale:
            self._is_stale = False
            self._draw()

    def _draw(self) -> None:
        body, puzzle = self.query_one(SolveBody), self.puzzle
        typed = ""
        if self._epsilon_text is not None:
            puzzle, typed = puzzle.with_row(replace(puzzle.row, epsilon=None)), f" ε {self._epsilon_text}_"
        note = note_text(self.search, puzzle, self.setup, is_alive=self.client.is_alive)
        body.show(board_rows(puzzle, self.search, typed), puzzle.length, note)
        body.show_found(self.search, self.setup, statistics_text(self.search, self.setup, self.client))

    def on_resize(self) -> None:
        """Adapt to the new size."""
        self._is_stale = True

    def on_screen_resume(self) -> None:
        """Show results that have arrived in the meantime."""
        self._is_stale = True

    def worker_changed(self) -> None:
        """Redraw, since the search may be ready now."""
        self.search.worker_changed()
        self._is_stale = True
