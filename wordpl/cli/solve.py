"""`wordpl solve`: rank openers, save the best decision tree, and prove that an opener is optimal."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

from wordpl.cli._arguments import answers_option, guesses_option, prior_option
from wordpl.cli._command import A_FILE, NEW_FILE, json_option
from wordpl.cli._output import print_json, progress_bar
from wordpl.cli.suggest import guesses_text, make_problem, read_hints, show_ratings, total_text, what_is_known, within
from wordpl.core import words
from wordpl.core.messages import UserError, amount
from wordpl.games import Wordle

if TYPE_CHECKING:
    from tqdm import tqdm

    from wordpl.cli._output import LogBar
    from wordpl.core.words import WordLists
    from wordpl.solvers.search import ClassicSearch, GuessRanking, Position, Rating
    from wordpl.solvers.search.problem import Problem
    from wordpl.solvers.search.proof import Proof
    from wordpl.verify.proof import CheckedProof

    Outcome = tuple[ClassicSearch, GuessRanking, list[str]]
    """A search, its ranking, and statements about it for the user."""

FAST_WIDTH = 10
N_SAMPLED = {"check_proof": 200, "resume": 20}
"""How many bounds of a log are searched again by the second program, by option."""
MEANINGLESS = {
    "prove": ("openers", "top", "width", "worst"),
    "check_proof": ("openers", "top", "width", "exact", "prove", "worst", "tree_file", "log", "resume", "as_json"),
    "worst": ("top", "jobs"),
    "exact": ("width",),
}
"""The options that an option leaves without a meaning."""
NEEDS = {"resume": ("prove",), "log": ("prove",), "sample": ("check_proof", "resume")}
"""Options that have a meaning only with one of these."""


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
    "--max-guesses",
    "limit",
    default=Wordle.facts.limit,
    show_default=True,
    type=click.IntRange(0, 63),
    help="Maximum number of guesses; 0: no limit.",
)
@prior_option
@answers_option
@guesses_option
@click.option(
    "--save",
    "tree_file",
    type=NEW_FILE,
    metavar="FILE",
    help="Save the best tree, as JSON (FILE ends in .json) or text.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Threads of --prove, --exact and --check-proof. [default: one per processor]",
)
@click.option("--log", type=NEW_FILE, default="proof.jsonl", show_default=True, help="Log file of --prove.")
@click.option("--resume", is_flag=True, help="With --prove: resume the proof in the log file.")
@click.option(
    "--check-proof",
    metavar="LOG",
    type=A_FILE,
    help="Search every bound of a log again, and the best total and a sample with a second program.",
)
@click.option(
    "--sample",
    type=click.IntRange(0),
    metavar="N",
    help="Bounds to search with the second program.  [default: 200 with --check-proof, 20 with --resume]",
)
@json_option
@click.pass_context
def command(
    context: click.Context,
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
    check_proof: Path | None,
    sample: int | None,
    as_json: bool,
) -> None:
    """Rank first guesses by their best decision trees.

    The total of a first guess is the number of guesses that its best tree needs for all answers together. With hints
    such as tares:....i, the guesses that follow the hints are ranked.

    \b
    wordpl solve                   ten openers, almost optimal, in seconds
    wordpl solve --exact           the best of all openers, in a minute or two
    wordpl solve --opener salet --exact --save salet.json
    wordpl solve --prove --jobs 2  as --exact, with a log that survives Ctrl-C
    wordpl solve --prove --resume  continues the proof
    wordpl solve --check-proof proof.jsonl  searches its bounds again

    A search with a width tries only that many of the most promising guesses at each step: the tree it finds can be
    played, but a better one may exist. --exact tries all guesses. Its best opener is then proved optimal, and ∞ means
    that no tree within the limit exists. `wordpl docs solver` describes the search and what has been proved with it.
    """
    _refuse_meaningless(context)
    lists = words.load(answers, guesses)
    problem, position = make_problem(read_hints(hints, lists), prior, lists, limit=limit or None, is_hard=hard)
    if check_proof:
        _show_check(check_proof, problem, position, prior, sample, jobs)
    _check(problem, openers, tree_file)
    max_tried = None if exact else width
    if prove:
        earlier = _require_true(log, problem, position, sample, prior) if resume and log.exists() else None
        search, ranking, statements = _prove(problem, position, log, jobs, resume, earlier)
    elif worst:
        search, ranking, statements = _least_worst(problem, openers, max_tried)
    else:
        search, ranking, statements = _rank(problem, openers, top, max_tried, jobs)
    known = what_is_known(problem, search, ranking, len(openers)) if ranking.is_optimal or not prove else []
    _show(problem, search, ranking, [*statements, *known], as_json)
    if tree_file:
        _save(problem, search, ranking, tree_file)


def _show_check(
    log: Path, problem: "Problem", position: "Position", prior: str | None, sample: int | None, jobs: int | None
) -> NoReturn:
    """Print what a check of a proof's log found, and exit with code 1 unless it is complete and holds."""
    from joblib import cpu_count

    from wordpl.solvers.search.proof import false_bounds, read_log

    logged = read_log(log, problem, position)
    with progress_bar(len(logged), "word", "bounds searched again", leave=False) as bar:
        false = false_bounds(position, list(logged.values()), jobs or cpu_count(), bar.update)
    if false:
        for said, found in false:
            number, opener = list(logged).index(said.guess) + 2, problem.lists.guesses[said.guess]
            claim = f"{'the total' if said.is_exact else 'no total below'} {best_text(position, said.bound)}"
            click.echo(
                f"FALSE: line {number} says that {opener} has {claim}; a search finds "
                f"{best_text(position, found.bound)}{'' if found.is_exact else ' or more'}."
            )
        raise click.exceptions.Exit(1)
    click.echo(f"Searched {amount(len(logged), 'bound')} again: all hold.")
    checked = _checked(log, problem.lists, prior, N_SAMPLED["check_proof"] if sample is None else sample)
    click.echo("\n".join(checked_text(checked, problem)))
    raise click.exceptions.Exit(1 if checked.faults or not checked.is_complete else 0)


