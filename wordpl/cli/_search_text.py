"""The sentences of `wordpl solve` and `wordpl suggest`: totals, and what a search has proved about the best guess."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordpl.core.words import WordLists
    from wordpl.solvers.search import Position, Rating, Search
    from wordpl.solvers.search.problem import Problem
    from wordpl.solvers.search.proof import Proof
    from wordpl.solvers.search.ranking import GuessRanking

INFINITE = "∞"


def total_text(position: "Position", rating: "Rating", is_exact: bool) -> tuple[str, str]:
    """Return the total and the mean number of guesses after a first guess; "∞" if no tree is proved to exist."""
    from wordpl.solvers.search import INFEASIBLE

    if rating.bound >= INFEASIBLE:
        return (INFINITE, INFINITE) if is_exact else (f"none found within {position.left}", "")
    if position.weights is None:
        return f"{rating.bound:,}", f"{rating.bound / len(position.candidates):.4f}"
    mean = rating.bound / int(position.weights.sum())
    return f"{mean * len(position.own):,.1f}", f"{mean:.4f}"


def best_text(bound: int, left: int | None) -> str:
    """Return the smallest total so far, as a progress bar shows it."""
    from wordpl.solvers.search import INFEASIBLE

    return f"{bound:,}" if bound < INFEASIBLE else f"none within {left} yet"


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


def proof_text(proof: "Proof", lists: "WordLists", left: int | None) -> str:
    """Return the statement that a complete proof proves."""
    from wordpl.solvers.search import INFEASIBLE

    if proof.best.bound >= INFEASIBLE:
        return f"Proved: no tree{within(left)} exists for any of the {proof.n_openers:,} openers."
    return (
        f"Proved: no opener has a smaller total than {lists.guesses[proof.best.guess]} with {proof.best.bound:,} "
        f"guesses; all {proof.n_openers:,} were solved or refuted."
    )
