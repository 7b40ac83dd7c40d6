"""Boards of random runs, made of numbers alone: nothing is played."""

import numpy as np

from tests.helpers.frames import run_of
from wordpl.reports import boards
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.estimates import LuckCorrected

KINDS = ("near ties", "at the level", "equal", "one entry", "all lost", "anything")
BUDGETS = (20.0, 30.0, 40.0, 40.5, 62.5, 90.0)


def random_board(rng, kind, max_entries=6):
    """Return a board of the noisy game or of Wordle, and its run.

    Args:
        rng: Draws all.
        kind: One of KINDS.
        max_entries: The most entries; small numbers of entries are the most frequent.
    """
    k = 1 if kind == "one entry" else round(np.exp(rng.uniform(np.log(2), np.log(max_entries + 0.49))))
    n, is_noisy = int(rng.choice([30, 150, 400])), rng.random() < 0.7
    if kind == "at the level":
        chances = rng.choice([0.05, 0.5, 0.95]) + rng.normal(0, 0.01, k)
    elif kind == "equal":
        chances = np.full(k, rng.random())
    elif kind == "near ties":
        chances = rng.random() + rng.normal(0, 0.02, k)
    else:
        chances = np.zeros(k) if kind == "all lost" else rng.random(k)
    chances = np.clip(chances, 0, 1)
    won = rng.random((k, n)) < chances[:, None]
    if is_noisy:
        budgets = rng.choice(BUDGETS, k)
        changes = rng.random(k) < 0.4  # these entries spend more in some games than in others
        steps = 1 + rng.integers(0, 6, (k, n)) * changes[:, None]
        spent = np.round(budgets[:, None] * steps / np.where(changes, 3.0, 1.0)[:, None], 2)
    else:
        spent = rng.integers(2, 7, (k, n)).astype(float)
    costs = {f"Entry{i}(n_guesses={i % 5})": np.where(won[i], spent[i], np.inf) for i in range(k)}
    run = run_of(costs) if is_noisy else run_of(costs, "guesses")
    luck = None
    if is_noisy and rng.random() < 0.7:
        luck = {name: luck_of(rng, spent[i], chances[i]) for i, name in enumerate(costs)}
        run = run.assign(posterior=np.concatenate([one.luck.answer for one in luck.values()]), spent=spent.ravel())
    (board,) = boards(run, rng, luck=luck)
    return board, run


def luck_of(rng, spent, chance):
    """Return games whose answers have about this probability, with clues that are not lucky."""
    n = len(spent)
    answers = np.clip(chance + rng.normal(0, 0.02, n), 0, 1)
    return LuckCorrected(np.arange(n), ClueLuck(answers, spent, np.arange(n + 1), *np.zeros((2, n)), spent))
