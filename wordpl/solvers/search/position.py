"""Where a search starts: the answers that are still possible, the guesses that are allowed, how many are left."""

from dataclasses import dataclass

import numpy as np

from wordpl.core.words import N_LETTERS
from wordpl.solvers.search import transposition_table
from wordpl.solvers.search.board import EVERY_GUESS, MAX_LEFT, Group, SearchBoard, SearchTerms, SearchTools
from wordpl.solvers.search.compiled import kernel
from wordpl.solvers.search.counting import number_labels

UNLIMITED = 1 << 30
MAX_LABELS = 250
"""The number of parts of a guess, and one more, must fit into the type of the labels."""
SEED = 20210619
SQUARE = 64
N_ROWS_HASHED = 256


@dataclass(frozen=True, eq=False)
class Position:
    """What is known of a game.

    matrix: clue numbers [n_guesses, n_answers] from `kernels.matrix_of`
    candidates: int64[n], columns of the answers still possible; own: int64[n], the rows at which they stand as guesses
    guesses: int64[m], rows of the guesses allowed; all of them where None is given
    weights: int64[n], how much each candidate counts, at least 1; 1 each where None is given
    left: how many guesses are left, at most 63; None is no limit
    letters: uint8[n_guesses, length] as `words.letters` gives them, for hard mode; None for the normal game
    """

    matrix: np.ndarray
    candidates: np.ndarray
    own: np.ndarray
    guesses: np.ndarray | None = None
    weights: np.ndarray | None = None
    left: int | None = None
    letters: np.ndarray | None = None


def board_of(position: Position) -> SearchBoard:
    """Return the position as the kernels see it: the heaviest answers and the guesses with most parts first."""
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
    """Return the number of parts that each guess makes of all candidates, int64[n]."""
    seen, out = np.zeros(int(matrix.max()) + 1, np.int64), np.zeros(len(guesses), np.int64)
    _count_clues(read_only(matrix), guesses, candidates, seen, out)
    return out


@kernel
def _count_clues(
    matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray, seen: np.ndarray, out: np.ndarray
) -> None:
    for i in range(guesses.shape[0]):
        clues = matrix[guesses[i]]
        for candidate in candidates:
            out[i] += seen[clues[candidate]] <= i
            seen[clues[candidate]] = i + 1


def read_only(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix as one that can't be written to, as the shared ones are; to numba others are another type."""
    view = matrix.view()
    view.flags.writeable = False
    return view


def label_matrix(matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return labels from 0 that tell the candidates' clues apart, [n_candidates, n_guesses]: bytes where they fit."""
    if matrix.itemsize == 1:
        labels = np.empty((len(candidates), len(guesses)), np.uint8)
        _transpose(read_only(matrix), guesses, candidates, labels)
        number_labels(labels, int(matrix.max()) + 1)
        return labels
    ranks = np.array([np.unique(matrix[guess, candidates], return_inverse=True)[1] for guess in guesses])
    return np.ascontiguousarray(ranks.T.astype(np.uint8 if ranks.max() < MAX_LABELS else np.uint16))


@kernel
def _transpose(matrix: np.ndarray, guesses: np.ndarray, candidates: np.ndarray, labels: np.ndarray) -> None:
    """Copy in squares: a column read at a time would fetch every line of memory again and again."""
    for block in range(0, guesses.shape[0], SQUARE):
        for start in range(0, candidates.shape[0], SQUARE):
            for column in range(block, min(block + SQUARE, guesses.shape[0])):
                clues = matrix[guesses[column]]
                for row in range(start, min(start + SQUARE, candidates.shape[0])):
                    labels[row, column] = clues[candidates[row]]


def promising(position: Position) -> np.ndarray:
    """Return the rows of all guesses, those first that leave few answers on average and make many parts."""
    rows = np.arange(len(position.matrix)) if position.guesses is None else position.guesses
    weights = np.ones(len(position.candidates)) if position.weights is None else position.weights.astype(float)
    sums, worth = np.zeros((2, int(position.matrix.max()) + 1)), np.empty(len(rows))
    _add_up_parts(read_only(position.matrix), rows, position.candidates, weights, sums, worth)
    worth[np.isin(rows, position.own)] -= weights.sum()
    return rows[np.argsort(worth, kind="stable")]


@kernel
def _add_up_parts(
    matrix: np.ndarray, rows: np.ndarray, candidates: np.ndarray, weights: np.ndarray, sums: np.ndarray, out: np.ndarray
) -> None:
    """Fill out[i] with twice the expected size of a part, times the weight of all, less that weight for each part.

    sums: float64[2, n_clues], the weight and the size of each part; zeros before and after
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


def spread(position: Position, guess: int) -> tuple[float, int]:
    """Return the bits that the guess's clue tells on average, and the most answers that it may leave."""
    clues = position.matrix[guess, position.candidates]
    weights = np.ones(len(clues)) if position.weights is None else position.weights
    shares = np.bincount(clues, weights) / weights.sum()
    return float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum()), int(np.bincount(clues).max())


def group_of_all(position: Position, board: SearchBoard) -> Group:
    """Return all answers of the position's board as a group."""
    left = UNLIMITED if position.left is None else min(position.left, UNLIMITED)
    key, check = np.bitwise_xor.reduce(board.keys, axis=0)
    return Group(np.arange(len(board.own), dtype=np.int32), key, check, left, EVERY_GUESS)


def tools_for(position: Position, board: SearchBoard, terms: SearchTerms, n_bits: int) -> SearchTools:
    """Return what the kernels need beside the board, with a memo of 2**n_bits entries that is empty."""
    letters = np.zeros((1, 0), np.uint8) if position.letters is None else np.array(position.letters, np.uint8)
    counts = (letters[:, :, None] == np.arange(N_LETTERS, dtype=np.uint8)).sum(axis=1).astype(np.uint8)
    width = max(MAX_LEFT + letters.shape[1] + N_LETTERS, N_ROWS_HASHED)
    mixers = np.random.default_rng(SEED + 1).integers(0, 1 << 64, (3, width), dtype=np.uint64) | np.uint64(1)
    n_labels = int(board.labels.max()) + 1
    seen, tally = np.zeros(n_labels, np.int32), np.zeros(3, np.int64)
    return SearchTools(terms, transposition_table.empty(n_bits), letters, counts, mixers, seen, tally)
