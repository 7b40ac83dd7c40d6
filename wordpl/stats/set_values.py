"""What a set of words that are still possible is worth: the chances that its secret is found within some more guesses.

They are those of near-optimal play, fitted by `python -m benchmarks.set_values` on lists of four to eight letters. No
estimate depends on their being right: luck that is measured with them has mean zero whatever they are, and the better
they are, the more luck is removed. A possible word is found by the last guess with probability 1/n, one of two words
within two guesses, and so is every word if a word of the set tells all of them apart. Otherwise the chances are linear
in a few features of the set: its size n, and the number m of different clues that the best of a few of its words gets.

Where clues may be false, a posterior takes the place of the set, see `posterior_shares`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordpl.kernels.compiled import kernel

Floats = NDArray[np.float64]

N_PROBES = 8
"""The number of words of a set whose clues are counted."""
FEATURES = ("1", "log2 n", "log2 n/m", "m/n", "1/n")
WEIGHTS = np.array([
    (0.5608, -0.0209, -0.1023, 0.5569, 0.5619),
    (1.5113, 0.0094, -0.2697, -0.5886, 0.1153),
    (1.0467, 0.0008, -0.0225, -0.0544, 0.0075),
    (1.0009, 0.0, -0.0003, -0.0008, -0.0004),
])  # fmt: skip
"""The weights of the features for 2, 3, ... guesses left."""
N_ROUNDS = len(WEIGHTS) + 1
"""The number of guesses left from which more of them are worth the same."""


def set_features(n: int, m: int) -> Floats:
    """Return the features of a set of n words of which one gets m different clues."""
    return np.array([1.0, np.log2(n), np.log2(n) - np.log2(m), m / n, 1 / n])


def plain_shares(n: int, m: int) -> Floats:
    """Return the chances that the secret is found within 0, 1, ... N_ROUNDS more guesses, float[N_ROUNDS + 1].

    Args:
        n: The number of possible words.
        m: The largest number of different clues that the probed words of the set get.

    >>> plain_shares(2, 2)[:3].tolist()
    [0.0, 0.5, 1.0]
    """
    if m == n:
        return np.array([0.0, 1 / n, *np.ones(N_ROUNDS - 1)])
    fitted = [sum(weight * value for weight, value in zip(own, set_features(n, m), strict=True)) for own in WEIGHTS]
    return np.maximum.accumulate(np.array([0.0, 1 / n, *np.clip(fitted, 0, 1)]))


def probes(n: int) -> Sequence[int]:
    """Return the places of the words of a set of n whose clues are counted."""
    return range(n) if n <= N_PROBES else [number * n // N_PROBES for number in range(N_PROBES)]


POSTERIOR_WEIGHTS = np.array([
    (0.7512, -0.1263, 0.0053, 0.3089),
    (1.1586, -0.1077, 0.0010, -0.1267),
    (0.9941, 0.0077, -0.0059, -0.0002),
    (0.9271, 0.0351, -0.0051, 0.0590),
    (0.9540, 0.0181, -0.0020, 0.0380),
    (0.9830, 0.0042, -0.0004, 0.0134),
    (0.9869, 0.0023, -0.0001, 0.0101),
])  # fmt: skip
"""The weights of 1, the entropy in bits, its square, and the largest probability, for 2, 3, ... guesses left."""


def posterior_shares(entropy: Floats, top: Floats) -> Floats:
    """Return the chances that the secret is found within 0, 1, ... more guesses where clues may be false, float[n, k].

    Args:
        entropy: The entropy of each posterior in bits, float[n].
        top: Its largest probability, float[n].
    """
    features = np.array([np.ones(len(top)), entropy, entropy**2, top])
    fitted = np.clip(POSTERIOR_WEIGHTS @ features, 0, 1)
    return np.maximum.accumulate(np.concatenate([np.zeros((1, len(top))), [top], fitted]), axis=0).T


@kernel
def split(own: np.ndarray, members: np.ndarray, seen: np.ndarray, stamp: int) -> tuple[int, int]:
    """Return the largest number of different clues that one of the probed words gets from a set, and the last stamp.

    Args:
        own: The number of the clue of each answer as a guess for each answer, [answers, answers].
        members: The words of the set as numbers of answers, in ascending order.
        seen: The stamp of each clue when it was last seen, [n_codes].
        stamp: The last stamp that was used.
    """
    n, most = len(members), 0
    for number in range(min(n, N_PROBES)):
        place = number if n <= N_PROBES else number * n // N_PROBES
        stamp += 1
        different = 0
        row = own[members[place]]
        for member in members:
            if seen[row[member]] != stamp:
                seen[row[member]] = stamp
                different += 1
        most = max(most, different)
        if most == n:
            break
    return most, stamp


@kernel
def fill_shares(n: int, m: int, logs: np.ndarray, weights: np.ndarray, shares: np.ndarray) -> None:
    """Write what `plain_shares` returns into `shares`.

    Args:
        n, m: As for `plain_shares`.
        logs: log2 of 0, 1, ..., of which the first is not used.
        weights: WEIGHTS.
        shares: The output, float[N_ROUNDS + 1].
    """
    shares[0], shares[1] = 0.0, 1 / n
    for left in range(2, len(shares)):
        if m == n:
            shares[left] = 1.0
            continue
        own = weights[left - 2]
        fitted = own[0] + own[1] * logs[n] + own[2] * (logs[n] - logs[m]) + own[3] * (m / n) + own[4] * (1 / n)
        shares[left] = max(shares[left - 1], min(1.0, max(0.0, fitted)))
