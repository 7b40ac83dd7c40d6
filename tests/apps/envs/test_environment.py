"""Environments play the games of a contest, pay what it counts, and show an agent nothing that it must not know."""

from itertools import count

import numpy as np
import pytest

import wordpl
from strategies.bayesian_random import BayesianRandom
from strategies.entropy import Entropy
from tests.helpers.paths import HOME
from wordpl import RunConfig, Strategy, UserError, words
from wordpl.apps.envs.tasks import split
from wordpl.games import names
from wordpl.kernels.clue_matrix import guess_rows
from wordpl.strategy import begin_game

gymnasium = pytest.importorskip("gymnasium", reason="the extra gym is not installed")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import wordpl.apps.envs.gym  # noqa: E402
from wordpl.apps.envs.environment import WordEnv  # noqa: E402

IDS = sorted(name for name in gymnasium.registry if name.startswith("wordpl/"))
SMALL = {"answers": ["crane", "slate", "trace", "crate", "react"], "guesses": ["crane", "slate", "trace", "crate",
         "react", "audio", "nymph"]}  # fmt: skip


class RandomGuesses(Strategy):
    """Guesses at random: every game differs by the draws of its own seed."""

    game = "wordle/1"

    def first_move(self):
        return self.lists.guesses[self.rng.integers(len(self.guesses))]

    def next_move(self, guess, clues):
        return self.first_move()


def games_of(env, strategy, n_games, seed):
    """The moves and verdicts of games that a strategy plays through an environment of text."""
    for number in range(n_games):
        _, info = env.reset(seed=seed if number == 0 else None)
        begin_game(strategy, info["agent_seed"])
        move, done, paid = strategy.first_move(), False, 0.0
        moves = []
        while not done:
            action = {"guess": move[0], "epsilon": move[1]} if isinstance(move, tuple) else move
            seen, reward, done, _, info = env.step(action)
            paid += reward
            moves.append(tuple(seen.splitlines()[-1].split()))
            guess, *price, clues = (*moves[-1], "")[: 3 if isinstance(move, tuple) else 2]
            if not done:
                move = strategy.next_move(guess, *map(float, price), clues)
        yield moves, info["verdict"], paid, info["cost"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "strategy", "n_games"),
    [("Wordle", Entropy(), 40), ("Wordle", RandomGuesses(), 60), ("WORDPL", BayesianRandom(), 8)],
    ids=lambda value: repr(value)[:16],
)
def test_an_agent_plays_the_games_of_evaluate(name, strategy, n_games, tmp_path):
    config = RunConfig(n_games=n_games, seed="7", results=tmp_path, repeats=0)
    run = wordpl.Contest(config, [strategy]).play()
    games = run.to_frame(moves=True).set_index("game").sort_index()
    env = gymnasium.make(f"wordpl/{name}-v0", form="text")
    for number, (moves, verdict, paid, cost) in zip(count(), games_of(env, strategy, n_games, 7)):
        recorded = games.loc[number]
        assert [tuple(f"{part:g}" if isinstance(part, (int, float)) else part for part in move if part != "")
                for move in recorded["moves"]] == moves, number  # fmt: skip
        assert verdict == recorded["verdict"]
        assert paid == pytest.approx(-cost)
        most = env.unwrapped.task.loss_cost
        assert cost == pytest.approx(min(recorded["cost"], most) if verdict == "won" else most)


@pytest.mark.slow
@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("form", ["index", "text"])
def test_every_bundled_game_is_an_environment_that_gymnasium_accepts(name, form):
    assert len(IDS) == len(names()) + 1
    check_env(gymnasium.make(name, form=form, mask=True).unwrapped)


