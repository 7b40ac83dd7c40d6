"""Check the certificate that no strategy of WORDPL wins a given share of its games within less than a given budget.

    python -m benchmarks.check_converse [FILE]        benchmarks/proofs/converse.npz: about a CPU minute

It reads nothing but the file, shares no code with `benchmarks.converse`, which makes it, and believes nothing in it.

**What is shown.** Let P be the real game and Q one in which every shown mark is uniform, whatever is guessed. r = dP/dQ
is the likelihood ratio of the clues so far. A true mark is shown with probability k = e^(ε/5) / (2 + e^(ε/5)), so that
a guess multiplies r by R(ε), the product of five independent factors: 3k with probability 1/3 under Q, and 3(1 - k)/2
with probability 2/3. Under Q, clues say nothing, so that every strategy wins 1/N of its games. For every L > 0,

    P(win) = L Q(win) + E_Q[(r - L) win] <= L/N + E_Q[max(r - L, 0)].

With x = r/L, P(win) <= L (1/N + W(1/L, B)) for every function W(x, b) that satisfies

    W(x, b) >= max(x - 1, 0)    and    W(x, c + ε) >= E_Q[W(x R(ε), c)]    for all x, c >= 0 and ε > 0.       (*)

**The certificate** claims budgets, and gives such a W: piecewise linear and convex in x, with kinks at the powers of
rho = e^(1/steps) and a mass >= 0 (the change of the slope) at each; linear in b between multiples of h. What has to be
checked is finite:

- *x.* Between kinks, the left side of (*) is linear in x and the right one convex: grid points suffice. Beyond the last
  one, the difference is concave, and its slope at infinity is not negative, since sums of masses grow with b.
- *ε.* A clue of a smaller ε is a clue of a larger one with more noise, so that the right side of (*) grows with ε
  (Jensen, since W is convex in x). For ε between n h/q and (n + 1) h/q, the left side takes the smaller, and the right
  one the larger value.
- *c.* With these, both sides are piecewise linear in c, with kinks at multiples of h and where c + n h/q is one.
- *The smallest ε*, below `small` h/q. There x R stays between the neighbours of a grid point x, so that only the kink
  at x matters: E_Q[W(xR, c)] - W(x, c) = mass x E_Q[max(R - 1, 0)]. As R > 1 means two true marks or more, the
  expectation is P(Bin(5, k) > 1) - P(Bin(5, 1/3) > 1), whose derivative 20 k (1 - k)^3 falls from k = 1/3 on. So it is
  at most 160/81 (k - 1/3), and this at most ε times its ratio at the largest of these ε, as k is convex in ε up to
  5 log 2. The slope of W in b has to be as large.

**Rounding.** All sums are of terms >= 0, with at most 10,000 terms; relative errors are below 1e-11. The left side is
multiplied by 1 - MARGIN, the right one by 1 + MARGIN, and each R is increased by MARGIN.
"""

import sys
from math import comb, exp, floor, log
from pathlib import Path

import numpy as np

CERTIFICATE = Path(__file__).parent / "proofs" / "converse.npz"
N_ANSWERS = 2315
LETTERS = 5
MARGIN = 1e-10
UNIT = 2.0**-32  # of a mass
CHANCES = [comb(LETTERS, i) * 2 ** (LETTERS - i) / 3**LETTERS for i in range(LETTERS + 1)]


class Refused(Exception):
    """The file does not show what it claims."""


def require(holds: object, message: str) -> None:
    """Refuse the certificate unless a condition holds."""
    if not np.all(holds):
        raise Refused(message)


def keep(epsilon: float) -> float:
    """Return the probability that a mark is shown as it is."""
    return exp(epsilon / LETTERS) / (2 + exp(epsilon / LETTERS))


