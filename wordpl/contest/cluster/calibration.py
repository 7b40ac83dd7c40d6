"""How fast a machine is: the CPU time of a fixed piece of work, by which a worker's time limits are scaled.

The work is a mixture of what entries do: half of it counts letters in plain Python, half updates a distribution over
2,315 words with NumPy. The fastest of many short rounds counts, because whatever else runs on a machine only makes it
slower, and leaves it alone for a few milliseconds now and then.
"""

import time

import numpy as np

N_ROUNDS = 200
N_CLUES = 250
N_UPDATES = 30
N_WORDS = 2_315
MAX_SLOWNESS = 4.0
SAME = 0.1
"""Machines whose times differ by no more than this share count as equally fast: it is within what rounds differ by."""
DIGITS = 4


def calibrate() -> float:
    """Return the CPU time of the work, in seconds."""
    return round(min(_round() for _ in range(N_ROUNDS)), 2 + DIGITS)


def slowness(calibration_s: float, reference_s: float) -> float:
    """Return by what the limits of a machine are multiplied; 1 where it is about as fast as the reference."""
    ratio = calibration_s / reference_s
    return 1.0 if abs(ratio - 1) <= SAME else round(ratio, DIGITS)


def _round() -> float:
    began = time.thread_time()
    _count_letters()
    _update()
    return time.thread_time() - began


def _count_letters() -> int:
    words = ("crane", "sleet", "abide", "mamma", "vivid", "robot", "eerie")
    total = 0
    for at in range(N_CLUES):
        guess, secret = words[at % 7], words[at % 5]
        spare = [s for g, s in zip(guess, secret, strict=True) if g != s]
        marks = []
        for g, s in zip(guess, secret, strict=True):
            if g == s:
                marks.append("c")
            elif g in spare:
                spare.remove(g)
                marks.append("i")
            else:
                marks.append(".")
        total += "".join(marks).count("c")
    return total


def _update() -> float:
    distances = np.arange(N_WORDS, dtype=float) % 6
    chances = np.full(N_WORDS, 1 / N_WORDS)
    for at in range(N_UPDATES):
        chances = chances * np.exp(-0.1 * ((distances + at) % 6))
        chances /= chances.sum()
    return float(chances.max())
