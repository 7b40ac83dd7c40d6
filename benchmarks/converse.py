"""Make the certificate of the smallest budgets with which any strategy of WORDPL could win.

    python -m benchmarks.converse [--per-unit 10] [--parts 16] [--steps 10] [FILE]

What is certified, and how it is checked, is written in `benchmarks.check_converse`, of which this program uses what
a finished table shows. W is computed for one budget after the other, as the largest expectation that a guess can give.
A guess costs a little less than it does in the game (`SPARE`), which pays for interpolation between budgets, and W gets
a little more (`EXTRA` times x times the budget), which pays for rounding.
"""

from math import comb, exp, log
from pathlib import Path

import click
import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.check_converse import Certificate

FILE = Path(__file__).parent / "proofs" / "converse.npz"
LETTERS = 5
LOWEST, HIGHEST = -14, 8
"""The range of log x."""
SPARE = 0.25
"""By how much a guess is cheaper, in parts of the finest step of epsilon."""
LAST_SPARE = 2.5
"""The same of a guess that takes all that is left."""
SMALL = 5
"""The smallest epsilons, in parts, of which only the kinks of W at x itself matter."""
EXTRA = 1e-6
KINK_SPARE = 1.5
"""The factor by which kinks cost more."""
MAX_BUDGET = 39.5
QUANTILES = (0.05, 0.5, 0.95)
UNIT = 2.0**-32
Floats = NDArray[np.float64]


def clue(epsilon: float) -> list[float]:
    """Return the logarithm of the likelihood ratio of a clue with 0 to 5 true marks."""
    keep = exp(epsilon / LETTERS) / (2 + exp(epsilon / LETTERS))
    return [i * log(3 * keep) + (LETTERS - i) * log(1.5 * (1 - keep)) for i in range(LETTERS + 1)]


def clues(n: int, per_unit: int, parts: int, steps: int) -> tuple[NDArray[np.int64], Floats]:
    """Return by how many grid points a clue of each epsilon moves x, and the share that goes to the next one."""
    logs = np.array([clue((i + 1) / per_unit / parts) for i in range(n)]) * steps
    places = np.floor(logs)
    return places.astype(np.int64), np.expm1((logs - places) / steps) / np.expm1(1 / steps)


@njit(cache=True)
def expect(
    row: Floats, slope: float, x: Floats, places: NDArray[np.int64], shares: Floats, chances: Floats, out: Floats
) -> None:
    """Write the expectation of a row of W after a clue into `out`, at each x."""
    n = len(x)
    rho = x[1] / x[0]
    out[:] = 0.0
    for i in range(len(chances)):
        for k in range(n):
            for near, share in ((k + places[i], 1 - shares[i]), (k + places[i] + 1, shares[i])):
                if near < 0:
                    value = row[0] * rho**near
                elif near < n:
                    value = row[near]
                else:
                    value = row[n - 1] + slope * x[n - 1] * (rho ** (near - n + 1) - 1)
                out[k] += chances[i] * share * value


@njit(cache=True)
def raise_kinks(row: Floats, before: Floats, slope: float, x: Floats, small: float) -> None:
    """Raise a row until it is above the one before by `small` times kink times x, as the smallest epsilons take."""
    n, rho = len(x), x[1] / x[0]
    for _ in range(200):
        largest = 0.0
        for k in range(n):
            upper = row[k + 1] if k + 1 < n else row[k] + slope * x[k] * (rho - 1)
            lower = row[k - 1] if k else row[0] / rho
            up, down = 1 / (rho - 1), rho / (rho - 1)  # kink times x is up (next - row) - down (row - lower)
            value = (before[k] + small * (up * upper + down * lower)) / (1 + small * (up + down))
            if value > row[k]:
                largest = max(largest, (value - row[k]) / x[k])
                row[k] = value
        if largest < 1e-12:
            break


@njit(cache=True)
def table(
    n_rows: int,
    parts: int,
    x: Floats,
    places: NDArray[np.int64],
    shares: Floats,
    chances: Floats,
    extra: float,
    small: float,
) -> Floats:
    """Return W: float64[budgets, x]."""
    values = np.zeros((n_rows, len(x)))
    values[0] = np.maximum(x - 1, 0.0) + extra * x
    out = np.empty(len(x))
    for row in range(1, n_rows):
        values[row] = values[row - 1]
        for sweep in range(3):  # what is left may lie between this budget and the one before
            for n in range(SMALL, len(places)):
                left = row - (n - SPARE) / parts
                if left < -LAST_SPARE / parts or (sweep and left <= row - 1):
                    break
                left = min(max(left, 0.0), float(row))
                below = min(int(left), row - 1)
                expect((below + 1 - left) * values[below] + (left - below) * values[below + 1],
                       1 + extra * (row + 1), x, places[n], shares[n], chances, out)  # fmt: skip
                values[row] = np.maximum(values[row], out)
            raise_kinks(values[row], values[row - 1], 1 + extra * (row + 1), x, small)
        values[row] += extra * x
    return values


def masses(values: Floats, x: Floats, extra: float) -> NDArray[np.uint64]:
    """Return W as slope at 0 and kinks, rounded to natural numbers; what rounding takes is given to the slope at 0."""
    slopes = np.diff(values, axis=1, prepend=0) / np.diff(x, prepend=0)
    slopes = np.maximum.accumulate(np.hstack([slopes, slopes[:, -1:]]), axis=1)
    slopes[:, -1] = np.maximum(slopes[:, -1], 1 + extra * np.arange(1, len(values) + 1))
    kinks = np.floor(np.diff(slopes, axis=1) / UNIT).astype(np.uint64)
    total = np.maximum.accumulate(np.ceil(slopes[:, -1] / UNIT)).astype(np.uint64)
    return np.hstack([(total - kinks.sum(axis=1, dtype=np.uint64))[:, None], kinks])


@click.command(help=__doc__.partition("\n")[0])
@click.option("--per-unit", default=10, show_default=True, help="Budgets of the table for each epsilon.")
@click.option("--parts", default=16, show_default=True, help="Steps of epsilon between two budgets.")
@click.option("--steps", default=10, show_default=True, help="Likelihood ratios of the table for each factor of e.")
@click.option("--budget", default=MAX_BUDGET, show_default=True, help="The largest budget.")
@click.argument("file", type=click.Path(path_type=Path), default=FILE)
def main(per_unit: int, parts: int, steps: int, budget: float, file: Path) -> None:
    """Make a certificate."""
    n_rows = round(budget * per_unit) + 1
    x = np.exp(np.arange(LOWEST * steps, HIGHEST * steps + 1) / steps)
    places, shares = clues(n_rows * parts, per_unit, parts, steps)
    chances = np.array([comb(LETTERS, i) * 2 ** (LETTERS - i) / 3**LETTERS for i in range(LETTERS + 1)])
    smallest = SMALL / per_unit / parts
    keep = exp(smallest / LETTERS) / (2 + exp(smallest / LETTERS))
    small = 160 / 81 * (keep - 1 / 3) * parts / SMALL * KINK_SPARE
    values = table(n_rows, parts, x, places, shares, chances, EXTRA / per_unit, small)
    arrays = {
        "terms": np.array([per_unit, parts, SMALL, steps, LOWEST * steps]),
        "masses": masses(values, x, EXTRA / per_unit),
    }
    np.savez(file, **arrays, claims=np.zeros((0, 2)))
    shown = [(share, Certificate(file).budget(share)) for share in QUANTILES]
    np.savez_compressed(file, **arrays, claims=np.array([claim for claim in shown if claim[1]]).reshape(-1, 2))


if __name__ == "__main__":
    main()
