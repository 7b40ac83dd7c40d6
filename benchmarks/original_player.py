"""Play games of an entry with the original contest's evaluate.py, one JSON line per game; original.py runs this.

Usage, in a checkout of the original repository: `python original_player.py MODULE MAKE FIRST LAST [TIMEOUT]`. The games
are played by `evaluate.evaluate`, one at a time, each from its own seed; the entry is only watched. TIMEOUT replaces
the limit of evaluate.py, which counts the seconds of the clock, also those in which other programs run.
"""

import contextlib
import io
import json
import random
import sys
from importlib import import_module
from math import inf

import numpy as np

SEED = "original"


class Watched:
    """Passes an entry's moves on, and writes them down."""

    def __init__(self, entry):
        self.entry = entry

    def first_move(self):
        self.moves = []
        return self._seen(self.entry.first_move())

    def next_move(self, guess, epsilon, clues):
        self.moves[-1].append(clues)
        return self._seen(self.entry.next_move(guess, epsilon, clues))

    def _seen(self, move):
        self.moves.append([str(move[0]), float(move[1])])
        return move


def main():
    module, make, first, last, *timeout = sys.argv[1:]
    sys.path.insert(0, ".")
    with contextlib.redirect_stdout(sys.stderr):
        evaluate = import_module("evaluate")
        entry = Watched(eval(make, vars(import_module(f"strategies.{module}"))))
    if timeout:
        evaluate.TIMEOUT_DURATION = int(timeout[0])
    for number in range(int(first), int(last)):
        random.seed(f"{SEED} {number}")
        np.random.seed(random.getrandbits(32))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            (score,), *_, n_late = evaluate.evaluate(entry, 1)
        outcome = "won" if score < inf else "late" if n_late else "lost"
        if "exception" in printed.getvalue():
            outcome = "crashed"
        print(json.dumps([number, outcome, entry.moves]), flush=True)


if __name__ == "__main__":
    main()
