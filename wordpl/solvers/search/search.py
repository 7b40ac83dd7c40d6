"""A search from one position for the minimal total of guesses: depth first, guess by guess, part by part."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count

import numpy as np

from wordpl.kernels.compiled import Int, bound_kernel, inner, is_cached, plain_for_small_work, step
from wordpl.solvers.search import bounds, partitions
from wordpl.solvers.search.board import (
    FULL_WIDTH,
    INFEASIBLE,
    N_KEPT,
    N_SEARCHED,
    WORK,
    Group,
    SearchBoard,
    SearchTerms,
    SearchTools,
    best_known,
    copy_entries,
    note_failure,
    recall,
    remember,
)
from wordpl.solvers.search.counting import count_parts
from wordpl.solvers.search.feasibility import is_solvable, needs_feasibility_check
from wordpl.solvers.search.move_ordering import MoveQueue, next_guess, queue_of, queue_of_one
from wordpl.solvers.search.position import UNLIMITED, Position, board_of, group_of_all, promising, tools_for


@bound_kernel
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
    parts, boards = partitions.allocate_parts(group.rows.shape[0]), [board]
    while best > low:
        guess, limit = next_guess(board, group.rows, queue, tools), min(beta, best)
        if guess < 0:
            break
        at_least = np.int64(0)
        if group.only < 0:
            at_least = bounds.bound_with_parts(board, group.rows, np.int64(queue.n_parts[guess]))
        if at_least >= limit:
            rest = min(rest, at_least)
            continue
        tried = Group(group.rows, group.key, group.check, group.left, guess)
        bounds.open_parts(board, tried, limit, parts, tools)
        _raise_bounds(board, tried, limit, parts, boards, tools)
        if parts.sums[partitions.TOTAL] < best:
            best, choice = parts.sums[partitions.TOTAL], np.int64(board.guesses[tried.only])
    bound = best if best < beta else beta if tools.terms.width < FULL_WIDTH else max(beta, min(best, rest))
    if group.only < 0:
        remember(tools, group, bound, best < beta, choice)
        if best >= beta and group.left < group.rows.shape[0]:
            note_failure(tools, group)
    return bound


@step
def _raise_bounds(
    board: SearchBoard,
    tried: Group,
    limit: Int,
    parts: partitions.Partition,
    boards: list[SearchBoard],
    tools: SearchTools,
) -> None:
    """Search the open parts of a tried guess until the sum of all bounds is the guess's total, or reaches the limit."""
    while len(boards) > 0:
        boards.pop()  # unlike `clear`, releases their memory
    while parts.sums[partitions.TOTAL] < limit:
        part = bounds.cheapest_part(parts)
        if part < 0:
            break
        target, before = bounds.next_target(parts, part, limit, tools), tools.tally[WORK]
        child = partitions.group_of(tried, parts, part)
        if partitions.has_own_board(board, tried, child, parts.cost[part], tools):
            if parts.place[part] < 0:
                parts.place[part] = len(boards)
                boards.append(partitions.child_board(board, tried, child, tools))
            found = solve(boards[parts.place[part]], partitions.renumbered(child), target, tools)
        else:
            found = solve(board, child, target, tools)
        bounds.record_result(parts, part, found, found < target, tools.tally[WORK] - before)


@inner
def known_bound(board: SearchBoard, group: Group, beta: Int, tools: SearchTools) -> tuple[Int, bool]:
    """Return a bound on the group's total that needs no search, and whether it is exact."""
    rows, n = group.rows, group.rows.shape[0]
    at_least = bounds.size_bound(board, rows)
    if group.only >= 0:
        return at_least, False
    total = bounds.total_of_few(board, rows, group.left)
    if total > 0:
        return total, True
    if at_least >= beta:
        return at_least, False
    bound, is_exact = recall(tools.memo, group.key, group.check)
    bound = max(bound, at_least)
    if is_exact or bound >= beta or bound > at_least or n > bounds.MAX_CHECKED or not tools.terms.checks_members:
        return bound, is_exact
    bound, is_exact, row = bounds.best_member(board, rows, group.left, tools)
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
    too_few = bounds.parts_too_few(board, group.rows, beta, tools)
    count_parts(board, group.rows, n_parts, too_few, tools)
    bound, is_exact = bounds.bound_of_one_guess(board, group, low, n_parts, tools)
    if is_exact or bound >= beta:
        if not is_exact:
            remember(tools, group, bound, np.bool_(False), np.int64(-1))
        return bound, is_exact, queue_of(np.empty(0, np.int32), n_parts), bound
    columns, most_left_out = bounds.guesses_with_more_parts(n_parts, too_few)
    return bound, False, queue_of(columns, n_parts), bounds.bound_with_parts(board, group.rows, most_left_out)


FIRST_BITS = {False: 16, True: 20}  # by whether all guesses are tried; memory is allocated only as the memo fills
MAX_BITS = 22
MAX_LOAD = 0.5
MAX_PLAIN = {False: 150, True: 20}
"""Most answers, by whether all guesses are tried, that are searched without kernels, as loading them takes longer."""
MAX_PLAIN_AT_FIRST = {False: 3500, True: 20}
"""Most answers that are searched without kernels where those would have to be compiled first."""

MAX_PLAIN_SEARCHES = 20
"""How many small searches a process does without kernels; one that does more, such as a run, is faster with them."""
_n_small = count()


