"""The sentences around a table: what was played, and how to read it."""

import pandas as pd

from wordpl.reports.board import Board
from wordpl.reports.names import shown


def title(board: Board) -> str:
    """Return the game and the size of the sample."""
    return f"{board.rules} · {_sample_size(board.table)}" + (" each" if len(board.table) > 1 else "")


def differences_title(differences: pd.DataFrame, entry: str) -> str:
    """Return what is compared, and the size of the sample."""
    return f"{shown(entry)} less each other entry · the same {_sample_size(differences)}"


def _sample_size(table: pd.DataFrame) -> str:
    fewest, most = table["n_games"].min(), table["n_games"].max()
    return f"{most:,} games" if fewest == most else f"{fewest:,} to {most:,} games"


def legend(board: Board) -> str:
    """Return what numbers, marks and places mean."""
    parts = ["Each number stands with its 95% interval."]
    names = {score.name for score in board.scores if score.shown == "always"}
    if "p05" in names:
        parts.append("p05, p50, p95: the budget within which that share of games is won; ∞: fewer games are won.")
    if "mean_guesses" in names:
        parts.append("X: not solved, counted as 7 guesses in the mean. The bars: percents of games by guesses.")
    if len(board.table) > 1:
        parts.append(_about_comparison(board))
    return " ".join(parts)


def _about_comparison(board: Board) -> str:
    if not board.n_compared:
        return "No game has been played by all entries yet, so they are not compared."
    games = f"the same {board.n_compared:,} games" if board.n_compared > 1 else "one game"
    main = next(score.name.replace("_", " ") for score in board.scores if score.main)
    return (
        f"* best, = cannot be told from the best: compared on {games}, 95% sure. #: place by {main}, 1 + the number of "
        "entries shown to be better."
    )


def differences_legend(differences: pd.DataFrame) -> str:
    """Return what a comparison's numbers mean."""
    return (
        "Each difference with its 95% interval and the chance that the first entry is the better one, from resampled "
        "games. won alone: games that only it, or only the other, has won, with the exact McNemar p."
        + (" Each row stands alone: among many, some differ by luck." if len(differences) > 1 else "")
    )
