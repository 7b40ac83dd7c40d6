"""A policy plays as an entry what it plays in the environment; values without luck are those of boards."""

import numpy as np
import pytest

import wordpl
from wordpl import RunConfig, UserError
from wordpl.apps.envs.policies import as_strategy
from wordpl.apps.envs.tasks import Task
from wordpl.apps.envs.values import Coefficient, follower
from wordpl.core.moves import ClassicMove, NoisyMove
from wordpl.run.frame import Moves
from wordpl.stats.clue_luck import LuckMeter
from wordpl.stats.guess_luck import GuessMeter

gymnasium = pytest.importorskip("gymnasium", reason="the extra gym is not installed")

from wordpl.apps.envs.environment import WordEnv  # noqa: E402

SOURCE = """
from wordpl.apps.envs import as_strategy


def policy(seen, rng):
    made = int((seen["letters"][:, 0] > 0).sum())
    return int(rng.integers(1000)) + int(seen["marks"].sum()) + made


ENTRIES = [as_strategy(policy, "Odd")]
"""


@pytest.mark.slow
def test_a_policy_plays_isolated_what_it_plays_in_the_environment(tmp_path):
    file = tmp_path / "odd.py"
    file.write_text(SOURCE)
    config = RunConfig(n_games=12, seed="9", results=tmp_path / "results", repeats=3)
    games = wordpl.Contest(config, [file]).play().to_frame(moves=True).set_index("game")
    space = {}
    exec(SOURCE, space)
    env = WordEnv(form="index")
    for number in range(12):
        seen, info = env.reset(seed=9, options={"game": number})
        rng, done = np.random.Generator(np.random.PCG64(info["agent_seed"])), False
        while not done:
            seen, _, done, _, info = env.step(space["policy"](seen, rng))
        assert [move.guess for move in env._episode.moves] == [move[0] for move in games.loc[number, "moves"]]
        assert info["verdict"] == games.loc[number, "verdict"]


def test_what_is_no_action_of_a_policy_is_an_illegal_move():
    strategy = as_strategy(lambda seen, rng: 10**9, "Far")
    assert strategy.first_move() == 10**9 and repr(strategy) == "Far"
    with pytest.raises(UserError, match="a policy is called"):
        as_strategy(3, "None")


def test_luck_is_that_of_boards():
    task = Task.of(reward="luck-free")
    game, lists, rng = task.game, task.lists, np.random.default_rng(5)
    for _ in range(3):
        secret, moves = lists.answers[rng.integers(2315)], []
        measured, luck = follower(task), []
        measured.begin()
        while len(moves) < 6 and (not moves or moves[-1][0] != secret):
            guess = lists.answers[rng.integers(2315)] if len(moves) < 3 else secret
            moves.append((guess, game.clue(guess, secret)))
            value = measured.after(ClassicMove(*moves[-1]), float(len(moves)), won=guess == secret)
            luck.append(value.luck)
        expected = GuessMeter(game).luck_by_move(moves, won=moves[-1][0] == secret)
        assert luck == pytest.approx(expected, abs=1e-6)


def test_luck_of_noisy_games_is_that_of_boards_times_what_a_win_saves():
    task = Task.of("wordpl/1", reward="luck-free")
    played = [("crane", 8.0, "..i.c"), ("slate", 4.0, "c...."), ("nymph", 9.5, "i.i..")]
    own = LuckMeter(task.lists, "anywhere").measure_moves(Moves.of_lists([played]))
    measured, paid = follower(task), 0.0
    measured.begin()
    for move, luck in zip(played, own.luck, strict=True):
        paid += move[1]
        value = measured.after(NoisyMove(*move), paid, won=False)
        assert value.luck == pytest.approx((100.0 - paid) * luck, abs=1e-9)


def test_the_coefficient_is_fitted_to_ended_games_and_forgets():
    fitted, rng = Coefficient(), np.random.default_rng(0)
    assert fitted.value == 0.0
    luck = rng.normal(size=4000)
    fitted.add(luck, 4 - 0.8 * luck + 0.1 * rng.normal(size=4000))
    assert fitted.value == pytest.approx(0.8, abs=0.02)
    for _ in range(30):
        fitted.add(luck, 6 + 0.0 * luck + 0.1 * rng.normal(size=4000))
    assert fitted.value < 0.05
    assert Coefficient(0.0).value == 0.0
