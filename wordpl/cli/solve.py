"""`wordpl solve`: the best openers, how good they are, the tree that follows, and the proof."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._notation import read_hints
from wordpl.core import words
from wordpl.core.errors import UserError

if TYPE_CHECKING:
    from wordpl.solvers.search import Rating, Search
    from wordpl.solvers.search.problem import Problem
    from wordpl.solvers.search.proof import Proof

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUT = click.Path(dir_okay=False, path_type=Path)
FAST_WIDTH = 10


@click.command(name="solve")
@click.argument("hints", nargs=-1, metavar="[GUESS:CLUE]...")
@click.option("--opener", "openers", multiple=True, metavar="WORD", help="Rate this opener; may be given often.")
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="How many openers to rate else.")
@click.option("--width", default=FAST_WIDTH, show_default=True, type=click.IntRange(1), help="Guesses tried a step.")
@click.option("--exact", is_flag=True, help="Try all guesses at every step.")
@click.option("--prove", is_flag=True, help="Refute or solve every opener; what is proved is kept in the log.")
@click.option("--worst", is_flag=True, help="As few guesses as are enough for every answer, then as few on average.")
@click.option("--hard", is_flag=True, help="Hard mode: what was revealed must be used.")
@click.option("--limit", default=6, show_default=True, type=click.IntRange(0, 63), help="The most guesses; 0: any.")
@click.option("--prior", metavar="FILE", help="How probable each answer is: a CSV of word,probability, or: default.")
@click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")
@click.option("--tree", "tree_file", type=OUT, metavar="OUT", help="Save the best tree: as JSON, or as text.")
@click.option("--jobs", type=click.IntRange(1), help="Threads of --prove. [default: one for each processor]")
@click.option("--log", type=OUT, default="proof.jsonl", show_default=True, help="The log of --prove.")
@click.option("--resume", is_flag=True, help="Go on with the proof in the log.")
def command(hints, openers, tree_file, jobs, log, resume, answers, guesses, prior, **how):
    """Rank openers by the guesses they lead to, given the clues so far, if any.

    \b
    wordpl solve                                     ten openers, near the optimum, in seconds
    wordpl solve --opener salet --exact --tree salet.json
    wordpl solve --prove --jobs 2                    a minute; Ctrl-C keeps what is proved,
    wordpl solve --prove --resume                    and this goes on

    A width tries only so many of the most promising guesses for every group of answers: what it finds can be played,
    but a better tree may exist. --exact tries all. docs/solver.md tells how, and what has been proved.
    """
    from wordpl.core import priors
    from wordpl.solvers.search.problem import Problem

    lists = words.load(answers, guesses)
    weights = priors.load(priors.find(prior), lists.answers) if prior else None
    problem = Problem(lists, read_hints(hints, lists), how["limit"] or None, how["hard"], weights)
    unknown = [word for word in openers if word not in lists.guess_set]
    if unknown:
        raise UserError(f"{unknown[0]!r} is not a word of the guesses.")
    if how["prove"]:
        search, ratings = _prove(problem, log, jobs, resume)
    elif how["worst"]:
        search, ratings = _least_worst(problem, openers, None if how["exact"] else how["width"])
    else:
        search, ratings = _ranked(problem, openers, how)
    _show(problem, search, ratings)
    if tree_file:
        _save(problem, search, ratings[0], tree_file)


def _ranked(problem: "Problem", openers: tuple[str, ...], how: dict) -> "tuple[Search, list[Rating]]":
    from tqdm import tqdm

    from wordpl.core.clue_matrix import guess_rows
    from wordpl.solvers.search import Search
    from wordpl.solvers.search.position import promising

    search = Search(problem.position(), None if how["exact"] else how["width"])
    rows = [guess_rows(problem.lists)[word] for word in openers] or promising(search.position)[: how["top"]]
    with tqdm(rows, desc="openers", unit="word", leave=False, dynamic_ncols=True) as bar:
        ratings = []
        for row in bar:
            ratings.append(search.rate(row))
            bar.set_postfix_str(f"best so far {min(rating.bound for rating in ratings):,}")
    return search, sorted(ratings, key=lambda rating: rating.bound)


def _least_worst(problem: "Problem", openers: tuple[str, ...], width: int | None) -> "tuple[Search, list[Rating]]":
    from wordpl.core.clue_matrix import guess_rows
    from wordpl.solvers.search.problem import MAX_GUESSES, least_limit

    rows = [guess_rows(problem.lists)[word] for word in openers] or [None]
    found = [one for row in rows if (one := least_limit(problem.position(), row, width))]
    if not found:
        where = f"after {', '.join(openers)}" if openers else "from here"
        raise UserError(f"No tree of up to {MAX_GUESSES} guesses was found {where}: try --exact or a larger --width.")
    search, rating = min(found, key=lambda one: (one[0].position.left, one[1].bound))
    click.echo(
        f"{search.position.left} guesses are enough for every answer"
        + (", and fewer are not." if width is None else f"; with fewer, a search of width {width} finds no tree.")
    )
    return search, [rating]


def _prove(problem: "Problem", path: Path, jobs: int | None, resume: bool) -> "tuple[Search, list[Rating]]":
    from joblib import cpu_count
    from tqdm import tqdm

    from wordpl.solvers.search import Search
    from wordpl.solvers.search.proof import Log, claim_of, prove

    if path.exists() and not resume:
        raise UserError(f"{path} holds a proof: go on with it by --resume, or name another file with --log.")
    position = problem.position()  # where there is none, no log is begun
    log = Log(path, claim_of(problem), problem.lists.guesses)
    last: list[Proof] = []
    with tqdm(desc="openers proved", unit="word", dynamic_ncols=True) as bar:

        def show(proof: "Proof") -> None:
            last[:] = [proof]
            bar.total = proof.n_openers
            bar.set_postfix_str(f"least total {proof.best.bound:,} ({problem.lists.guesses[proof.best.guess]})")
            bar.update(proof.n_proved - bar.n)

        try:
            proof = prove(position, log, jobs or cpu_count(), show)
        except KeyboardInterrupt:
            if last:
                click.echo(
                    f"\nStopped: {last[0].n_proved:,} of {last[0].n_openers:,} openers are proved to lead to no "
                    f"less than {last[0].best.bound:,}. Go on: the same command with --resume."
                )
            raise click.exceptions.Exit(130) from None
    click.echo(
        f"Proved: no opener leads to less than {proof.best.bound:,}; each of {proof.n_openers:,} was refuted or "
        f"solved. The log is {path}."
    )
    search = Search(position)
    return search, [search.rate(proof.best.guess)]


def _show(problem: "Problem", search: "Search", ratings: "list[Rating]") -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from wordpl.solvers.search import INFEASIBLE

    position = search.position
    weight = len(position.candidates) if position.weights is None else int(position.weights.sum())
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in ("opener", "sum", "mean"):
        table.add_column(head, justify="left" if head == "opener" else "right")
    for rating in ratings:
        is_enough = rating.bound < INFEASIBLE
        total = f"{rating.bound:,}" if position.weights is None else f"{rating.bound / weight * len(position.own):,.1f}"
        row = [total, f"{rating.bound / weight:.4f}"] if is_enough else [f"not within {position.left}", ""]
        table.add_row(problem.lists.guesses[rating.guess], *row)
    Console().print(table)
    how = "exact: all guesses tried" if search.width is None else f"width {search.width}: sums of trees that were found"
    click.echo(f"{len(position.candidates):,} answers; {how}; {search.n_searched:,} groups of answers searched.")


def _save(problem: "Problem", search: "Search", best: "Rating", path: Path) -> None:
    from wordpl.solvers import trees

    tree = problem.tree(search, best.guess)
    width = "exact" if search.width is None else f"width {search.width}"
    rules = "wordle-hard/1" if problem.is_hard else "wordle/1"
    trees.save(path, tree, trees.Provenance(rules, problem.lists.sha256, f"wordpl solve, {width}"))
    click.echo(f"Saved the tree of {tree.guess} in {path}.")