class Certificate:
    """W on its grid.

    Attributes:
        h: The step of the budget, 1 / `per_unit`.
        q: The parts of such a step.
        small: How many parts the smallest epsilons have at most.
        steps: The grid points of x for each factor of e.
        first: The exponent of the lowest, in steps; 0 belongs to x = 1.
        claims: float64[claims, 2]: a share of games, and the budget within which no strategy wins it.
        masses: uint64[budgets, 1 + points] in units of UNIT: the slope at 0, then the kink at each grid point.
    """

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as file:
            terms, masses, self.claims = file["terms"], file["masses"], file["claims"]
        require(terms.shape == (5,) and terms.dtype == np.int64, "the terms are five integers")
        per_unit, self.q, self.small, self.steps, self.first = map(int, terms)
        require(1 <= self.small <= self.q, "the smallest epsilons go beyond a step of the budget")
        require(1 <= per_unit <= 100 and 1 <= self.q <= 100 and 1 <= self.steps <= 1000, "the terms are out of range")
        require(masses.ndim == 2 and masses.dtype == np.uint64, "the masses are a table of natural numbers")
        require(masses.max() < 2**40 and masses.shape[1] <= 10_000, "the masses are too large")
        require(self.claims.ndim == 2 and self.claims.shape[1] == 2, "the claims are pairs")
        self.h = 1 / per_unit
        self.x = np.exp((self.first + np.arange(masses.shape[1] - 1)) / self.steps)
        require(self.first < 0 < self.first + len(self.x) - 1, "x = 1 is not on the grid")
        self.sums = masses.sum(axis=1, dtype=np.uint64)
        weights = masses * UNIT
        self.kinks = weights[:, 1:] * self.x
        slopes = np.cumsum(weights, axis=1)[:, :-1]  # below each grid point
        self.values = np.cumsum(slopes * np.diff(self.x, prepend=0), axis=1)

    def extended(self, values: np.ndarray, low: int, high: int) -> np.ndarray:
        """Return values at the grid points, and at `low` more below and `high` more above, where W is linear."""
        below = values[:, :1] * np.exp(np.arange(-low, 0) / self.steps)
        beyond = self.x[-1] * np.expm1(np.arange(1, high + 1) / self.steps)
        return np.hstack([below, values, values[:, -1:] + (self.sums * UNIT)[:, None] * beyond])

    def expected(self, epsilon: float) -> np.ndarray:
        """Return an upper bound of E_Q[W(x R(epsilon), c)] for all c and x of the grid."""
        k, n_points = keep(epsilon), len(self.x)
        logs = [i * log(3 * k) + (LETTERS - i) * log(1.5 * (1 - k)) + MARGIN for i in range(LETTERS + 1)]
        places = [floor(size * self.steps) for size in logs]
        low, high = max(0, -min(places)), max(0, max(places) + 1)
        wide, total = self.extended(self.values, low, high), np.zeros_like(self.values)
        for chance, size, place in zip(CHANCES, logs, places, strict=True):
            share = min(1.0, np.expm1(size - place / self.steps) / np.expm1(1 / self.steps) + MARGIN)
            start = low + place
            total += chance * (1 - share) * wide[:, start : start + n_points]
            total += chance * share * wide[:, start + 1 : start + 1 + n_points]
        return total * (1 + MARGIN)

    def check(self) -> None:
        """Check everything.

        Raises:
            Refused: Something does not hold.
        """
        low, n_rows = self.values * (1 - MARGIN), len(self.values)
        require(low >= np.maximum(self.x - 1, 0), "W is below max(x - 1, 0)")
        require(self.sums[0] >= 2**32, "W grows slower than x")
        require(np.diff(self.sums.astype(np.int64)) >= 0, "the slope at infinity falls with the budget")
        self.check_smallest()
        for n in range(self.small, (n_rows - 1) * self.q):
            whole, part = divmod(n, self.q)
            right, share = self.expected((n + 1) * self.h / self.q), part / self.q
            first, after = low[whole : n_rows - (part > 0)], low[whole + 1 :]
            left = first if not part else (1 - share) * first + share * after
            require(left >= right[: len(left)], f"W is too small for epsilon from {n * self.h / self.q:.4g}")
            if part:  # where c + n h/q is a multiple of h
                middle = share * right[: len(after)] + (1 - share) * right[1 : len(after) + 1]
                require(after >= middle, f"W is too small for epsilon from {n * self.h / self.q:.4g}, between budgets")
        for share, budget in self.claims:
            require(0 < budget <= self.budget(share), f"it shows {self.budget(share)} for {share}, and claims {budget}")

    def check_smallest(self) -> None:
        """Check the smallest epsilons, and that W does not fall with the budget."""
        share = self.small / self.q
        largest = share * self.h
        k = keep(largest)
        true, false = log(3 * k), log(1.5 * (1 - k))
        require(largest < LETTERS * log(2) and true + 4 * false < 0 < 2 * true + 3 * false, "small is too large")
        require(LETTERS * max(true, -false) < 1 / self.steps, "a clue of a small epsilon goes beyond a step of x")
        ratio = 160 / 81 * (k - 1 / 3) / largest * (1 + 1e-6)
        rise = self.values[1:] * (1 - MARGIN) - self.values[:-1] * (1 + MARGIN)
        require(rise >= 0, "W falls with the budget")
        kinks = np.maximum(self.kinks[1:], self.kinks[:-1])
        # A budget that such an epsilon takes into the next step is at most `share` below it.
        kinks[1:] = np.maximum(kinks[1:], self.kinks[:-2] * share + self.kinks[1:-1] * (1 - share))
        require(rise >= self.h * ratio * kinks, "W is too small for the smallest epsilons")

    def budget(self, share: float) -> float:
        """Return a budget, a multiple of .01, within which no strategy wins this share of games; 0 if none is shown."""
        bounds = (1 / N_ANSWERS + self.values * (1 + MARGIN)) / self.x
        within = np.flatnonzero((bounds * (1 + MARGIN)).min(axis=1) < share)
        if not len(within):
            return 0.0
        row = int(within[-1])
        if row + 1 == len(bounds):
            return floor(row * self.h * 100) / 100
        place = int(np.argmin(bounds[row]))  # linear in the budget up to the next row
        part = (share - bounds[row, place]) / (bounds[row + 1, place] - bounds[row, place])
        return floor((row + part * (1 - 1e-6)) * self.h * 100) / 100


def main(words: list[str]) -> None:
    """Check the file that is named, and print what it shows."""
    path = Path(words[0]) if words else CERTIFICATE
    try:
        certificate = Certificate(path)
        certificate.check()
    except (Refused, OSError, ValueError, KeyError) as problem:
        raise SystemExit(f"{path} is refused: {problem}") from None
    for share, budget in certificate.claims:
        print(f"No strategy wins {share:.0%} of its games within {budget:.2f}.")


if __name__ == "__main__":
    main(sys.argv[1:])
