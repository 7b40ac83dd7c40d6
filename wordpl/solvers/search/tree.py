"""The search for the minimal total of guesses for a group of answers: depth first, guess by guess, part by part.

Each call decides whether the total is below `beta`. If it is, the call returns the total, else a bound that is at least
`beta`.
"""

import numpy as np

from wordpl.kernels.compiled import Bool, Int
from wordpl.solvers.search.board import FULL_WIDTH, INFEASIBLE, N_SEARCHED, WORK, Group, SearchBoard, SearchTools
from wordpl.solvers.search.bounds import MAX_CHECKED, best_member, size_bound, total_of_few
from wordpl.solvers.search.candidates import (
    bound_of_one_guess,
    bound_with_parts,
    guesses_with_more_parts,
    parts_too_few,
)
from wordpl.solvers.search.child_bounds import cheapest_part, next_target, open_parts, record_result
from wordpl.solvers.search.compiled import inner, kernel, step
from wordpl.solvers.search.counting import count_parts
from wordpl.solvers.search.feasibility import is_solvable, needs_feasibility_check
from wordpl.solvers.search.move_ordering import MoveQueue, next_guess, queue_of, queue_of_one
from wordpl.solvers.search.partitions import TOTAL, allocate_parts, group_of
from wordpl.solvers.search.pruning import child_board, has_own_board, renumbered
from wordpl.solvers.search.transposition_table import note_failure, recall, remember


@kernel
def solve(board: SearchBoard, group: Group, beta: Int, tools: SearchTools) -> Int:
    """Return the minimal total of the group if it is below beta, else a bound that is at least beta.

    If the group has an only guess to try, this is the total with that first guess.
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
        at_least = _bound_of_guess(board, group, queue, guess)
        if at_least >= limit:
            rest = min(rest, at_least)
            continue
        tried = Group(group.rows, group.key, group.check, group.left, guess)
        open_parts(board, tried, limit, parts, tools)
        _free(boards)
        while parts.sums[TOTAL] < limit:
            part = cheapest_part(parts)
            if part < 0:
                break
            target, before = next_target(parts, part, limit, tools), tools.tally[WORK]
            child = group_of(tried, parts, part)
            if has_own_board(board, tried, child, parts.cost[part], tools):
                if parts.place[part] < 0:
                    parts.place[part] = len(boards)
                    boards.append(child_board(board, tried, child, tools))
                found = solve(boards[parts.place[part]], renumbered(child), target, tools)
            else:
                found = solve(board, child, target, tools)
            record_result(parts, part, found, found < target, tools.tally[WORK] - before)
        if parts.sums[TOTAL] < best:
            best, choice = parts.sums[TOTAL], np.int64(board.guesses[tried.only])
    bound = best if best < beta else beta if tools.terms.width < FULL_WIDTH else max(beta, min(best, rest))
    _store(tools, group, bound, best < beta, choice)
    return bound


@step
def _bound_of_guess(board: SearchBoard, group: Group, queue: MoveQueue, guess: Int) -> Int:
    """Return a bound on the total of a guess from its number of parts; 0 if it is the only one to try."""
    if group.only >= 0:
        return np.int64(0)
    return bound_with_parts(board, group.rows, np.int64(queue.n_parts[guess]))


@step
def _free(boards: list[SearchBoard]) -> None:
    """Empty the list; unlike `clear`, `pop` releases the memory of the boards."""
    while len(boards) > 0:
        boards.pop()


@step
def _store(tools: SearchTools, group: Group, bound: Int, is_exact: Bool, choice: Int) -> None:
    """Store the result of a search in the memo, unless it is about a single guess."""
    if group.only < 0:
        remember(tools, group, bound, is_exact, choice)
        if not is_exact and group.left < group.rows.shape[0]:
            note_failure(tools, group)


@inner
def known_bound(board: SearchBoard, group: Group, beta: Int, tools: SearchTools) -> tuple[Int, bool]:
    """Return a bound on the group's total that needs no search, and whether it is exact."""
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
    """Return the guesses to try on a group.

    Returns:
        A bound on the group's total, whether it is exact, a queue of guesses, and the smallest bound of all others.
    """
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
