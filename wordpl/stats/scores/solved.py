"""In how many guesses classic games were solved: the share within four, the distribution, the worst words."""

from typing import TYPE_CHECKING

from wordpl.core.game_kinds import CLASSIC_GUESSES
from wordpl.stats.scores.shares import ShareScore

if TYPE_CHECKING:
    import pandas as pd


def distribution(games: "pd.DataFrame") -> list[int]:
    """Return how many games were solved in 1 to 6 guesses, and how many were not: seven counts."""
    counts = [int((games["cost"] == guesses).sum()) for guesses in range(1, CLASSIC_GUESSES + 1)]
    return [*counts, len(games) - sum(counts)]


def worst_words(games: "pd.DataFrame", n: int = 4) -> list[tuple[str, float]]:
    """Return the `n` hardest secrets with the guesses they took, infinite for unsolved ones, which come first.

    A secret that came up more than once counts with its worst game; equal ones stand in alphabetical order.
    """
    worst = games.groupby("secret", observed=True)["cost"].max().reset_index().astype({"secret": str})
    worst = worst.sort_values(["cost", "secret"], ascending=[False, True])
    return [(str(secret), float(cost)) for secret, cost in worst.head(n).itertuples(index=False)]


SCORES = [
    ShareScore(
        name="solved_in_4",
        head="in 4",
        measure="guesses",
        lower_is_better=False,
        holds=lambda games: games["cost"] <= 4,
    )
]
