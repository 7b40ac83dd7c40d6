"""Check in full the certificate that no opener of Wordle leads to less than a given total of guesses over all answers.

    python -m benchmarks.check_certificate FILE [ANSWERS GUESSES] [I/N]

With I/N, it checks every N-th opener from the I-th on, so that N processors share the work.
It needs numpy and numba alone, shares no code with the search or with `benchmarks.certify`, which wrote the file, and
believes nothing in it. Without compilation, which `NUMBA_DISABLE_JIT=1` switches off, it does the same, slowly.

**What is shown.** A game ends with a right guess. Let V(S, D, g) be the least total of guesses over the answers S if
they are all that the clues have left, hard mode demands D, and at most g guesses are left. For a guess w that the
demands allow, the answers of S fall into parts, one for each clue, and

    V(S, D, g) = min over w of |S| + the sum of V(part, D and the clue, g - 1) over all parts but w itself.      (*)

**The certificate** has for each opener, in alphabetical order, a number for each part of all answers, in the order of
the first word of each: how much V of this part exceeds the bound by its size. The sum over the parts has to be the
claimed total, and each of these bounds is searched here from (*) alone, with these inequalities. Let n be |S|, k the
number of parts of a guess, and m the largest number of parts that any guess makes of all answers, or of a set that
contains S.

- *Size.* V >= 2n - 1, since one answer can be the first guess; V >= 3n - m - 1, since then k - 1 answers or k, if the
  guess is none of S, can be the second one.
- *Parts.* With a guess of k parts, the total is at least 3n - k, and 1 less if the guess is one of S. A guess with one
  part is never better than what follows it.
- *Members.* V >= 2n unless an answer of S tells all others apart.
- *Limits.* More than one answer takes two guesses. A bound without a limit holds with it, so that an opener is checked
  without one unless the certificate says that it is needed.

Bounds that were found are remembered by two random hashes of 64 bits, drawn when the program starts: that two sets are
confused has a probability below 1e-15, and nobody who writes a certificate can aim at it.
"""

import hashlib
import json
import re
import secrets
import sys
import time
import zipfile
import zlib
from bisect import bisect_left
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

CERTIFICATES = Path(__file__).parent / "proofs"
INFINITE = 1 << 40
"""V where no tree exists."""
UNLIMITED = 1 << 30
NEVER = 0xFFFF
"""The number of a part that has no tree."""
MAX_SETS = 256
MAX_BYTES = 1 << 28
N_REMEMBERED, WORK = 0, 1
MEMO_BITS = 22
MAX_IN_PAIRS = 24
MAX_QUICK = 12
"""Answers of a set whose members are compared before it is looked up."""
BLOCK, LANES = 1024, 64


class Refused(Exception):
    """The file does not show what it claims."""


def require(holds: object, message: str) -> None:
    """Refuse the certificate unless a condition holds."""
    if not holds:
        raise Refused(message)


class Game(NamedTuple):
    """What all sets share.

    Attributes:
        letters: The letters of each guess, from 1, uint8[guesses, length].
        counts: How often each letter occurs in each guess, uint8[guesses, letters].
        keys: Two random numbers for each answer, uint64[answers, 2].
        mixers: Two random odd numbers for each number of guesses left and each demand, uint64[2, n].
        memo: Hash, second hash and bound of each set, uint64[size, 3].
        tally: The sets remembered, and the work done, int64[2].
        sizes: Zeros for all clues, which functions leave behind as zeros, int64[256].
        most: The largest number of parts that a guess makes of all answers.
        is_hard: Whether it is hard mode.
    """

    letters: np.ndarray
    counts: np.ndarray
    keys: np.ndarray
    mixers: np.ndarray
    memo: np.ndarray
    tally: np.ndarray
    sizes: np.ndarray
    most: int
    is_hard: bool


