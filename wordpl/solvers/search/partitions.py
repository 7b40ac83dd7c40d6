"""How a guess splits a group of answers into parts."""

from typing import NamedTuple

import numpy as np

from wordpl.core.compiled import Int
from wordpl.solvers.search import hard
from wordpl.solvers.search.board import EVERY_GUESS, MAX_LEFT, Group, SearchBoard, SearchTools
from wordpl.solvers.search.compiled import kernel, step

TOTAL, N_OPEN = range(2)
SETTLED = 1 << 60


class Partition(NamedTuple):
    """What a guess makes of a group, in arrays that every guess tried on the group uses again.

    rows: int32[n], the answers part by part; begin, end: int64[n], where each part's stand
    key, check, weight, low: [n] of each part; low: the best bound known on its total
    cost: int64[n], the work a better bound may take; SETTLED where `low` is the total itself
    order: int64[n], the parts that are open, that is not settled: the smallest first
    place: int64[n], where the part's own board stands in a list, -1 where it has none
    sums: int64[2]: the least total known for the guess, all parts together; the number of open parts
    part_of, label: scratch space of `split`
    """

    rows: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    key: np.ndarray
    check: np.ndarray
    weight: np.ndarray
    low: np.ndarray
    cost: np.ndarray
    order: np.ndarray
    place: np.ndarray
    sums: np.ndarray
    part_of: np.ndarray
    label: np.ndarray


@kernel
def allocate_parts(n: Int) -> Partition:
    """Return arrays for the parts of n answers."""
    of = np.empty((9, n), np.int64)
    hashes = np.empty((2, n), np.uint64)
    rows, sums = np.empty(n, np.int32), np.empty(2, np.int64)
    places = (of[5], of[6], sums, of[7], of[8])
    return Partition(rows, of[0], of[1], hashes[0], hashes[1], of[2], of[3], of[4], *places)


@kernel
def split(board: SearchBoard, group: Group, parts: Partition, tools: SearchTools) -> Int:
    """Split the group by the clues to its only guess and return the number of parts.

    Parts keep the order of their answers, and stand in the order in which their first ones appear.
    """
    begin, end, key, check, weight = parts.begin, parts.end, parts.key, parts.check, parts.weight
    rows, out, keys, weights = group.rows, parts.rows, board.keys, board.weights
    part_of = parts.part_of
    n_parts = _count_sizes(board.labels, group.only, rows, (part_of, end, parts.label), tools.seen)
    start = 0
    for part in range(n_parts):
        begin[part], end[part], start = start, start, start + end[part]
        key[part], check[part], weight[part] = 0, 0, 0
    for i in range(rows.shape[0]):
        row, part = rows[i], part_of[i]
        out[end[part]] = row
        end[part] += 1
        key[part] ^= keys[row, 0]
        check[part] ^= keys[row, 1]
        weight[part] += weights[row]
    if tools.terms.is_hard or group.left <= rows.shape[0]:
        _add_terms_to_keys(board, group, parts, n_parts, tools)
    return n_parts


@step
def _count_sizes(
    labels: np.ndarray, guess: Int, rows: np.ndarray, room: tuple[np.ndarray, np.ndarray, np.ndarray], seen: np.ndarray
) -> Int:
    """Return the number of parts, having put each row's part, each part's size and its label into `room`."""
    part_of, size, label_of = room
    n_parts = 0
    for i in range(rows.shape[0]):
        label = labels[rows[i], guess]
        if seen[label] == 0:
            label_of[n_parts] = label
            size[n_parts] = 0
            n_parts += 1
            seen[label] = n_parts
        part = seen[label] - 1
        part_of[i] = part
        size[part] += 1
    for part in range(n_parts):
        seen[label_of[part]] = 0
    return n_parts


@step
def _add_terms_to_keys(board: SearchBoard, group: Group, parts: Partition, n_parts: Int, tools: SearchTools) -> None:
    """Let the parts' keys tell the guesses left, where they are a limit, and what hard mode demands by then."""
    rows, begin, end, key, check, mixers = parts.rows, parts.begin, parts.end, parts.key, parts.check, tools.mixers
    left = group.left - 1
    for part in range(n_parts):
        if left < end[part] - begin[part]:
            key[part] ^= mixers[0, left]
            check[part] ^= mixers[1, left]
    if tools.terms.is_hard:
        guesses, own, guess = board.guesses, board.own, board.guesses[group.only]
        for part in range(n_parts):
            known = hard.demands_after(board.known, tools, guess, guesses[own[rows[begin[part]]]])
            for i in range(known.shape[0]):
                key[part] += known[i] * mixers[0, MAX_LEFT + i]
                check[part] += known[i] * mixers[1, MAX_LEFT + i]


@kernel
def group_of(group: Group, parts: Partition, part: Int) -> Group:
    """Return the part as a group of its own, with one guess less left."""
    rows = parts.rows[parts.begin[part] : parts.end[part]]
    return Group(rows, parts.key[part], parts.check[part], group.left - 1, np.int64(EVERY_GUESS))
