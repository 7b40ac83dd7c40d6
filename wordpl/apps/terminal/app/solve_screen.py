"""The screen Solve, which suggests guesses for a puzzle on another site: its search, texts and widgets."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import DataTable, Input, Static

from wordpl.apps.terminal.app.app import BaseScreen
from wordpl.apps.terminal.app.puzzle import EpsilonText, Puzzle, UndoHistory, pasted_epsilons, read_pasted, save_puzzle
from wordpl.apps.terminal.app.setups import Setup, WordChoice
from wordpl.apps.terminal.app.widgets import SHAPES, BoardRow, TileBoard, fill, panel, percent, tile_style
from wordpl.apps.terminal.app.worker import WorkerClient
from wordpl.core.messages import UserError, amount

WORDS = "solve"
DEFAULT_EPSILON = 8.0
MAX_ANSWERS = 400
Message = dict[str, Any]


class SolveSearch:
    """Requests suggestions and effects, and collects the results.

    Attributes:
        left: The remaining answers: their number, the most likely ones, and the bits.
        ranked: The guesses rated so far, the best first.
        effect: The effect of the selected guess.
        contradiction: The row and the reason if no answer is left.
        failure: The message of another error.
        epsilon: The epsilon of the next row in a noisy game.
    """

    def __init__(self, screen: "SolveScreen") -> None:
        self._screen = screen
        self.guess_set: frozenset[str] = frozenset()
        self._opening: list[Message] = []
        self.epsilon = DEFAULT_EPSILON
        self._clear()

    def _clear(self) -> None:
        self.left: Message | None = None
        self.ranked: list[Message] = []
        self.effect: Message | None = None
        self.contradiction: Message | None = None
        self.suggestion: Message | None = None
        self.tree_guess: str | None = None
        self.done: Message | None = None
        self.failure = ""
        self.is_running = False
        self.n_wanted = 0

    @property
    def best(self) -> str:
        """The best guess: that of the tree if one is followed, otherwise the best so far; "" if there is none yet."""
        if self.tree_guess:
            return self.tree_guess
        if self.suggestion is not None:
            best: str = self.suggestion["best"] if self.suggestion["is_answer"] else self.suggestion["guess"]
            return best
        return self.ranked[0]["guess"] if self.ranked else ""

    def load_words(self) -> None:
        """Load the words of the setup; calls `words_loaded` of the screen afterwards."""
        self._clear()
        self.is_running = True
        self._screen.client.cancel("solve-effect")
        self._screen.client.submit("solve", "words", self._receive_words, setup=self._screen.setup)

    def _receive_words(self, message: Message) -> None:
        if message["kind"] == "words":
            choice: WordChoice = message["words"]
            self.guess_set, self._opening = frozenset(choice.guesses), message["opening"]
            self._screen.client.define(WORDS, choice, message["rule"])
            self._screen.words_loaded(choice)
        elif message["kind"] == "error":
            self.is_running, self.failure = False, message["message"]
            self._screen.redraw()

    def start(self) -> None:
        """Search for the next guess of the puzzle; cancels an earlier search."""
        if not self.guess_set:
            return
        self._clear()
        client, puzzle, setup = self._screen.client, self._screen.puzzle, self._screen.setup
        client.cancel("solve-effect")
        if puzzle.is_solved:
            client.cancel("solve")
        elif self._opening and not puzzle.hints and not setup.tree:
            client.cancel("solve")
            self.left = self._left_at_first()
            for message in self._opening:
                self._receive(message)
        else:
            self.is_running = True
            task, moves = self._moves()
            client.submit("solve", task, self._receive, name=WORDS, setup=setup, **moves)

    def _moves(self) -> tuple[str, dict[str, Any]]:
        """Return the task that suggests guesses, and its argument with the moves so far."""
        puzzle = self._screen.puzzle
        return ("noisy", {"rows": puzzle.noisy_hints}) if self._has_epsilon else ("classic", {"hints": puzzle.hints})

    @property
    def _has_epsilon(self) -> bool:
        return self._screen.setup.has_epsilon

    def _left_at_first(self) -> Message:
        answers = self._screen.choice.answers
        weights = self._screen.choice.weights or (1.0,) * len(answers)
        pairs = [(word, weight / sum(weights)) for word, weight in zip(answers, weights, strict=True) if weight > 0]
        if self._screen.setup.order == "probability":
            pairs.sort(key=lambda pair: -pair[1])
        bits = -sum(chance * math.log2(chance) for _, chance in pairs)
        return {"n": len(pairs), "n_all": len(answers), "bits": bits, "answers": pairs[:MAX_ANSWERS]}

    def _receive(self, message: Message) -> None:
        match message["kind"]:
            case "left":
                self.left = message
            case "rating":
                self._add(message)
            case "tree":
                self.tree_guess = message["guess"]
                self.show_effect("", None)
            case "suggestion":
                self.suggestion, self.epsilon = message, message["epsilon"]
            case "contradiction":
                self.contradiction = message
            case "error":
                self.failure = message["message"]
            case "done":
                self.done, self.is_running = message, False
                self.show_effect(self._screen.puzzle.row.word, None)
            case "end":
                self.is_running = False
        self._screen.redraw()

    def _add(self, rating: Message) -> None:
        self.n_wanted = rating["n_wanted"]
        self.ranked.append(rating)
        if not self._has_epsilon:
            self.ranked.sort(key=rank)
        if len(self.ranked) == 1:
            self.show_effect(self._screen.puzzle.row.word, None)

    def show_effect(self, word: str, epsilon: float | None) -> None:
        """Request the effect of a guess, or of the best guess if `word` is not a complete one."""
        if word not in self.guess_set:
            word = self.best
        if not word or self.left is None or not self._screen.client.is_ready:
            return
        task, moves = self._moves()
        if self._has_epsilon:
            moves["epsilon"] = epsilon or self.epsilon
        self._screen.client.submit("solve-effect", f"{task}-effect", self._receive_effect,
                                   name=WORDS, setup=self._screen.setup, guess=word, **moves)  # fmt: skip

    def _receive_effect(self, message: Message) -> None:
        if message["kind"] == "effect":
            self.effect = message
            self._screen.redraw()

    def worker_changed(self) -> None:
        """Request the effect, which needs a worker that is ready."""
        if self.effect is None:
            self.show_effect(self._screen.puzzle.row.word, None)


def rank(rating: Message) -> tuple[float, bool]:
    """Return the sort key of a guess: its expected number of guesses; at equal numbers possible answers come first."""
    expected = rating["expected"]
    return (math.inf if expected is None else round(expected, 9)), not rating["chance"]


CLASSIC_HEADS = ("guess", "guesses", "bits", "answer", "worst")
NOISY_HEADS = ("guess", "epsilon", "bits", "answer")
MIN_ROWS = 6
COMPILES = " Kernels are compiled in the background: faster after the next start."
BAR_CHARACTERS = " ▏▎▍▌▋▊▉█"
MIN_BAR, MAX_BAR = 6, 24
MIN_EFFECT = (20, 3)
"""The minimum size of the effect, in columns and lines."""
LINES_BELOW = 12
"""The lines of the screen that the tiles leave to everything else."""


def board_rows(puzzle: Puzzle, search: SolveSearch, typed: str) -> list[BoardRow]:
    """Return the rows of the board; `typed` is the text after the selected row while its epsilon is typed."""
    wrong_row = search.contradiction["row"] if search.contradiction else None
    done_rows = [index for index, row in enumerate(puzzle.rows) if row.is_done]
    rows = []
    for index, row in enumerate(puzzle.rows):
        remark = f" ε {row.epsilon:g}" if row.epsilon is not None else ""
        if index == puzzle.at and typed:
            remark = typed
        is_wrong = wrong_row is not None and row.is_done and done_rows.index(index) == wrong_row
        rows.append(BoardRow(row.word, row.marks, remark, index == puzzle.at, is_wrong))
    return rows + [BoardRow()] * (MIN_ROWS - len(rows))


def note_text(search: SolveSearch, puzzle: Puzzle, setup: Setup, *, is_alive: bool) -> Text:
    """Return the text below the rows: a contradiction, an error, or what to type next."""
    if not is_alive:
        return Text("The search process has ended. Quit with Ctrl+Q and start again; your rows are saved.", "bold red")
    if search.contradiction:
        done_rows = [index for index, row in enumerate(puzzle.rows) if row.is_done]
        return Text(f"Row {done_rows[search.contradiction['row']] + 1}: {search.contradiction['reason']}", "bold red")
    if search.failure:
        return Text(search.failure, "bold red")
    if puzzle.is_solved:
        n = len(puzzle.hints)
        return Text(f"Solved in {n} guess{'' if n == 1 else 'es'}. Ctrl+N starts a new puzzle.", "bold")
    row = puzzle.row
    if len(row.word) < puzzle.length:
        purpose = " for the pasted marks" if row.is_given else ""
        return Text(f"Type the guess of row {puzzle.at + 1}{purpose}.", "dim")
    if row.word not in search.guess_set:
        return Text(f"{row.word.upper()} is not an allowed guess.", "bold red")
    if row.is_done:
        return Text(f"1-{min(puzzle.length, 9)} or a click changes a mark.", "dim")
    price = " = sets the epsilon." if setup.has_epsilon else ""
    return Text(f"Marks: c place, i elsewhere, . absent; Enter.{price}", "dim")


def answers_head(search: SolveSearch, setup: Setup) -> str:
    """Return the number of remaining answers, or the answers that are likely."""
    left = search.left
    if left is None:
        return "Answers"
    return f"{left['n']:,} at 0.1% or more" if setup.has_epsilon else f"{left['n']:,} of {left['n_all']:,} answers"


def answers_text(search: SolveSearch) -> Text:
    """Return the remaining answers, with their probabilities if they differ."""
    answers = search.left["answers"] if search.left else []
    chances = [chance for _, chance in answers]
    if chances and max(chances) - min(chances) > 1e-9:
        return Text("  ".join(f"{word} {percent(chance)}" for word, chance in answers))
    return Text(" ".join(word for word, _ in answers))


def statistics_text(search: SolveSearch, setup: Setup, client: WorkerClient) -> Text:
    """Return the progress of the search, or its result."""
    if search.tree_guess:
        return Text(f"Guess of the tree: {search.tree_guess.upper()}.", "bold")
    if search.tree_guess is not None:
        return Text("The tree has no guess here: the guesses so far are not those of the tree.", "bold")
    if search.suggestion is not None:
        suggestion = search.suggestion
        if suggestion["is_answer"]:
            return Text(
                f"Suggested: answer {suggestion['best'].upper()}, right with {percent(suggestion['chance'])}.", "bold"
            )
        return Text(
            f"Suggested: {suggestion['guess'].upper()} at epsilon {suggestion['epsilon']:g}; "
            f"most likely {suggestion['best'].upper()} {percent(suggestion['chance'])}.",
            "bold",
        )
    if search.is_running and not client.is_ready:
        return Text("Preparing the search ...", "dim")
    note = COMPILES if client.compiles else ""
    effort = "all guesses tried" if setup.exact else f"width {setup.width}"
    if search.done:
        rated = amount(len(search.ranked), "guess", "guesses")
        return Text(
            f"{rated} rated, {effort}{', optimal' if search.done['is_optimal'] else ''}: "
            f"{search.done['n_searched']:,} groups, {search.done['cpu_s']:.2f} s.{note}",
            "dim",
        )
    if search.is_running:
        return Text(f"{len(search.ranked)} of {search.n_wanted or setup.top} guesses rated, {effort} ...{note}", "dim")
    return Text()


def table_rows(search: SolveSearch, setup: Setup) -> tuple[tuple[str, ...], list[tuple[str, list[Text]]]]:
    """Return the column heads of the table of suggestions, and the texts of each guess."""
    if setup.has_epsilon:
        return NOISY_HEADS, [(rating["guess"], _noisy_row(rating)) for rating in search.ranked]
    return CLASSIC_HEADS, [(rating["guess"], _classic_row(rating)) for rating in search.ranked]


def _classic_row(rating: dict[str, Any]) -> list[Text]:
    expected = "too many" if rating["expected"] is None else f"{rating['expected']:.4f}"
    chance = percent(rating["chance"]) if rating["chance"] else ""
    return _texts(rating["guess"], expected, f"{rating['bits']:.3f}", chance, f"{rating['worst']:,}")


def _noisy_row(rating: dict[str, Any]) -> list[Text]:
    chance = percent(rating["chance"]) if rating["chance"] >= 0.0005 else ""
    return _texts(rating["guess"], f"{rating['epsilon']:g}", f"{rating['bits']:.3f}", chance)


def _texts(guess: str, *numbers: str) -> list[Text]:
    return [Text(guess), *(Text(number, justify="right") for number in numbers)]


def effect_lines(message: dict[str, Any], width: int, height: int, theme: str) -> Text:
    """Return the clues that a guess may get, in at most `height` lines of at most `width` columns.

    Args:
        message: A message of the kind "effect" from the worker.
    """
    lines: list[Text] = []
    parts, length = message["parts"], len(message["guess"])
    max_share = max((share for _, share, _, _ in parts), default=1.0)
    bar = max(MIN_BAR, min(MAX_BAR, width - length - 34))
    for clues, share, n_left, words in parts[: max(0, height - 1)]:
        line = Text(" ")
        for mark in clues:
            line.append(SHAPES[mark], tile_style(theme, mark))
        line.append(f" {_bar(share / max_share, bar)} {percent(share):>6} {n_left:>5,}  ")
        line.append(" ".join(words))
        line.truncate(width, overflow="ellipsis")
        lines.append(line)
    n_hidden = message["n_parts"] - len(lines)
    if n_hidden > 0 and "keep" not in message:
        n_more = f"{n_hidden:,} more clue{'s' if n_hidden > 1 else ''}"
        lines.append(Text(f" and {n_more}", style="dim"))
    return Text("\n").join(lines)


def effect_head(message: dict[str, Any]) -> str:
    """Return the guess with its expected information."""
    guess = message["guess"].upper()
    if "keep" in message:
        true, sure = percent(message["keep"]), percent(message["sure"])
        return f"{guess}: {message['bits']:.2f} bits, {true} of marks true, then {sure} sure"
    chance = f", the answer {percent(message['chance'])}" if message["chance"] else ""
    n_clues = amount(message["n_parts"], "clue")
    return f"{guess}: {n_clues}, {message['bits']:.2f} bits, at worst {message['worst']:,}{chance}"


def _bar(share: float, width: int) -> str:
    eighths = round(share * width * 8)
    full, remainder = divmod(eighths, 8)
    return ("█" * full + (BAR_CHARACTERS[remainder] if remainder else "")).ljust(width) if eighths else "▏".ljust(width)


class SolveBody(Horizontal):
    """The contents of Solve between the tab bar and the key bindings."""

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        with Vertical(id="solve-left"):
            with panel(VerticalScroll(id="solve-rows", can_focus=False), "Guesses"):
                yield TileBoard(id="solve-board")
            yield Static(id="solve-note", markup=False, classes="note")
            yield panel(Static(id="solve-answers", markup=False), "Answers")
        with Vertical(id="solve-right"):
            yield panel(DataTable[Text](id="solve-table", cursor_type="row"), "Suggestions")
            yield Static(id="solve-statistics", markup=False, classes="note")
            yield panel(Static(id="solve-effect", markup=False), "Clues")

    def show(self, rows: Sequence[BoardRow], length: int, note: Text) -> None:
        """Show the rows, and a note below them."""
        self.query_one(TileBoard).show(rows, length, self.screen.size.height - LINES_BELOW)
        self.query_one("#solve-note", Static).update(note)

    def show_found(self, search: SolveSearch, setup: Setup, statistics: Text) -> None:
        """Show the results of the search so far."""
        answers = self.query_one("#solve-answers", Static)
        answers.border_title = Text(answers_head(search, setup))
        answers.border_subtitle = Text(f"{search.left['bits']:.1f} bits" if search.left else "")
        answers.update(answers_text(search))
        self.query_one("#solve-statistics", Static).update(statistics)
        self._show_table(search, setup)
        effect = self.query_one("#solve-effect", Static)
        width, height = max(MIN_EFFECT[0], effect.size.width), max(MIN_EFFECT[1], effect.size.height)
        effect.border_title = Text(effect_head(search.effect) if search.effect else "Clues")
        effect.update(effect_lines(search.effect, width, height, self.app.theme) if search.effect else "")

    def _show_table(self, search: SolveSearch, setup: Setup) -> None:
        table = self.query_one("#solve-table", DataTable)
        heads, rows = table_rows(search, setup)
        selected, scrolled = table.cursor_row, table.scroll_y
        fill(table, heads, rows)
        table.move_cursor(row=min(selected, max(0, len(rows) - 1)), animate=False)
        table.scroll_to(y=scrolled, animate=False)


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
        if not row.marks:
            all_absent = "." * self.puzzle.length
            self.say(f"{row.word.upper()} has no marks yet: type c, i or . for each letter ({all_absent}: all absent).")
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
            rows = read_pasted(text, self.puzzle.length)
        except UserError as error:
            self.say(str(error), is_error=True)
            return
        puzzle, remark = self.puzzle.with_grid(rows), ""
        if self.setup.has_epsilon:
            epsilons = pasted_epsilons(text, len(rows))
            puzzle = puzzle.with_epsilons([epsilon or self.search.epsilon for epsilon in epsilons])
            remark = "" if all(epsilons) else f" Their epsilon is taken as {self.search.epsilon:g}; = sets another."
        self.change(puzzle)
        n_open = sum(not word for _, word in rows)
        words = f" Now type the {amount(n_open, 'word')}." if n_open else ""
        self.say(f"Pasted {amount(len(rows), 'row')}.{words}{remark}")

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
        from wordpl.apps.terminal.app.setup_screen import SetupScreen  # imported only when needed

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
