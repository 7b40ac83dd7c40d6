"""What `wordpl solve` and `wordpl suggest` say of a search: totals, and what is known of the best guess."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordpl.core.words import WordLists
    from wordpl.solvers.search import Position, Rating, Search
    from wordpl.solvers.search.problem import Problem
    from wordpl.solvers.search.proof import Proof
    from wordpl.solvers.search.ranking import GuessRanking

INFINITE = "∞"


def total_text(position: "Position", rating: "Rating", is_exact: bool) -> tuple[str, str]:
    """Return the sum and the mean of guesses after a first guess; infinite where it has been proved that none do."""
    from wordpl.solvers.search import INFEASIBLE

    if rating.bound >= INFEASIBLE:
        return (INFINITE, INFINITE) if is_exact else (f"none found within {position.left}", "")
    if position.weights is None:
        return f"{rating.bound:,}", f"{rating.bound / len(position.candidates):.4f}"
    mean = rating.bound / int(position.weights.sum())
    return f"{mean * len(position.own):,.1f}", f"{mean:.4f}"


def best_text(bound: int, left: int | None) -> str:
    """Return the least total so far as a progress bar shows it."""
    from wordpl.solvers.search import INFEASIBLE

    return f"{bound:,}" if bound < INFEASIBLE else f"none within {left} yet"


def within(left: int | None) -> str:
    """Return the limit as the end of a sentence."""
    return "" if left is None else f" of at most {left} guess{'es' if left != 1 else ''}"


def what_is_known(problem: "Problem", search: "Search", ranking: "GuessRanking", n_asked: int) -> list[str]:
    """Return sentences that say what a ranking proves, and what it does not.

    Args:
        problem: what was searched.
        search: what rated the guesses.
        ranking: the guesses rated.
        n_asked: how many of them the user named; 0 where the best were looked for.
    """
    from wordpl.solvers.search import INFEASIBLE

    words, left = problem.lists.guesses, search.position.left
    failed = [words[rating.guess] for rating in ranking.ratings if rating.bound >= INFEASIBLE]
    if search.width is not None:
        lines = [
            f"Best of {len(ranking.ratings)} tried, width {search.width}: a better guess may exist (--exact tells)."
        ]
        if failed:
            lines.append(f"None found within {left} at width {search.width} is no proof: a tree may still exist.")
        return lines
    if ranking.is_optimal and not ranking.ratings:
        return [f"Exact: no tree{within(left)} exists here."]
    lines = [f"Exact: no tree{within(left)} exists after {', '.join(failed)}."] if failed else []
    if ranking.is_optimal:
        best = words[ranking.best.guess]
        return [*lines, f"{best} is optimal: every other first guess was solved too, or refuted by a bound."]
    if len(failed) < len(ranking.ratings):
        lines.append(f"Exact after {'these openers' if n_asked > 1 else 'this opener'}; others were not tried.")
    return lines


def proof_text(proof: "Proof", lists: "WordLists", left: int | None) -> str:
    """Return what a complete proof says."""
    from wordpl.solvers.search import INFEASIBLE

    if proof.best.bound >= INFEASIBLE:
        return f"Proved: no tree{within(left)} exists, whatever the opener; each of {proof.n_openers:,} was tried."
    return (
        f"Proved: no opener leads to less than {proof.best.bound:,}, the total of {lists.guesses[proof.best.guess]}; "
        f"each of {proof.n_openers:,} was refuted or solved."
    )
