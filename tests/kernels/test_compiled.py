"""Small work is done without numba, with the same result to the bit."""

import subprocess
import sys

import pytest

SMALL_WORK = """
import sys
import numpy as np
from wordpl.core import words
from wordpl.kernels import posterior
from wordpl.stats import clue_luck, hypothesis_tests

def results():
    rng, lists = np.random.default_rng(1), words.load()
    values = [rng.beta(5, 1, n) for n in (3, 20, 90)]
    yield from (bound.hex() for sample in values for bound in hypothesis_tests.mean_bounds(sample, 0.0, 1.0))
    yield from (hypothesis_tests.p_value(sample, 0.7, 0.0).hex() for sample in values)
    games = [
        [[str(rng.choice(lists.guesses)), float(rng.gamma(4)), "".join(rng.choice(list(".ic"), 5))] for _ in range(n)]
        + [["crane", 0, ""]]
        for n in (0, 1, 4, 9)
    ]
    for rule in ("anywhere", "counted"):
        luck = clue_luck.LuckMeter(lists, rule).measure(games, ["crane"] * len(games))
        yield from (array.tobytes().hex() for array in (luck.answer, luck.luck, luck.bet))

        belief = posterior.Posterior.uniform(lists, rule)
        for guess, epsilon, clues in games[3][:-1]:
            belief.update(guess, epsilon, clues)
            yield belief.best()
        yield belief._log_weights.tobytes().hex()

plain = list(results())
assert "numba" not in sys.modules, "small work needs no kernel"
clue_luck.MAX_PLAIN_CLUES = hypothesis_tests.MAX_PLAIN_VALUES = posterior.MAX_PLAIN_CALLS = 0
assert list(results()) == plain
assert "numba" in sys.modules
"""


@pytest.mark.slow
def test_plain_and_compiled_kernels_return_the_same_bytes():
    result = subprocess.run([sys.executable, "-c", SMALL_WORK], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


IMPORTS = """
import sys
from wordpl.players import warm_up
warm_up.import_kernels(warm_up.GROUPS)
import wordpl.reports.run_report, wordpl.stats.rankings.elo
assert "numba" not in sys.modules
"""


@pytest.mark.slow
def test_modules_with_kernels_are_imported_without_numba():
    result = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
