"""Check that no strategy of WORDPL with two, three or four guesses wins some share of its games within some budget.

    python -m benchmarks.check_guesses [FILE]        benchmarks/proofs/guesses.csv: two to three CPU minutes

The file has the claims. The program reads nothing else but the lists of words, and shares no code with any other.

**What is shown.** P is the real game, Q one in which every shown mark is uniform. A guess with epsilon e multiplies the
likelihood ratio of an answer by R(e), the product of five factors that are independent under Q: 3k with probability 1/3
(a true mark; k = e^(e/5) / (2 + e^(e/5))), and 3(1 - k)/2 otherwise. With n guesses to come and a budget b, let

    W_0(x, b) = max(x - 1, 0)    and    W_n(x, b) = max E_Q[W_(n-1)(x R(e), b - e)] over 0 <= e <= b.

Let w be weights of the answers. Under Q, clues say nothing, and the shares of games in which each answer is given have
the sum 1. So for every L > 0, a strategy wins at most the weight L (1 + sum of W_n(w / L, b) over all answers).

- *The first guess is a real word.* After its clue y, which has the probability 3^-5 under Q, an answer whose true clue
  agrees with y in `a` marks has the weight R_a / N. L is chosen for each y. All words that may be guessed are tried.
- *Later guesses* may ask anything: W knows no words.
- *Few epsilons for the first guess* would so be better than many. But each of its marks is erased, that is, a uniform
  one takes its place, with probability d = 3(1 - k)/2. With probability A = d^5, all are: then a game with one guess
  less is left, and an earlier claim says what it can win. Otherwise, the weights are (R_a - A) / (1 - A) / N.
- *Intervals.* A clue of a smaller epsilon is a clue of a larger one with more noise, and more budget wins no less. So
  all epsilons from e to f are bounded by a clue of f and a rest of b - e. Intervals are halved for the words for which
  the bound is too large.

**Rounding.** W is convex in x, so that interpolation is an upper bound; W(0) = 0, and the slope is at most 1. All sums
are of terms >= 0, with relative errors below 1e-11; R and the results are increased by MARGIN.
"""

import sys
from functools import cache
from math import comb, exp, floor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CLAIMS = Path(__file__).parent / "proofs" / "guesses.csv"
LETTERS = 5
CHANCES = [comb(LETTERS, a) * 2 ** (LETTERS - a) / 3**LETTERS for a in range(LETTERS + 1)]
MARGIN = 1e-10
STEPS = 20  # the grid points of x for each factor of e
X = np.exp(np.arange(-18 * STEPS, 14 * STEPS + 1) / STEPS)
MOST = 4600  # the largest budget, in hundredths
LEVELS = np.exp(np.arange(63) / 8)
"""The values of L to choose from, in parts of 1 / N."""
Floats = NDArray[np.float64]
Counts, Words = NDArray[np.int16], NDArray[np.int64]


class Refused(Exception):
    """The file does not show what it claims."""


class Claim(NamedTuple):
    """No strategy with these guesses wins this share within `budget`; `step`: the shortest interval; in hundredths."""

    guesses: int
    share: float
    budget: int
    step: int


def keep(epsilon: float) -> float:
    """Return the probability that a mark is shown as it is."""
    return exp(epsilon / LETTERS) / (2 + exp(epsilon / LETTERS))


def ratios(epsilon: float) -> Floats:
    """Return R with 0 to 5 true marks, rounded up."""
    k, true = keep(epsilon), np.arange(LETTERS + 1)
    return np.asarray((3 * k) ** true * (1.5 * (1 - k)) ** (LETTERS - true) * (1 + MARGIN))


def expected(values: Floats, epsilon: float) -> Floats:
    """Return an upper bound of E_Q[W(x R(epsilon), b)] for each row of values, at each grid point."""
    total = np.zeros_like(values)
    for chance, size in zip(CHANCES, np.log(ratios(epsilon)) + MARGIN, strict=True):
        place = floor(size * STEPS)
        share = min(1.0, np.expm1(size - place / STEPS) / np.expm1(1 / STEPS) + MARGIN)
        below = values[:, :1] * np.exp(np.arange(min(place, 0), 0) / STEPS)
        above = values[:, -1:] + X[-1] * np.expm1(np.arange(1, max(place + 1, 0) + 1) / STEPS)
        wide = np.hstack([below, values, above])[:, max(place, 0) :]
        total += chance * ((1 - share) * wide[:, : len(X)] + share * wide[:, 1 : len(X) + 1])
    return total * (1 + MARGIN)


@cache
def table(guesses: int, rows: int, step: int) -> Floats:
    """Return an upper bound of W for the budgets 0, step, 2 step... at each grid point, float64[rows, points]."""
    best = np.tile(np.maximum(X - 1, 0), (rows, 1))
    if guesses == 1:
        return np.vstack([expected(best[:1], row * step / 100) for row in range(rows)])
    values = table(guesses - 1, rows, step)
    for row in range(1, rows):  # an epsilon above row - 1 steps, and up to `row`
        best[row:] = np.maximum(best[row:], expected(values[1 : rows - row + 1], row * step / 100))
    return best


