"""Move ordering: guesses with small parts on average and with many parts are tried first.

The rating of a guess is 2 s + n b, where s is the sum of the sizes of the parts of the n answers, and b is the bound on
the total that follows from the number of parts. With k parts, s is at least n^2 / k. Guesses are therefore rated in
descending order of their number of parts, and only as many as needed to know which one is next.
"""

from typing import NamedTuple

import numpy as np

from wordpl.kernels.compiled import Int, bound_kernel, inner, step, twin_of
from wordpl.solvers.search.board import WORK, SearchBoard, SearchTools
from wordpl.solvers.search.bounds import bound_with_parts

GUESS_BITS = 17
GUESS_MASK = (1 << GUESS_BITS) - 1
NEVER = 1 << 62
N_RATED, N_WAITING, N_TAKEN, FLOOR = range(4)


class MoveQueue(NamedTuple):
    """A lazy priority queue of the guesses to try.

    Attributes:
        columns: The guesses, those with most parts first, int32[n].
        n_parts: The number of parts of each guess, plus one if it can be the answer, [n_guesses].
        waiting: A binary heap of the guesses that are rated and not taken yet, int64[n]; the lowest GUESS_BITS bits are
            the column, the others the rating.
        state: How many guesses are rated, waiting and taken, and a lower bound on the next rating, int64[4].
    """

    columns: np.ndarray
    n_parts: np.ndarray
    waiting: np.ndarray
    state: np.ndarray


@step
def queue_of(columns: np.ndarray, n_parts: np.ndarray) -> MoveQueue:
    """Return a queue of these guesses, which must be sorted by number of parts in descending order."""
    return MoveQueue(columns, n_parts, np.empty(columns.shape[0], np.int64), np.zeros(4, np.int64))


@step
def queue_of_one(column: Int, n_parts: np.ndarray) -> MoveQueue:
    """Return a queue of a single guess."""
    state = np.array([1, 1, 0, NEVER])
    return MoveQueue(np.empty(0, np.int32), n_parts, np.full(1, column), state)


@bound_kernel
def next_guess(board: SearchBoard, rows: np.ndarray, queue: MoveQueue, tools: SearchTools) -> Int:
    """Return the column of the next guess, or -1 if there is none or `width` guesses have been taken."""
    waiting, state = queue.waiting, queue.state
    if state[N_TAKEN] == tools.terms.width:
        return np.int64(-1)
    while state[N_WAITING] == 0 or waiting[0] >> GUESS_BITS >= state[FLOOR]:
        if state[N_RATED] == waiting.shape[0]:
            if state[N_WAITING] == 0:
                return np.int64(-1)
            break
        _rate_next(board, rows, queue, tools)
    state[N_TAKEN] += 1
    return _pop(waiting, state) & GUESS_MASK


@step
def _rate_next(board: SearchBoard, rows: np.ndarray, queue: MoveQueue, tools: SearchTools) -> None:
    """Rate the unrated guesses with the largest number of parts."""
    columns, n_parts, waiting, state = queue
    labels, weights, seen, n = board.labels, board.weights, tools.seen, rows.shape[0]
    i = state[N_RATED]
    most = np.int64(n_parts[columns[i]])
    from_bound = n * bound_with_parts(board, rows, most)
    while i < columns.shape[0] and n_parts[columns[i]] == most:
        size = _expected_size(labels, weights, rows, columns[i], seen)
        _push(waiting, state, (2 * size + from_bound) << GUESS_BITS | columns[i])
        i += 1
    tools.tally[WORK] += 6 * n * (i - state[N_RATED])
    state[N_RATED], state[FLOOR] = i, NEVER
    if i < columns.shape[0]:
        most = np.int64(n_parts[columns[i]])
        least_size = weights[rows[n - 1]] * (n * n // most)
        state[FLOOR] = 2 * least_size + n * bound_with_parts(board, rows, most)


@twin_of(_rate_next)
def _rate_next_plainly(board: SearchBoard, rows: np.ndarray, queue: MoveQueue, tools: SearchTools) -> None:
    columns, n_parts, waiting, state = queue
    n, first, counts = len(rows), int(state[N_RATED]), n_parts[columns]
    stop = first + int((counts[first:] == counts[first]).sum())
    sizes = _expected_sizes(board, rows, columns[first:stop], len(tools.seen))
    from_bound = n * int(bound_with_parts(board, rows, int(counts[first])))
    for size, column in zip(sizes.tolist(), columns[first:stop].tolist(), strict=True):
        _push(waiting, state, (2 * size + from_bound) << GUESS_BITS | column)
    tools.tally[WORK] += 6 * n * (stop - first)
    state[N_RATED], state[FLOOR] = stop, NEVER
    if stop < len(columns):
        most = int(counts[stop])
        least_size = board.weights[rows[n - 1]] * (n * n // most)
        state[FLOOR] = 2 * least_size + n * bound_with_parts(board, rows, most)


def _expected_sizes(board: SearchBoard, rows: np.ndarray, guesses: np.ndarray, n_labels: int) -> np.ndarray:
    """Return what `_expected_size` returns for each guess, int64[n_guesses]."""
    n = len(guesses)
    places = board.labels[rows[:, None], guesses].astype(np.int64) * n + np.arange(n)
    weights = np.repeat(board.weights[rows], n)
    sizes = np.bincount(places.ravel(), minlength=n_labels * n)
    sums = np.bincount(places.ravel(), weights, n_labels * n)  # sums of integers are exact below 2**53
    products: np.ndarray = (sizes * sums).astype(np.int64).reshape(n_labels, n)
    return np.asarray(products.sum(axis=0))


@inner
def _expected_size(labels: np.ndarray, weights: np.ndarray, rows: np.ndarray, guess: Int, seen: np.ndarray) -> Int:
    """Return the sum over all answers of weight times size of the part."""
    for row in rows:
        seen[labels[row, guess]] += 1
    size = np.int64(0)
    for row in rows:
        size += weights[row] * seen[labels[row, guess]]
    for row in rows:
        seen[labels[row, guess]] = 0
    return size


@step
def _push(heap: np.ndarray, state: np.ndarray, number: Int) -> None:
    at = state[N_WAITING]
    state[N_WAITING] += 1
    while at > 0 and heap[(at - 1) >> 1] > number:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = number


@step
def _pop(heap: np.ndarray, state: np.ndarray) -> Int:
    """Remove and return the smallest number in the heap."""
    taken, at = heap[0], 0
    state[N_WAITING] -= 1
    n = state[N_WAITING]
    number = heap[n]
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= number:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = number
    return taken
