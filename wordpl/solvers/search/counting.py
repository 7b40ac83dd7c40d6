"""Counts into how many parts each guess splits a group of answers, for many guesses at once.

Small groups are counted by comparing answers in pairs, for 32 guesses in one instruction. For larger groups, the set of
labels seen so far is kept for each guess, 8 labels per byte, again for 32 guesses at once; the time then grows with the
number of answers times the number of labels instead of the square of the number of answers. Indices are unsigned,
because compilers do not vectorize loops whose indices may be negative.
"""

import numpy as np

from wordpl.kernels.compiled import Int, bound_kernel, inner, step, twin_of
from wordpl.solvers.search.board import WORK, SearchBoard, SearchTools

BLOCK = 1024  # guesses at a time; their labels fit into the fastest cache
MAX_ANSWERS_IN_PAIRS = 30  # up to this size pairs are faster than sets
UNROLL = 4  # answers, and bytes of the sets, per step
MAX_SETS = 32
LANES = 64  # guesses at a time for the table: one cache line


@bound_kernel
def count_parts(board: SearchBoard, rows: np.ndarray, n_parts: np.ndarray, enough: Int, tools: SearchTools) -> None:
    """Fill n_parts[guess] with the number of different clues that the guess gets from the answers in `rows`.

    Args:
        rows: The answers.
        n_parts: The result, [n_guesses].
        enough: Guesses whose upper bound is below both this number and the parts of some other guess are not counted;
            they get their upper bound instead.
    """
    labels, most, tally, n = board.labels, board.most, tools.tally, rows.shape[0]
    n_labels = tools.seen.shape[0]
    sets = np.empty((MAX_SETS, BLOCK), np.uint8)
    found: Int = 1
    for start in range(0, n_parts.shape[0], BLOCK):
        counts = n_parts[start : start + BLOCK]
        if most[start] < min(found, enough):
            for t in range(counts.shape[0]):
                counts[t] = most[start + t]
            continue
        n_sets = (int(most[start]) + 7) >> 3
        if n <= MAX_ANSWERS_IN_PAIRS:
            tally[WORK] += n * n * counts.shape[0] // 100
            _count_by_pairs(labels, rows, start, counts, sets)
        elif n_sets <= MAX_SETS:
            tally[WORK] += n * n_sets * counts.shape[0] // 50
            _count_by_sets(labels, rows, start, counts, sets[: (n_sets + UNROLL - 1) & -UNROLL])
        else:
            tally[WORK] += 2 * n * counts.shape[0]
            _count_by_table(labels, rows, start, counts, n_labels)
        found = max(found, np.int64(largest(counts)))


@twin_of(count_parts)
def _count_parts_plainly(
    board: SearchBoard, rows: np.ndarray, n_parts: np.ndarray, enough: int, tools: SearchTools
) -> None:
    most, n, n_labels, found = board.most, len(rows), len(tools.seen), 1
    for start in range(0, len(n_parts), BLOCK):
        counts = n_parts[start : start + BLOCK]
        if most[start] < min(found, enough):
            counts[:] = most[start : start + BLOCK]
            continue
        n_sets, width = (int(most[start]) + 7) >> 3, len(counts)
        if n <= MAX_ANSWERS_IN_PAIRS:
            tools.tally[WORK] += n * n * width // 100
        else:
            tools.tally[WORK] += n * n_sets * width // 50 if n_sets <= MAX_SETS else 2 * n * width
        is_seen = np.zeros((n_labels, width), np.uint8)
        is_seen[board.labels[rows, start : start + BLOCK], np.arange(width)] = 1
        counts[:] = is_seen.sum(axis=0, dtype=counts.dtype)
        found = max(found, int(counts.max()))


@bound_kernel
def number_labels(labels: np.ndarray, n_labels: Int) -> None:
    """Renumber the labels of each guess from 0 in order of appearance, so that its sets are as short as possible."""
    for start in range(0, labels.shape[1], LANES):
        some = labels[:, start : start + LANES]
        numbers, n_numbers = np.zeros((LANES, n_labels), labels.dtype), np.zeros(LANES, labels.dtype)
        for row in range(some.shape[0]):
            for t in range(some.shape[1]):
                label = some[row, t]
                if numbers[t, label] == 0:
                    n_numbers[t] += 1
                    numbers[t, label] = n_numbers[t]
                some[row, t] = numbers[t, label] - 1


@twin_of(number_labels)
def _number_labels_plainly(labels: np.ndarray, n_labels: int) -> None:
    width = labels.shape[1]
    numbers, n_numbers = np.zeros((n_labels, width), labels.dtype), np.zeros(width, labels.dtype)
    columns = np.arange(width)
    for row in labels:
        known = numbers[row, columns]
        n_numbers += known == 0
        np.copyto(known, n_numbers, where=known == 0)
        numbers[row, columns] = known
        row[:] = known - labels.dtype.type(1)


@inner
def largest(numbers: np.ndarray) -> Int:
    """Return the largest number; a loop that is vectorized."""
    found = numbers[0]
    for number in numbers:
        found = max(found, number)
    return found


@twin_of(largest)
def _largest_plainly(numbers: np.ndarray) -> Int:
    return numbers.max()


@inner
def by_parts(columns: np.ndarray, n_parts: np.ndarray) -> np.ndarray:
    """Return the columns sorted by their number of parts in descending order (stable counting sort)."""
    most = np.int64(largest(n_parts))
    places, out = np.zeros(most + 2, np.int64), np.empty_like(columns)
    for column in columns:
        places[most - n_parts[column] + 1] += 1
    for i in range(most):
        places[i + 1] += places[i]
    for column in columns:
        out[places[most - n_parts[column]]] = column
        places[most - n_parts[column]] += 1
    return out


