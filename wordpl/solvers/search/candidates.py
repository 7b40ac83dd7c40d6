"""Bounds and selection of guesses based on the number of parts into which each guess splits a group."""

import numpy as np

from wordpl.kernels.compiled import Int, twin_of
from wordpl.solvers.search.board import INFEASIBLE, Group, SearchBoard, SearchTools, total_weight
from wordpl.solvers.search.bounds import max_spared_weight
from wordpl.solvers.search.compiled import kernel, step
from wordpl.solvers.search.counting import by_parts, largest
from wordpl.solvers.search.transposition_table import remember

BLOCK = 64


@step
def bound_of_one_guess(
    board: SearchBoard, group: Group, low: Int, n_parts: np.ndarray, tools: SearchTools
) -> tuple[Int, bool]:
    """Return a bound on the group's total from the number of parts of each guess, and whether it is exact.

    Args:
        low: A known bound.
        n_parts: The number of parts of each guess; the function adds 1 for guesses that can be the answer.
    """
    rows, n = group.rows, group.rows.shape[0]
    most, total = np.int64(largest(n_parts)), total_weight(board.weights, rows)
    if most == n and (low >= 2 * total or group.left == 2):
        remember(tools, group, 2 * total, np.bool_(True), np.int64(board.guesses[index_of(n_parts, most)]))
        return 2 * total, True
    if group.left == 2:
        remember(tools, group, np.int64(INFEASIBLE), np.bool_(True), np.int64(-1))
        return np.int64(INFEASIBLE), True
    for row in rows:
        n_parts[board.own[row]] += 1
        most = max(most, np.int64(n_parts[board.own[row]]))
    return max(low, 3 * total - max_spared_weight(board.weights, rows, most)), False


@step
def index_of(numbers: np.ndarray, number: Int) -> Int:
    """Return the index of the first occurrence of a number, which must be there."""
    at = 0
    while numbers[at] != number:
        at += 1
    return at


@twin_of(index_of)
def _index_of_plainly(numbers: np.ndarray, number: Int) -> Int:
    return np.argmax(numbers == number)


@step
def parts_too_few(board: SearchBoard, rows: np.ndarray, beta: Int, tools: SearchTools) -> Int:
    """Return the largest number of parts with which no guess, even one of the answers, gives a total below beta."""
    thrice, too_few = 3 * total_weight(board.weights, rows), 1
    while (
        tools.terms.counts_first
        and too_few <= rows.shape[0]
        and thrice - max_spared_weight(board.weights, rows, too_few + 1) >= beta
    ):
        too_few += 1
    return too_few


@kernel
def bound_with_parts(board: SearchBoard, rows: np.ndarray, n_parts: Int) -> Int:
    """Return the bound on the total with a guess of `n_parts` parts (plus one if it can be the answer)."""
    return 3 * total_weight(board.weights, rows) - max_spared_weight(board.weights, rows, n_parts)


@step
def guesses_with_more_parts(n_parts: np.ndarray, too_few: Int) -> tuple[np.ndarray, Int]:
    """Return the guesses with more than `too_few` parts.

    Returns:
        The columns of these guesses, those with most parts first, and the largest number of parts of all others.
    """
    found, n_found = np.empty(n_parts.shape[0], np.int32), 0
    most_left_out: Int = 1
    for start in range(0, n_parts.shape[0], BLOCK):
        most_here = np.int64(largest(n_parts[start : start + BLOCK]))
        if most_here <= too_few:
            most_left_out = max(most_left_out, most_here)
            continue
        for guess in range(start, min(start + BLOCK, n_parts.shape[0])):
            if n_parts[guess] > too_few:
                found[n_found] = guess
                n_found += 1
            else:
                most_left_out = max(most_left_out, np.int64(n_parts[guess]))
    return by_parts(found[:n_found], n_parts), most_left_out


@twin_of(guesses_with_more_parts)
def _guesses_with_more_parts_plainly(n_parts: np.ndarray, too_few: Int) -> tuple[np.ndarray, int]:
    has_more = n_parts > too_few
    found = np.flatnonzero(has_more).astype(np.int32)
    return by_parts(found, n_parts), max(1, int(n_parts[~has_more].max(initial=1)))
