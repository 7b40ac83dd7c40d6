"""The texts of the screen Solve."""

from typing import TYPE_CHECKING, Any

from rich.text import Text

from wordpl.core.messages import amount
from wordpl.terminal.app.board import BoardRow
from wordpl.terminal.app.puzzle import Puzzle
from wordpl.terminal.app.setups import Setup
from wordpl.terminal.app.solve_search import SolveSearch
from wordpl.terminal.app.texts import percent

if TYPE_CHECKING:
    from wordpl.terminal.app.solve_screen import SolveScreen

CLASSIC_HEADS = ("guess", "guesses", "bits", "answer", "worst")
NOISY_HEADS = ("guess", "epsilon", "bits", "answer")
MIN_ROWS = 6
SLOW_START_S = 4.0


def board_rows(puzzle: Puzzle, search: SolveSearch, typed: str) -> list[BoardRow]:
    """Return the rows of the board; `typed` is the text after the selected row while its epsilon is typed."""
    wrong = search.contradiction["row"] if search.contradiction else None
    done = [at for at, row in enumerate(puzzle.rows) if row.is_done]
    rows = []
    for at, row in enumerate(puzzle.rows):
        after = f" ε {row.epsilon:g}" if row.epsilon is not None else ""
        if at == puzzle.at and typed:
            after = typed
        is_wrong = wrong is not None and row.is_done and done.index(at) == wrong
        rows.append(BoardRow(row.word, row.marks, after, at == puzzle.at, is_wrong))
    return rows + [BoardRow()] * (MIN_ROWS - len(rows))


def note_text(screen: "SolveScreen") -> Text:
    """Return the text below the rows: a contradiction, an error, or what to type next."""
    search, puzzle = screen.search, screen.puzzle
    if not screen.wordpl.client.is_alive:
        return Text("The search process has ended. Quit with Ctrl+Q and start again; your rows are saved.", "bold red")
    if search.contradiction:
        done = [at for at, row in enumerate(puzzle.rows) if row.is_done]
        return Text(f"Row {done[search.contradiction['row']] + 1}: {search.contradiction['reason']}", "bold red")
    if search.failure:
        return Text(search.failure, "bold red")
    if puzzle.is_solved:
        n = len(puzzle.hints)
        return Text(f"Solved in {n} guess{'' if n == 1 else 'es'}. Ctrl+N starts a new puzzle.", "bold")
    row = puzzle.row
    if len(row.word) < puzzle.length:
        given = " for the pasted marks" if row.is_given else ""
        return Text(f"Type the guess of row {puzzle.at + 1}{given}.", "dim")
    if row.word not in search.guess_set:
        return Text(f"{row.word.upper()} is not an allowed guess.", "bold red")
    if row.is_done:
        return Text("1-5 or a click changes a mark.", "dim")
    price = " = sets the epsilon." if screen.setup.is_noisy else ""
    return Text(f"Marks: c place, i elsewhere, . absent; Enter.{price}", "dim")


def answers_text(search: SolveSearch, setup: Setup) -> Text:
    """Return the number of remaining answers, and the answers."""
    left = search.left
    if left is None:
        return Text()
    if setup.is_noisy:
        head = f"{left['bits']:.1f} bits left; {left['n']:,} of {left['n_all']:,} at 0.1% or more"
    else:
        head = f"{left['n']:,} of {left['n_all']:,} answers, {left['bits']:.1f} bits"
    text = Text(head + "\n", "bold")
    chances = [chance for _, chance in left["answers"]]
    if chances and max(chances) - min(chances) > 1e-9:
        body = "  ".join(f"{word} {percent(chance)}" for word, chance in left["answers"])
    else:
        body = " ".join(word for word, _ in left["answers"])
    return text.append(body, "not bold")


def statistics_text(search: SolveSearch, setup: Setup) -> Text:
    """Return the progress of the search, or its result."""
    if search.tree_guess:
        return Text(f"Guess of the tree: {search.tree_guess.upper()}.", "bold")
    if search.tree_guess is not None:
        return Text("The tree has no guess here: the guesses so far are not those of the tree.", "bold")
    if search.suggestion is not None:
        found = search.suggestion
        if found["is_answer"]:
            return Text(f"Suggested: answer {found['best'].upper()}, right with {percent(found['chance'])}.", "bold")
        return Text(
            f"Suggested: {found['guess'].upper()} at epsilon {found['epsilon']:g}; "
            f"most likely {found['best'].upper()} {percent(found['chance'])}.",
            "bold",
        )
    if search.is_running and not search.is_worker_ready:
        return _starting(search)
    effort = "all guesses tried" if setup.exact else f"width {setup.width}"
    if search.done:
        rated = amount(len(search.ranked), "guess", "guesses")
        return Text(
            f"{rated} rated, {effort}{', optimal' if search.done['is_optimal'] else ''}: "
            f"{search.done['n_searched']:,} groups, {search.done['cpu_s']:.2f} s.",
            "dim",
        )
    if search.is_running:
        return Text(f"{len(search.ranked)} of {search.n_wanted or setup.top} guesses rated, {effort} ...", "dim")
    return Text()


def _starting(search: SolveSearch) -> Text:
    waited_s = search.waited_s
    if waited_s < SLOW_START_S:
        return Text("Preparing the search ...", "dim")
    return Text(f"Preparing the search, {waited_s:.0f} s. The first start compiles it, which takes a minute.", "bold")


def table_rows(search: SolveSearch, setup: Setup) -> tuple[tuple[str, ...], list[tuple[str, list[Text]]]]:
    """Return the column heads of the table of suggestions, and the texts of each guess."""
    if setup.is_noisy:
        return NOISY_HEADS, [(one["guess"], _noisy_row(one)) for one in search.ranked]
    return CLASSIC_HEADS, [(one["guess"], _classic_row(one)) for one in search.ranked]


def _classic_row(rating: dict[str, Any]) -> list[Text]:
    expected = "too many" if rating["expected"] is None else f"{rating['expected']:.4f}"
    chance = percent(rating["chance"]) if rating["chance"] else ""
    return _texts(rating["guess"], expected, f"{rating['bits']:.3f}", chance, f"{rating['worst']:,}")


def _noisy_row(rating: dict[str, Any]) -> list[Text]:
    chance = percent(rating["chance"]) if rating["chance"] >= 0.0005 else ""
    return _texts(rating["guess"], f"{rating['epsilon']:g}", f"{rating['bits']:.3f}", chance)


def _texts(guess: str, *numbers: str) -> list[Text]:
    return [Text(guess), *(Text(number, justify="right") for number in numbers)]
