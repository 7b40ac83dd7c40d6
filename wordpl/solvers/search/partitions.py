"""Splitting a group of answers into parts by the clues to a guess."""

from typing import NamedTuple

import numpy as np

from wordpl.kernels.compiled import Int, twin_of
from wordpl.solvers.search import hard
from wordpl.solvers.search.board import EVERY_GUESS, MAX_LEFT, Group, SearchBoard, SearchTools
from wordpl.solvers.search.compiled import inner, kernel, step

TOTAL, N_OPEN = range(2)
SETTLED = 1 << 60


class Partition(NamedTuple):
    """The parts into which a guess splits a group, in arrays that are reused for every guess tried on the group.

    Attributes:
        rows: The answers, part by part, int32[n].
        begin: Where each part begins in `rows`, int64[n].
        end: Where each part ends in `rows`, int64[n].
        key: The key of each part, uint64[n]; see `Group`.
        check: The second hash of each part, uint64[n].
        weight: The weight of each part, int64[n].
        low: The best known bound on the total of each part, int64[n].
        cost: The expected work for a better bound, int64[n]; SETTLED if `low` is the total.
        order: The open parts, that is, those that are not settled, smallest first, int64[n].
        place: The index of the part's own board in a list, -1 if it has none, int64[n].
        sums: The sum of the bounds of all parts, and the number of open parts, int64[2].
        part_of: Scratch space of `split`.
        label: Scratch space of `split`.
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
    """Return uninitialized arrays for the parts of n answers."""
    of = np.empty((9, n), np.int64)
    hashes = np.empty((2, n), np.uint64)
    rows, sums = np.empty(n, np.int32), np.empty(2, np.int64)
    places = (of[5], of[6], sums, of[7], of[8])
    return Partition(rows, of[0], of[1], hashes[0], hashes[1], of[2], of[3], of[4], *places)


@kernel
def split(board: SearchBoard, group: Group, parts: Partition, tools: SearchTools) -> Int:
    """Split the group by the clues to its only guess and return the number of parts.

    Answers keep their order within parts; parts are sorted by the position of their first answer.
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


@twin_of(split)
def _split_plainly(board: SearchBoard, group: Group, parts: Partition, tools: SearchTools) -> int:
    number_of: dict[int, int] = {}
    part_of = [number_of.setdefault(label, len(number_of)) for label in board.labels[group.rows, group.only].tolist()]
    n_parts, rows = len(number_of), group.rows[np.argsort(part_of, kind="stable")]
    end = np.cumsum(np.bincount(part_of))
    begin = np.concatenate(([0], end[:-1]))
    hashes = np.bitwise_xor.reduceat(board.keys[rows], begin)
    parts.rows[:], parts.begin[:n_parts], parts.end[:n_parts] = rows, begin, end
    parts.key[:n_parts], parts.check[:n_parts] = hashes[:, 0], hashes[:, 1]
    parts.weight[:n_parts] = np.add.reduceat(board.weights[rows], begin)
    if tools.terms.is_hard or group.left <= len(rows):
        _add_terms_to_keys(board, group, parts, n_parts, tools)
    return n_parts


@step
def _count_sizes(
    labels: np.ndarray, guess: Int, rows: np.ndarray, room: tuple[np.ndarray, np.ndarray, np.ndarray], seen: np.ndarray
) -> Int:
    """Fill `room` with the part of each row, the size of each part and its label; return the number of parts."""
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
    """Add the guesses left, if they are a limit, and the demands of hard mode to the hashes of the parts."""
    rows, begin, end, key, check, mixers = parts.rows, parts.begin, parts.end, parts.key, parts.check, tools.mixers
    left = group.left - 1
    for part in range(n_parts):
        if left < end[part] - begin[part]:
            key[part] ^= mixers[0, left]
            check[part] ^= mixers[1, left]
    if tools.terms.is_hard:
        guesses, own, answers = board.guesses, board.own, parts.label
        for part in range(n_parts):
            answers[part] = guesses[own[rows[begin[part]]]]
        hard.add_demands(board.known, tools, guesses[group.only], answers[:n_parts], (key, check))


@twin_of(_add_terms_to_keys)
def _add_terms_to_keys_plainly(
    board: SearchBoard, group: Group, parts: Partition, n_parts: int, tools: SearchTools
) -> None:
    key, check, mixers, left = parts.key[:n_parts], parts.check[:n_parts], tools.mixers, group.left - 1
    is_limited = left < parts.end[:n_parts] - parts.begin[:n_parts]
    if is_limited.any():
        key[is_limited] ^= mixers[0, left]
        check[is_limited] ^= mixers[1, left]
    if tools.terms.is_hard:
        answers = board.guesses[board.own[parts.rows[parts.begin[:n_parts]]]]
        hard.add_demands(board.known, tools, board.guesses[group.only], answers, (key, check))


@kernel
def group_of(group: Group, parts: Partition, part: Int) -> Group:
    """Return a part as a group of its own, with one guess fewer left."""
    rows = parts.rows[parts.begin[part] : parts.end[part]]
    return Group(rows, parts.key[part], parts.check[part], group.left - 1, np.int64(EVERY_GUESS))


@inner
def with_demands_of(board: SearchBoard, group: Group, tools: SearchTools) -> Group:
    """Return the same answers as a group on this board, before the guess that led to them revealed anything.

    In hard mode, a group that cannot be solved even then cannot be solved after the guess, which only adds demands.
    """
    keys, mixers, known = board.keys, tools.mixers, board.known
    key, check = np.uint64(0), np.uint64(0)
    for row in group.rows:
        key ^= keys[row, 0]
        check ^= keys[row, 1]
    if group.left < group.rows.shape[0]:
        key ^= mixers[0, group.left]
        check ^= mixers[1, group.left]
    for i in range(known.shape[0]):
        key += known[i] * mixers[0, MAX_LEFT + i]
        check += known[i] * mixers[1, MAX_LEFT + i]
    return Group(group.rows, key, check, group.left, group.only)


@twin_of(with_demands_of)
def _with_demands_of_plainly(board: SearchBoard, group: Group, tools: SearchTools) -> Group:
    hashes, mixers = np.bitwise_xor.reduce(board.keys[group.rows], axis=0), tools.mixers
    if group.left < len(group.rows):
        hashes ^= mixers[:2, group.left]
    hashes += (board.known.astype(np.uint64) * mixers[:2, MAX_LEFT : MAX_LEFT + len(board.known)]).sum(axis=1)
    return group._replace(key=hashes[0], check=hashes[1])
