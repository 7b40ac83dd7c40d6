"""The order in which guesses are tried on a group: those first that leave few answers on average and make many parts.

A guess is rated 2 s + n b: s is the sum over the n answers of the size of their part, b the bound that the number of
parts sets. Of k parts, s is n^2 / k at least; so guesses are rated in the order of their parts, and only as many as it
takes to know which is next.
"""

from typing import NamedTuple

import numpy as np

from wordpl.core.compiled import Int
from wordpl.solvers.search.board import WORK, SearchBoard, SearchTools
from wordpl.solvers.search.candidates import bound_with_parts
from wordpl.solvers.search.compiled import inner, kernel, step

GUESS_BITS = 17
GUESS_MASK = (1 << GUESS_BITS) - 1
NEVER = 1 << 62
N_RATED, N_WAITING, N_TAKEN, FLOOR = range(4)


class MoveQueue(NamedTuple):
    """Guesses to be tried.

    columns: int32[n], the guesses with most parts first; n_parts: of each guess, one more if it may be the answer
    waiting: int64[n], a binary heap of those that are rated and not taken yet; the last GUESS_BITS bits are the column
    state: int64[4]: how many are rated, wait, are taken; what the next one will be rated at least
    """

    columns: np.ndarray
    n_parts: np.ndarray
    waiting: np.ndarray
    state: np.ndarray


@step
def queue_of(columns: np.ndarray, n_parts: np.ndarray) -> MoveQueue:
    """Return a queue of these guesses, which stand in descending order of their parts."""
    return MoveQueue(columns, n_parts, np.empty(columns.shape[0], np.int64), np.zeros(4, np.int64))


@step
def queue_of_one(column: Int, n_parts: np.ndarray) -> MoveQueue:
    """Return a queue of one guess, which is tried whatever its parts."""
    state = np.array([1, 1, 0, NEVER])
    return MoveQueue(np.empty(0, np.int32), n_parts, np.full(1, column), state)


@kernel
def next_guess(board: SearchBoard, rows: np.ndarray, queue: MoveQueue, tools: SearchTools) -> Int:
    """Return the column of the next guess, -1 where there is none, or as many as the width are taken."""
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
    """Rate the guesses with most parts of those that are not rated yet."""
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


@inner
def _expected_size(labels: np.ndarray, weights: np.ndarray, rows: np.ndarray, guess: Int, seen: np.ndarray) -> Int:
    """Return the sum over all answers of their weight times the size of their part."""
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
    """Take the smallest number out of the heap."""
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