@twin_of(by_parts)
def _by_parts_plainly(columns: np.ndarray, n_parts: np.ndarray) -> np.ndarray:
    return columns[np.argsort(-n_parts[columns].astype(np.int64), kind="stable")]


@step
def _count_by_pairs(labels: np.ndarray, rows: np.ndarray, start: Int, counts: np.ndarray, room: np.ndarray) -> None:
    repeat = room[0, : counts.shape[0]]
    counts[:] = 1
    for j in range(1, rows.shape[0]):
        _mark_repeats(labels, rows[: j + 1], start, repeat)
        for t in range(repeat.shape[0]):
            counts[t] += np.uint8(1) - repeat[t]


@inner
def _mark_repeats(labels: np.ndarray, rows: np.ndarray, start: Int, repeat: np.ndarray) -> None:
    """Set repeat[t] to 1 if another row has the last row's label for guess `start + t`, else to 0."""
    n_others, begin, width = rows.shape[0] - 1, np.uint64(start), np.uint64(repeat.shape[0])
    last = np.uint64(rows[n_others])
    repeat[:] = 0
    for i in range(0, n_others, UNROLL):
        a, b = np.uint64(rows[i]), np.uint64(rows[min(i + 1, n_others - 1)])
        c, d = np.uint64(rows[min(i + 2, n_others - 1)]), np.uint64(rows[min(i + 3, n_others - 1)])
        for t in range(width):
            u = begin + t
            x = labels[last, u]
            repeat[t] |= (
                np.uint8(labels[a, u] == x)
                | np.uint8(labels[b, u] == x)
                | np.uint8(labels[c, u] == x)
                | np.uint8(labels[d, u] == x)
            )


@step
def _count_by_sets(labels: np.ndarray, rows: np.ndarray, start: Int, counts: np.ndarray, sets: np.ndarray) -> None:
    """Collect the labels of each guess in a bit set, label 8 s + b as bit b of byte s, and count its members."""
    places, bits = np.empty((UNROLL, BLOCK), np.uint8), np.empty((UNROLL, BLOCK), np.uint8)
    width, last = counts.shape[0], rows.shape[0] - 1
    sets[:] = 0
    for i in range(0, rows.shape[0], UNROLL):
        for k in range(UNROLL):
            _find_bits(labels, rows[min(i + k, last)], start, places[k, :width], bits[k, :width])
        for s in range(0, sets.shape[0], UNROLL):
            _add_to_sets(places, bits, sets, s, width)
    counts[:] = 0
    for s in range(sets.shape[0]):
        _add_members(sets[s, :width], counts)


@inner
def _find_bits(labels: np.ndarray, row: Int, start: Int, place: np.ndarray, bit: np.ndarray) -> None:
    """Fill in the byte of the set and the bit in this byte that represent each label."""
    row, start = np.uint64(row), np.uint64(start)
    for t in range(np.uint64(place.shape[0])):
        label = np.uint8(labels[row, start + t])
        power = np.uint8(1 + (label & 1))
        power = np.uint8(power << 2) if label & 2 else power
        power = np.uint8(power << 4) if label & 4 else power
        place[t], bit[t] = label >> np.uint8(3), power


@inner
def _add_to_sets(places: np.ndarray, bits: np.ndarray, sets: np.ndarray, first: Int, width: Int) -> None:
    """Add the labels of four answers to four bytes of each guess's set."""
    a, b, c, d = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
    s, t, u, v = np.uint64(first) + a, np.uint64(first) + b, np.uint64(first) + c, np.uint64(first) + d
    for i in range(np.uint64(width)):
        place = places[a, i], places[b, i], places[c, i], places[d, i]
        bit = bits[a, i], bits[b, i], bits[c, i], bits[d, i]
        sets[s, i] |= _in_byte(place, bit, np.uint8(s))
        sets[t, i] |= _in_byte(place, bit, np.uint8(t))
        sets[u, i] |= _in_byte(place, bit, np.uint8(u))
        sets[v, i] |= _in_byte(place, bit, np.uint8(v))


@inner
def _in_byte(place: tuple[Int, Int, Int, Int], bit: tuple[Int, Int, Int, Int], s: Int) -> Int:
    """Return the bits, of four labels, that belong to byte s; products avoid branches."""
    return (
        np.uint8(bit[0] * np.uint8(place[0] == s))
        | np.uint8(bit[1] * np.uint8(place[1] == s))
        | np.uint8(bit[2] * np.uint8(place[2] == s))
        | np.uint8(bit[3] * np.uint8(place[3] == s))
    )


@inner
def _add_members(byte: np.ndarray, counts: np.ndarray) -> None:
    """Add the number of set bits of each byte to each count, summing pairs, fours and eights of bits."""
    for i in range(byte.shape[0]):
        pairs = np.uint8(byte[i] - ((byte[i] >> 1) & 0x55))
        fours = np.uint8((pairs & 0x33) + ((pairs >> 2) & 0x33))
        counts[i] += np.uint8((fours + (fours >> 4)) & 0x0F)


@step
def _count_by_table(labels: np.ndarray, rows: np.ndarray, start: Int, counts: np.ndarray, n_labels: Int) -> None:
    """Mark the labels of each guess in a table, LANES guesses at a time, and count new ones."""
    ticks = np.empty((n_labels, LANES), np.uint8)
    counts[:] = 0
    for begin in range(0, counts.shape[0], LANES):
        ticks[:] = 0
        some = counts[begin : begin + LANES]
        for row in rows:
            label = labels[row, start + begin : start + begin + some.shape[0]]
            for t in range(some.shape[0]):
                some[t] += np.uint8(1) - ticks[label[t], t]
                ticks[label[t], t] = 1
