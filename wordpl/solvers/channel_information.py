"""The expected information of guesses in a game of any channel: the plain twin of the kernels for bundled channels."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wordpl.core.clues import MAX_TABLE_LENGTH, Exact, RandomizedResponse, keep_probability
from wordpl.core.moves import ClassicMove, Move, NoisyMove
from wordpl.kernels.clue_matrix import clue_row
from wordpl.solvers.noisy.clue_entropy import clue_entropies

if TYPE_CHECKING:
    from wordpl.games import Game

MAX_PRODUCTS = 1_000_000_000
"""The maximum number of products of weights and channel probabilities: about a second."""
MAX_LONG_GUESSES = 20
"""The number of guesses to rate if words are too long for the table of a channel."""


def max_rated(game: "Game") -> int:
    """Return how many guesses can be rated in about a second."""
    length: int = game.lists.length
    if type(game.channel) in (Exact, RandomizedResponse):
        return int(25_000_000 // 3**length)
    return int(MAX_PRODUCTS // 9**length) if length <= MAX_TABLE_LENGTH else MAX_LONG_GUESSES


def likeliest_first(game: "Game", probabilities: np.ndarray) -> list[str]:
    """Return all guesses, the likeliest answers first."""
    chances = dict(zip(game.lists.answers, probabilities.tolist(), strict=True))
    return sorted(game.lists.guesses, key=lambda word: -chances.get(word, 0.0))


def expected_information(
    game: "Game", probabilities: np.ndarray, guesses: Sequence[str], epsilon: float | None = None
) -> np.ndarray:
    """Return the expected information about the secret of each guess's outcome in bits, float64[n_guesses].

    The outcome is the clue that is shown or, where a right guess ends the game, that it ends.

    Args:
        game: The game.
        probabilities: The probability of each answer, float64[n_answers].
        guesses: The guesses to rate.
        epsilon: The epsilon of each guess, if guesses have one.
    """
    if type(game.channel) is RandomizedResponse and epsilon is not None:
        rows = np.array([clue_row(game.lists, game.clue_rule, guess) for guess in guesses])
        shown_bits = clue_entropies(rows, probabilities, epsilon, game.lists.length)
        noise = game.lists.length * _bits_of_noise(epsilon, game.lists.length)
        return np.asarray(np.maximum(0.0, shown_bits - noise))
    return generic_information(game, probabilities, guesses, epsilon)


def generic_information(
    game: "Game", probabilities: np.ndarray, guesses: Sequence[str], epsilon: float | None = None
) -> np.ndarray:
    """Return what `expected_information` returns, from the outcomes of the channel alone."""
    n_clues = 3**game.lists.length
    move = ClassicMove("", "") if epsilon is None else NoisyMove("", epsilon, "")
    weights = np.array([
        np.bincount(clue_row(game.lists, game.clue_rule, guess), probabilities, n_clues) for guess in guesses
    ])  # fmt: skip
    ended = np.zeros((len(weights), 1))
    if not game.facts.has_answer_move:
        ended[:, 0], weights[:, -1] = weights[:, -1], 0  # the clue of the right guess
    shown, noise = _shown(game, weights, move)
    return np.asarray(np.maximum(0.0, _entropies(np.concatenate([shown, ended], axis=1)) - noise))


def _shown(game: "Game", weights: np.ndarray, move: Move) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability of each shown clue of each guess, and the mean entropy of the channel.

    Args:
        weights: The probability of each true clue of each guess, float64[n_guesses, 3**length].
    """
    if type(game.channel) is Exact:
        return weights, np.zeros(len(weights))
    if game.lists.length <= MAX_TABLE_LENGTH:
        table = game.channel.table(move)
        return weights @ table, weights @ _entropies(table)
    shown, noise = np.zeros_like(weights), np.zeros(len(weights))
    for true in np.flatnonzero(weights.any(axis=0)):
        codes, chances = game.channel.outcomes(int(true), move)
        shares = np.asarray(chances, float)
        shown[:, np.asarray(codes, np.int64)] += weights[:, true, None] * shares
        noise += weights[:, true] * _entropies(shares[None])[0]
    return shown, noise


def _entropies(chances: np.ndarray) -> np.ndarray:
    """Return -sum p log2 p of each row."""
    logs = np.log2(chances, out=np.zeros_like(chances), where=chances > 0)
    return np.asarray(-(chances * logs).sum(axis=1))


def _bits_of_noise(epsilon: float, length: int) -> float:
    """Return the entropy of the noise of one mark in bits."""
    keep = keep_probability(epsilon, length)
    return float(-keep * np.log2(keep) - (1 - keep) * np.log2((1 - keep) / 2)) if keep < 1 else 0.0
