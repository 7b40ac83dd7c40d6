"""Calibration of a machine's speed: the CPU time of a fixed kernel, by which a worker's time limits are scaled.

The kernel resembles the work of entries: one half computes clues in plain Python, the other half updates a distribution
over 2,315 words with NumPy. The fastest of many short rounds counts, because other load on the machine only slows
rounds down, and usually leaves some of them undisturbed.
"""

import time

import numpy as np

N_ROUNDS = 200
N_CLUES = 250
N_UPDATES = 30
N_WORDS = 2_315
MAX_SLOWNESS = 4.0
TOLERANCE = 0.1
"""Machines whose times differ by at most this share count as equally fast, as measurements vary about as much."""
DIGITS = 4


def calibrate() -> float:
    """Return the CPU time of the calibration kernel in seconds."""
    return round(min(_round() for _ in range(N_ROUNDS)), 2 + DIGITS)


def slowness(calibration_s: float, reference_s: float) -> float:
    """Return the factor for the time limits on a machine; 1 if it is about as fast as the reference.

    Args:
        calibration_s: The CPU time of the kernel on the machine.
        reference_s: The CPU time of the kernel on the reference machine.
    """
    ratio = calibration_s / reference_s
    return 1.0 if abs(ratio - 1) <= TOLERANCE else round(ratio, DIGITS)


def _round() -> float:
    began = time.thread_time()
    _count_letters()
    _update()
    return time.thread_time() - began


def _count_letters() -> int:
    words = ("crane", "sleet", "abide", "mamma", "vivid", "robot", "eerie")
    total = 0
    for index in range(N_CLUES):
        guess, secret = words[index % 7], words[index % 5]
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
    for step in range(N_UPDATES):
        chances = chances * np.exp(-0.1 * ((distances + step) % 6))
        chances /= chances.sum()
    return float(chances.max())
