"""The search: the least total of guesses for a group of answers, depth first, guess by guess, part by part.

A call answers whether the total is below `beta`. If it is, the call finds it; if not, it finds a bound that is at
least `beta`.
"""

import numpy as np

from wordpl.core.compiled import Int
from wordpl.solvers.search.board import FULL_WIDTH, INFEASIBLE, N_SEARCHED, WORK, Group, SearchBoard, SearchTools
from wordpl.solvers.search.bounds import MAX_CHECKED, best_member, size_bound, total_of_few
from wordpl.solvers.search.candidates import (
    bound_of_one_guess,
    bound_with_parts,
    guesses_with_more_parts,
    parts_too_few,
)
from wordpl.solvers.search.child_bounds import cheapest_part, next_target, open_parts, record_result
from wordpl.solvers.search.compiled import inner, kernel
from wordpl.solvers.search.counting import count_parts
from wordpl.solvers.search.feasibility import is_solvable, needs_feasibility_check
from wordpl.solvers.search.move_ordering import MoveQueue, next_guess, queue_of, queue_of_one
from wordpl.solvers.search.partitions import TOTAL, allocate_parts, group_of
from wordpl.solvers.search.pruning import child_board, has_own_board, renumbered
from wordpl.solvers.search.transposition_table import note_failure, recall, remember


@kernel
def solve(board: SearchBoard, group: Group, beta: Int, tools: SearchTools) -> Int:
    """Return the least total of the group if it is below beta; else a bound on it that is at least beta.

    With a guess that is the only one to try, the total is that of the group after this guess.
    """
    low, is_exact = known_bound(board, group, beta, tools)
    if is_exact or low >= beta:
        return low
    if needs_feasibility_check(group, tools) and not is_solvable(board, group, tools):
        return np.int64(INFEASIBLE)
    low, is_exact, queue, rest = guesses_to_try(board, group, beta, low, tools)
    if is_exact or low >= beta:
        return low
    best, choice = np.int64(INFEASIBLE), np.int64(-1)
    parts, boards = allocate_parts(group.rows.shape[0]), [board]
    while best > low:
        guess, limit = next_guess(board, group.rows, queue, tools), min(beta, best)
        if guess < 0:
            break
        if group.only < 0:
            at_least = bound_with_parts(board, group.rows, np.int64(queue.n_parts[guess]))
            if at_least >= limit:
                rest = min(rest, at_least)
                continue
        tried = Group(group.rows, group.key, group.check, group.left, guess)
        open_parts(board, tried, limit, parts, tools)
        while len(boards) > 0:
            boards.pop()  # clear() would not give their memory back
        while parts.sums[TOTAL] < limit:
            part = cheapest_part(parts)
            if part < 0:
                break
            asked, before = next_target(parts, part, limit, tools), tools.tally[WORK]
            child = group_of(tried, parts, part)
            if has_own_board(board, child, parts.cost[part], tools):
                if parts.place[part] < 0:
                    parts.place[part] = len(boards)
                    boards.append(child_board(board, tried, child, tools))
                found = solve(boards[parts.place[part]], renumbered(child), asked, tools)
            else:
                found = solve(board, child, asked, tools)
            record_result(parts, part, found, found < asked, tools.tally[WORK] - before)
        if parts.sums[TOTAL] < best:
            best, choice = parts.sums[TOTAL], np.int64(board.guesses[tried.only])
    is_exact = best < beta
    bound = best if is_exact else beta if tools.terms.width < FULL_WIDTH else max(beta, min(best, rest))
    if group.only < 0:
        remember(tools, group, bound, is_exact, choice)
        if not is_exact and group.left < group.rows.shape[0]:
            note_failure(tools, group)
    return bound


@inner
def known_bound(board: SearchBoard, group: Group, beta: Int, tools: SearchTools) -> tuple[Int, bool]:
    """Return (bound, whether it is exact) without a look at all guesses."""
    rows, n = group.rows, group.rows.shape[0]
    at_least = size_bound(board, rows)
    if group.only >= 0:
        return at_least, False
    total = total_of_few(board, rows, group.left)
    if total > 0:
        return total, True
    if at_least >= beta:
        return at_least, False
    bound, is_exact = recall(tools.memo, group.key, group.check)
    bound = max(bound, at_least)
    if is_exact or bound >= beta or bound > at_least or n > MAX_CHECKED or not tools.terms.checks_members:
        return bound, is_exact
    bound, is_exact, row = best_member(board, rows, group.left, tools)
    remember(tools, group, bound, is_exact, np.int64(board.guesses[board.own[row]]))
    return bound, is_exact


@inner
def guesses_to_try(
    board: SearchBoard, group: Group, beta: Int, low: Int, tools: SearchTools
) -> tuple[Int, bool, MoveQueue, Int]:
    """Return (bound, whether it is exact, a queue of guesses, the least bound of all others)."""
    n_parts = np.empty(board.labels.shape[1], board.labels.dtype)
    if group.only >= 0:
        return low, False, queue_of_one(group.only, n_parts), np.int64(INFEASIBLE)
    tools.tally[N_SEARCHED] += 1
    too_few = parts_too_few(board, group.rows, beta, tools)
    count_parts(board, group.rows, n_parts, too_few, tools)
    bound, is_exact = bound_of_one_guess(board, group, low, n_parts, tools)
    if is_exact or bound >= beta:
        if not is_exact:
            remember(tools, group, bound, np.bool_(False), np.int64(-1))
        return bound, is_exact, queue_of(np.empty(0, np.int32), n_parts), bound
    columns, most_left_out = guesses_with_more_parts(n_parts, too_few)
    return bound, False, queue_of(columns, n_parts), bound_with_parts(board, group.rows, most_left_out)
