"""Bounds on the total of a guess, summed over its parts, and the choice of the part to search next."""

import numpy as np

from wordpl.kernels.compiled import Bool, Int
from wordpl.solvers.search.board import FULL_WIDTH, INFEASIBLE, Group, SearchBoard, SearchTools, total_weight
from wordpl.solvers.search.bounds import MAX_CHECKED, best_member, size_bound, total_of_few
from wordpl.solvers.search.compiled import inner, step
from wordpl.solvers.search.partitions import N_OPEN, SETTLED, TOTAL, Partition, group_of, split
from wordpl.solvers.search.transposition_table import recall, remember

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
        if parts.sums[TOTAL] < limit and _is_unchecked(board, parts, part):
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
def _is_unchecked(board: SearchBoard, parts: Partition, part: Int) -> Bool:
    first, size = parts.rows[parts.begin[part]], parts.end[part] - parts.begin[part]
    return size <= MAX_CHECKED and parts.low[part] == 2 * parts.weight[part] - board.weights[first]


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
