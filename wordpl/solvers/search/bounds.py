"""Lower bounds on the total of a group of answers.

By its size, by the number of parts into which guesses split it, and summed over the parts of a guess.
"""

import numpy as np

from wordpl.kernels.compiled import Int, bound_kernel, inner, step, twin_of
from wordpl.solvers.search.board import (
    FULL_WIDTH,
    INFEASIBLE,
    Group,
    SearchBoard,
    SearchTools,
    recall,
    remember,
    total_weight,
)
from wordpl.solvers.search.counting import by_parts, largest
from wordpl.solvers.search.partitions import N_OPEN, SETTLED, TOTAL, Partition, group_of, split

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


@bound_kernel
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


COST_GROWTH = 3
MAX_SMALL = 32
"""Answers of a part that hard mode searches in larger steps."""


@inner
def open_parts(board: SearchBoard, tried: Group, limit: Int, parts: Partition, tools: SearchTools) -> None:
    """Split the group by its only guess and bound the total of each part without a search.

    Parts whose total is not known stay open. Their members are checked for one that distinguishes all others, part by
    part until the sum of the bounds reaches the limit.

    Args:
        tried: The group with its only guess.
        limit: The total at which the guess is refuted.
        parts: The result.
    """
    _sum_known_bounds(board, tried, parts, tools)
    if not tools.terms.checks_members:
        return
    n_open, left = parts.sums[N_OPEN], tried.left - 1
    parts.sums[N_OPEN] = 0
    for i in range(n_open):
        part = parts.order[i]
        first, size = parts.rows[parts.begin[part]], parts.end[part] - parts.begin[part]
        is_unchecked = size <= MAX_CHECKED and parts.low[part] == 2 * parts.weight[part] - board.weights[first]
        if parts.sums[TOTAL] < limit and is_unchecked:
            child = group_of(tried, parts, part)
            bound, is_exact, row = best_member(board, child.rows, left, tools)
            remember(tools, child, bound, is_exact, np.int64(board.guesses[board.own[row]]))
            raise_bound(parts, part, bound)
            if is_exact:
                continue
        parts.order[parts.sums[N_OPEN]] = part
        parts.sums[N_OPEN] += 1


@step
def _sum_known_bounds(board: SearchBoard, tried: Group, parts: Partition, tools: SearchTools) -> None:
    n_parts = split(board, tried, parts, tools)
    rows, begin, end, lows, key, check = parts.rows, parts.begin, parts.end, parts.low, parts.key, parts.check
    memo, left, answer = tools.memo, tried.left - 1, board.answer[tried.only]
    weight, weights, cost, most = parts.weight, board.weights, parts.cost, np.int64(board.most[0])
    is_quick = board.is_raw == 0 or tools.terms.is_hard
    total, n_open = total_weight(weights, tried.rows), 0
    for part in range(n_parts):
        size, heaviest = end[part] - begin[part], weights[rows[begin[part]]]
        if size == 1 and rows[begin[part]] == answer:
            continue
        low = 2 * weight[part] - heaviest
        is_known = size <= 2 and left >= 2
        if not is_known and (size <= 3 or left < 2):
            few = total_of_few(board, rows[begin[part] : end[part]], left)
            low, is_known = max(low, few), few > 0
        elif size > most:
            low = size_bound(board, rows[begin[part] : end[part]])
        if not is_known:
            bound, is_exact = recall(memo, key[part], check[part])
            low = max(bound, low)
            if not is_exact:
                _open(parts, part, n_open)
                cost[part] = size * size if is_quick else -size
                n_open += 1
        lows[part] = low
        total += low
    parts.sums[TOTAL], parts.sums[N_OPEN] = total, n_open


@step
def _open(parts: Partition, part: Int, n_open: Int) -> None:
    """Insert a part into the open ones, which are sorted by size."""
    order, begin, end = parts.order, parts.begin, parts.end
    size, i = end[part] - begin[part], n_open
    while i > 0 and end[order[i - 1]] - begin[order[i - 1]] > size:
        order[i] = order[i - 1]
        i -= 1
    order[i] = part
    parts.place[part] = -1


@step
def raise_bound(parts: Partition, part: Int, bound: Int) -> None:
    """Replace the bound on a part's total by a better one."""
    parts.sums[TOTAL] += bound - parts.low[part]
    parts.low[part] = bound


@step
def cheapest_part(parts: Partition) -> Int:
    """Return the open part whose bound is cheapest to raise, or -1 if all totals are known."""
    found = np.int64(-1)
    for i in range(parts.sums[N_OPEN]):
        part = parts.order[i]
        if parts.cost[part] < SETTLED and (found < 0 or parts.cost[part] < parts.cost[found]):
            found = part
    return found


@step
def next_target(parts: Partition, part: Int, limit: Int, tools: SearchTools) -> Int:
    """Return the bound that the next search of a part should prove: slightly more than is known.

    Small steps refute a guess sooner than large ones, because each step goes to the part where it is cheapest. If only
    one part is open, or if the width is limited and bounds are of no use for other guesses, the step is as large as
    needed to refute the guess. In hard mode, where each search begins with a board of its own, steps are larger for
    small parts, and where there is nothing to refute.
    """
    needed = limit - parts.sums[TOTAL] + parts.low[part]
    if parts.cost[part] < 0:
        return min(needed, parts.low[part] + 1)
    if not tools.terms.raises or parts.sums[N_OPEN] == 1 or tools.terms.width < FULL_WIDTH:
        return needed
    size = parts.end[part] - parts.begin[part]
    step = 1 + (size >> 5)
    if tools.terms.is_hard and (size < MAX_SMALL or limit >= INFEASIBLE):
        step += size >> 2
    return min(needed, parts.low[part] + step * max(1, parts.weight[part] // size))


@step
def record_result(parts: Partition, part: Int, bound: Int, is_total: bool, work: Int) -> None:
    """Record the bound found by a search of a part, and its cost."""
    size = parts.end[part] - parts.begin[part]
    raise_bound(parts, part, bound)
    parts.cost[part] = SETTLED if is_total else max(size * size, COST_GROWTH * (work >> 6))
