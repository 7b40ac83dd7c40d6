"""How guesses split groups of answers: counting the parts of every guess, and splitting by one."""

from typing import NamedTuple

import numpy as np

from wordpl.solvers.search import hard
from wordpl.solvers.search.board import EVERY_GUESS, MOST_LEFT, WORK, Group
from wordpl.solvers.search.compiled import kernel, step

BLOCK = 4096  # guesses at a time: few enough that what is compared stays in the fastest cache
TOTAL, N_OPEN = range(2)
SETTLED = 1 << 60
LANES = 64  # guesses at a time for the table: one line of the cache
FEW = 200  # up to here comparing all pairs, 32 guesses in one instruction, beats a table of clues


@kernel
def count_parts(board, rows, n_parts, enough, tools):
    """Put into n_parts[guess] how many different clues the guess gets from the answers in `rows`.

    enough: guesses that can make neither more parts than this nor more than another guess are not counted; what they
        can make at most stands for it
    """
    width = LANES if rows.shape[0] > FEW else BLOCK
    repeats, ticks = np.empty(BLOCK, np.uint8), np.zeros((tools.seen.shape[0], LANES), np.uint8)
    found = 1
    for start in range(0, n_parts.shape[0], width):
        counts = n_parts[start : start + width]
        if board.most[start] < min(found, enough):
            for t in range(counts.shape[0]):
                counts[t] = board.most[start + t]
            continue
        tools.tally[WORK] += rows.shape[0] * rows.shape[0] * counts.shape[0] // 100
        if rows.shape[0] > FEW:
            _count_by_table(board.labels, rows, start, counts, ticks)
        else:
            _count_by_pairs(board.labels, rows, start, counts, repeats)
        found = max(found, np.int64(largest(counts)))


@kernel
def largest(numbers):
    """Return the largest of the numbers, 32 at a time."""
    found = numbers[0]
    for number in numbers:
        found = max(found, number)
    return found


@step
def _count_by_pairs(labels, rows, start, counts, repeats):
    repeat = repeats[: counts.shape[0]]
    counts[:] = 1
    for j in range(1, rows.shape[0]):
        _mark_repeats(labels, rows[: j + 1], start, repeat)
        for t in range(repeat.shape[0]):
            counts[t] += np.uint8(1) - repeat[t]


@kernel
def _mark_repeats(labels, rows, start, repeat):
    """Put 1 where another of the rows has the last one's label, 0 elsewhere; four of them a pass.

    repeat: uint8, for the guesses from column `start` on
    """
    stop, last = start + repeat.shape[0], rows.shape[0] - 1
    label, first = labels[rows[last], start:stop], last & 3
    a, b, c = (
        labels[rows[0], start:stop],
        labels[rows[min(1, last)], start:stop],
        labels[rows[min(2, last)], start:stop],
    )
    if first == 0:
        repeat[:] = 0
    elif first == 1:
        for t in range(repeat.shape[0]):
            repeat[t] = np.uint8(a[t] == label[t])
    elif first == 2:
        for t in range(repeat.shape[0]):
            repeat[t] = np.uint8(a[t] == label[t]) | np.uint8(b[t] == label[t])
    else:
        for t in range(repeat.shape[0]):
            repeat[t] = np.uint8(a[t] == label[t]) | np.uint8(b[t] == label[t]) | np.uint8(c[t] == label[t])
    for i in range(first, last, 4):
        a, b = labels[rows[i], start:stop], labels[rows[i + 1], start:stop]
        c, d = labels[rows[i + 2], start:stop], labels[rows[i + 3], start:stop]
        for t in range(repeat.shape[0]):
            x = label[t]
            repeat[t] |= np.uint8(a[t] == x) | np.uint8(b[t] == x) | np.uint8(c[t] == x) | np.uint8(d[t] == x)


@step
def _count_by_table(labels, rows, start, counts, ticks):
    """Tick off in a table which clues each guess has had, LANES guesses abreast."""
    counts[:] = 0
    ticks[:] = 0
    for row in rows:
        label = labels[row, start : start + counts.shape[0]]
        for t in range(counts.shape[0]):
            counts[t] += np.uint8(1) - ticks[label[t], t]
            ticks[label[t], t] = 1


class Parts(NamedTuple):
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
def room_for_parts(n):
    """Return arrays for the parts of n answers."""
    of = np.empty((9, n), np.int64)
    hashes = np.empty((2, n), np.uint64)
    rows, sums = np.empty(n, np.int32), np.empty(2, np.int64)
    places = (of[5], of[6], sums, of[7], of[8])
    return Parts(rows, of[0], of[1], hashes[0], hashes[1], of[2], of[3], of[4], *places)


@kernel
def split(board, group, parts, tools):
    """Split the group by the clues to its only guess and return the number of parts.

    Parts keep the order of their answers, and stand in the order in which their first ones appear.
    """
    n_parts = _count_sizes(board, group, parts, tools.seen)
    start = 0
    for part in range(n_parts):
        size = parts.end[part]
        parts.begin[part], parts.end[part] = start, start
        start += size
        parts.key[part], parts.check[part], parts.weight[part] = 0, 0, 0
    for i in range(group.rows.shape[0]):
        row, part = group.rows[i], parts.part_of[i]
        parts.rows[parts.end[part]] = row
        parts.end[part] += 1
        parts.key[part] ^= board.keys[row, 0]
        parts.check[part] ^= board.keys[row, 1]
        parts.weight[part] += board.weights[row]
    for part in range(n_parts):
        _add_terms_to_key(board, group, parts, part, tools)
    return n_parts


@step
def _count_sizes(board, group, parts, seen):
    """Put each row's part into parts.part_of, each part's size into parts.end, and return the number of parts."""
    rows, n_parts = group.rows, 0
    for i in range(rows.shape[0]):
        label = board.labels[rows[i], group.only]
        if seen[label] == 0:
            parts.label[n_parts] = label
            parts.end[n_parts] = 0
            n_parts += 1
            seen[label] = n_parts
        part = seen[label] - 1
        parts.part_of[i] = part
        parts.end[part] += 1
    for part in range(n_parts):
        seen[parts.label[part]] = 0
    return n_parts


@step
def _add_terms_to_key(board, group, parts, part, tools):
    """Let the part's key tell the guesses left, where they are a limit, and what hard mode demands by then."""
    first, left = parts.rows[parts.begin[part]], group.left - 1
    if left < parts.end[part] - parts.begin[part]:
        parts.key[part] ^= tools.mixers[0, left]
        parts.check[part] ^= tools.mixers[1, left]
    if tools.terms.is_hard:
        known = hard.learned(board.known, tools, board.guesses[group.only], board.guesses[board.own[first]])
        for i in range(known.shape[0]):
            parts.key[part] += known[i] * tools.mixers[0, MOST_LEFT + i]
            parts.check[part] += known[i] * tools.mixers[1, MOST_LEFT + i]


@kernel
def group_of(group, parts, part):
    """Return the part as a group of its own, with one guess less left."""
    rows = parts.rows[parts.begin[part] : parts.end[part]]
    return Group(rows, parts.key[part], parts.check[part], group.left - 1, np.int64(EVERY_GUESS))
