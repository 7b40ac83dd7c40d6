"""The effect of each round's clue: the entropy left after it, and the share of marks that noise did not change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordpl.core.clue_matrix import agreements, clue_row
from wordpl.core.clues import encode
from wordpl.core.words import WordLists
from wordpl.stats.scores.score import Floats

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


def round_reports(games: Sequence[tuple[str, Sequence[Any]]], lists: WordLists, clue_rule: str) -> list[RoundReport]:
    """Return a report for each round of the first N_SAMPLED of these noisy games.

    Args:
        games: The secret and the moves of each game, [guess, epsilon, clues] as in record files.
        clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
    """
    columns, length = {answer: index for index, answer in enumerate(lists.answers)}, lists.length
    by_round: dict[int, list[tuple[float, float, float]]] = {}
    for secret, moves in games[:N_SAMPLED]:
        log_weights = np.zeros(len(lists.answers))
        for number, (guess, epsilon, clues) in enumerate(moves[:MAX_ROUNDS], 1):
            if epsilon == 0 or not clues:
                break
            agreed = agreements(encode(clues), length)[clue_row(lists, clue_rule, guess)]
            log_weights += epsilon / length * agreed
            row = float(epsilon), _entropy_bits(log_weights), agreed[columns[secret]] / length
            by_round.setdefault(number, []).append(row)
    return [RoundReport(number, len(rows), *map(float, np.mean(rows, axis=0))) for number, rows in by_round.items()]


def _entropy_bits(log_weights: Floats) -> float:
    """Return the entropy in bits of the distribution with these log weights, which need not be normalized."""
    logs = log_weights - log_weights.max()
    weights = np.exp(logs)
    total = weights.sum()
    return max(0.0, float((np.log(total) - weights @ logs / total) / np.log(2)))
