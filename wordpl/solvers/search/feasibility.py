"""Feasibility search: whether a group of answers can be solved at all with the guesses left.

The search for a total raises bounds step by step. If no tree existed, it would raise them for ever. The feasibility
search computes no totals: it ends as soon as all parts of some guess can be solved, or when every guess has failed.
Both results are stored in the memo.

In hard mode, a part is first tested with all guesses that were allowed before the guess that leads to it. If it cannot
be solved even then, it cannot be solved after any other guess that keeps it together, because clues only add demands.
"""

import numpy as np

from wordpl.kernels.compiled import Bool, Int, bound_kernel, inner, step
from wordpl.solvers.search import partitions
from wordpl.solvers.search.board import (
    FULL_WIDTH,
    INFEASIBLE,
    Group,
    SearchBoard,
    SearchTools,
    is_known_solvable,
    n_failures,
    note_solvable,
    recall,
    remember,
)
from wordpl.solvers.search.counting import by_parts, count_parts, largest

UNKNOWN, NO, YES = -1, 0, 1
PATIENCE = 4
"""Failed searches for a total after which feasibility is checked; most groups are solved before that."""


@step
def needs_feasibility_check(group: Group, tools: SearchTools) -> Bool:
    """Return whether to check feasibility before the next search for the group's total."""
    if group.only >= 0 or group.left >= group.rows.shape[0] or tools.terms.width < FULL_WIDTH:
        return False
    return n_failures(tools.memo, group.key, group.check) >= PATIENCE


@bound_kernel
def is_solvable(board: SearchBoard, group: Group, tools: SearchTools) -> Bool:
    """Return whether some tree finds every answer of the group within the guesses left.

    Args:
        board: The board of the group; in hard mode it has only the guesses that are still allowed.
        tools: The tools, whose memo stores the result.
    """
    rows, n = group.rows, group.rows.shape[0]
    answer = _known_answer(group, tools)
    if answer != UNKNOWN:
        return answer == YES
    n_parts = np.empty(board.labels.shape[1], board.labels.dtype)
    count_parts(board, rows, n_parts, np.int64(n if group.left == 2 else 1), tools)
    if np.int64(largest(n_parts)) == n:
        note_solvable(tools, group)
        return True
    columns = _promising_columns(n_parts, n, group.left, np.int64(board.most[0]))
    parts = partitions.allocate_parts(n)
    killers = [rows[:0]]
    for column in columns:
        if _keeps_one_together(board, killers, column):
            continue
        tried = Group(rows, group.key, group.check, group.left, np.int64(column))
        if _are_solvable(board, tried, partitions.split(board, tried, parts, tools), parts, killers, tools):
            note_solvable(tools, group)
            return True
    remember(tools, group, np.int64(INFEASIBLE), np.bool_(True), np.int64(-1))
    return False


@step
def _are_solvable(
    board: SearchBoard,
    tried: Group,
    n_parts: Int,
    parts: partitions.Partition,
    killers: list[np.ndarray],
    tools: SearchTools,
) -> bool:
    """Return whether all parts of a tried guess can be solved; if not, add the answers at fault to `killers`."""
    _sort_by_size(parts, n_parts)
    for i in range(n_parts):
        child = partitions.group_of(tried, parts, parts.order[i])
        if child.rows.shape[0] == 1:
            break
        if tools.terms.is_hard:
            child = partitions.with_demands_of(board, child, tools)
        if not is_solvable(board, child, tools):
            killers.append(_core(board, child, tools))
            return False
    for i in range(n_parts if tools.terms.is_hard else 0):
        child = partitions.group_of(tried, parts, parts.order[i])
        if child.rows.shape[0] <= max(1, child.left):
            break
        if not is_solvable(partitions.child_board(board, tried, child, tools), partitions.renumbered(child), tools):
            return False
    return True


@step
def _known_answer(group: Group, tools: SearchTools) -> Int:
    n, left = group.rows.shape[0], group.left
    if left >= n:  # guess the answers one by one
        return YES
    if left < 2:
        return NO
    bound, is_exact = recall(tools.memo, group.key, group.check)
    if is_exact:
        return YES if bound < INFEASIBLE else NO
    return YES if is_known_solvable(tools.memo, group.key, group.check) else UNKNOWN


@inner
def _promising_columns(n_parts: np.ndarray, n: Int, left: Int, most: Int) -> np.ndarray:
    """Return the columns of the guesses that may succeed, those with most parts first.

    If two guesses are left after this one, no part may have more answers than the largest number of parts of any guess.
    """
    columns = np.arange(n_parts.shape[0]).astype(np.int32)
    if left == 2:
        return columns[:0]
    n_columns = 0
    least = 2 if left > 3 else max(2, (n + most - 1) // most)
    for column in range(n_parts.shape[0]):
        if n_parts[column] >= least:
            columns[n_columns] = column
            n_columns += 1
    return by_parts(columns[:n_columns], n_parts)


@step
def _keeps_one_together(board: SearchBoard, killers: list[np.ndarray], column: Int) -> bool:
    """Return whether the guess keeps together answers that are known to be unsolvable with one guess fewer.

    A superset of an unsolvable group is unsolvable too.
    """
    for k in range(len(killers) - 1, 0, -1):
        killer = killers[k]
        label, together = board.labels[killer[0], column], True
        for row in killer:
            if board.labels[row, column] != label:
                together = False
                break
        if together:
            return True
    return False


@inner
def _core(board: SearchBoard, child: Group, tools: SearchTools) -> np.ndarray:
    """Return answers of an unsolvable group that are unsolvable too; the fewer, the more guesses keep them together.

    Answers are left out one by one where that takes no search: with two guesses left, the first must distinguish all.
    """
    rows = child.rows.copy()
    if child.left != 2:
        return rows
    n_parts, i = np.empty(board.labels.shape[1], board.labels.dtype), 0
    while i < rows.shape[0] and rows.shape[0] > 3:
        fewer = np.concatenate((rows[:i], rows[i + 1 :]))
        count_parts(board, fewer, n_parts, np.int64(fewer.shape[0]), tools)
        if np.int64(largest(n_parts)) < fewer.shape[0]:
            rows = fewer
        else:
            i += 1
    return rows


@step
def _sort_by_size(parts: partitions.Partition, n_parts: Int) -> None:
    """Sort the parts by size, the largest first."""
    for part in range(n_parts):
        size, i = parts.end[part] - parts.begin[part], part
        while i > 0 and parts.end[parts.order[i - 1]] - parts.begin[parts.order[i - 1]] < size:
            parts.order[i] = parts.order[i - 1]
            i -= 1
        parts.order[i] = part
