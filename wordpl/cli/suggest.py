"""`wordpl suggest`: what to guess next."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._notation import read_hints
from wordpl.core import words

if TYPE_CHECKING:
    import numpy as np

    from wordpl.solvers.search import Position, Rating
    from wordpl.solvers.search.problem import Problem

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SHOWN_ANSWERS = 20


@click.command(name="suggest")
@click.argument("hints", nargs=-1, metavar="GUESS:CLUE...")
@click.option("--width", default=50, show_default=True, type=click.IntRange(1), help="Guesses tried at every step.")
@click.option("--exact", is_flag=True, help="Try all guesses at every step.")
@click.option("--hard", is_flag=True, help="Hard mode: what was revealed must be used.")
@click.option("--limit", default=6, show_default=True, type=click.IntRange(1, 63), help="The most guesses in all.")
@click.option("--prior", metavar="FILE", help="How probable each answer is: a CSV of word,probability, or: default.")
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="How many guesses to rate.")
@click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")
def command(hints, width, exact, hard, limit, prior, top, answers, guesses):
    """Say what is left after these guesses and their clues, and what to guess next.

    A clue has a mark for each letter: c for the right place, i for another place, . for not in the word. B, Y and G,
    and the squares that the game shares, say the same.

    \b
    wordpl suggest tares:....i crony:..c..
    wordpl suggest tares:BBBBY crony:⬛⬛🟩⬛⬛ --exact

    "guesses" is how many more are expected, this one counted, when all after it are the best that the search finds;
    "bits" is what the clue tells on average, "worst" the most answers it may leave.
    """
    from wordpl.core import priors
    from wordpl.solvers.search import Search
    from wordpl.solvers.search.problem import Problem

    lists = words.load(answers, guesses)
    weights = priors.load(priors.find(prior), lists.answers) if prior else None
    problem = Problem(lists, read_hints(hints, lists), limit, hard, weights)
    position = problem.position()
    click.echo(_what_is_left(problem, position))
    search = Search(position, None if exact else width)
    ratings = search.rate_promising(top)
    _show(problem, position, ratings)
    how = "all guesses" if exact else f"the {width} most promising guesses"
    click.echo(f"Each step tried {how}; {search.n_searched:,} groups of answers were searched.")


def _what_is_left(problem: "Problem", position: "Position") -> str:
    n = len(position.candidates)
    found = [problem.lists.answers[column] for column in position.candidates[:SHOWN_ANSWERS]]
    more = f" and {n - SHOWN_ANSWERS:,} more" if n > SHOWN_ANSWERS else ""
    of = f"{n:,} of {len(problem.lists.answers):,} answers" + (" are" if n > 1 else " is")
    return f"{of} left, and {position.left} guesses: {', '.join(found)}{more}."


def _show(problem: "Problem", position: "Position", ratings: "list[Rating]") -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from wordpl.solvers.search import INFEASIBLE

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in ("guess", "guesses", "bits", "worst", "may be the answer"):
        table.add_column(head, justify="left" if head == "guess" else "right")
    weight = len(position.candidates) if position.weights is None else int(position.weights.sum())
    for rating in ratings:
        expected = f"{rating.bound / weight:.4f}" if rating.bound < INFEASIBLE else "not enough left"
        bits, worst = _spread(position, rating.guess)
        may_be = "yes" if rating.guess in position.own else ""
        table.add_row(problem.lists.guesses[rating.guess], expected, f"{bits:.3f}", f"{worst:,}", may_be)
    Console().print(table)


def _spread(position: "Position", guess: int) -> "tuple[float, np.integer]":
    """Return the bits that the guess's clue tells on average, and the most answers it may leave."""
    import numpy as np

    clues = position.matrix[guess, position.candidates]
    weights = np.ones(len(clues)) if position.weights is None else position.weights
    shares = np.bincount(clues, weights) / weights.sum()
    return float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum()), np.bincount(clues).max()