class Board(NamedTuple):
    """Answers and the guesses that are worth trying on sets of them.

    Attributes:
        labels: A number for each clue, uint8[answers, columns]; equal clues of a guess have equal numbers.
        answers: Each row as an answer, int64[answers].
        own: The column of each answer as a guess, int64[answers].
        guesses: Each column as a guess, int64[columns].
        most: The largest number of parts that the guess makes of any set here, in descending order, int64[columns].
        known: What hard mode demands, uint8[length + letters]: the letter at each place, the count of each letter.
    """

    labels: np.ndarray
    answers: np.ndarray
    own: np.ndarray
    guesses: np.ndarray
    most: np.ndarray
    known: np.ndarray


@njit(cache=True)
def clue(guess, answer, spare):
    """Return the clue of a guess, to the base 3: a letter is marked at most as often as it occurs in the answer."""
    for place in range(len(guess)):
        spare[guess[place]] = 0
        spare[answer[place]] = 0
    for place in range(len(guess)):
        if guess[place] != answer[place]:
            spare[answer[place]] += 1
    code = 0
    for place in range(len(guess)):
        code *= 3
        if guess[place] == answer[place]:
            code += 2
        elif spare[guess[place]] > 0:
            spare[guess[place]] -= 1
            code += 1
    return code


@njit(cache=True)
def fill_labels(guesses, answers, labels):
    """Number the clues of each guess in order of appearance; return how many each has, and -1 for more than 256."""
    n_clues = np.zeros(len(guesses), np.int64)
    number = np.full(3 ** guesses.shape[1], -1)
    seen, spare = np.empty(len(answers), np.int64), np.zeros(256, np.int64)
    for column in range(len(guesses)):
        for row in range(len(answers)):
            code = clue(guesses[column], answers[row], spare)
            if number[code] < 0:
                if n_clues[column] == MAX_SETS:
                    return n_clues - MAX_SETS - 1
                number[code] = n_clues[column]
                seen[n_clues[column]] = code
                n_clues[column] += 1
            labels[row, column] = number[code]
        number[seen[: n_clues[column]]] = -1
    return n_clues


@njit(cache=True)
def demand(known, guess, answer, game, demands):
    """Fill in what hard mode demands after one more guess: revealed letters, in their places where these are known.

    Args:
        known: What it demanded before.
        guess, answer: The guess, and an answer that gives its clue.
        game: The game.
        demands: The result.
    """
    length = game.letters.shape[1]
    demands[:] = known
    for place in range(length):
        letter = game.letters[guess, place]
        if letter == game.letters[answer, place]:
            demands[place] = letter
        at = length + letter - 1
        demands[at] = max(demands[at], min(game.counts[guess, letter - 1], game.counts[answer, letter - 1]))


@njit(cache=True)
def hashes_of(answers, rows, known, left, game):
    """Return the two hashes of a set with its demands, and with the guesses left if they are fewer than its answers."""
    key, check = np.uint64(0), np.uint64(0)
    for row in rows:
        key ^= game.keys[answers[row], 0]
        check ^= game.keys[answers[row], 1]
    if left < len(rows):
        key += game.mixers[0, left]
        check += game.mixers[1, left]
    for i in range(len(known) if game.is_hard else 0):
        if known[i]:
            key += np.uint64(known[i]) * game.mixers[0, MAX_SETS + i]
            check += np.uint64(known[i]) * game.mixers[1, MAX_SETS + i]
    return key, check


@njit(cache=True)
def place_of(key, check, memo):
    """Return the index of the set's entry, or of a free one for it."""
    mask = np.uint64(len(memo) - 1)
    place = (key >> np.uint64(7)) & mask
    while memo[place, 2] != 0 and (memo[place, 0] != key or memo[place, 1] != check):
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@njit(cache=True)
def remember(key, check, bound, is_exact, game):
    """Store a bound; the memo forgets everything when it is three quarters full."""
    memo = game.memo
    if 4 * game.tally[N_REMEMBERED] > 3 * len(memo):
        memo[:] = 0
        game.tally[N_REMEMBERED] = 0
    place = place_of(key, check, memo)
    game.tally[N_REMEMBERED] += memo[place, 2] == 0
    memo[place, 0], memo[place, 1] = key, check
    memo[place, 2] = max(memo[place, 2], np.uint64(2 * bound + is_exact))