@dataclass(frozen=True)
class Rating:
    """A bound on the total of a first guess: the weighted sum of guesses over all candidates.

    Attributes:
        guess: The row of the guess.
        bound: A lower bound on the total; INFEASIBLE if the guesses left are not enough.
        is_exact: Whether the bound is the total (with a limited width, the total of the best tree found).
    """

    guess: int
    bound: int
    is_exact: bool


class ClassicSearch:
    """A search from one position, for use by one thread.

    Args:
        position: The position.
        width: How many of the most promising guesses to try for each group of answers; None for all, which is exact.
        **ideas: Fields of `SearchTerms` to switch off in order to measure their effect.
    """

    def __init__(self, position: Position, width: int | None = None, **ideas: bool):
        self.position = position
        self.width = width
        n_answers, is_exact = len(position.candidates), width is None
        is_small = n_answers <= MAX_PLAIN[is_exact] or (
            n_answers <= MAX_PLAIN_AT_FIRST[is_exact] and not is_cached(solve)
        )
        self._is_small = is_small and next(_n_small) < MAX_PLAIN_SEARCHES
        with self.plainly_if_small():
            board = board_of(position)
        self._prepare(board, SearchTerms(width or FULL_WIDTH, position.letters is not None, **ideas))

    def _prepare(self, board: SearchBoard, terms: SearchTerms) -> None:
        self.board = board
        self.tools = tools_for(self.position, board, terms, FIRST_BITS[self.width is None])
        self.group = group_of_all(self.position, board)

    @property
    def lacks_kernels(self) -> bool:
        """Whether the search calls no kernels only because they would have to be compiled first."""
        return self._is_small and len(self.position.candidates) > MAX_PLAIN[self.width is None]

    def plainly_if_small(self) -> AbstractContextManager[None]:
        """Return a context in which the plain twins of kernels are called if the position is small."""
        return plain_for_small_work(self._is_small, solve)

    def twin(self) -> "ClassicSearch":
        """Return another search of the same position for another thread, with its own memo."""
        other = object.__new__(ClassicSearch)
        other.position, other.width, other._is_small = self.position, self.width, self._is_small
        other._prepare(self.board, self.tools.terms)
        return other

    def promising(self) -> np.ndarray:
        """Return the rows of all legal guesses, most promising first; see `position.promising`."""
        with self.plainly_if_small():
            return promising(self.position)

    @property
    def n_searched(self) -> int:
        """How many groups of answers have been searched with all guesses considered."""
        return int(self.tools.tally[N_SEARCHED])

    def rate(self, guess: int, beta: int = INFEASIBLE, is_limited: bool = True) -> Rating:
        """Return the total of a guess if it is below beta, else a bound that is at least beta.

        Args:
            guess: The row of the guess.
            beta: The total below which the result is exact.
            is_limited: Whether to observe the number of guesses left; bounds without this limit hold with it too.
        """
        column = self.column(self.board, guess)
        group = self.group._replace(only=column, left=self.group.left if is_limited else UNLIMITED)
        bound = int(self.solve(self.board, group, beta))
        return Rating(int(guess), bound, bound < beta)

    def column(self, board: SearchBoard, guess: int) -> int:
        """Return the column of the guess with this row of the matrix."""
        columns = np.flatnonzero(board.guesses == guess)
        if not len(columns):
            raise ValueError(f"guess {guess} is not allowed in this position")
        return int(columns[0])

    def best(self) -> Rating:
        """Return the best guess with its total."""
        total = self.solve(self.board, self.group, INFEASIBLE)
        return Rating(self.choice(self.board, self.group), int(total), True)

    def solve(self, board: SearchBoard, group: Group, beta: int) -> int:
        """Return the minimal total of the group if it is below beta, else a bound; see `solve`."""
        with self.plainly_if_small():
            bound = solve(board, group, min(beta, INFEASIBLE), self.tools)
        crowded = self.tools.tally[N_KEPT] > MAX_LOAD * len(self.tools.memo)
        if crowded and len(self.tools.memo) < 1 << MAX_BITS:
            larger = np.zeros((2 * len(self.tools.memo), 4), np.uint64)
            with self.plainly_if_small():
                copy_entries(self.tools.memo, larger)
            self.tools = self.tools._replace(memo=larger)
        return min(int(bound), INFEASIBLE)

    def choice(self, board: SearchBoard, group: Group) -> int:
        """Return the row of the best guess for a group whose total has been found, or -1 if there is none."""
        rows = group.rows
        if len(rows) < 3 or (len(rows) == 3 and group.left > 2):
            return int(board.guesses[board.own[_first_of_few(board, rows)]])
        guess = self._best_known(group)
        if guess < 0:
            self.solve(board, group, INFEASIBLE)
            guess = self._best_known(group)
        return guess

    def _best_known(self, group: Group) -> int:
        with self.plainly_if_small():
            return int(best_known(self.tools.memo, group.key, group.check))


def _first_of_few(board: SearchBoard, rows: np.ndarray) -> int:
    """Return which of up to three answers to guess first for the smallest total; ties prefer heavier answers."""
    if len(rows) < 3:
        return int(rows[0])
    twice = 2 * board.weights[rows].sum()
    totals = [twice - board.weights[rows[0]] + board.weights[rows[2]]]
    for i in range(3):
        j, k = (row for row in rows if row != rows[i])
        tells_apart = board.labels[j, board.own[rows[i]]] != board.labels[k, board.own[rows[i]]]
        totals.append(twice - board.weights[rows[i]] if tells_apart else INFEASIBLE)
    return int(rows[max(0, int(np.argmin(totals)) - 1)])
