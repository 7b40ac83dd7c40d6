"""Lower bounds on the total of a group of answers, and totals that need no search.

For n answers of weight 1, at best one of them is the first guess and all others take two guesses: the total is at least
2n - 1. After a guess with k different clues, all but one answer of each part take a third guess: the total is at least
3n - k, and one less if the guess can be the answer. With weights, the bound assumes that the heaviest answers are
found first.
"""

import numpy as np

from wordpl.kernels.compiled import Int, twin_of
from wordpl.solvers.search.board import INFEASIBLE, SearchBoard, SearchTools, total_weight
from wordpl.solvers.search.compiled import inner, step

MAX_CHECKED = 100
"""Size of the largest group whose members are checked; no word distinguishes more answers than that."""


@inner
def max_spared_weight(weights: np.ndarray, rows: np.ndarray, n_parts: Int) -> Int:
    """Return the largest weight that is spared the third guess.

    Args:
        weights: The weights of answers.
        rows: The group, heaviest answers first.
        n_parts: The number of parts, plus one if the guess can be the answer.
    """
    weight = weights[rows[0]]
    for i in range(n_parts - 1):
        weight += weights[rows[i]]
    return weight


@twin_of(max_spared_weight)
def _max_spared_weight_plainly(weights: np.ndarray, rows: np.ndarray, n_parts: Int) -> Int:
    return weights[rows[0]] + weights[rows[: max(0, n_parts - 1)]].sum()


@inner
def size_bound(board: SearchBoard, rows: np.ndarray) -> Int:
    """Return the bound that follows from the number and the weights of the answers."""
    total = total_weight(board.weights, rows)
    most = np.int64(board.most[0])
    if rows.shape[0] <= most:
        return 2 * total - board.weights[rows[0]]
    return 3 * total - max_spared_weight(board.weights, rows, most + 1)


@inner
def total_of_few(board: SearchBoard, rows: np.ndarray, left: Int) -> Int:
    """Return the minimal total of up to three answers, or 0 if it takes a search."""
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
    """Return the minimal total of three answers with at least three guesses left.

    The first guess is the heaviest answer that distinguishes the other two. If there is none, or if this total is
    smaller, the answers are guessed one by one, the heaviest first.
    """
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
    """Return a bound from first guesses that can be the answer themselves.

    It is valid only for more than two answers and at least two guesses left.

    Returns:
        The bound, whether it is exact, and the row of the answer that reaches it.
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
    """Return how well a guess distinguishes n answers.

    Returns:
        n if all clues are different; if exactly one pair has the same clue, the index of its second answer; else -1.
    """
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


@twin_of(_lone_pair)
def _lone_pair_plainly(labels: np.ndarray, rows: np.ndarray, guess: Int, seen: np.ndarray) -> int:
    shown = labels[rows, guess].tolist()
    n_missing = len(shown) - len(set(shown))
    if n_missing != 1:
        return -1 if n_missing else len(shown)
    return next(i for i, label in enumerate(shown) if label in shown[:i])