@njit(cache=True)
def bound_by_size(n, most):
    """Return the bound by size."""
    return max(2 * n - 1, 3 * n - most - 1)


@njit(cache=True)
def repeats(labels, rows, column, seen):
    """Return how many answers repeat the clue of another one; 2 stands for more."""
    found, stop = 0, len(rows)
    for i in range(len(rows)):
        label = labels[rows[i], column]
        if seen[label]:
            found += 1
            if found == 2:
                stop = i
                break
        seen[label] = 1
    for i in range(stop):
        seen[labels[rows[i], column]] = 0
    return found


@njit(cache=True)
def known_bound(board, rows, known, left, want, game):
    """Return a bound on V that takes no search, and whether it is V; `known` is what hard mode demands by now."""
    n = len(rows)
    if left < min(n, 2):
        return INFINITE, True
    if n <= 2:
        return 2 * n - 1, True
    low = bound_by_size(n, game.most)
    if low >= want:
        return low, False
    if n <= MAX_QUICK:
        low, is_exact = bound_by_members(board, rows, left, game.sizes)
        if is_exact or low >= want:
            return low, is_exact
    key, check = hashes_of(board.answers, rows, known, left, game)
    value = np.int64(game.memo[place_of(key, check, game.memo), 2])
    if value or n <= MAX_QUICK or n > game.most:
        return max(low, value >> 1), value & 1 == 1
    low, is_exact = bound_by_members(board, rows, left, game.sizes)
    remember(key, check, low, is_exact, game)
    return low, is_exact


@njit(cache=True)
def bound_by_members(board, rows, left, seen):
    """Return the bound by members, and whether it is V: also if a member leaves a single pair together."""
    n, fewest = len(rows), 2
    for row in rows:
        fewest = min(fewest, repeats(board.labels, rows, board.own[row], seen))
        if fewest == 0:
            return 2 * n - 1, True
    return 2 * n, fewest == 1 and left > 2


@njit(cache=True)
def count_parts(labels, rows, n_columns, game):
    """Return the number of parts of the first columns."""
    counts, n = np.ones(n_columns, np.int64), len(rows)
    game.tally[WORK] += n * n_columns
    if n <= MAX_IN_PAIRS:
        repeated = np.empty(BLOCK, np.uint8)
        fresh = np.empty(BLOCK, np.uint8)
        for start in range(0, n_columns, BLOCK):
            stop = min(start + BLOCK, n_columns)
            width = np.uint64(stop - start)
            fresh[:] = 1
            for j in range(1, n):
                later = labels[rows[j], start:stop]
                repeated[:] = 0
                for i in range(j):
                    earlier = labels[rows[i], start:stop]
                    for t in range(width):
                        repeated[t] |= np.uint8(earlier[t] == later[t])
                for t in range(width):
                    fresh[t] += np.uint8(1) - repeated[t]
            counts[start:stop] = fresh[: stop - start]
        return counts
    counts[:] = 0
    seen = np.empty((MAX_SETS, LANES), np.uint8)
    for start in range(0, n_columns, LANES):
        stop = min(start + LANES, n_columns)
        seen[:] = 0
        for row in rows:
            labels_here = labels[row, start:stop]
            for t in range(stop - start):
                counts[start + t] += 1 - seen[labels_here[t], t]
                seen[labels_here[t], t] = 1
    return counts


