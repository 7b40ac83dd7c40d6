"""The number of guesses in classic games: the share solved in four, the distribution, and the worst words."""

from typing import TYPE_CHECKING

from wordpl.core.game_kinds import CLASSIC_GUESSES
from wordpl.stats.scores.shares import ShareScore

if TYPE_CHECKING:
    import pandas as pd


def distribution(games: "pd.DataFrame") -> list[int]:
    """Return the numbers of games solved in 1 to 6 guesses, and of unsolved games: seven counts."""
    counts = [int((games["cost"] == guesses).sum()) for guesses in range(1, CLASSIC_GUESSES + 1)]
    return [*counts, len(games) - sum(counts)]


def worst_words(games: "pd.DataFrame", n: int = 4) -> list[tuple[str, float]]:
    """Return the `n` hardest secrets with their numbers of guesses, hardest first; infinite for unsolved ones.

    If a secret occurred several times, its worst game counts. Ties are in alphabetical order.
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
