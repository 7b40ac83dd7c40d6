"""The original contest's own evaluate.py and this harness agree: on given inputs, and on games of its entries.

Long tests of a checkout of https://github.com/TedTed/wordpl, which WORDPL_ORIGINAL names; this project has none of it.
"""

import json
import os
import random
import shutil
import sys
import time
from collections import Counter
from itertools import product
from math import exp, inf, sqrt
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from benchmarks import original
from tests.helpers.paths import HOME
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.core.moves import NoisyMove
from wordpl.games import make_game
from wordpl.stats.scores.quantiles import SCORES

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif("WORDPL_ORIGINAL" not in os.environ, reason="WORDPL_ORIGINAL names no checkout"),
]
RULE = CLUE_RULES["anywhere"]


@pytest.fixture(scope="module")
def checkout():
    return Path(os.environ["WORDPL_ORIGINAL"]).resolve()


@pytest.fixture
def evaluate(checkout, monkeypatch):
    """The module evaluate.py, unchanged; the entries that it imports are left out, as they take a minute."""
    stand_in = SimpleNamespace(G3=lambda **_: None, D95=lambda **_: None)
    monkeypatch.setitem(sys.modules, "strategies.g3", stand_in)
    monkeypatch.setitem(sys.modules, "strategies.d95", stand_in)
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    module = ModuleType("evaluate")
    exec((checkout / "evaluate.py").read_text(), vars(module))
    return module


class Scripted:
    """Plays given moves, and keeps the clues."""

    def __init__(self, *moves):
        self.moves = moves

    def first_move(self):
        self.left, self.clues = list(self.moves), []
        return self.left.pop(0)

    def next_move(self, guess, epsilon, clues):
        self.clues.append(clues)
        return self.left.pop(0)


def test_the_lists_are_the_same_files(checkout):
    for name in ("valid.txt", "answers.txt"):
        assert (HOME / name).read_bytes() == (checkout / name).read_bytes()


def test_clues_without_noise_are_the_same(evaluate):
    lists, draw = words.load(), random.Random(1)
    repeated = [word for word in lists.guesses if len(set(word)) < 4]
    pairs = [(draw.choice(repeated), draw.choice(lists.answers)) for _ in range(500)]
    pairs += [(draw.choice(lists.guesses), draw.choice(lists.answers)) for _ in range(500)]
    pairs += [("speed", "abide"), ("eerie", "tepee"), ("mamma", "gamma"), ("sassy", "basis")]
    for guess, secret in pairs:
        evaluate.answers[:] = [secret]
        entry = Scripted((guess, 3000.0), (secret, 0))
        assert evaluate.evaluate_once(entry) == 3000.0
        assert entry.clues == [RULE(guess, secret)], (guess, secret)


@pytest.mark.parametrize("epsilon", [0.5, 5.3, 12.3, 25.0])
def test_each_letter_has_the_same_noise(evaluate, epsilon):
    guess, secret, n_games = "trace", "cabin", 4000
    evaluate.answers[:] = [secret]
    truth = RULE(guess, secret)
    random.seed(f"noise {epsilon}")
    entry = Scripted((guess, epsilon), (secret, 0))
    shown: Counter[tuple[str, str]] = Counter()
    for _ in range(n_games):
        evaluate.evaluate_once(entry)
        shown.update(zip(truth, entry.clues[0], strict=True))
    game = make_game("wordpl/1", words.load())
    code = int(truth.translate(str.maketrans(".ic", "012")), 3)
    codes, chances = game.channel.outcomes(code, NoisyMove(guess, epsilon, ""))
    for mark, n_marks in Counter(truth).items():
        for other in ".ic":
            here = sum(
                chance
                for code, chance in zip(codes, chances, strict=True)
                if ".ic"[code // 3 ** (4 - truth.index(mark)) % 3] == other
            )
            stated = exp(epsilon / 5) / (2 + exp(epsilon / 5)) if mark == other else 1 / (2 + exp(epsilon / 5))
            assert here == pytest.approx(stated, rel=1e-12)
            there, n = shown[mark, other] / (n_marks * n_games), n_marks * n_games
            assert abs(there - stated) <= 4 * sqrt(stated * (1 - stated) / n) + 1e-9, (mark, other)


@pytest.mark.parametrize("n_games", [1, 2, 20, 1000, 1001])
def test_percentiles_are_the_same_number(evaluate, n_games):
    draw = random.Random(n_games)
    for share in (0.0, 0.03, 0.4, 0.9, 1.0):
        won = [draw.choice([14.6, 36.9, draw.uniform(0, 99)]) for _ in range(n_games)]
        scores = [inf if draw.random() < share else score for score in won]
        for score in SCORES[:3]:
            there, here = evaluate.quantile(scores, score.q), score(np.array(scores)).value
            assert here == there or here == pytest.approx(there, rel=1e-12), (share, score.name)


def test_a_lost_a_late_and_an_illegal_game_count_as_infinite(evaluate):
    evaluate.answers[:] = ["cabin"]

    class Slow(Scripted):
        def first_move(self):
            time.sleep(3)

    evaluate.TIMEOUT_DURATION = 1
    for entry, n_late in ((Scripted(("trace", 5.0), ("crane", 0)), 0), (Slow(), 1), (Scripted(("zzzzz", 5.0)), 0)):
        scores, p05, _, _, late = evaluate.evaluate(entry, 1)
        assert (scores, p05, late) == ([inf], inf, n_late)


def test_the_table_of_g3_wins_what_its_author_enumerated(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    source = (checkout / "strategies" / "g3.py").read_text()
    numbers = json.loads(source[source.index("strategy = [") :].partition("= ")[2].splitlines()[0])
    lists = words.load()
    code = {"".join(clues): i for i, clues in enumerate(product("ci.", repeat=5))}
    marks = np.array([list(clues) for clues in code])
    differences = (marks[:, None] != marks[None]).sum(axis=2)

    def chances(epsilon):
        wrong = 1 / (2 + exp(epsilon / 5))
        return wrong**differences * (1 - 2 * wrong) ** (5 - differences)

    def row(guess):
        return np.array([code[RULE(guess, answer)] for answer in lists.answers])

    first, rows = chances(9.3)[:, row("trace")], {}
    wins = 0.0
    for clue, number in enumerate(numbers):
        guess = lists.guesses[number]
        second = chances(5.3)[:, rows.setdefault(guess, row(guess))]
        wins += (first[clue] * second).max(axis=1).sum()
    assert wins == pytest.approx(122.41194809, abs=1e-6), "the sum of the wins in g3_out.txt of marcpare/wordpl_lab"


@pytest.mark.parametrize(
    ("name", "n_games"), [("G3", 1001), ("NGuess(epsilon=7.8", 1001), ("TwoGuess", 1001), ("D95(epsilon=25", 100)]
)
def test_entries_play_alike_in_both_harnesses(checkout, tmp_path, name, n_games):
    (entry,) = (entry for entry in original.ENTRIES if name in entry.make)
    copy = tmp_path / "checkout"
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git", "results"))
    there = original.played_there(copy, tmp_path, entry, n_games, 600)
    here = original.played_here(copy, tmp_path, entry, n_games, ["--timeout", "600"])
    assert original.disagreements(there, here) == []