@njit(cache=True)
def split(labels, rows, sorted_rows, begin, sizes, shown, size_of):
    """Sort the rows by their clues, smaller parts first; return the number of parts.

    Args:
        labels: The clue of each row.
        rows: The rows.
        sorted_rows: The result.
        begin: Where each part begins in it.
        sizes, shown: Room for numbers.
        size_of: Zeros for all clues.
    """
    for label in labels:
        size_of[label] += 1
    n_parts = 0
    for label in labels:  # insertion sort of the clues by size
        size = size_of[label]
        if size > 0:
            i = n_parts
            while i > 0 and sizes[i - 1] > size:
                sizes[i], shown[i] = sizes[i - 1], shown[i - 1]
                i -= 1
            sizes[i], shown[i] = size, label
            size_of[label] = 0
            n_parts += 1
    begin[0] = 0
    for i in range(n_parts):
        begin[i + 1] = begin[i] + sizes[i]
        size_of[shown[i]] = begin[i]
    for i in range(len(rows)):
        sorted_rows[size_of[labels[i]]] = rows[i]
        size_of[labels[i]] += 1
    for i in range(n_parts):
        size_of[shown[i]] = 0
    return n_parts


@njit(cache=True)
def squares(labels, sizes):
    """Return the sum of the squared sizes of the parts."""
    total = 0
    for label in labels:
        total += 2 * sizes[label] + 1
        sizes[label] += 1
    for label in labels:
        sizes[label] = 0
    return total


@njit(cache=True)
def allowed_board(board, rows, known, game):
    """Return the board of a part in hard mode: the guesses that meet the demands, which include those of the board."""
    columns, n, length = np.arange(len(board.guesses)), len(board.guesses), game.letters.shape[1]
    for i in range(len(known)):
        if known[i] != board.known[i]:
            met = 0
            for j in range(n):
                guess = board.guesses[columns[j]]
                meets = game.letters[guess, i] == known[i] if i < length else game.counts[guess, i - length] >= known[i]
                columns[met] = columns[j]
                met += meets
            n = met
    columns, labels, place = columns[:n], np.empty((len(rows), n), np.uint8), np.empty(len(board.guesses), np.int64)
    for i in range(n):
        place[columns[i]] = i
    for i in range(len(rows)):
        whole = board.labels[rows[i]]
        for t in range(n):
            labels[i, t] = whole[columns[t]]
    own = place[board.own[rows]]
    return Board(labels, board.answers[rows], own, board.guesses[columns], board.most[columns], known)


@njit(cache=True)
def columns_with(board, n_parts):
    """Return how many columns can have so many parts."""
    low, high = 0, len(board.most)
    while low < high:
        middle = (low + high) // 2
        if board.most[middle] >= n_parts:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def answer_of(board, row):
    """Return the answer of a row as a guess."""
    return board.guesses[board.own[row]]


