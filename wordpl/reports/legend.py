"""The title and the legend of a board."""

from collections.abc import Iterator

import pandas as pd

from wordpl.core.messages import amount
from wordpl.reports.board import Board
from wordpl.reports.columns import number
from wordpl.reports.names import shown
from wordpl.stats.posterior_wins import ClueExcess

CLIFF = (
    "If an entry always spends the same budget, a percentile is either that budget or, if it wins fewer games, "
    "infinite. When its share of wins is close to the percentile, a few games decide between the two; P(win) and the "
    "mean cost do not jump like this."
)


def title(board: Board) -> str:
    """Return the game and the size of the sample."""
    return f"{board.rules} · {_sample_size(board.table)}" + (" each" if len(board.table) > 1 else "")


def differences_title(differences: pd.DataFrame, entry: str) -> str:
    """Return the title of a comparison of one entry with the others."""
    return f"{shown(entry)} minus each other entry · the same {_sample_size(differences)}"


def _sample_size(table: pd.DataFrame) -> str:
    min_games, max_games = table["n_games"].min(), table["n_games"].max()
    return f"{amount(max_games, 'game')}" if min_games == max_games else f"{min_games:,} to {amount(max_games, 'game')}"


def legend(board: Board, is_page: bool = False) -> str:
    """Return the meaning of the numbers, marks and ranks.

    Args:
        board: The board.
        is_page: Whether the legend is for an HTML page, which shows stars and bars.
    """
    parts = ["Each score is shown with its 95% confidence interval."]
    names = {score.name for score in board.scores if score.shown == "always"}
    if "p05" in names:
        parts.append("p05, p50, p95: the budget within which 5, 50, 95% of games are won; ∞: fewer games are won.")
    if "p_win" in names:
        parts.append("P(win): the mean posterior probability of the answers, given the clues; won: the counted wins.")
    if "mean_cost" in names:
        parts.append(f"Mean cost: a lost game counts as {board.loss_cost:g}, and no game counts as more.")
    if "mean_guesses" in names:
        parts.append("X: not solved, which counts as 7 guesses in the mean.")
        if not is_page:
            parts.append("Bars: the percentage of games by number of guesses.")
    if len(board.table) > 1:
        parts.append(_about_comparison(board, is_page))
    if board.exact:
        parts.append(f"Exact: all {int(board.table['n_games'].max()):,} answers were played once.")
    parts.append("Faults: games lost by an illegal move, a crash, or a time or memory limit.")
    if "p50" in names:
        parts.append(CLIFF)
    return " ".join(parts)


def _about_comparison(board: Board, is_page: bool) -> str:
    if not board.n_compared:
        return "No game has been played by all entries yet, so the entries are not compared."
    games = f"the same {board.n_compared:,} games" if board.n_compared > 1 else "one game"
    main = next(score.name.replace("_", " ") for score in board.scores if score.main)
    star, rank = ("★", "rank and bar") if is_page else ("*", "#")
    return (
        f"{star}: not shown to be worse than any other entry. {rank}: the interval of possible ranks, from {games}, "
        "and the probability of being the best. In each column, all rank intervals are correct on at least 95% of all "
        f"boards. Ordered by {main}."
    )


def excess_sentences(board: Board) -> Iterator[str]:
    """Yield a sentence for each entry that won more games than its clues allow."""
    for excess in board.excesses:
        yield excess_sentence(excess)


def excess_sentence(one: ClueExcess) -> str:
    """Return the result of a test whether an entry won more games than its clues allow."""
    limit = "" if one.score == "won" else f" within {number(one.budget)}"
    chance = f"{one.p_value:.1g}" if one.p_value > 1e-12 else "below 1e-12"
    return (
        f"{shown(one.entry)} won {amount(one.n_won, 'game')}{limit}, but its clues allow {one.expected:,.1f} on "
        f"average (exact p-value: {chance}; {one.n_tests} tests). It seems to know more than its clues."
    )


def differences_legend(differences: pd.DataFrame) -> str:
    """Return the meaning of the numbers of a comparison."""
    return (
        "Each difference is shown with its 95% interval and the probability that the first entry is better, from "
        "resampled games. won alone: games that only the first entry, or only the other, has won, with the exact "
        "McNemar p-value." + (" Rows are not corrected for multiple comparisons." if len(differences) > 1 else "")
    )