def later(x: Floats, claim: Claim, budget: int) -> Floats:
    """Return an upper bound of W at x for what comes after the first guess, with this budget."""
    if claim.guesses == 2:
        gains = np.maximum(np.multiply.outer(ratios(budget / 100), x) - 1, 0)
        return np.asarray(np.tensordot(CHANCES, gains, 1) * (1 + MARGIN))
    values = table(claim.guesses - 1, MOST // claim.step + 1, claim.step)[budget // claim.step]
    return np.interp(x, X, values) + np.maximum(x - X[-1], 0)


def agreeing(guesses: list[str], answers: list[str]) -> Counts:
    """Return how many answers agree with each clue of each guess in 0 to 5 marks, int16[guesses, 6, clues]."""
    spelled = np.array([[ord(letter) for letter in word] for word in answers])
    has = {letter: np.array([letter in word for word in answers]) for letter in {*"".join(guesses)}}
    found = np.empty((len(guesses), LETTERS + 1, 3**LETTERS), np.int16)
    for row, guess in enumerate(guesses):
        clues = np.zeros(len(answers), np.int64)
        for place, letter in enumerate(guess):
            clues = 3 * clues + has[letter] + (spelled[:, place] == ord(letter))
        counts = np.zeros((LETTERS + 1, *(3,) * LETTERS), np.int64)
        counts[0] = np.bincount(clues, minlength=3**LETTERS).reshape((3,) * LETTERS)
        for mark in range(1, LETTERS + 1):  # the shown mark is the true one, or one of the two others
            others = counts.sum(axis=mark, keepdims=True) - counts
            others[1:] += counts[:-1]
            counts = others
        found[row] = counts.reshape(LETTERS + 1, -1)
    return found


def won(counts: Counts, weights: Floats, claim: Claim, budget: int) -> Floats:
    """Return an upper bound of what each word wins; weights: w with 0 to 5 true marks, in parts of 1 / N."""
    n_answers = int(counts[0, :, 0].sum())
    levels = LEVELS[:, None]
    if claim.guesses == 2:  # linear in L between these
        levels = np.maximum(np.multiply.outer(weights, ratios(budget / 100)).reshape(-1, 1), LEVELS[0])
    values = levels * later(weights / levels * (1 + MARGIN), claim, budget)
    few = np.argmin(levels + values @ counts[::100].astype(float), axis=1)  # the levels that matter
    levels, values = levels[np.unique(few)], values[np.unique(few)]
    sums = [(levels + values @ counts[n : n + 16].astype(float)).min(axis=1).sum(axis=1)
            for n in range(0, len(counts), 16)]  # fmt: skip
    return np.concatenate(sums) / n_answers / 3**LETTERS * (1 + MARGIN)


def possible(words: Words, counts: Counts, claim: Claim, lemmas: list[Claim], low: int, high: int) -> Words:
    """Return the words that might win the share with an epsilon from low to high, in hundredths."""
    rest, epsilon = claim.budget - low, high / 100
    shares = [lemma.share for lemma in lemmas if lemma.guesses == claim.guesses - 1 and lemma.budget >= rest]
    erased = (1.5 * (1 - keep(epsilon))) ** LETTERS
    for share, lost in [*((least, erased) for least in sorted(shares)[:1]), (0.0, 0.0)]:
        weights = np.maximum(ratios(epsilon) - lost, 0) / (1 - lost) * (1 + MARGIN)
        if len(words) and lost * share < claim.share:
            most = (claim.share - lost * share) / (1 - lost) * (1 - MARGIN)
            words = words[~(won(counts[words], weights, claim, rest) < most)]
    return words


def check(counts: Counts, claim: Claim, lemmas: list[Claim]) -> None:
    """Check a claim, given others that are true, and raise Refused if it does not follow."""
    if claim.guesses not in (2, 3, 4) or not 0 < claim.share < 1:
        raise Refused(f"{claim} is out of range")
    if claim.step < 1 or not 0 < claim.budget <= MOST or claim.budget % claim.step:
        raise Refused(f"{claim} has a budget out of range, or one that its step does not divide")
    left = [(0, claim.budget, np.arange(len(counts)))]
    while left:
        low, high, words = left.pop()
        words = possible(words, counts, claim, lemmas, low, high)
        if len(words) and high - low == claim.step:
            raise Refused(f"{claim} is not shown for {len(words)} words with an epsilon from {low / 100}")
        if len(words):
            middle = low + (high - low) // claim.step // 2 * claim.step
            left += [(low, middle, words), (middle, high, words)]


def checked(lines: list[str], counts: Counts) -> list[Claim]:
    """Return the claims of lines, each of which follows from those above it."""
    claims: list[Claim] = []
    for line in lines:
        guesses, share, budget, step = line.split(",")
        claim = Claim(int(guesses), float(share), round(100 * float(budget)), round(100 * float(step)))
        check(counts, claim, claims)
        claims.append(claim)
    return claims


def main(words: list[str]) -> None:
    """Check the claims of the file that is named, and print the last one for each number of guesses."""
    path, folder = Path(words[0]) if words else CLAIMS, Path(__file__).parents[1]
    try:
        _, *lines = path.read_text().split()
        answers, guesses = ((folder / f"{name}.txt").read_text().split() for name in ("answers", "valid"))
        claims = checked(lines, agreeing(sorted({*answers, *guesses}), answers))
    except (Refused, OSError, ValueError, OverflowError) as problem:
        raise SystemExit(f"{path} is refused: {problem}") from None
    for claim in {claim.guesses: claim for claim in claims}.values():
        print(f"No strategy of {claim.guesses} guesses wins {claim.share:.0%} of games within {claim.budget / 100:g}.")


if __name__ == "__main__":
    main(sys.argv[1:])
