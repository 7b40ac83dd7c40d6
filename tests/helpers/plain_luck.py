"""A slow second implementation of `wordpl.stats.clue_luck`, which enumerates every clue that can be shown."""

from functools import cache
from itertools import product

import numpy as np

from wordpl.core.clues import CLUE_RULES, keep_probability


def luck_of_game(moves, answers, clue_rule):
    """Return the posterior of the answer, and (luck, posterior of the guess before) of each clue.

    Args:
        moves: [guess, epsilon, clues], the answer last.
        answers: The words that can be the secret.
        clue_rule: A key of `CLUE_RULES`.
    """
    chances, terms = np.full(len(answers), 1 / len(answers)), []
    for guess, epsilon, clues in moves:
        if epsilon == 0:
            return (float(chances[answers.index(guess)]) if guess in answers else 0.0), terms
        true, shown = _true_clues(guess, tuple(answers), clue_rule), _all_clues(len(guess))
        table = _channel(len(guess), float(epsilon))  # [true, shown]
        largest = np.zeros(len(shown))
        np.maximum.at(largest, true, chances)  # the likeliest answer with each true clue
        expected = (largest[:, None] * table).max(axis=0).sum()
        before = float(chances[answers.index(guess)]) if guess in answers else 0.0
        chances = chances * table[true, shown.index(clues)]
        chances /= chances.sum()
        terms.append((chances.max() - expected, before))
    return 0.0, terms


@cache
def _all_clues(length):
    return ["".join(marks) for marks in product(".ic", repeat=length)]


@cache
def _true_clues(guess, answers, clue_rule):
    number = {clue: index for index, clue in enumerate(_all_clues(len(guess)))}
    return np.array([number[CLUE_RULES[clue_rule](guess, answer)] for answer in answers])


@cache
def _channel(length, epsilon):
    keep = keep_probability(epsilon, length)
    marks = np.array([list(clue) for clue in _all_clues(length)])
    n_kept = (marks[:, None] == marks[None]).sum(axis=2)
    return keep**length * np.exp(-epsilon / length * (length - n_kept))
