"""The sentences of `wordpl solve` and `wordpl suggest`: totals, and what a search has proved about the best guess."""

from typing import TYPE_CHECKING

from wordpl.core.messages import amount

if TYPE_CHECKING:
    from wordpl.core.words import WordLists
    from wordpl.solvers.search import Position, Rating, Search
    from wordpl.solvers.search.problem import Problem
    from wordpl.solvers.search.proof import Proof
    from wordpl.solvers.search.ranking import GuessRanking
    from wordpl.verify.proof import CheckedProof

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


def what_is_known(problem: "Problem", search: "Search", ranking: "GuessRanking", n_asked: int) -> list[str]:
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


def proof_text(proof: "Proof", lists: "WordLists", position: "Position") -> str:
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
