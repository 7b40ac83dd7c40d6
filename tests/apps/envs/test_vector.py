"""The vector environment plays the games of the single one, and resets itself as Gymnasium 1.x defines it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.limits import LIMITS
from wordpl import UserError, words
from wordpl.apps.envs.episodes import Episode
from wordpl.apps.envs.hashes import BLOCK, fill_draw, fill_keyed, remainder
from wordpl.apps.envs.values import Coefficient, follower
from wordpl.core import seeds
from wordpl.kernels.clue_matrix import guess_rows

gymnasium = pytest.importorskip("gymnasium", reason="the extra gym is not installed")

from wordpl.apps.envs.environment import WordEnv  # noqa: E402
from wordpl.apps.envs.vector import WordVectorEnv  # noqa: E402

LISTS = words.load()
GUESSES = (*LISTS.answers[:60], *(word for word in LISTS.guesses if word not in LISTS.answers[:60]))[:150]
SMALL = {"answers": LISTS.answers[:60], "guesses": GUESSES}
pytestmark = pytest.mark.slow  # the kernels are compiled
GAMES = ["wordle/1", "wordle-hard/1", "wordpl/1", "wordpl-counted/1"]


@given(seed=st.text(max_size=20), game=st.integers(0, 2**62), turn=st.integers(0, 2000), n=st.integers(1, 2**31 - 1))
def test_compiled_draws_are_those_of_the_harness(seed, game, turn, n):
    key = np.frombuffer(bytearray(seeds.run_key(seed) + bytes(32)), np.uint64)
    keyed, digest = np.zeros(8, np.uint64), np.zeros(8, np.uint64)
    fill_keyed(key, 32, keyed)
    fill_draw(keyed, np.frombuffer(bytearray(b"noise"), np.uint8), game, turn, np.zeros(BLOCK, np.uint8), digest)
    assert digest.tobytes() == seeds.draw(seeds.run_key(seed), b"noise", game, turn)
    assert remainder(digest, n) == int.from_bytes(digest.tobytes()[:16], "big") % n


def some_actions(task, rng, n):
    """Random actions: numbers of guesses with a few that are none, and prices with answers among them."""
    guesses = rng.integers(-1, len(task.lists.guesses) + 1, n)
    likely = rng.integers(len(task.lists.answers), size=n)
    guesses = np.where(rng.random(n) < 0.5, [guess_rows(task.lists)[task.lists.answers[i]] for i in likely], guesses)
    if not task.has_epsilon:
        return guesses
    return {
        "guess": guesses,
        "epsilon": rng.choice(
            [0.0, 0.37, 8.0, 20.0, *LIMITS], n, p=[0.1, 0.3, 0.2, 0.2] + [0.2 / len(LIMITS)] * len(LIMITS)
        ),
    }


@pytest.mark.parametrize("reward", ["cost", "win", "luck-free"])
@pytest.mark.parametrize("game", GAMES)
def test_kernels_agree_with_the_rules_move_by_move(game, reward, monkeypatch):
    monkeypatch.setattr("wordpl.apps.envs.vector.MIN_SHARE", 2)
    n = 9
    env = WordVectorEnv(n, game, reward=reward, coefficient=0.7, luck=True, threads=2, **SMALL)
    task, rng = env.task, np.random.default_rng(3)
    seen, infos = env.reset(seed=11)
    measured, fixed = [follower(task) for _ in range(n)], Coefficient(0.7)
    numbers, draws = list(range(n)), seeds.Draws.of(11)
    weight = fixed if reward == "luck-free" else None
    made = [Episode(task, draws.game(i), values=measured[i], coefficient=weight) for i in numbers]
    assert infos["game"].tolist() == numbers
    n_ended = 0
    for _ in range(60):
        actions = some_actions(task, rng, n)
        seen, rewards, done, _, infos = env.step(actions)
        for i, episode in enumerate(made):
            if episode.verdict is not None:
                numbers[i] += n
                made[i] = Episode(task, draws.game(numbers[i]), values=measured[i], coefficient=weight)
                assert not infos["_won"][i] and rewards[i] == 0 and not done[i] and not seen["letters"][i].any()
                continue
            action = {name: actions[name][i] for name in actions} if task.has_epsilon else actions[i]
            try:
                proposal = task.proposal(action, "index")
            except Exception as error:
                proposal = error
            result = episode.play(proposal)
            assert rewards[i] == pytest.approx(result.reward, abs=1e-4), (game, i, episode.moves, episode.verdict)
            assert done[i] == (episode.verdict is not None) and infos["won"][i] == episode.won
            assert infos["illegal"][i] == (episode.verdict == "illegal") and infos["_won"][i]
            assert infos["cost"][i] == pytest.approx(episode.spent, abs=1e-4)
            if result.luck is not None:
                assert infos["luck"][i] == pytest.approx(result.luck, abs=1e-4)
            for name, array in task.arrays(episode.moves).items():
                assert np.array_equal(seen[name][i], array), (name, episode.moves)
            n_ended += done[i]
    assert n_ended > 10
    env.close()


def test_neighbours_of_a_group_play_the_same_games_whenever_they_come_to_them():
    env = WordVectorEnv(6, group=3, **SMALL)
    numbers = [env.reset(seed=1)[1]["game"].copy()]
    rng = np.random.default_rng(0)
    for _ in range(30):
        env.step(rng.integers(150, size=6))
    assert numbers[0].tolist() == [0, 0, 0, 1, 1, 1]
    assert (env._state.number % 2 == [0, 0, 0, 1, 1, 1]).all()
    assert env.reset(options={"game": 7})[1]["game"].tolist() == [7] * 6
    with pytest.raises(UserError, match="groups of 4"):
        WordVectorEnv(6, group=4)


def spaces_hold(env, seen):
    assert env.observation_space.contains(seen)


def test_a_game_that_ends_begins_anew_in_the_next_step_the_same_step_or_when_told():
    illegal = np.array([-1, 0])
    env = WordVectorEnv(2, **SMALL)
    env.reset(seed=1)
    seen, _, done, _, _ = env.step(illegal)
    assert done.tolist() == [True, False]
    seen, rewards, done, _, infos = env.step(np.array([1, 1]))
    assert not seen["letters"][0].any() and rewards[0] == 0.0 and infos["_won"].tolist() == [False, True]
    spaces_hold(env, seen)

    env = WordVectorEnv(2, autoreset_mode="SameStep", **SMALL)
    env.reset(seed=1)
    env.step(np.array([0, 0]))
    seen, rewards, done, _, infos = env.step(illegal)
    assert done[0] and rewards[0] == -6.0 and not seen["letters"][0].any()
    assert infos["final_obs"]["letters"][0].any() and infos["final_obs"]["_letters"].tolist() == [True, False]
    assert infos["final_info"]["illegal"][0] and infos["_final_info"].tolist() == [True, False]

    env = WordVectorEnv(2, autoreset_mode="Disabled", **SMALL)
    env.reset(seed=1)
    env.step(illegal)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(illegal)
    seen, infos = env.reset(options={"reset_mask": np.array([True, False])})
    assert infos["game"].tolist() == [2, 1] and seen["letters"][1].any() and not seen["letters"][0].any()


def test_gymnasium_makes_it():
    env = gymnasium.make_vec(
        "wordpl.apps.envs.gym:wordpl/Wordle-v0", num_envs=3, vectorization_mode="vector_entry_point"
    )
    spaces_hold(env, env.reset(seed=2)[0])
    spaces_hold(env, env.step(env.action_space.sample())[0])
    assert env.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    sync = gymnasium.make_vec("wordpl/Absurdle-v0", num_envs=2, vectorization_mode="sync")
    sync.reset(seed=2)
    with pytest.raises(UserError, match="vectorization_mode='sync'"):
        gymnasium.make_vec("wordpl/Absurdle-v0", num_envs=2, vectorization_mode="vector_entry_point")


def games_with_each_secret_once(task, seed):
    numbers, draws = {}, seeds.Draws.of(seed)
    number = 0
    while len(numbers) < len(task.lists.answers):
        numbers.setdefault(draws.game(number).secret_index(len(task.lists.answers)), number)
        number += 1
    return np.array(list(numbers.values()))


@pytest.mark.parametrize("game", ["wordle/1", "wordle-hard/1"])
@pytest.mark.parametrize("throws", [False, True])
def test_over_all_secrets_luck_adds_up_to_nothing_whatever_is_done_with_it(game, throws):
    env = WordVectorEnv(60, game, reward="luck-free", coefficient=1.0, **SMALL)
    counted = WordVectorEnv(60, game, **SMALL)
    numbers = games_with_each_secret_once(env.task, 5)
    guesses = np.random.default_rng(1).integers(150, size=6)  # the same for all, so that only clues differ
    paid, cost, luck = np.zeros(60), np.zeros(60), np.zeros(60)
    over = np.zeros(60, bool)
    for one in (env, counted):
        one.reset(seed=5, options={"game": numbers})
    for guess in guesses:
        actions = np.where(throws & (luck > 0.2), -1, guess)
        _, rewards, done, _, infos = env.step(actions)
        paid += rewards * ~over
        luck += infos["luck"] * ~over
        cost += counted.step(actions)[1] * ~over
        over |= done
    assert over.all() and (luck != 0).any()
    assert luck.mean() == pytest.approx(0.0, abs=1e-9)
    assert paid.mean() == pytest.approx(cost.mean())


def test_luck_of_noisy_games_has_mean_zero_for_players_that_throw_lucky_games():
    n = 4000
    env = WordVectorEnv(n, "wordpl/1", luck=True, **SMALL)
    env.reset(seed=6)
    rng, over, luck = np.random.default_rng(2), np.zeros(n, bool), np.zeros(n)
    for _ in range(5):
        guesses = np.where(luck > 5, -1, rng.integers(150, size=n))
        *_, done, _, infos = env.step({"guess": guesses, "epsilon": np.full(n, 9.0)})
        luck += infos["luck"] * ~over
        over |= done
    assert abs(luck.mean()) < 4 * luck.std() / np.sqrt(n)


def test_luck_of_single_games_is_the_same_with_kernels_as_without(monkeypatch):
    found = []
    for n_plain in (0, 10**9):
        monkeypatch.setattr("wordpl.apps.envs.values.MAX_PLAIN_MOVES", n_plain)
        env, rng, luck = WordEnv(reward="luck-free", coefficient=0.5, **SMALL), np.random.default_rng(4), []
        for number in range(40):
            env.reset(seed=8 if number == 0 else None)
            done = False
            while not done:
                _, reward, done, _, info = env.step(int(rng.integers(150)))
                luck.append((reward, info["luck"]))
        found.append(np.array(luck))
    assert np.allclose(*found)
