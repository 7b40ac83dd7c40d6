"""Smaller boards for parts: only the guesses that hard mode still allows, or one guess for each distinct split."""

from typing import NamedTuple

import numpy as np

from wordpl.kernels.compiled import Bool, Int, twin_of
from wordpl.solvers.search import hard
from wordpl.solvers.search.board import Group, SearchBoard, SearchTools
from wordpl.solvers.search.compiled import inner, kernel, step
from wordpl.solvers.search.counting import by_parts, number_labels

MIN_ANSWERS = 24  # for fewer answers, removing equal splits costs more than it saves
MIN_COST = 10  # times the squared number of answers: cost of a search for which it pays; see `record_result`
MAX_ANSWERS = 250  # with more answers, hardly any two splits are equal; the numbers of answers must fit into a byte
BLOCK = 4096


@step
def has_own_board(board: SearchBoard, tried: Group, child: Group, cost: Int, tools: SearchTools) -> Bool:
    """Return whether to search a part on a board of its own with fewer guesses.

    Args:
        board: The current board.
        tried: The group with its only guess.
        child: The part.
        cost: The expected work for a better bound; negative until all guesses have been considered once.
    """
    if tools.terms.is_hard:
        first = board.guesses[board.own[child.rows[0]]]
        return hard.adds_demands(board.known, tools, board.guesses[tried.only], first)
    fits = MIN_ANSWERS <= child.rows.shape[0] <= MAX_ANSWERS
    return board.is_raw != 0 and fits and tools.terms.thins_out and cost >= MIN_COST * child.rows.shape[0] ** 2


@kernel
def child_board(board: SearchBoard, tried: Group, child: Group, tools: SearchTools) -> SearchBoard:
    """Return the part's own board, whose rows are its answers in the same order."""
    if tools.terms.is_hard:
        first = board.guesses[board.own[child.rows[0]]]
        known = hard.demands_after(board.known, tools, board.guesses[tried.only], first)
        return sub_board(board, child.rows, hard.allowed_columns(known, board, tools), known)
    columns, n_parts = distinct_splits(board, child.rows, tools.mixers)
    thin = sub_board(board, child.rows, columns, board.known)
    number_labels(thin.labels, tools.seen.shape[0])
    for i in range(columns.shape[0]):
        thin.most[i] = n_parts[columns[i]]
    return thin


@step
def renumbered(child: Group) -> Group:
    """Return a part as a group on its own board."""
    rows = np.arange(child.rows.shape[0]).astype(np.int32)
    return Group(rows, child.key, child.check, child.left, child.only)


@step
def sub_board(board: SearchBoard, rows: np.ndarray, columns: np.ndarray, known: np.ndarray) -> SearchBoard:
    """Return the part of a board with these rows and columns."""
    labels = np.empty((rows.shape[0], columns.shape[0]), board.labels.dtype)
    weights, keys = np.empty(rows.shape[0], np.int64), np.empty((rows.shape[0], 2), np.uint64)
    own, answer = np.empty(rows.shape[0], np.int32), np.full(columns.shape[0], np.int32(-1))
    column_of = np.empty(board.answer.shape[0], np.int32)
    for u in range(columns.shape[0]):
        column_of[columns[u]] = u
    for i in range(rows.shape[0]):
        row = rows[i]
        weights[i], keys[i, 0], keys[i, 1] = board.weights[row], board.keys[row, 0], board.keys[row, 1]
        own[i] = column_of[board.own[row]]
        answer[own[i]] = i
        whole, thin = board.labels[row], labels[i]
        for u in range(columns.shape[0]):
            thin[u] = whole[columns[u]]
    guesses, most = board.guesses[columns], board.most[columns]
    return SearchBoard(labels, own, answer, guesses, most, weights, keys, known, board.is_raw - board.is_raw)


@twin_of(sub_board)
def _sub_board_plainly(board: SearchBoard, rows: np.ndarray, columns: np.ndarray, known: np.ndarray) -> SearchBoard:
    column_of = np.empty(len(board.answer), np.int32)
    column_of[columns] = np.arange(len(columns))
    own, answer = column_of[board.own[rows]], np.full(len(columns), -1, np.int32)
    answer[own] = np.arange(len(rows))
    labels, guesses, most = board.labels[rows[:, None], columns], board.guesses[columns], board.most[columns]
    return SearchBoard(labels, own, answer, guesses, most, board.weights[rows], board.keys[rows], known, 0)


