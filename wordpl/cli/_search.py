"""What the commands of the search share: guesses and clues, the problem, and sentences on what is proved."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from wordpl.cli._arguments import PRIOR
from wordpl.core.clues import read_clues
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.core.words import WordLists

if TYPE_CHECKING:
    from wordpl.solvers.search import ClassicSearch, GuessRanking, Position, Rating
    from wordpl.solvers.search.problem import Problem
    from wordpl.solvers.search.proof import Proof
    from wordpl.verify.proof import CheckedProof

SHOWN_CHARACTERS = 60
PRIOR_HELP = "Probability of each answer: a CSV file word,probability, or `default`."
Hints = tuple[tuple[str, str], ...]
"""The (guess, clue) pairs of a game."""
prior_option = click.option("--prior", type=PRIOR, metavar="PRIOR", help=PRIOR_HELP)


def read_hints(texts: Sequence[str], lists: WordLists) -> Hints:
    """Return (guess, clue) pairs from arguments such as `tares:....i`, or `tares` and `....i`.

    Raises:
        UserError: An argument is not a guess with its clue.
    """
    hints = []
    for guess, clues in _pairs(texts):
        if guess.lower() not in lists.guess_set:
            raise UserError(f"{_shown(guess)} is not a word of the guesses.")
        hints.append((guess.lower(), read_clues(clues, lists.length)))
    return tuple(hints)


def solved_by(hints: Sequence[tuple[str, str]]) -> int:
    """Return the number of the guess that solved the game, counted from 1; 0 if it is not solved.

    >>> solved_by([("tares", "....."), ("crony", "ccccc")]), solved_by([("tares", ".....")])
    (2, 0)
    """
    return next((number for number, (_, clues) in enumerate(hints, 1) if set(clues) == {"c"}), 0)


def _pairs(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    remaining_texts = iter(texts)
    for text in remaining_texts:
        guess, colon, clues = text.partition(":")
        if not colon:
            clues = next(remaining_texts, "")
            if not clues or ":" in clues:
                raise UserError(f"{_shown(text)} must be a guess with its clue, as in tares:....i")
        yield guess, clues


def _shown(text: str) -> str:
    return repr(sanitize_untrusted_text(text, SHOWN_CHARACTERS))


def make_problem(
    hints: Hints, prior: str | None, lists: WordLists, *, limit: int | None, is_hard: bool
) -> "tuple[Problem, Position]":
    """Return the problem after these (guess, clue) pairs, and its position; loads the kernels of the search.

    Raises:
        UserError: The hints contradict each other, no guess is left, or the prior cannot be read.
    """
    from wordpl.core import priors
    from wordpl.kernels import compiled

    weights = priors.load(priors.find(prior), lists.answers) if prior else None
    with compiled.fast_kernel_loading():
        from wordpl.solvers.search.problem import Problem

        problem = Problem(lists, hints, limit, is_hard, weights)
        return problem, problem.position()


INFINITE = "∞"


def total_text(position: "Position", rating: "Rating", is_exact: bool) -> tuple[str, str]:
    """Return the total and the mean number of guesses after a first guess; "∞" if no tree is proved to exist."""
    from wordpl.solvers.search import INFEASIBLE

    if rating.bound >= INFEASIBLE:
        return (INFINITE, INFINITE) if is_exact else (f"none found within {position.left}", "")
    return guesses_text(position, rating.bound), f"{rating.bound / _weight(position):.4f}"


def guesses_text(position: "Position", bound: int) -> str:
    """Return a total as a number of guesses; with a prior, as many as the mean makes for all answers together."""
    if position.weights is None:
        return f"{bound:,}"
    return f"{bound / _weight(position) * len(position.candidates):,.1f}"


def _weight(position: "Position") -> int:
    return len(position.candidates) if position.weights is None else int(position.weights.sum())


def best_text(position: "Position", bound: int) -> str:
    """Return the smallest total so far, as a progress bar shows it."""
    from wordpl.solvers.search import INFEASIBLE

    return guesses_text(position, bound) if bound < INFEASIBLE else f"none within {position.left} yet"


def within(left: int | None) -> str:
    """Return the limit on guesses as the end of a sentence."""
    return "" if left is None else f" of at most {left} guess{'es' if left != 1 else ''}"


def what_is_known(problem: "Problem", search: "ClassicSearch", ranking: "GuessRanking", n_asked: int) -> list[str]:
    """Return sentences that say what a ranking proves and what it does not prove.

    Args:
        problem: The problem that was searched.
        search: The search that rated the guesses.
        ranking: The rated guesses.
        n_asked: The number of guesses that the user named; 0 if the search looked for the best ones.
    """
    from wordpl.solvers.search import INFEASIBLE

    words, left = problem.lists.guesses, search.position.left
    failed = [words[rating.guess] for rating in ranking.ratings if rating.bound >= INFEASIBLE]
    if search.width is not None:
        lines = [
            f"Best of {len(ranking.ratings)} tried at width {search.width}; a better guess may exist (use --exact)."
        ]
        if failed:
            lines.append(
                f"A tree within {left} guesses may still exist: width {search.width} does not try all guesses."
            )
        return lines
    if ranking.is_optimal and not ranking.ratings:
        return [f"Exact: no tree{within(left)} exists here."]
    lines = [f"Exact: no tree{within(left)} exists after {', '.join(failed)}."] if failed else []
    if ranking.is_optimal:
        best = words[ranking.best.guess]
        return [*lines, f"{best} is optimal: every other first guess was solved or refuted by a bound."]
    if len(failed) < len(ranking.ratings):
        lines.append(f"Exact for {'these openers' if n_asked > 1 else 'this opener'}; others were not tried.")
    return lines


def proof_text(proof: "Proof", lists: WordLists, position: "Position") -> str:
    """Return what a proof proves, which is nothing about the best opener before it is complete."""
    from wordpl.solvers.search import INFEASIBLE

    if not proof.is_complete:
        return (
            f"Not complete: {proof.n_proved:,} of {proof.n_openers:,} openers have no smaller total than "
            f"{best_text(position, proof.best.bound)}."
        )
    if proof.best.bound >= INFEASIBLE:
        return f"Proved: no tree{within(position.left)} exists for any of the {proof.n_openers:,} openers."
    return (
        f"Proved: no opener has a smaller total than {lists.guesses[proof.best.guess]} with "
        f"{guesses_text(position, proof.best.bound)} guesses; all {proof.n_openers:,} were solved or refuted."
    )


def checked_text(checked: "CheckedProof") -> list[str]:
    """Return sentences that say what a check of a proof's log found, and how much it would have found."""
    found = [f"FALSE: {fault}" for fault in checked.faults]
    n_checked = len(checked.checked) - len(checked.undecided)
    lines = [
        f"A second program searched {n_checked:,} of {amount(checked.n_bounds, 'bound')} again, drawn at random: "
        + (f"{amount(len(found), 'does', 'do')} not hold." if found else "all hold."),
        *found,
        f"If one bound were false, this would find it with probability {_percent(checked.chance_to_find_one)}; if 1 % "
        f"of them were, it would find one with {_percent(checked.chance_to_find(0.01))}.",
    ]
    if checked.undecided:
        lines.append(f"Given up because it takes too long: {', '.join(checked.undecided)}.")
    if checked.faults:
        return lines
    best = checked.best
    if not checked.is_complete or best is None:
        n_left = checked.n_openers - checked.n_bounds
        return [*lines, f"The log is no complete proof: {amount(n_left, 'opener')} of {checked.n_openers:,} missing."]
    total = f"{best.bound:,}" if checked.unit is None else f"{best.bound / checked.unit * checked.n_possible:,.1f}"
    return [
        *lines,
        f"The log is complete: it says that no opener has a smaller total than {best.opener} with {total} guesses.",
    ]


def _percent(chance: float) -> str:
    return f"{100 * chance:.3g} %"