@njit(cache=True)
def least(board, rows, left, want, game):
    """Return V of a set if it is less than what is wanted, else a bound on V that is not."""
    n = len(rows)
    bound, is_exact = known_bound(board, rows, board.known, left, want, game)
    if is_exact or bound >= want:
        return bound
    key, check = hashes_of(board.answers, rows, board.known, left, game)
    need = n if left == 2 else max(2, 3 * n - want)  # parts without which a guess, one more in S, is not below `want`
    n_columns = columns_with(board, need)
    counts = count_parts(board.labels, rows, n_columns, game)
    if left == 2:  # no answer of S tells all others apart
        bound = INFINITE
        for column in range(n_columns):
            if counts[column] == n:
                bound = np.int64(2 * n)
        remember(key, check, bound, True, game)
        return bound
    rest, most = 3 * n - 1, np.int64(1)  # no set here has more parts than `most` for any guess
    if n_columns < len(board.most):
        rest, most = rest - board.most[n_columns], board.most[n_columns]
    for column in range(n_columns):
        most = max(most, counts[column])
    for row in rows:
        if board.own[row] < n_columns:
            counts[board.own[row]] += 1
    n_tried, tried = 0, np.empty(n_columns, np.int64)
    for column in range(n_columns):
        if counts[column] > 1 and 3 * n - counts[column] < want:
            tried[n_tried] = column
            n_tried += 1
        elif counts[column] > 1:
            rest = min(rest, 3 * n - counts[column])
    if n_tried == 0:
        bound = min(max(want, rest), INFINITE)
        remember(key, check, bound, False, game)
        return bound
    shown, ratings = np.empty((n_tried, n), np.uint8), np.empty(n_tried, np.int64)
    for i in range(n):
        labels = board.labels[rows[i]]
        for t in range(n_tried):
            shown[t, i] = labels[tried[t]]
    for t in range(n_tried):
        ratings[t] = 2 * squares(shown[t], game.sizes) + n * (3 * n - counts[tried[t]])
    order = np.argsort(ratings, kind="mergesort")
    best = np.int64(INFINITE)
    of = np.empty((7, n + 1), np.int64)
    part_rows, begin, lows, costs, places = of[0], of[1], of[2], of[3], of[4]
    demands = np.empty((n if game.is_hard else 0, len(board.known)), np.uint8)
    boards = [board]
    for number in order:
        column, limit = tried[number], min(best, want)
        if 3 * n - counts[column] >= limit:
            rest = min(rest, 3 * n - counts[column])
            continue
        n_parts = split(shown[number], rows, part_rows, begin, of[5], of[6], game.sizes)
        total, n_open, first_open = n, 0, n_parts
        for part in range(n_parts):
            size = begin[part + 1] - begin[part]
            lows[part] = bound_by_size(size, most)
            if size == 1 and board.own[part_rows[begin[part]]] == column:
                lows[part] = 0
            total += lows[part]
            if size > 2 and first_open == n_parts:
                first_open = part
        for part in range(first_open, n_parts):
            rows_here = part_rows[begin[part] : begin[part + 1]]
            costs[part], places[part] = len(rows_here) ** 2, -1
            n_open += 1
            if total < limit:
                known = board.known
                if game.is_hard:
                    known = demands[part]
                    demand(board.known, board.guesses[column], answer_of(board, rows_here[0]), game, known)
                bound, is_exact = known_bound(board, rows_here, known, left - 1, np.int64(INFINITE), game)
                bound = max(bound, lows[part])
                total, lows[part] = total + bound - lows[part], bound
                if is_exact:
                    costs[part] = INFINITE
                    n_open -= 1
        while len(boards) > 1:
            boards.pop()
        while total < limit and n_open > 0:
            part = first_open + np.argmin(costs[first_open:n_parts])
            rows_here = part_rows[begin[part] : begin[part + 1]]
            goal = limit - total + lows[part]
            if n_open > 1:
                goal = min(goal, lows[part] + 1 + (len(rows_here) >> 5))
            child, rows_there = board, rows_here
            if game.is_hard and not np.array_equal(demands[part], board.known):
                if places[part] < 0:
                    places[part] = len(boards)
                    boards.append(allowed_board(board, rows_here, demands[part].copy(), game))
                child, rows_there = boards[places[part]], np.arange(len(rows_here))
            before = game.tally[WORK]
            found = least(child, rows_there, left - 1, goal, game)
            total, lows[part] = total + found - lows[part], found
            costs[part] = max(len(rows_here) ** 2, 3 * ((game.tally[WORK] - before) >> 6))
            if found < goal:
                costs[part] = INFINITE
                n_open -= 1
        best = min(best, total)
    bound = best if best < want else max(want, min(best, rest))
    remember(key, check, min(bound, INFINITE), best < want, game)
    return min(bound, INFINITE)


@njit(cache=True)
def first_false(board, column, left, bounds, places, game):
    """Return the first part of an opener whose bound does not hold, -1 if all hold.

    Args:
        board: The board of all answers, in alphabetical order.
        column: The opener.
        left: The guesses left after it.
        bounds: The bound of each part; 0 for that by its size.
        places: The part of each answer.
        game: The game.
    """
    for part in range(len(bounds)):
        rows = np.flatnonzero(places == part)
        if bounds[part] == 0:
            continue
        child, rows_there = board, rows
        if game.is_hard:
            known = np.empty_like(board.known)
            demand(board.known, board.guesses[column], answer_of(board, rows[0]), game, known)
            child, rows_there = allowed_board(board, rows, known, game), np.arange(len(rows))
        if least(child, rows_there, left, bounds[part], game) < bounds[part]:
            return part
    return -1