def _refuse_meaningless(context: click.Context) -> None:
    """Refuse options that another option would leave without a meaning, instead of ignoring them."""
    shown = {
        parameter.name: parameter.opts[0] if isinstance(parameter, click.Option) else "a hint"
        for parameter in context.command.params
    }
    given = {
        name
        for name in shown
        if context.get_parameter_source(str(name)) is ParameterSource.COMMANDLINE
        and context.params.get(str(name)) not in ((), False)
    }
    for option, others in MEANINGLESS.items():
        if option in given and (ignored := [str(shown[name]) for name in others if name in given]):
            raise click.UsageError(f"{shown[option]} cannot be combined with {', '.join(ignored)}.")
    for option, others in NEEDS.items():
        if option in given and not given & set(others):
            raise click.UsageError(f"{shown[option]} needs {' or '.join(str(shown[name]) for name in others)}.")


def _checked(path: Path, lists: "WordLists", prior: str | None, n_sampled: int) -> "CheckedProof":
    """Read a log, and search its best total and a sample of its bounds again with the second program."""
    import numpy as np

    from wordpl.core import priors
    from wordpl.verify import proof

    probabilities = priors.load(priors.find(prior), lists.answers) if prior else None
    with progress_bar(n_sampled + 1, "word", "bounds searched by a second program", leave=False) as bar:
        sample = n_sampled, np.random.default_rng()
        return proof.check(path, lists, sample, probabilities, lambda opener: bar.update())


