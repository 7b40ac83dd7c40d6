"""The widgets of the screen Solve and their texts."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, Static

from wordpl.core.messages import amount
from wordpl.terminal.app.base_screen import panel
from wordpl.terminal.app.board import BoardRow, TileBoard
from wordpl.terminal.app.client import WorkerClient
from wordpl.terminal.app.data_table import fill
from wordpl.terminal.app.puzzle import Puzzle
from wordpl.terminal.app.setups import Setup
from wordpl.terminal.app.solve_search import SolveSearch
from wordpl.terminal.app.style import SHAPES, percent, tile_style

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
        return Text("1-5 or a click changes a mark.", "dim")
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
