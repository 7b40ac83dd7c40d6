"""Bounds on the least total of a group of answers, and totals that need no search.

For n answers of weight 1: one of them can be the first guess, and the others then take two guesses at least: 2n - 1.
A guess with k different clues leaves all but one answer of each part a third guess: 3n - k, and one less if the guess
may be the answer. With weights, the heaviest answers are the ones that are spared.
"""

import numpy as np

from wordpl.core.compiled import Int
from wordpl.solvers.search.board import INFEASIBLE, SearchBoard, SearchTools, total_weight
from wordpl.solvers.search.compiled import inner, step

MAX_CHECKED = 100
"""Members of larger groups are not asked whether they tell all others apart: no word does."""


@inner
def max_spared_weight(weights: np.ndarray, rows: np.ndarray, n_parts: Int) -> Int:
    """Return the weight that a guess with this many parts (one more, if it may be the answer) spares at most."""
    weight = weights[rows[0]]
    for i in range(n_parts - 1):
        weight += weights[rows[i]]
    return weight


@inner
def size_bound(board: SearchBoard, rows: np.ndarray) -> Int:
    """Return the bound that the number of answers alone sets."""
    total = total_weight(board.weights, rows)
    most = np.int64(board.most[0])
    if rows.shape[0] <= most:
        return 2 * total - board.weights[rows[0]]
    return 3 * total - max_spared_weight(board.weights, rows, most + 1)


@inner
def total_of_few(board: SearchBoard, rows: np.ndarray, left: Int) -> Int:
    """Return the least total of up to three answers, 0 where it needs a search."""
    n, weights = rows.shape[0], board.weights
    if left < min(n, 2):
        return np.int64(INFEASIBLE)
    if n > 3 or (n == 3 and left == 2):
        return np.int64(0)
    if n == 3:
        return _total_of_three(board, rows[0], rows[1], rows[2])
    return 2 * total_weight(weights, rows) - weights[rows[0]]


@inner
def _total_of_three(board: SearchBoard, a: Int, b: Int, c: Int) -> Int:
    """The heaviest answer that tells the others apart goes first; else the heaviest, then they one by one."""
    labels, own, weights = board.labels, board.own, board.weights
    twice = 2 * (weights[a] + weights[b] + weights[c])
    one_by_one = twice - weights[a] + weights[c]
    if labels[b, own[a]] != labels[c, own[a]]:
        return twice - weights[a]
    if labels[a, own[b]] != labels[c, own[b]]:
        return min(twice - weights[b], one_by_one)
    if labels[a, own[c]] != labels[b, own[c]]:
        return min(twice - weights[c], one_by_one)
    return one_by_one


@inner
def best_member(board: SearchBoard, rows: np.ndarray, left: Int, tools: SearchTools) -> tuple[Int, bool, Int]:
    """Return (bound, whether it is exact, row of the answer that reaches it) from guesses that may be the answer.

    Only sound for more than two answers and two guesses or more left.
    """
    n, weights, labels, own, seen = rows.shape[0], board.weights, board.labels, board.own, tools.seen
    twice = 2 * total_weight(weights, rows)
    heaviest, lightest = weights[rows[0]], weights[rows[n - 1]]
    spared, reached, choice = np.int64(0), np.int64(INFEASIBLE), rows[0]
    for i in range(n):
        lone = _lone_pair(labels, rows, own[rows[i]], seen)
        if lone < 0:
            continue
        total = twice - weights[rows[i]]
        if lone == n:
            spared = max(spared, weights[rows[i]])
        elif left > 2:
            total += weights[rows[lone]]
        else:
            continue
        if total < reached:
            reached, choice = total, rows[i]
        if lone == n and weights[rows[i]] == heaviest:
            break
    if left == 2 and reached < INFEASIBLE:
        return reached, True, choice
    bound = twice - max(spared, heaviest if spared == heaviest else heaviest - lightest)
    return bound, reached == bound, choice


@step
def _lone_pair(labels: np.ndarray, rows: np.ndarray, guess: Int, seen: np.ndarray) -> Int:
    """Return n where the guess tells all n answers apart; where one pair is left, the place of its second; else -1."""
    n, repeated = rows.shape[0], rows.shape[0]
    stop = n
    for i in range(n):
        label = labels[rows[i], guess]
        if seen[label] != 0:
            if repeated < n:
                repeated, stop = -1, i
                break
            repeated = i
        seen[label] = 1
    for i in range(stop):
        seen[labels[rows[i], guess]] = 0
    return repeated
