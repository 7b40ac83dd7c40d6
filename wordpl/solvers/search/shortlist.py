"""Which guesses are worth trying on a group, the most promising first."""

import numpy as np

from wordpl.solvers.search.board import INFEASIBLE, WORK, total_weight
from wordpl.solvers.search.bounds import spared
from wordpl.solvers.search.compiled import kernel, step
from wordpl.solvers.search.memo import remember
from wordpl.solvers.search.partitions import largest

GUESS_BITS = 17
GUESS_MASK = (1 << GUESS_BITS) - 1
BLOCK = 64
SELECTED = 200  # up to this width the best are picked one by one, which is faster than sorting all


@kernel
def bound_of_one_guess(board, group, low, n_parts, tools):
    """Return (bound, whether it is exact) after a look at the number of parts that each guess makes.

    low: a bound known before; n_parts: these numbers, to which one is added for guesses that may be the answer
    """
    rows, n = group.rows, group.rows.shape[0]
    most, total = np.int64(largest(n_parts)), total_weight(board.weights, rows)
    if most == n and (low >= 2 * total or group.left == 2):
        remember(tools, group, 2 * total, np.bool_(True), np.int64(board.guesses[first_with(n_parts, most)]))
        return 2 * total, True
    if group.left == 2:
        remember(tools, group, np.int64(INFEASIBLE), np.bool_(True), np.int64(-1))
        return np.int64(INFEASIBLE), True
    for row in rows:
        n_parts[board.own[row]] += 1
        most = max(most, np.int64(n_parts[board.own[row]]))
    return max(low, 3 * total - spared(board.weights, rows, most)), False


@step
def first_with(numbers, number):
    """Return where the number first stands."""
    at = 0
    while numbers[at] != number:
        at += 1
    return at


@kernel
def parts_too_few(board, rows, beta, tools):
    """Return the most parts with which no guess, itself an answer or not, can bring the total below beta."""
    thrice, too_few = 3 * total_weight(board.weights, rows), 1
    while (
        tools.terms.counts_first
        and too_few <= rows.shape[0]
        and thrice - spared(board.weights, rows, too_few + 1) >= beta
    ):
        too_few += 1
    return too_few


@kernel
def shortlist(board, group, too_few, n_parts, tools):
    """Return (guesses that make more than `too_few` parts, the least bound of all others).

    n_parts: of each guess, one more if it may be the answer
    The guesses are int64, promising ones first; their last GUESS_BITS bits are the column.
    """
    rows, n = group.rows, group.rows.shape[0]
    thrice = 3 * total_weight(board.weights, rows)
    order, most_left_out = _with_more_parts(n_parts, too_few)
    for i in range(order.shape[0]):
        size = _expected_size(board.labels, board.weights, rows, order[i], tools.seen)
        bound = thrice - spared(board.weights, rows, np.int64(n_parts[order[i]]))
        order[i] |= (2 * size + n * bound) << GUESS_BITS
    tools.tally[WORK] += 6 * n * order.shape[0]
    return _best_first(order, tools.terms.width), thrice - spared(board.weights, rows, most_left_out)


@step
def _with_more_parts(n_parts, too_few):
    """Return (the guesses with more parts than `too_few`, the largest number of parts of the others)."""
    found, n_found, most_left_out = np.empty(n_parts.shape[0], np.int64), 0, 1
    for start in range(0, n_parts.shape[0], BLOCK):
        most = np.int64(largest(n_parts[start : start + BLOCK]))
        if most <= too_few:
            most_left_out = max(most_left_out, most)
            continue
        for guess in range(start, min(start + BLOCK, n_parts.shape[0])):
            if n_parts[guess] > too_few:
                found[n_found] = guess
                n_found += 1
            else:
                most_left_out = max(most_left_out, np.int64(n_parts[guess]))
    return found[:n_found], most_left_out


@kernel
def _expected_size(labels, weights, rows, guess, seen):
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
def _best_first(order, width):
    """Return the `width` smallest numbers in order, sorted as Shell does: numpy's own sort takes seconds to compile."""
    n, gap = order.shape[0], 1
    if width <= SELECTED and width < n:
        for i in range(width):
            least = i
            for j in range(i + 1, n):
                if order[j] < order[least]:
                    least = j
            order[i], order[least] = order[least], order[i]
        return order[:width]
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            number, j = order[i], i
            while j >= gap and order[j - gap] > number:
                order[j] = order[j - gap]
                j -= gap
            order[j] = number
        gap //= 3
    return order[:width]
