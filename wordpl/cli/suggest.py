"""`wordpl suggest`: suggest the next guess."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._arguments import answers_option, guesses_option
from wordpl.cli._command import json_option
from wordpl.cli._output import compile_meanwhile, print_json, say_wrapped, working
from wordpl.cli._search import INFINITE, make_problem, prior_option, read_hints, solved_by, total_text, what_is_known
from wordpl.core import words
from wordpl.games import Wordle

if TYPE_CHECKING:
    from wordpl.solvers.search import GuessRanking, Position
    from wordpl.solvers.search.problem import Problem

SHOWN_ANSWERS = 20


@click.command(name="suggest")
@click.argument("hints", nargs=-1, metavar="GUESS:CLUE...")
@click.option(
    "--width", default=50, show_default=True, type=click.IntRange(1), help="Number of guesses tried at each step."
)
@click.option("--exact", is_flag=True, help="Try all guesses at each step, including the next one.")
@click.option("--hard", is_flag=True, help="Hard mode: guesses must use all revealed hints.")
@click.option(
    "--max-guesses",
    "limit",
    default=Wordle.facts.limit,
    show_default=True,
    type=click.IntRange(1, 63),
    help="Maximum number of guesses in the game.",
)
@prior_option
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="Number of guesses to show.")
@answers_option
@guesses_option
@json_option
def command(
    hints: tuple[str, ...],
    width: int,
    exact: bool,
    hard: bool,
    limit: int,
    prior: str | None,
    top: int,
    answers: Path | None,
    guesses: Path | None,
    as_json: bool,
) -> None:
    """Suggest the next guess, given the clues so far.

    Each argument is a guess with its clue. A clue has one mark per letter: c for the correct place, i for a wrong
    place, . for a letter that is not in the word. You can also use G, Y and B, or the coloured squares that the game
    shares.

    \b
    wordpl suggest tares:....i crony:..c..
    wordpl suggest tares:BBBBY crony:⬛⬛🟩⬛⬛ --exact
    wordpl suggest tares ....i crony ..c..

    The first line of the table is the best guess that the search finds. It tries the --width most promising guesses;
    with --exact it tries all, so that no guess is better. The other lines are the next most promising guesses.

    \b
    guesses  expected number of further guesses, including this one
    bits     expected information of the clue
    worst    largest number of answers that can remain
    """
    lists = words.load(answers, guesses)
    past_turns = read_hints(hints, lists)
    n_used = solved_by(past_turns)
    problem, position = make_problem(past_turns, prior, lists, limit=None if n_used else limit, is_hard=hard)
    if n_used:
        show_solved(past_turns[n_used - 1][0], n_used, as_json)
    else:
        suggest(problem, position, None if exact else width, top, as_json)


def suggest(problem: "Problem", position: "Position", width: int | None, n_shown: int, as_json: bool) -> None:
    """Search for the best next guess, and print it with other promising guesses.

    Args:
        problem: The game after the clues so far.
        position: The position of the problem.
        width: The number of guesses tried at each step; None for all.
        n_shown: The maximum number of guesses to show.
        as_json: Print JSON instead of a table.
    """
    from wordpl.solvers.search import ClassicSearch, best_guesses

    if not as_json:
        say_wrapped(_what_is_left(problem, position), indent=2)
    search = ClassicSearch(position, width)
    with working("searching"):
        ranking = best_guesses(search, n_shown)
    notes = what_is_known(problem, search, ranking, 0)
    if as_json:
        from wordpl.reports.as_json import suggestions

        print_json("suggest", suggestions(problem, position, ranking, notes))
        return
    if ranking.ratings:
        _show(problem, position, ranking, width is None)
    for line in notes:
        click.echo(line)
    if search.lacks_kernels:
        compile_meanwhile()


def show_solved(answer: str, n_used: int, as_json: bool) -> None:
    """Print that the game is solved."""
    if as_json:
        print_json("suggest", {"solved": True, "answers": [answer], "n_guesses_used": n_used, "suggestions": []})
    else:
        click.echo(f"Solved: {answer} is the answer, found with guess {n_used}.")


def _what_is_left(problem: "Problem", position: "Position") -> str:
    n = len(position.candidates)
    words_shown = [problem.lists.answers[column] for column in position.candidates[:SHOWN_ANSWERS]]
    remainder = f" and {n - SHOWN_ANSWERS:,} more" if n > SHOWN_ANSWERS else ""
    answers_text = f"{n:,} of {len(problem.lists.answers):,} answers" + (" are" if n > 1 else " is")
    guesses_text = f"{position.left} guess{'es' if position.left != 1 else ''}"
    return f"{answers_text} left, and {guesses_text}: {', '.join(words_shown)}{remainder}."


def _show(problem: "Problem", position: "Position", ranking: "GuessRanking", is_exact: bool) -> None:
    from rich import box
    from rich.table import Table

    from wordpl.cli._output import new_console
    from wordpl.solvers.search.position import spread

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in ("guess", "guesses", "bits", "worst", "possible answer"):
        table.add_column(head, justify="left" if head == "guess" else "right")
    for rating in ranking.ratings:
        total, mean = total_text(position, rating, is_exact)
        bits, worst = spread(position, rating.guess)
        expected = mean or total if total != INFINITE else "too few left"
        is_possible = "yes" if rating.guess in position.own else ""
        table.add_row(problem.lists.guesses[rating.guess], expected, f"{max(0.0, bits):.3f}", f"{worst:,}", is_possible)
    new_console().print(table)