def plain_values(value):
    """All values inside of what an agent gets, which are of plain types."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from plain_values(inner)
    elif isinstance(value, np.ndarray):
        assert value.dtype.kind in "iuf"
    else:
        assert type(value) in (str, int, float, bool) or isinstance(value, str), type(value)
        yield str(value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Wordle", "WORDPL"])
def test_the_secret_is_in_nothing_that_an_agent_gets(name):
    envs = [gymnasium.make(f"wordpl/{name}-v0", form=form).unwrapped for form in ("text", "index")]
    rng, task = np.random.default_rng(1), envs[0].task
    n_steps, seed = 0, 0
    while n_steps < 10_000:
        seed += 1
        secret = task.lists.answers[wordpl.apps.envs.episodes.Draws.of(seed).game(0).secret_index(2315)]
        for env in envs:
            seen, info = env.reset(seed=seed)
            done, guessed = False, set()
            while not done:
                number = int(rng.integers(2315))
                number = guess_rows(task.lists)[task.lists.answers[number]]
                epsilon = float(rng.integers(1, 9)) if len(guessed) < 20 else 0.0
                guessed.add(task.lists.guesses[number])
                word = number if env.form == "index" else task.lists.guesses[number]
                action = {"guess": word, "epsilon": epsilon} if name == "WORDPL" else word
                seen, _, done, _, info = env.step(action)
                n_steps += 1
                if secret in guessed:
                    break
                assert not any(secret in text for text in plain_values({"info": info, "seen": seen}))
                if env.form == "index":
                    rows = ["".join(chr(96 + code) if code else "" for code in row) for row in seen["letters"]]
                    assert secret not in rows and set(filter(None, rows)) <= guessed


def test_a_whole_group_meets_the_same_secret_and_the_same_noise():
    env = gymnasium.make("wordpl/WORDPL-v0", form="text").unwrapped
    seen = set()
    for _ in range(5):
        env.reset(seed=3, options={"game": 11})
        seen.add(env.step({"guess": "crane", "epsilon": 4.0})[0])
        env.reset()  # game 12
    assert len(seen) == 1
    assert env.reset(options={"seed": "a text", "game": 4})[1]["game"] == 4


def play(env, *actions, seed=5):
    env.reset(seed=seed)
    results = [env.step(action) for action in actions]
    return sum(result[1] for result in results), results[-1]


@pytest.mark.parametrize("reward", ["cost", "win"])
def test_a_game_with_an_illegal_move_is_worth_as_little_as_any(reward):
    env = WordEnv(form="text", reward=reward)
    for illegal in ("zzzzz", "CRANE", "crane ", 3, None, ["crane"]):
        for n_legal in range(4):
            paid, (*_, done, _, info) = play(env, *["nymph", "vivid", "fluff"][:n_legal], illegal)
            assert done and info["verdict"] == "illegal" and not info["won"] and info["cost"] == 7.0
            assert paid == (-7.0 if reward == "cost" else 0.0)


def test_without_luck_an_illegal_move_is_worth_a_lost_game_on_average_over_all_secrets():
    env = WordEnv(form="text", reward="luck-free", coefficient=1.0, **SMALL)
    by_secret = {}
    for seed in range(60):
        env.reset(seed=seed)
        secret = env._episode._secret
        for moves in (["zzzzz"], ["nymph", "zzzzz"], ["audio", "nymph", "zzzzz"]):
            by_secret.setdefault(len(moves), {})[secret] = play(env, *moves, seed=seed)[0]
    for paid in by_secret.values():
        assert len(paid) == 5 and sum(paid.values()) / 5 == pytest.approx(-7.0)


def test_the_number_of_no_word_is_an_illegal_move():
    for action in (-1, 10**6, "x", None, float("nan")):
        env = WordEnv()
        env.reset(seed=1)
        assert env.step(action)[4]["verdict"] == "illegal"


@pytest.mark.parametrize(
    ("price", "verdict"),
    [(10**400, "illegal"), (float("inf"), "illegal"), (float("nan"), "illegal"), (-5e-324, "illegal"), (-0.0, "wrong"),
     (5e-324, ""), (1e308, "")],
)  # fmt: skip
def test_every_price_is_paid_refused_or_an_answer_as_in_a_contest(price, verdict):
    env = WordEnv("wordpl/1", **SMALL)
    env.reset(seed=1)
    assert env.step({"guess": 1, "epsilon": price})[4]["verdict"] == verdict


def test_an_illegal_move_can_be_asked_again_for_nothing_a_bounded_number_of_times():
    env = WordEnv(form="text", second_asks=2)
    env.reset(seed=1)
    for word in ("zzzzz", "yyyyy"):
        seen, reward, done, _, info = env.step(word)
        assert (seen, reward, done) == ("", 0.0, False) and word in info["message"]
    assert env.step("crane")[0].startswith("crane ")
    assert [env.step("zzzzz")[2] for _ in range(3)] == [False, False, True]


def test_training_and_test_words_are_parted_by_the_seed_alone():
    lists = words.load()
    parts = [split(lists, part, seed=4) for part in ("train", "test")]
    assert set(parts[0].answers) | set(parts[1].answers) == lists.answer_set
    assert not parts[0].answer_set & parts[1].answer_set and parts[0].guesses == lists.guesses
    assert 0.15 < len(parts[1].answers) / len(lists.answers) < 0.25
    fewer = split(words.of_words(lists.answers[:500], lists.guesses), "test", seed=4)
    assert fewer.answers == tuple(word for word in lists.answers[:500] if word in parts[1].answer_set)
    assert split(lists, "test", seed=5).answers != parts[1].answers
    with pytest.raises(UserError, match="none: change test_share"):
        split(lists, "test", test_share=0.0)


def test_the_mask_says_which_words_hard_mode_allows():
    env = WordEnv("wordle-hard/1", mask=True, **SMALL)
    assert env.reset(seed=1)[1]["action_mask"].all()
    mask = env.step(0)[4]["action_mask"]
    for number, legal in enumerate(mask):
        env.reset(seed=1)
        env.step(0)
        if env._episode.verdict is None:
            assert (env.step(number)[4]["verdict"] != "illegal") == legal


def test_a_host_s_own_game_is_an_environment():
    game = f"{HOME}/examples/fibble.py:Fibble"
    env = gymnasium.make("wordpl/Game-v0", game=game, form="text", reward="luck-free", coefficient=1.0)
    env.reset(seed=2)
    assert "luck" in env.step("crane")[4]


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_boards_are_drawn_with_the_colours_of_their_clues(mode):
    env = WordEnv(form="text", render_mode=mode, **SMALL)
    env.reset(seed=1)
    env.step("nymph")
    empty = WordEnv(form="text", render_mode=mode, **SMALL)
    empty.reset(seed=1)
    picture, blank = env.render(), empty.render()
    if mode == "ansi":
        assert [letter for letter in "NYMPH" if f" {letter} " in picture] == list("NYMPH")
    else:
        assert picture.shape == blank.shape and picture.dtype == np.uint8 and (picture != blank).any()
