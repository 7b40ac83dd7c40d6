"""`wordpl suggest`: what to guess next."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._notation import read_hints, solved_by
from wordpl.cli._output import json_option, print_json
from wordpl.cli._search_text import INFINITE, total_text, what_is_known
from wordpl.cli._status_line import working
from wordpl.core import words

if TYPE_CHECKING:
    from wordpl.solvers.search import Position
    from wordpl.solvers.search.problem import Problem
    from wordpl.solvers.search.ranking import Ranking

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SHOWN_ANSWERS = 20


@click.command(name="suggest")
@click.argument("hints", nargs=-1, metavar="GUESS:CLUE...")
@click.option("--width", default=50, show_default=True, type=click.IntRange(1), help="Guesses tried at every step.")
@click.option("--exact", is_flag=True, help="Try all guesses at every step, the next one included.")
@click.option("--hard", is_flag=True, help="Hard mode: what was revealed must be used.")
@click.option("--limit", default=6, show_default=True, type=click.IntRange(1, 63), help="The most guesses in all.")
@click.option("--prior", metavar="FILE", help="How probable each answer is: a CSV of word,probability, or: default.")
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="How many guesses to show.")
@click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")
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
    """Say what is left after these guesses and their clues, and what to guess next.

    A clue has a mark for each letter: c for the right place, i for another place, . for not in the word. B, Y and G,
    and the squares that the game shares, say the same.

    \b
    wordpl suggest tares:....i crony:..c..
    wordpl suggest tares:BBBBY crony:⬛⬛🟩⬛⬛ --exact
    wordpl suggest tares ....i crony ..c..

    The first line of the table is the best guess that the search finds, among as many as --width; the others are the
    most promising ones. With --exact no guess is better. "guesses" is how many more are expected, this one counted,
    when all after it are the best that the search finds; "bits" is what the clue tells on average, "worst" the most
    answers it may leave.
    """
    from wordpl.core import numba_imports, priors

    lists = words.load(answers, guesses)
    weights = priors.load(priors.find(prior), lists.answers) if prior else None
    known = read_hints(hints, lists)
    with numba_imports.fast_kernel_loading():
        from wordpl.solvers.search import Search
        from wordpl.solvers.search.problem import Problem
        from wordpl.solvers.search.ranking import best_guesses

        if n_used := solved_by(known):
            Problem(lists, known, None, hard, weights).position()  # refuses clues that no answer gives
            show_solved(known[n_used - 1][0], n_used, as_json)
            return
        problem = Problem(lists, known, limit, hard, weights)
        position = problem.position()
        if not as_json:
            click.echo(_what_is_left(problem, position))
        search = Search(position, None if exact else width)
    with working("searching"):
        ranking = best_guesses(search, top)
    notes = what_is_known(problem, search, ranking, 0)
    if as_json:
        from wordpl.reports.as_json import suggestions

        print_json("suggest", suggestions(problem, position, ranking, notes))
        return
    if ranking.ratings:
        _show(problem, position, ranking, exact)
    for line in notes:
        click.echo(line)


def show_solved(answer: str, n_used: int, as_json: bool) -> None:
    """Say that the game is over."""
    if as_json:
        print_json("suggest", {"solved": True, "answers": [answer], "n_guesses_used": n_used, "suggestions": []})
    else:
        click.echo(f"Solved: {answer} is the answer, found with guess {n_used}.")


def _what_is_left(problem: "Problem", position: "Position") -> str:
    n = len(position.candidates)
    found = [problem.lists.answers[column] for column in position.candidates[:SHOWN_ANSWERS]]
    more = f" and {n - SHOWN_ANSWERS:,} more" if n > SHOWN_ANSWERS else ""
    of = f"{n:,} of {len(problem.lists.answers):,} answers" + (" are" if n > 1 else " is")
    guesses = f"{position.left} guess{'es' if position.left != 1 else ''}"
    return f"{of} left, and {guesses}: {', '.join(found)}{more}."


def _show(problem: "Problem", position: "Position", ranking: "Ranking", is_exact: bool) -> None:
    from rich import box
    from rich.table import Table

    from wordpl.cli._console import console as new_console
    from wordpl.solvers.search.position import spread

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in ("guess", "guesses", "bits", "worst", "may be the answer"):
        table.add_column(head, justify="left" if head == "guess" else "right")
    for rating in ranking.ratings:
        total, mean = total_text(position, rating, is_exact)
        bits, worst = spread(position, rating.guess)
        expected = mean or total if total != INFINITE else "not enough left"
        may_be = "yes" if rating.guess in position.own else ""
        table.add_row(problem.lists.guesses[rating.guess], expected, f"{max(0.0, bits):.3f}", f"{worst:,}", may_be)
    new_console().print(table)
