"""Splits a group of answers into parts by the clues to a guess.

Also what the clues demand in hard mode, and smaller boards for the parts.
"""

from typing import NamedTuple

import numpy as np

from wordpl.kernels.compiled import Bool, Int, bound_kernel, inner, step, twin_of
from wordpl.solvers.search.board import EVERY_GUESS, MAX_LEFT, Group, SearchBoard, SearchTools
from wordpl.solvers.search.counting import by_parts, number_labels


@inner
def demands_after(known: np.ndarray, tools: SearchTools, guess: Int, answer: Int) -> np.ndarray:
    """Return the demands after a guess, uint8[length + 26].

    Args:
        known: The demands before.
        guess: The row of the guess in the clue matrix.
        answer: The row of any answer that gives the clue.
    """
    letters, counts = tools.letters, tools.counts
    length = letters.shape[1]
    after = known.copy()
    for place in range(length):
        letter = letters[guess, place]
        if letter == letters[answer, place]:
            after[place] = letter + 1
        at_least = min(counts[guess, letter], counts[answer, letter])
        after[length + letter] = max(after[length + letter], at_least)
    return after


@inner
def add_demands(
    known: np.ndarray, tools: SearchTools, guess: Int, answers: np.ndarray, hashes: tuple[np.ndarray, np.ndarray]
) -> None:
    """Add the demands after a guess to the two hashes of each part; `answers` has the row of one answer of each."""
    letters, counts, mixers = tools.letters, tools.counts, tools.mixers
    keys, checks = hashes
    length = letters.shape[1]
    key, check = np.uint64(0), np.uint64(0)
    for i in range(known.shape[0]):
        key += known[i] * mixers[0, MAX_LEFT + i]
        check += known[i] * mixers[1, MAX_LEFT + i]
    for part in range(answers.shape[0]):
        keys[part] += key
        checks[part] += check
    for place in range(length):
        letter = np.int64(letters[guess, place])
        in_place, in_word = MAX_LEFT + place, MAX_LEFT + length + letter
        mixer, other = np.uint64(letter + 1) * mixers[0, in_place], np.uint64(letter + 1) * mixers[1, in_place]
        before = np.int64(known[length + letter])
        in_guess: Int = np.int64(counts[guess, letter])
        for earlier in range(place):
            if letters[guess, earlier] == letter:
                in_guess = 0  # this letter is done
        for part in range(answers.shape[0]):
            if known[place] == 0 and letters[answers[part], place] == letter:
                keys[part] += mixer
                checks[part] += other
            more = min(in_guess, np.int64(counts[answers[part], letter])) - before
            if more > 0:
                keys[part] += np.uint64(more) * mixers[0, in_word]
                checks[part] += np.uint64(more) * mixers[1, in_word]


@twin_of(add_demands)
def _add_demands_plainly(
    known: np.ndarray, tools: SearchTools, guess: Int, answers: np.ndarray, hashes: tuple[np.ndarray, np.ndarray]
) -> None:
    after = np.array([demands_after(known, tools, guess, answer) for answer in answers], np.uint64)
    for i in range(2):
        hashes[i][: len(answers)] += (after * tools.mixers[i, MAX_LEFT : MAX_LEFT + len(known)]).sum(axis=1)


@inner
def adds_demands(known: np.ndarray, tools: SearchTools, guess: Int, answer: Int) -> Bool:
    """Return whether there are demands after a guess that were not known before; `answer` gives the clue."""
    letters, counts = tools.letters, tools.counts
    length = letters.shape[1]
    for place in range(length):
        letter = letters[guess, place]
        if known[place] == 0 and letters[answer, place] == letter:
            return True
        if min(counts[guess, letter], counts[answer, letter]) > known[length + letter]:
            return True
    return False


@inner
def allowed_columns(known: np.ndarray, board: SearchBoard, tools: SearchTools) -> np.ndarray:
    """Return the columns of the guesses that satisfy the demands, which include those of the board, int32[n]."""
    letters, counts, guesses = tools.letters, tools.counts, board.guesses
    length, n = letters.shape[1], guesses.shape[0]
    columns = np.arange(n).astype(np.int32)
    for i in range(known.shape[0]):
        if known[i] != board.known[i]:
            n_met = 0
            for j in range(n):
                guess = guesses[columns[j]]
                meets = letters[guess, i] + 1 == known[i] if i < length else counts[guess, i - length] >= known[i]
                columns[n_met] = columns[j]
                n_met += meets
            n = n_met
    return columns[:n]


@twin_of(allowed_columns)
def _allowed_columns_plainly(known: np.ndarray, board: SearchBoard, tools: SearchTools) -> np.ndarray:
    letters, counts = tools.letters[board.guesses], tools.counts[board.guesses]
    fixed, demanded = known[: letters.shape[1]], known[letters.shape[1] :]
    has_place = ((letters + 1 == fixed) | (fixed == 0)).all(axis=1)
    return np.flatnonzero(has_place & (counts >= demanded).all(axis=1)).astype(np.int32)


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


@bound_kernel
def allocate_parts(n: Int) -> Partition:
    """Return uninitialized arrays for the parts of n answers."""
    of = np.empty((9, n), np.int64)
    hashes = np.empty((2, n), np.uint64)
    rows, sums = np.empty(n, np.int32), np.empty(2, np.int64)
    places = (of[5], of[6], sums, of[7], of[8])
    return Partition(rows, of[0], of[1], hashes[0], hashes[1], of[2], of[3], of[4], *places)


@bound_kernel
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
        add_demands(board.known, tools, guesses[group.only], answers[:n_parts], (key, check))


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
        add_demands(board.known, tools, board.guesses[group.only], answers, (key, check))


@bound_kernel
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
        return adds_demands(board.known, tools, board.guesses[tried.only], first)
    fits = MIN_ANSWERS <= child.rows.shape[0] <= MAX_ANSWERS
    return board.is_raw != 0 and fits and tools.terms.thins_out and cost >= MIN_COST * child.rows.shape[0] ** 2


@bound_kernel
def child_board(board: SearchBoard, tried: Group, child: Group, tools: SearchTools) -> SearchBoard:
    """Return the part's own board, whose rows are its answers in the same order."""
    if tools.terms.is_hard:
        first = board.guesses[board.own[child.rows[0]]]
        known = demands_after(board.known, tools, board.guesses[tried.only], first)
        return sub_board(board, child.rows, allowed_columns(known, board, tools), known)
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
