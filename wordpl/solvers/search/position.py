"""The position from which a search starts, and its conversion into the data structures of the search."""

from dataclasses import dataclass

import numpy as np

from wordpl.core.words import N_LETTERS
from wordpl.kernels.clue_matrix import read_only
from wordpl.kernels.compiled import bound_kernel, twin_of
from wordpl.solvers.search.board import EVERY_GUESS, MAX_LEFT, Group, SearchBoard, SearchTerms, SearchTools
from wordpl.solvers.search.counting import number_labels

UNLIMITED = 1 << 30
MAX_LABELS = 250
"""Most labels stored as bytes; the number of parts of a guess, plus one, must fit into the type of the labels."""
SEED = 20210619
SQUARE = 64
N_ROWS_HASHED = 256
N_AT_ONCE = 1000


@dataclass(frozen=True, eq=False)
class Position:
    """A game at its beginning or after some clues.

    Attributes:
        matrix: Clue numbers, [n_guesses, n_answers], from `clue_matrix.matrix_of`.
        candidates: Columns of the answers that are still possible, int64[n].
        own: The row of each candidate as a guess, int64[n].
        guesses: Rows of the legal guesses, int64[m]; None for all.
        weights: The weight of each candidate, at least 1, int64[n]; None for 1 each.
        left: The number of guesses left, at most 63; None for no limit.
        letters: The letter codes of all guesses for hard mode, uint8[n_guesses, length], from `words.letters`; None for
            the normal game.
    """

    matrix: np.ndarray
    candidates: np.ndarray
    own: np.ndarray
    guesses: np.ndarray | None = None
    weights: np.ndarray | None = None
    left: int | None = None
    letters: np.ndarray | None = None


def board_of(position: Position) -> SearchBoard:
    """Return the board of a position, with the heaviest answers and the guesses with most parts first."""
    n = len(position.candidates)
    weights = np.ones(n, np.int64) if position.weights is None else position.weights.astype(np.int64)
    order = np.argsort(-weights, kind="stable")
    guesses = np.arange(len(position.matrix)) if position.guesses is None else position.guesses
    guesses = np.union1d(guesses, position.own)
    most = most_parts(position.matrix, guesses, position.candidates)
    ranked = np.argsort(-most, kind="stable")
    guesses, most = guesses[ranked].astype(np.int32), most[ranked].astype(np.int16)
    column_of = np.full(len(position.matrix), -1, np.int32)
    column_of[guesses] = np.arange(len(guesses))
    own, answer = column_of[position.own[order]], np.full(len(guesses), -1, np.int32)
    answer[own] = np.arange(n)
    labels = label_matrix(position.matrix, guesses, position.candidates[order])
    keys = np.random.default_rng(SEED).integers(0, 1 << 64, (n, 2), dtype=np.uint64)
    known = np.zeros((0 if position.letters is None else position.letters.shape[1]) + N_LETTERS, np.uint8)
    return SearchBoard(labels, own, answer, guesses, most, weights[order], keys, known, 1)


