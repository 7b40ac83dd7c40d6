"""The effect of each round's clue: the entropy left after it, and the share of marks that noise did not change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordpl.games import Game
from wordpl.kernels.posterior import Posterior

N_SAMPLED = 100
"""The number of an entry's games to evaluate, enough for a standard error of the mean of a tenth of a bit."""
MAX_ROUNDS = 8


@dataclass(frozen=True)
class RoundReport:
    """Means over the clues of one round.

    Attributes:
        round_: The number of the round, from 1.
        n_games: The number of games with this round.
        epsilon: The budget spent on the clue.
        bits_left: The entropy of the posterior after the clue, in bits.
        true_marks: The share of marks that noise did not change.
    """

    round_: int
    n_games: int
    epsilon: float
    bits_left: float
    true_marks: float


def round_reports(games: Sequence[tuple[str, Sequence[Any]]], game: Game) -> list[RoundReport]:
    """Return a report for each round of the first N_SAMPLED of these games, whose clues may be false.

    Args:
        games: The secret and the moves of each game, [guess, epsilon, clues] as in record files.
        game: Their rules.
    """
    length = game.lists.length
    by_round: dict[int, list[tuple[float, float, float]]] = {}
    for secret, moves in games[:N_SAMPLED]:
        posterior = Posterior.of(game)
        for number, (guess, epsilon, clues) in enumerate(moves[:MAX_ROUNDS], 1):
            if epsilon == 0 or not clues:
                break
            posterior.update(guess, epsilon, clues)
            n_true = sum(mark == true for mark, true in zip(clues, game.clue(guess, secret), strict=True))
            row = float(epsilon), posterior.bits, n_true / length
            by_round.setdefault(number, []).append(row)
    return [RoundReport(number, len(rows), *map(float, np.mean(rows, axis=0))) for number, rows in by_round.items()]
