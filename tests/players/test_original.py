"""Strategies as the original WORDPL contest had them run unmodified."""

import random
from textwrap import dedent

import msgspec
import pytest

from tests.conftest import CONFIG
from wordpl import games
from wordpl.contest.referee import play
from wordpl.core.seeds import Draws

DRAWS = Draws.of("original")

SHARED = """
    import math
    import pandas as pd

    answers = open("answers.txt").read().splitlines()

    def uniform():
        return pd.DataFrame({"word": answers, "weight": 1 / len(answers)})
"""

STRATEGY = """
    # Comes with a table beside the strategies, prints and a progress bar.
    import json
    import random
    from dataclasses import dataclass

    import numpy as np
    from tqdm import tqdm

    from strategies.shared import answers, uniform

    valid = open("valid.txt", "r").read().splitlines()
    assert [valid[0], valid[4205]] == ["noles", "ebbet"], "tables number the words by their lines"

    with open("strategies/table.json", "r") as f:
        table = json.load(f)

    @dataclass
    class Original:
        epsilon: float

        def first_move(self):
            self.games = getattr(self, "games", 0) + 1
            self.prior = uniform()
            for _ in tqdm(range(3)):
                print("thinking")
            return random.choice(valid), random.uniform(0.9, 1.1) * self.epsilon

        def next_move(self, guess, epsilon, result):
            assert len(result) == 5 and set(result) <= set(".ic")
            if np.random.random() < 0.5:
                return self.prior["word"].sample().item(), self.epsilon
            return answers[1 + table["offset"]], 0
"""


ROOMY = msgspec.structs.replace(CONFIG, warmup_s=30.0, timeout_s=5.0, memory_mb=1024, enforced_s=None)


@pytest.fixture
def original(write_entry, tmp_path, pool):
    (tmp_path / "shared.py").write_text(dedent(SHARED))
    (tmp_path / "table.json").write_text('{"offset": 5}')
    (tmp_path / "shared.txt").write_text("shared.py  # words\ntable.json\n")
    return write_entry(STRATEGY, make="Original(epsilon=7.5)", name="original")


def test_original_strategies_play_and_are_reproducible(pool, original, lists):
    game = games.make_game("wordpl/1", lists)
    order = list(range(12))
    records = []
    for _ in range(2):
        player = pool.player(original, ROOMY)
        records.append({number: play(game, player, number, DRAWS, ROOMY) for number in order})
        player.close()
        random.Random(1).shuffle(order)
    assert {str(record.verdict) for record in records[0].values()} <= {"won", "wrong"}, records[0]
    assert records[0] == records[1]
    assert len({record.moves[0].guess for record in records[0].values()}) > 8
    assert all(record.moves[-1].guess == lists.answers[6] for record in records[0].values())
