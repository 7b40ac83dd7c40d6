"""The sentences around a table: what was played, and how to read it."""

from collections.abc import Iterator

import pandas as pd

from wordpl.core.amounts import amount
from wordpl.reports.board import Board
from wordpl.reports.columns import number
from wordpl.reports.names import shown
from wordpl.stats.posterior_wins import ClueExcess

CLIFF = (
    "An entry that always spends the same budget has its percentile there if it wins that share of all games, and at "
    "infinity if not. So where its share of wins is close to the percentile, a few games more or less move it from the "
    "one to the other; P(win) and the mean cost have no such cliff."
)


def title(board: Board) -> str:
    """Return the game and the size of the sample."""
    return f"{board.rules} · {_sample_size(board.table)}" + (" each" if len(board.table) > 1 else "")


def differences_title(differences: pd.DataFrame, entry: str) -> str:
    """Return what is compared, and the size of the sample."""
    return f"{shown(entry)} less each other entry · the same {_sample_size(differences)}"


def _sample_size(table: pd.DataFrame) -> str:
    fewest, most = table["n_games"].min(), table["n_games"].max()
    return f"{amount(most, 'game')}" if fewest == most else f"{fewest:,} to {amount(most, 'game')}"


def legend(board: Board, is_page: bool = False) -> str:
    """Return what numbers, marks and ranks mean; is_page: on a page, which draws what other tables write."""
    parts = ["Each number with its 95% interval."]
    names = {score.name for score in board.scores if score.shown == "always"}
    if "p05" in names:
        parts.append("p05, p50, p95: the budget within which that share of games is won; ∞: fewer games are won.")
    if "p_win" in names:
        parts.append("P(win): the mean posterior of the answers, given the clues; won: by counting.")
    if "mean_cost" in names:
        parts.append(f"Mean cost: of a game, a lost one counted as {board.loss_cost:g}, and no game as more.")
    if "mean_guesses" in names:
        parts.append("X: not solved, counted as 7 guesses in the mean.")
        if not is_page:
            parts.append("The bars: percents of games by guesses.")
    if len(board.table) > 1:
        parts.append(_about_comparison(board, is_page))
    if board.exact:
        parts.append(f"Exact: all {int(board.table['n_games'].max()):,} answers, each once.")
    parts.append("Faults: games lost by an illegal move, a crash, time or memory.")
    if "p50" in names:
        parts.append(CLIFF)
    return " ".join(parts)


def _about_comparison(board: Board, is_page: bool) -> str:
    if not board.n_compared:
        return "No game has been played by all entries yet, so they are not compared."
    games = f"the same {board.n_compared:,} games" if board.n_compared > 1 else "one game"
    main = next(score.name.replace("_", " ") for score in board.scores if score.main)
    star, rank = ("★", "rank and bar") if is_page else ("*", "#")
    return (
        f"{star} not shown to be worse than any entry; {rank}: the ranks that {games} allow, then the probability of "
        f"being the best. In each column, on at most 5% of all boards is any rank interval wrong. Ordered by {main}."
    )


def excess_sentences(board: Board) -> Iterator[str]:
    """Yield a sentence for each entry that won more games than its clues allow."""
    for one in board.excesses:
        yield excess_sentence(one)


def excess_sentence(one: ClueExcess) -> str:
    """Return what a test of the clues found."""
    within = "" if one.score == "won" else f" within {number(one.budget)}"
    chance = f"{one.p_value:.1g}" if one.p_value > 1e-12 else "below 1e-12"
    return (
        f"{shown(one.entry)} won {amount(one.n_won, 'game')}{within}, where its clues allow {one.expected:,.1f} on "
        f"average (exact chance of so many: {chance}; {one.n_tests} tests). It seems to know more than its clues."
    )


def differences_legend(differences: pd.DataFrame) -> str:
    """Return what a comparison's numbers mean."""
    return (
        "Each difference with its 95% interval and the chance that the first entry is the better one, from resampled "
        "games. won alone: games that only it, or only the other, has won, with the exact McNemar p."
        + (" Each row stands alone: among many, some differ by luck." if len(differences) > 1 else "")
    )
