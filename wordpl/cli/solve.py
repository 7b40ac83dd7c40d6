"""`wordpl solve`: rank openers, save the best decision tree, and prove that an opener is optimal."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordpl.cli._notation import PRIOR_HELP, read_hints
from wordpl.cli._options import answers_option, guesses_option, json_option
from wordpl.cli._output import print_json
from wordpl.cli._problem import make_problem
from wordpl.cli._progress_bars import progress_bar
from wordpl.cli._search_text import best_text, proof_text, total_text, what_is_known, within
from wordpl.core import words
from wordpl.core.errors import UserError
from wordpl.core.messages import amount

if TYPE_CHECKING:
    from tqdm import tqdm

    from wordpl.cli._progress_bars import LogBar
    from wordpl.solvers.search import Rating, Search
    from wordpl.solvers.search.problem import Problem
    from wordpl.solvers.search.proof import Proof
    from wordpl.solvers.search.ranking import GuessRanking

    Outcome = tuple[Search, GuessRanking, list[str]]
    """A search, its ranking, and statements about it for the user."""

OUT = click.Path(dir_okay=False, path_type=Path)
FAST_WIDTH = 10


@click.command(name="solve")
@click.argument("hints", nargs=-1, metavar="[GUESS:CLUE]...")
@click.option("--opener", "openers", multiple=True, metavar="WORD", help="Rate only this opener. Repeatable.")
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="Number of openers to rate.")
@click.option(
    "--width",
    default=FAST_WIDTH,
    show_default=True,
    type=click.IntRange(1),
    help="Number of guesses tried at each step.",
)
@click.option("--exact", is_flag=True, help="Try all guesses at each step, including the first.")
@click.option("--prove", is_flag=True, help="Solve or refute every opener, and log what is proved.")
@click.option("--worst", is_flag=True, help="Minimize the largest number of guesses first, and the mean number second.")
@click.option("--hard", is_flag=True, help="Hard mode: guesses must use all revealed hints.")
@click.option(
    "--limit", default=6, show_default=True, type=click.IntRange(0, 63), help="Maximum number of guesses; 0: no limit."
)
@click.option("--prior", metavar="FILE", help=PRIOR_HELP)
@answers_option
@guesses_option
@click.option(
    "--tree", "tree_file", type=OUT, metavar="OUT", help="Save the best tree, as JSON (OUT ends in .json) or as text."
)
@click.option("--jobs", type=click.IntRange(1), help="Threads of --prove and --exact. [default: one per processor]")
@click.option("--log", type=OUT, default="proof.jsonl", show_default=True, help="Log file of --prove.")
@click.option("--resume", is_flag=True, help="With --prove: resume the proof in the log file.")
@json_option
def command(
    hints: tuple[str, ...],
    openers: tuple[str, ...],
    top: int,
    width: int,
    exact: bool,
    prove: bool,
    worst: bool,
    hard: bool,
    limit: int,
    prior: str | None,
    answers: Path | None,
    guesses: Path | None,
    tree_file: Path | None,
    jobs: int | None,
    log: Path,
    resume: bool,
    as_json: bool,
) -> None:
    """Rank first guesses by their best decision trees.

    The total of a first guess is the number of guesses that its best tree needs for all answers together. With hints
    such as tares:....i, the guesses that follow the hints are ranked.

    \b
    wordpl solve                   ten openers, almost optimal, in seconds
    wordpl solve --exact           the best of all openers, in a minute or two
    wordpl solve --opener salet --exact --tree salet.json
    wordpl solve --prove --jobs 2  as --exact, with a log that survives Ctrl-C
    wordpl solve --prove --resume  continues the proof

    A search with a width tries only that many of the most promising guesses at each step: the tree it finds can be
    played, but a better one may exist. --exact tries all guesses. Its best opener is then proved optimal, and ∞ means
    that no tree within the limit exists. docs/solver.md describes the search and what has been proved with it.
    """
    lists = words.load(answers, guesses)
    problem, _ = make_problem(read_hints(hints, lists), prior, lists, limit=limit or None, is_hard=hard)
    _check(problem, openers, tree_file)
    max_tried = None if exact else width
    if prove:
        search, ranking, statements = _prove(problem, log, jobs, resume)
    elif worst:
        search, ranking, statements = _least_worst(problem, openers, max_tried)
    else:
        search, ranking, statements = _rank(problem, openers, top, max_tried, jobs)
    _show(problem, search, ranking, [*statements, *what_is_known(problem, search, ranking, len(openers))], as_json)
    if tree_file:
        _save(problem, search, ranking, tree_file)


def _check(problem: "Problem", openers: tuple[str, ...], tree_file: Path | None) -> None:
    """Report wrong openers and a file that cannot be written before the search."""
    from wordpl.solvers import trees

    unknown = [word for word in openers if word not in problem.lists.guess_set]
    if unknown:
        raise UserError(f"{unknown[0]!r} is not a word of the guesses.")
    if tree_file:
        trees.require_writable(tree_file)


def _rank(problem: "Problem", openers: tuple[str, ...], top: int, width: int | None, jobs: int | None) -> "Outcome":
    from joblib import cpu_count

    from wordpl.solvers.search import Search
    from wordpl.solvers.search.position import promising
    from wordpl.solvers.search.ranking import best_guesses, rate_guesses

    search = Search(problem.position(), width)
    if width is None and not openers:
        with progress_bar(None, "word", "openers refuted or solved", leave=False) as bar:
            ranking = best_guesses(search, top, jobs or cpu_count(), lambda proof: _advance(bar, proof, problem))
        return search, ranking, []
    rows = [problem.lists.guesses.index(word) for word in dict.fromkeys(openers)]
    rows = rows or promising(search.position)[:top].tolist()
    with progress_bar(len(rows), "word", "openers", leave=False) as bar:
        totals: list[int] = []

        def show(rating: "Rating") -> None:
            totals.append(rating.bound)
            bar.set_postfix_str(f"smallest total {best_text(min(totals), search.position.left)}", refresh=False)
            bar.update()

        return search, rate_guesses(search, rows, show), []


def _advance(bar: "tqdm[Any] | LogBar", proof: "Proof", problem: "Problem") -> None:
    bar.total = proof.n_openers
    total = best_text(proof.best.bound, problem.limit)
    bar.set_postfix_str(f"smallest total {total} ({problem.lists.guesses[proof.best.guess]})", refresh=False)
    bar.update(proof.n_proved - bar.n)


def _least_worst(problem: "Problem", openers: tuple[str, ...], width: int | None) -> "Outcome":
    from wordpl.solvers.search.problem import MAX_GUESSES, least_limit
    from wordpl.solvers.search.ranking import GuessRanking

    rows: list[int | None] = [problem.lists.guesses.index(word) for word in openers] or [None]
    solutions = [solution for row in rows if (solution := least_limit(problem.position(), row, width))]
    if not solutions:
        where = f" after {', '.join(openers)}" if openers else ""
        raise UserError(f"no tree of up to {MAX_GUESSES} guesses was found{where}: try --exact or a larger --width.")
    search, rating = min(solutions, key=lambda solution: (solution[0].position.left or 0, solution[1].bound))
    statement = f"{amount(search.position.left or 0, 'guess is', 'guesses are')} enough for every answer" + (
        ", and fewer are not." if width is None else f"; a search of width {width} finds no tree with fewer."
    )
    return search, GuessRanking((rating,), width is None and not openers), [statement]


def _prove(problem: "Problem", path: Path, jobs: int | None, resume: bool) -> "Outcome":
    from joblib import cpu_count

    from wordpl.solvers.search import INFEASIBLE, Search
    from wordpl.solvers.search.proof import ProofLog, claim_of, prove
    from wordpl.solvers.search.ranking import GuessRanking

    if path.exists() and not resume:
        raise UserError(f"{path} contains a proof: resume it with --resume, or name another file with --log.")
    position = problem.position()  # before the log: no log is created if this fails
    log = ProofLog(path, claim_of(problem), problem.lists.guesses)
    last: list[Proof] = []
    with progress_bar(None, "word", "openers proved", leave=False) as bar:

        def show(proof: "Proof") -> None:
            last[:] = [proof]
            _advance(bar, proof, problem)

        try:
            proof = prove(position, log, jobs or cpu_count(), show)
        except KeyboardInterrupt:
            if last:
                click.echo(
                    f"\nStopped. {last[0].n_proved:,} of {last[0].n_openers:,} openers are proved to have no smaller "
                    f"total than {best_text(last[0].best.bound, problem.limit)}. To resume, add --resume.",
                    err=True,
                )
            raise click.exceptions.Exit(130) from None
    statement = f"{proof_text(proof, problem.lists, position.left)} The log is {path}."
    search = Search(position)
    ratings = (search.rate(proof.best.guess),) if proof.best.bound < INFEASIBLE else ()
    return search, GuessRanking(ratings, True), [statement]


def _show(problem: "Problem", search: "Search", ranking: "GuessRanking", notes: list[str], as_json: bool) -> None:
    if as_json:
        from wordpl.reports import as_json as json_values

        print_json("solve", json_values.openers(problem, search, ranking, notes))
        return
    if ranking.ratings:
        _print_table(problem, search, ranking)
    for line in notes:
        click.echo(line)
    n = len(search.position.candidates)
    click.echo(f"Searched {amount(search.n_searched, 'group')} of {amount(n, 'answer')}.")


def _print_table(problem: "Problem", search: "Search", ranking: "GuessRanking") -> None:
    from rich import box
    from rich.table import Table

    from wordpl.cli._output import new_console

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in ("opener", "total", "mean"):
        table.add_column(head, justify="left" if head == "opener" else "right")
    for rating in ranking.ratings:
        total, mean = total_text(search.position, rating, search.width is None)
        table.add_row(problem.lists.guesses[rating.guess], total, mean)
    new_console().print(table)


def _save(problem: "Problem", search: "Search", ranking: "GuessRanking", path: Path) -> None:
    from wordpl.solvers import trees
    from wordpl.solvers.search import INFEASIBLE

    if not ranking.ratings or ranking.best.bound >= INFEASIBLE:
        raise UserError(f"there is no tree{within(search.position.left)} to save in {path}.")
    tree = problem.tree(search, ranking.best.guess)
    width = "exact" if search.width is None else f"width {search.width}"
    rules = "wordle-hard/1" if problem.is_hard else "wordle/1"
    trees.save(path, tree, trees.TreeProvenance(rules, problem.lists.sha256, f"wordpl solve, {width}"))
    click.echo(f"Saved the tree of {tree.guess} in {path}.", err=True)
