"""The share of games that are won with a small budget."""

from wordpl.stats.scores.shares import ShareScore

SCORES = [
    ShareScore(
        name="within_50",
        head="within 50",
        applies=lambda game: game.has_epsilon,
        lower_is_better=False,
        holds=lambda games: games["cost"] <= 50,
    )
]
