"""What each round's clue said: bits left before and after it, and how many marks the noise turned."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordpl.core.clue_matrix import agreements, clue_row
from wordpl.core.clues import encode
from wordpl.core.words import WordLists
from wordpl.stats.scores.score import Floats

N_SAMPLED = 100
"""Games of an entry that are looked at: enough for a mean whose standard error is a tenth of a bit."""
MAX_ROUNDS = 8


@dataclass(frozen=True)
class RoundReport:
    """What the clues of one round said, on average over games.

    Attributes:
        round_: The round, from 1.
        n_games: The games that had it.
        epsilon: What its clue cost.
        bits_left: The entropy of the posterior after it.
        true_marks: The share of marks that the noise left as they were.
    """

    round_: int
    n_games: int
    epsilon: float
    bits_left: float
    true_marks: float


def round_reports(games: Sequence[tuple[str, Sequence[Any]]], lists: WordLists, clue_rule: str) -> list[RoundReport]:
    """Return what each round's clue said in these noisy games, the first ones of them.

    Args:
        games: The secret and the moves of each, [guess, epsilon, clues] as record files hold them.
        lists: The words they were played with.
        clue_rule: A key of `clues.CLUE_RULES`.
    """
    columns, length = {answer: at for at, answer in enumerate(lists.answers)}, lists.length
    seen: dict[int, list[tuple[float, float, float]]] = {}
    for secret, moves in games[:N_SAMPLED]:
        log_weights = np.zeros(len(lists.answers))
        for number, (guess, epsilon, clues) in enumerate(moves[:MAX_ROUNDS], 1):
            if epsilon == 0 or not clues:
                break
            agreed = agreements(encode(clues), length)[clue_row(lists, clue_rule, guess)]
            log_weights += epsilon / length * agreed
            said = float(epsilon), _entropy_bits(log_weights), agreed[columns[secret]] / length
            seen.setdefault(number, []).append(said)
    return [RoundReport(number, len(rows), *map(float, np.mean(rows, axis=0))) for number, rows in seen.items()]


def _entropy_bits(log_weights: Floats) -> float:
    """Return the entropy of these weights, of which only the ratios count, in bits."""
    logs = log_weights - log_weights.max()
    weights = np.exp(logs)
    total = weights.sum()
    return max(0.0, float((np.log(total) - weights @ logs / total) / np.log(2)))