class Certificate:
    """A certificate and the words that it is about.

    Args:
        path: The file.
        answers, guesses: The words.
    """

    def __init__(self, path: Path, answers: list[str], guesses: list[str]) -> None:
        with zipfile.ZipFile(path) as archive:
            require(sum(item.file_size for item in archive.infolist()) <= MAX_BYTES, "it is too large")
        with np.load(path, allow_pickle=False) as file:
            require(set(file) == {"claim", "limited", "excess"}, "it has other arrays than a certificate")
            said, self.limited, self.excess = file["claim"], file["limited"], file["excess"]
        self.answers, self.guesses = sorted(set(answers)), sorted(set(guesses))
        require(said.dtype == np.uint8 and said.ndim == 1, "the claim is no text")
        self.claim: dict[str, Any] = json.loads(said.tobytes())
        require(isinstance(self.claim, dict), "the claim is no claim")
        require(self.claim.keys() == {"answers", "guesses", "total", "limit", "hard"}, "the claim has other fields")
        self.total, self.limit, is_hard = (self.claim[name] for name in ("total", "limit", "hard"))
        require(type(self.total) is int and type(self.limit) is int and type(is_hard) is bool, "the claim is no claim")
        require(0 < self.total < INFINITE and 0 <= self.limit < MAX_SETS, "the total or the limit is out of range")
        for name, words in (("answers", self.answers), ("guesses", self.guesses)):
            require(self.claim[name] == fingerprint(words), f"it is about other {name}")
        require(set(self.answers) <= set(self.guesses), "an answer cannot be guessed")
        require(len({len(word) for word in self.guesses}) == 1, "the words differ in length")
        require(self.limited.dtype == np.uint8 and self.limited.shape == (len(self.guesses),), "limited is no column")
        require(self.limited.max() <= bool(self.limit), "an opener is limited, and the game is not")
        require(self.excess.dtype == np.uint16 and self.excess.ndim == 1, "the excess is no column")
        self.game, self.board = prepared(self.answers, self.guesses, is_hard)
        self.places = np.argsort(self.board.guesses)

    def check(self, part: tuple[int, int] = (1, 1), show: Any = lambda done, of: None) -> int:
        """Check everything, or every N-th opener from the I-th on, and return their number.

        Args:
            part: I and N.
            show: Called with the number of openers that were gone through, and that of all.

        Raises:
            Refused: Something does not hold.
        """
        start = n_checked = 0
        for number, opener in enumerate(self.guesses):
            column = self.column_of(opener)
            places = self.board.labels[:, column].astype(np.int64)  # in order of appearance
            n_parts = int(places.max()) + 1
            excess = self.excess[start : start + n_parts].astype(np.int64)
            start += n_parts
            require(len(excess) == n_parts, f"the numbers end at {opener}")
            if number % part[1] == part[0] - 1:
                self.check_opener(opener, column, places, excess, bool(self.limited[number]))
                n_checked += 1
            show(number + 1, len(self.guesses))
        require(start == len(self.excess), "there are more numbers than clue sets")
        return n_checked

    def column_of(self, opener: str) -> int:
        """Return the column of an opener."""
        return int(self.places[bisect_left(self.guesses, opener)])

    def check_opener(self, opener: str, column: int, places: np.ndarray, excess: np.ndarray, is_limited: bool) -> None:
        """Check the bounds of one opener."""
        sizes = np.bincount(places)
        lows = np.maximum(2 * sizes - 1, 3 * sizes - self.game.most - 1)
        row = np.flatnonzero(self.board.own == column)
        if len(row) and sizes[places[row[0]]] == 1:
            lows[places[row[0]]] = 0
            require(excess[places[row[0]]] == 0, f"{opener}: a bound of the opener itself")
        require(is_limited or excess.max() < NEVER, f"{opener}: without a limit, there is always a tree")
        bounds = np.where(excess == NEVER, INFINITE, lows + excess)
        total = min(len(self.answers) + int(bounds.sum()), INFINITE)
        is_tight = total == self.total or not excess.any() or total == INFINITE
        require(total >= self.total and is_tight, f"{opener}: the bounds add up to {total:,} and not to {self.total:,}")
        left = self.limit - 1 if is_limited else UNLIMITED
        false = int(first_false(self.board, column, left, np.where(excess, bounds, 0), places, self.game))
        if false >= 0:
            first = self.answers[int(np.flatnonzero(places == false)[0])]
            raise Refused(f"{opener}: the bound of the clue set of {first} does not hold")


