"""The moves of many games as arrays, with a bit for each move that repeats an earlier one after the same history."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core.clues import encode
from wordpl.stats.text_numbers import TextNumbers

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CodedMoves:
    """The moves of n games, one game after the other.

    Attributes:
        starts: The start of each game's moves and the end of the last one, int[n + 1].
        guesses: The number of the word of each move.
        epsilons: The epsilon of each move; 0 in classic games.
        clues: The number of the clue of each move.
        has_clues: Whether a move has a clue; the answer of a noisy game has none.
        is_same: Whether a move repeats that of the most recent earlier game with the same moves and clues so far.
    """

    starts: Integers
    guesses: Integers
    epsilons: NDArray[np.float64]
    clues: Integers
    has_clues: NDArray[np.bool_]
    is_same: NDArray[np.bool_]

    def first(self, n_games: int) -> "CodedMoves":
        """Return the moves of the first `n_games` games."""
        here = slice(0, self.starts[n_games])
        return CodedMoves(
            self.starts[: n_games + 1],
            self.guesses[here],
            self.epsilons[here],
            self.clues[here],
            self.has_clues[here],
            self.is_same[here],
        )

    def spent(self) -> NDArray[np.float64]:
        """Return the sum of the epsilons of each game."""
        lengths = np.diff(self.starts)
        found = np.bincount(np.repeat(np.arange(len(lengths)), lengths), self.epsilons, len(lengths))
        return np.asarray(found, float)


def coded_moves(games: Sequence[Sequence[Any]], is_noisy: bool, guesses: TextNumbers) -> CodedMoves:
    """Return the moves of games as arrays.

    Args:
        games: The moves of each game, as in record files.
        is_noisy: Whether the moves have epsilons.
        guesses: The numbers of guessed words, to which new words are added.
    """
    flat = list(chain.from_iterable(games))
    starts = np.concatenate([[0], np.cumsum(list(map(len, games)))]).astype(np.int64)
    words = guesses.numbers_of(map(itemgetter(0), flat), len(flat))
    epsilons = np.fromiter(map(itemgetter(1), flat), float, len(flat)) if is_noisy else np.zeros(len(flat))
    shown = TextNumbers()
    numbers = shown.numbers_of(map(itemgetter(-1), flat), len(flat))
    clues = np.array([encode(text) for text in shown], np.int64)[numbers]
    moves = _group_numbers(words, _group_numbers(epsilons))
    has_clues = epsilons != 0 if is_noisy else np.ones(len(flat), bool)
    return CodedMoves(starts, words, epsilons, clues, has_clues, _is_same(starts, moves, clues))


def _is_same(starts: Integers, moves: Integers, clues: Integers) -> NDArray[np.bool_]:
    """Return which moves repeat those of the most recent game with the same history."""
    found = np.zeros(len(moves), bool)
    lengths = np.diff(starts)
    games = np.flatnonzero(lengths > 0)
    history = np.zeros(len(games), np.int64)
    for round_ in range(int(lengths.max(initial=0))):
        at = starts[games] + round_
        order = np.argsort(history, kind="stable")
        sorted_moves, sorted_history = moves[at[order]], history[order]
        again = (sorted_history[1:] == sorted_history[:-1]) & (sorted_moves[1:] == sorted_moves[:-1])
        found[at[order[1:]]] = again
        history = _group_numbers(_group_numbers(history, moves[at]), clues[at])
        goes_on = lengths[games] > round_ + 1
        games, history = games[goes_on], history[goes_on]
    return found


def _group_numbers(values: NDArray[Any], more: Integers | None = None) -> Integers:
    """Return a number for each value, or for each pair of non-negative integers; equal ones get the same number."""
    if more is not None:
        values = values * (int(more.max(initial=0)) + 1) + more
    return np.asarray(pd.factorize(values)[0], np.int64)
