"""Whether the guesses left are enough for a group of answers, asked before its total is searched for.

The search of a total raises bounds little by little. Where no tree exists it would raise them for ever; this search
asks no total, so it ends with the first guess all of whose parts can be solved, or when every guess has failed. Both
answers are remembered.
"""

import numpy as np

from wordpl.core.compiled import Bool, Int
from wordpl.solvers.search.board import FULL_WIDTH, INFEASIBLE, Group, SearchBoard, SearchTools
from wordpl.solvers.search.compiled import inner, kernel, step
from wordpl.solvers.search.counting import by_parts, count_parts, largest
from wordpl.solvers.search.partitions import Partition, allocate_parts, group_of, split
from wordpl.solvers.search.pruning import child_board, renumbered
from wordpl.solvers.search.transposition_table import (
    is_known_solvable,
    n_failures,
    note_solvable,
    recall,
    remember,
)

UNKNOWN, NO, YES = -1, 0, 1
PATIENCE = 4
"""Searches for a total that may fail before this question is asked: most groups are solved before, and never ask."""


@step
def needs_feasibility_check(group: Group, tools: SearchTools) -> Bool:
    """Return whether to ask if the group can be solved before its total is searched for again."""
    if group.only >= 0 or group.left >= group.rows.shape[0] or tools.terms.width < FULL_WIDTH:
        return False
    return n_failures(tools.memo, group.key, group.check) >= PATIENCE


@kernel
def is_solvable(board: SearchBoard, group: Group, tools: SearchTools) -> Bool:
    """Return whether some tree finds every answer of the group within the guesses left.

    Args:
        board: the board of the group; in hard mode it holds only the guesses still allowed.
        group: the answers, with `left` guesses.
        tools: the memo among them, where the answer is kept.
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
    parts = allocate_parts(n)
    killer = np.empty(0, np.int32)
    for column in columns:
        if _keeps_together(board, killer, column):
            continue
        tried = Group(rows, group.key, group.check, group.left, np.int64(column))
        n_children = split(board, tried, parts, tools)
        _sort_by_size(parts, n_children)
        all_solved = True
        for i in range(n_children):
            child = group_of(tried, parts, parts.order[i])
            if child.rows.shape[0] == 1:
                break
            if tools.terms.is_hard:
                solved = is_solvable(child_board(board, tried, child, tools), renumbered(child), tools)
            else:
                solved = is_solvable(board, child, tools)
            if not solved:
                all_solved = False
                if not tools.terms.is_hard:
                    killer = child.rows.copy()
                break
        if all_solved:
            note_solvable(tools, group)
            return True
    remember(tools, group, np.int64(INFEASIBLE), np.bool_(True), np.int64(-1))
    return False


@step
def _known_answer(group: Group, tools: SearchTools) -> Int:
    n, left = group.rows.shape[0], group.left
    if left >= n:  # the answers themselves, one after the other
        return YES
    if left < 2:
        return NO
    bound, is_exact = recall(tools.memo, group.key, group.check)
    if is_exact:
        return YES if bound < INFEASIBLE else NO
    return YES if is_known_solvable(tools.memo, group.key, group.check) else UNKNOWN


@inner
def _promising_columns(n_parts: np.ndarray, n: Int, left: Int, most: Int) -> np.ndarray:
    """Return the columns of the guesses that may do, those with most parts first.

    With two guesses left after this one, a part can have no more answers than a guess has parts.
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
def _keeps_together(board: SearchBoard, killer: np.ndarray, column: Int) -> bool:
    """Return whether the guess does not split answers that one guess less is not enough for.

    More answers need no fewer guesses, as long as all guesses are allowed.
    """
    if killer.shape[0] == 0:
        return False
    label = board.labels[killer[0], column]
    for row in killer:  # noqa: SIM110 (compiled code has no generators)
        if board.labels[row, column] != label:
            return False
    return True


@step
def _sort_by_size(parts: Partition, n_parts: Int) -> None:
    """Put the parts in order, the largest first."""
    for part in range(n_parts):
        size, i = parts.end[part] - parts.begin[part], part
        while i > 0 and parts.end[parts.order[i - 1]] - parts.begin[parts.order[i - 1]] < size:
            parts.order[i] = parts.order[i - 1]
            i -= 1
        parts.order[i] = part