def fingerprint(words: list[str]) -> str:
    """Return the SHA-256 of words, one a line."""
    return hashlib.sha256("".join(f"{word}\n" for word in words).encode()).hexdigest()


def prepared(answers: list[str], guesses: list[str], is_hard: bool) -> tuple[Game, Board]:
    """Return the game and the board of all answers."""
    points = np.array([[ord(letter) for letter in word] for word in guesses])
    letters = (np.unique(points, return_inverse=True)[1].reshape(points.shape) + 1).astype(np.uint8)
    counts = np.stack([(letters == i + 1).sum(axis=1) for i in range(int(letters.max()))], axis=1).astype(np.uint8)
    rows = np.searchsorted(guesses, answers)
    labels = np.empty((len(answers), len(guesses)), np.uint8)
    most = fill_labels(letters, letters[rows], labels)
    require(most.min() > 0, f"a guess has more than {MAX_SETS} clues")
    order = np.argsort(-most, kind="stable")
    random = np.frombuffer(secrets.token_bytes(16 * len(answers)), np.uint64).reshape(-1, 2)
    width = MAX_SETS + letters.shape[1] + counts.shape[1]
    mixers = np.frombuffer(secrets.token_bytes(16 * width), np.uint64).reshape(2, -1) | np.uint64(1)
    memo = np.zeros((1 << MEMO_BITS, 3), np.uint64)
    tally, sizes = np.zeros(2, np.int64), np.zeros(MAX_SETS, np.int64)
    game = Game(letters, counts, random, mixers, memo, tally, sizes, int(most.max()), is_hard)
    known = np.zeros(letters.shape[1] + counts.shape[1], np.uint8)
    own, whole = np.argsort(order)[rows], np.ascontiguousarray(labels[:, order])
    return game, Board(whole, np.arange(len(answers)), own, order, most[order], known)


def show_progress(done: int, of: int) -> None:
    """Show how far the check is, on standard error."""
    if done % 100 == 0 or done == of:
        print(f"\r{done:,} of {of:,} openers, {time.process_time():.0f} CPU s", end="", file=sys.stderr, flush=True)


def main(words: list[str]) -> None:
    """Check the file that is named, and print what it shows."""
    root = Path(__file__).parent.parent
    part = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", words[-1]) if words else None
    path, *lists = [Path(word) for word in words[: -1 if part else None]] or [Path()]
    first, step = (int(number) for number in part.groups()) if part else (1, 1)
    if not words or len(lists) not in (0, 2) or first > step:
        raise SystemExit("python -m benchmarks.check_certificate FILE [ANSWERS GUESSES] [I/N]")
    try:
        answers, guesses = (file.read_text().split() for file in lists or (root / "answers.txt", root / "valid.txt"))
        certificate = Certificate(path, answers, guesses)
        n_checked = certificate.check((first, step), show_progress)
    except (Refused, OSError, ValueError, KeyError, zipfile.BadZipFile, zlib.error) as problem:
        raise SystemExit(f"\n{path} is refused: {problem}") from None
    mode = "hard" if certificate.game.is_hard else "normal"
    limit = f"at most {certificate.limit} guesses" if certificate.limit else "any number of guesses"
    which = f"Of every {step:,} openers, number {first:,}: none" if part else "No opener"
    print(
        f"\n{which} leads to less than {certificate.total:,} guesses over all {len(certificate.answers):,} answers "
        f"({n_checked:,} openers were checked; {mode} mode, {limit}; {time.process_time():.0f} CPU s)."
    )


if __name__ == "__main__":
    main(sys.argv[1:])