def _require_true(
    path: Path, problem: "Problem", position: "Position", sample: int | None, prior: str | None
) -> "CheckedProof | None":
    """Return what a check of a log that is to be resumed found; None if it has no bounds.

    Raises:
        UserError: The log is about something else, a line is not what a proof writes, or a bound is false.
    """
    from wordpl.solvers.search.proof import open_log

    open_log(path, problem, position).close()
    checked = _checked(path, problem.lists, prior, N_SAMPLED["resume"] if sample is None else sample)
    if checked.faults:
        raise UserError(f"{path} contains false bounds: {' '.join(checked.faults)} Prove anew with another --log.")
    return checked if checked.n_bounds else None


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

    from wordpl.solvers.search import ClassicSearch, best_guesses, rate_guesses
    from wordpl.solvers.search.position import promising

    search = ClassicSearch(problem.position(), width)
    if width is None and not openers:
        with progress_bar(None, "word", "openers refuted or solved", leave=False) as bar:
            ranking = best_guesses(
                search, top, jobs or cpu_count(), lambda proof: _advance(bar, proof, search.position, problem)
            )
        return search, ranking, []
    rows = [problem.lists.guesses.index(word) for word in dict.fromkeys(openers)]
    rows = rows or promising(search.position)[:top].tolist()
    with progress_bar(len(rows), "word", "openers", leave=False) as bar:
        totals: list[int] = []

        def show(rating: "Rating") -> None:
            totals.append(rating.bound)
            bar.set_postfix_str(f"smallest total {best_text(search.position, min(totals))}", refresh=False)
            bar.update()

        return search, rate_guesses(search, rows, show), []


def _advance(bar: "tqdm[Any] | LogBar", proof: "Proof", position: "Position", problem: "Problem") -> None:
    bar.total = proof.n_openers
    total = best_text(position, proof.best.bound)
    bar.set_postfix_str(f"smallest total {total} ({problem.lists.guesses[proof.best.guess]})", refresh=False)
    bar.update(proof.n_proved - bar.n)


def _least_worst(problem: "Problem", openers: tuple[str, ...], width: int | None) -> "Outcome":
    from wordpl.solvers.search import GuessRanking
    from wordpl.solvers.search.problem import MAX_GUESSES, least_limit

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


def _prove(
    problem: "Problem",
    position: "Position",
    path: Path,
    jobs: int | None,
    resume: bool,
    earlier: "CheckedProof | None",
) -> "Outcome":
    from joblib import cpu_count

    from wordpl.solvers.search import INFEASIBLE, ClassicSearch, GuessRanking
    from wordpl.solvers.search.proof import open_log, prove

    if path.exists() and not resume:
        raise UserError(f"{path} contains a proof: resume it with --resume, or name another file with --log.")
    last: list[Proof] = []
    with (
        open_log(path, problem, position) as log,
        progress_bar(None, "word", "openers proved", leave=False) as bar,
    ):

        def show(proof: "Proof") -> None:
            last[:] = [proof]
            _advance(bar, proof, position, problem)

        try:
            proof = prove(position, log, jobs or cpu_count(), show)
        except KeyboardInterrupt:
            if last:
                click.echo(
                    f"\nStopped. {last[0].n_proved:,} of {last[0].n_openers:,} openers are refuted or solved, with no "
                    f"smaller total than {best_text(position, last[0].best.bound)}. To resume, add --resume.",
                    err=True,
                )
            raise click.exceptions.Exit(130) from None
    n_believed = earlier.n_bounds - len(earlier.checked) + len(earlier.undecided) if earlier else 0
    statements = [f"{proof_text(proof, problem.lists, position, n_believed)} The log is {path}."]
    statements += checked_text(earlier, problem)[:2] if earlier else []
    if n_believed:
        statements.append(f"To search them again: wordpl solve --check-proof {path}")
    search = ClassicSearch(position)
    ratings = (search.rate(proof.best.guess),) if proof.best.bound < INFEASIBLE else ()
    return search, GuessRanking(ratings, proof.is_complete and not n_believed), statements


def _show(
    problem: "Problem", search: "ClassicSearch", ranking: "GuessRanking", notes: list[str], as_json: bool
) -> None:
    if as_json:
        from wordpl.reports import as_json as json_values

        print_json("solve", json_values.openers(problem, search, ranking, notes))
        return
    if ranking.ratings:
        rows = [
            [problem.lists.guesses[rating.guess], *total_text(search.position, rating, search.width is None)]
            for rating in ranking.ratings
        ]
        show_ratings(["opener", "total", "mean"], rows)
    for line in notes:
        click.echo(line)
    n = len(search.position.candidates)
    click.echo(f"Searched {amount(search.n_searched, 'group')} of {amount(n, 'answer')}.")