@inner
def distinct_splits(board: SearchBoard, rows: np.ndarray, mixers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return one guess for each distinct split of the answers.

    All answers of the group are kept as guesses; other guesses that do not split the group are left out. Splits are
    compared by two hashes, which collide with a probability of at most 2^-80.

    Returns:
        The columns of the guesses, those with most parts first, and the number of parts of every guess.
    """
    n_guesses = board.labels.shape[1]
    hashes = Hashes(np.empty(n_guesses, np.uint64), np.empty(n_guesses, np.uint32), np.empty(n_guesses, np.uint8))
    hash_splits(board.labels, rows, mixers, hashes)
    size = 4
    while size < 2 * n_guesses:
        size *= 2
    table = np.full(size, np.int32(-1))
    columns, n_columns = np.empty(n_guesses, np.int32), 0
    is_member = np.zeros(n_guesses, np.bool_)
    for row in rows:
        is_member[board.own[row]] = True
        is_new(hashes, board.own[row], table)
    for guess in range(n_guesses):
        columns[n_columns] = guess
        if is_member[guess] or (hashes.n_parts[guess] > 1 and is_new(hashes, guess, table)):
            n_columns += 1
    return by_parts(columns[:n_columns], hashes.n_parts), hashes.n_parts


@twin_of(distinct_splits)
def _distinct_splits_plainly(board: SearchBoard, rows: np.ndarray, mixers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    labels = board.labels[rows].copy()
    number_labels(labels, int(labels.max()) + 1)
    n_parts, own = (labels.max(axis=0) + 1).astype(np.uint8), board.own[rows]
    hashes = mixers[2, : len(rows)] @ labels.astype(np.uint64)  # those of the kernel take other numbers
    order = np.concatenate((own, np.setdiff1d(np.flatnonzero(n_parts > 1), own)))
    _, firsts = np.unique(hashes[order], return_index=True)
    kept = np.union1d(order[firsts], own).astype(np.int32)
    return by_parts(kept, n_parts), n_parts


class Hashes(NamedTuple):
    """Hashes of the splits of all guesses.

    Attributes:
        wide: The first hash, uint64[n_guesses].
        narrow: The second hash, uint32[n_guesses].
        n_parts: The number of parts, uint8[n_guesses].
    """

    wide: np.ndarray
    narrow: np.ndarray
    n_parts: np.ndarray


@step
def is_new(hashes: Hashes, guess: Int, table: np.ndarray) -> bool:
    """Return whether no guess in the hash table has the same split; if so, insert this guess."""
    place = np.int64(hashes.wide[guess] >> np.uint64(40)) & (table.shape[0] - 1)
    while table[place] >= 0:
        other = table[place]
        if hashes.wide[other] == hashes.wide[guess] and hashes.narrow[other] == hashes.narrow[guess]:
            return False
        place = (place + 1) & (table.shape[0] - 1)
    table[place] = guess
    return True


@step
def hash_splits(labels: np.ndarray, rows: np.ndarray, mixers: np.ndarray, hashes: Hashes) -> None:
    """Hash the split of each guess, which is defined by the first answer with the same clue, for each answer."""
    first = np.empty(BLOCK, np.uint8)
    for start in range(0, labels.shape[1], BLOCK):
        stop = min(start + BLOCK, labels.shape[1])
        wide, narrow, n_parts = hashes.wide[start:stop], hashes.narrow[start:stop], hashes.n_parts[start:stop]
        wide[:], narrow[:], n_parts[:] = 0, 0, 1
        for j in range(1, rows.shape[0]):
            _find_firsts(labels, rows[: j + 1], start, first[: stop - start])
            mixer, byte = mixers[2, j], np.uint8(j)
            small = np.uint32(mixers[1, j])  # odd, like all mixers
            for t in range(stop - start):
                n_parts[t] += np.uint8(first[t] == byte)
            for t in range(stop - start):
                wide[t] += mixer * np.uint64(first[t])
            for t in range(stop - start):
                narrow[t] += small * np.uint32(first[t])


@inner
def _find_firsts(labels: np.ndarray, rows: np.ndarray, start: Int, first: np.ndarray) -> None:
    """Set first[t] to the index of the first row with the same label as the last row, for guess `start + t`."""
    stop, last = start + first.shape[0], rows.shape[0] - 1
    label = labels[rows[last], start:stop]
    first[:] = np.uint8(last)
    for i in range(last - 1, -1, -1):
        other, byte = labels[rows[i], start:stop], np.uint8(i)
        for t in range(first.shape[0]):
            # Read before the conditional expression, which the compiler would otherwise turn into a branch.
            before = first[t]
            first[t] = byte if other[t] == label[t] else before