def most_parts(matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return the number of parts into which each guess splits all candidates, int64[n]."""
    seen, out = np.zeros(int(matrix.max()) + 1, np.int64), np.zeros(len(guesses), np.int64)
    _count_clues(read_only(matrix), guesses, candidates, seen, out)
    return out


@bound_kernel
def _count_clues(
    matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray, seen: np.ndarray, out: np.ndarray
) -> None:
    for i in range(guesses.shape[0]):
        clues = matrix[guesses[i]]
        for candidate in candidates:
            out[i] += seen[clues[candidate]] <= i
            seen[clues[candidate]] = i + 1


@twin_of(_count_clues)
def _count_clues_plainly(
    matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray, seen: np.ndarray, out: np.ndarray
) -> None:
    for start in range(0, len(guesses), N_AT_ONCE):
        clues = matrix[guesses[start : start + N_AT_ONCE, None], candidates]
        is_seen = np.zeros((len(clues), len(seen)), np.uint8)
        is_seen[np.arange(len(clues))[:, None], clues] = 1
        out[start : start + N_AT_ONCE] = is_seen.sum(axis=1)


def label_matrix(matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return labels from 0 that are equal for equal clues, [n_candidates, n_guesses], as bytes if they fit."""
    if matrix.itemsize == 1:
        labels = np.empty((len(candidates), len(guesses)), np.uint8)
        _transpose(read_only(matrix), guesses, candidates, labels)
        number_labels(labels, int(matrix.max()) + 1)
        return labels
    ranks = np.array([np.unique(matrix[guess, candidates], return_inverse=True)[1] for guess in guesses])
    return np.ascontiguousarray(ranks.T.astype(np.uint8 if ranks.max() < MAX_LABELS else np.uint16))


@bound_kernel
def _transpose(matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray, labels: np.ndarray) -> None:
    """Transpose in square blocks, since copying whole columns would load each cache line many times."""
    for block in range(0, guesses.shape[0], SQUARE):
        for start in range(0, candidates.shape[0], SQUARE):
            for column in range(block, min(block + SQUARE, guesses.shape[0])):
                clues = matrix[guesses[column]]
                for row in range(start, min(start + SQUARE, candidates.shape[0])):
                    labels[row, column] = clues[candidates[row]]


@twin_of(_transpose)
def _transpose_plainly(matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray, labels: np.ndarray) -> None:
    labels[:] = matrix[guesses[:, None], candidates].T


def promising(position: Position) -> np.ndarray:
    """Return the rows of all legal guesses, most promising first: those with small parts on average and many parts."""
    rows = np.arange(len(position.matrix)) if position.guesses is None else position.guesses
    weights = np.ones(len(position.candidates)) if position.weights is None else position.weights.astype(float)
    sums, worth = np.zeros((2, int(position.matrix.max()) + 1)), np.empty(len(rows))
    _add_up_parts(read_only(position.matrix), rows, position.candidates, weights, sums, worth)
    worth[np.isin(rows, position.own)] -= weights.sum()
    return rows[np.argsort(worth, kind="stable")]


@bound_kernel
def _add_up_parts(
    matrix: np.ndarray, rows: np.ndarray, candidates: np.ndarray, weights: np.ndarray, sums: np.ndarray, out: np.ndarray
) -> None:
    """Fill out[i] with the total weight times (twice the expected size of a part minus the number of parts).

    The scratch array `sums`, float64[2, n_clues], must be all zeros, and is all zeros again afterwards.
    """
    total = weights.sum()
    for i in range(rows.shape[0]):
        clues, worth = matrix[rows[i]], 0.0
        for j in range(candidates.shape[0]):
            sums[0, clues[candidates[j]]] += weights[j]
            sums[1, clues[candidates[j]]] += 1.0
        for j in range(candidates.shape[0]):
            clue = clues[candidates[j]]
            if sums[1, clue] > 0.0:
                worth += 2.0 * sums[0, clue] * sums[1, clue] - total
                sums[0, clue], sums[1, clue] = 0.0, 0.0
        out[i] = worth


@twin_of(_add_up_parts)
def _add_up_parts_plainly(
    matrix: np.ndarray, rows: np.ndarray, candidates: np.ndarray, weights: np.ndarray, sums: np.ndarray, out: np.ndarray
) -> None:
    n_clues = sums.shape[1]
    for start in range(0, len(rows), N_AT_ONCE):
        clues = matrix[rows[start : start + N_AT_ONCE, None], candidates]
        places = (clues + np.arange(len(clues))[:, None] * n_clues).ravel()
        counts = np.bincount(places, minlength=len(clues) * n_clues)
        masses = np.bincount(places, np.tile(weights, len(clues)), len(clues) * n_clues)
        worth = np.where(counts > 0, 2.0 * masses * counts - weights.sum(), 0.0)
        out[start : start + N_AT_ONCE] = worth.reshape(len(clues), n_clues).sum(axis=1)


def spread(position: Position, guess: int) -> tuple[float, int]:
    """Return the expected information of a guess's clue in bits, and the largest number of answers it may leave."""
    clues = position.matrix[guess, position.candidates]
    weights = np.ones(len(clues)) if position.weights is None else position.weights
    shares = np.bincount(clues, weights) / weights.sum()
    return float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum()), int(np.bincount(clues).max())


def group_of_all(position: Position, board: SearchBoard) -> Group:
    """Return the group of all answers of a position."""
    left = UNLIMITED if position.left is None else min(position.left, UNLIMITED)
    key, check = np.bitwise_xor.reduce(board.keys, axis=0)
    return Group(np.arange(len(board.own), dtype=np.int32), key, check, left, EVERY_GUESS)


def tools_for(position: Position, board: SearchBoard, terms: SearchTerms, n_bits: int) -> SearchTools:
    """Return the tools for a board, with an empty memo of 2**n_bits entries."""
    letters = np.zeros((1, 0), np.uint8) if position.letters is None else np.array(position.letters, np.uint8)
    counts = (letters[:, :, None] == np.arange(N_LETTERS, dtype=np.uint8)).sum(axis=1).astype(np.uint8)
    width = max(MAX_LEFT + letters.shape[1] + N_LETTERS, N_ROWS_HASHED)
    mixers = np.random.default_rng(SEED + 1).integers(0, 1 << 64, (3, width), dtype=np.uint64) | np.uint64(1)
    n_labels = int(board.labels.max()) + 1
    seen, tally = np.zeros(n_labels, np.int32), np.zeros(3, np.int64)
    memo = np.zeros((1 << n_bits, 4), np.uint64)  # memory is allocated only as it fills
    return SearchTools(terms, memo, letters, counts, mixers, seen, tally)