def _save(problem: "Problem", search: "ClassicSearch", ranking: "GuessRanking", path: Path) -> None:
    from wordpl.solvers import trees
    from wordpl.solvers.search import INFEASIBLE

    if not ranking.ratings or ranking.best.bound >= INFEASIBLE:
        raise UserError(f"there is no tree{within(search.position.left)} to save in {path}.")
    tree = problem.tree(search, ranking.best.guess)
    width = "exact" if search.width is None else f"width {search.width}"
    rules = Wordle.hard_mode if problem.is_hard else Wordle.facts.id
    trees.save(path, tree, trees.TreeProvenance(rules, problem.lists.set_sha256, f"wordpl solve, {width}"))
    click.echo(f"Saved the tree of {tree.guess} in {path}.", err=True)


def best_text(position: "Position", bound: int) -> str:
    """Return the smallest total so far, as a progress bar shows it."""
    from wordpl.solvers.search import INFEASIBLE

    return guesses_text(position, bound) if bound < INFEASIBLE else f"none within {position.left} yet"


def proof_text(proof: "Proof", lists: "WordLists", position: "Position", n_believed: int = 0) -> str:
    """Return what a proof proves, which is nothing about the best opener before it is complete.

    Args:
        n_believed: How many bounds were read from a log and not searched again.
    """
    from wordpl.solvers.search import INFEASIBLE

    if not proof.is_complete:
        return (
            f"Not complete: {proof.n_proved:,} of {proof.n_openers:,} openers have no smaller total than "
            f"{best_text(position, proof.best.bound)}."
        )
    if n_believed:
        proved = f"Proved if the {amount(n_believed, 'bound')} hold that were in the log and were not searched again:"
    else:
        proved = "Proved:"
    if proof.best.bound >= INFEASIBLE:
        return f"{proved} no tree{within(position.left)} exists for any of the {proof.n_openers:,} openers."
    return (
        f"{proved} no opener has a smaller total than {lists.guesses[proof.best.guess]} with "
        f"{guesses_text(position, proof.best.bound)} guesses; all {proof.n_openers:,} were solved or refuted."
    )


def checked_text(checked: "CheckedProof", problem: "Problem") -> list[str]:
    """Return sentences that say what the second program found in a log, and how much it would have found."""
    found = [f"FALSE: {fault}" for fault in checked.faults]
    n_checked = len(checked.checked) - len(checked.undecided)
    lines = [
        f"A second program searched {n_checked:,} of {amount(checked.n_bounds, 'bound')} again, the smallest total and "
        "others drawn at random: " + (f"{amount(len(found), 'does', 'do')} not hold." if found else "all hold."),
        *found,
        "If the search had erred in one bound, this would find it with probability "
        f"{_percent(checked.chance_to_find_one)}; in 1 % of them, with {_percent(checked.chance_to_find(0.01))}.",
    ]
    if checked.undecided:
        lines.append(f"Given up because it takes too long: {', '.join(checked.undecided)}.")
    if checked.faults:
        return lines
    if not checked.is_complete:
        n_left = checked.n_openers - checked.n_bounds
        return [*lines, f"The log is no complete proof: {amount(n_left, 'opener')} of {checked.n_openers:,} missing."]
    best = checked.best
    what = "no opener has a tree"
    if best is not None:
        total = f"{best.bound:,}" if checked.unit is None else f"{best.bound / checked.unit * checked.n_possible:,.1f}"
        what = f"no opener has a smaller total than {best.opener} with {total} guesses"
    terms = [
        f"{amount(checked.n_possible, 'answer')}, {amount(len(problem.lists.guesses), 'guess', 'guesses')}",
        "any number of them in a game" if problem.limit is None else f"at most {problem.limit} of them in a game",
        f"{'hard' if problem.is_hard else 'normal'} mode",
        *(f"after {guess}:{clue}" for guess, clue in problem.hints),
    ]
    return [*lines, f"The log is complete: it says that {what} ({', '.join(terms)})."]


def _percent(chance: float) -> str:
    return f"{100 * chance:.3g} %"
