"""Trainers of language models play the games of a run: a group meets one secret, and nobody is told it."""

import inspect
from functools import partial

import pytest

from wordpl import words
from wordpl.apps.envs.episodes import Episodes
from wordpl.apps.envs.tasks import Task
from wordpl.apps.envs.trl import NoisyGame, WordGame, rows
from wordpl.core import seeds

ANSWERS = words.load().answers[:60]
SMALL = {"answers": ANSWERS, "guesses": ANSWERS}


def secret_of(seed, number, n=60):
    return ANSWERS[seeds.Draws.of(seed).game(number).secret_index(n)]


def test_a_group_of_one_row_plays_one_secret_and_is_paid_what_the_contest_counts():
    row = rows(3, seed="s")[2]
    secret = secret_of("s", 2)
    wrong = next(word for word in ANSWERS if word != secret)
    for n_wrong in range(4):
        game = WordGame(**SMALL)
        game.reset(**rows(1)[0])
        assert "right place" in game.reset(**row)
        told = [game.guess(wrong) for _ in range(n_wrong)]
        assert all(secret not in text for text in told)
        assert "You won" in game.guess(secret.upper())
        assert game.get_reward() == -(n_wrong + 1)
        assert game.guess(wrong) == "The game is over."


def test_a_game_that_is_given_up_or_played_illegally_is_worth_a_lost_one():
    for moves in ([], ["zzzzz"], [ANSWERS[0], "[about] ... or so"]):
        game = WordGame(answers=list(ANSWERS), guesses=list(ANSWERS))
        game.reset(seed="s", game=2)
        for move in moves:
            game.guess(move)
        assert game.get_reward() == -7.0


def test_what_is_told_does_not_grow_over_resets():
    game = WordGame(**SMALL)
    told = set()
    for _ in range(300):
        told.add((len(game.reset(seed="s", game=5)), len(game.guess(ANSWERS[1])), len(vars(game))))
    assert len(told) == 1


def test_a_noisy_game_takes_a_price_and_its_answer_ends_it():
    game = NoisyGame(**SMALL)
    game.reset(seed="s", game=2)
    game.guess(ANSWERS[3], 8.0)
    assert "cost 8" in game.guess(secret_of("s", 2), 0)
    assert game.get_reward() == -8.0


def test_trl_finds_documented_tools():
    """What GRPOTrainer of TRL 1.16 does with an environment before training."""
    made = partial(WordGame, game="wordle/1")()
    public = {name for name, _ in inspect.getmembers(type(made), inspect.isfunction) if not name.startswith("_")}
    assert public == {"reset", "guess", "get_reward"}
    signature = inspect.signature(made.guess)
    assert [(p.name, p.annotation) for p in signature.parameters.values()] == [("word", str)]
    assert signature.return_annotation is str and "word: " in inspect.getdoc(made.guess)


def test_ten_thousand_resets_leave_nothing_behind():
    episodes = Episodes(Task.of(**SMALL))
    assert episodes.begin(seed=1).moves == []
    for _ in range(10_000):
        episodes.begin()
    assert set(vars(episodes)) == set(vars(Episodes(Task.of(**SMALL)))) and episodes.number == 10_000


@pytest.mark.long
def test_trl_builds_a_tool_from_the_docstring():
    utils = pytest.importorskip("transformers.utils", reason="it is large: .ci/long installs it")
    schema = utils.get_json_schema(WordGame(**SMALL).guess)["function"]
    assert schema["parameters"]["properties"]["word"]["type"] == "string"


@pytest.mark.long
def test_an_openenv_client_plays_through_its_socket():
    pytest.importorskip("openenv", reason="it is large: .ci/long installs it")
    import threading

    import uvicorn
    from openenv import GenericEnvClient

    from wordpl.apps.envs.openenv import app

    server = uvicorn.Server(uvicorn.Config(app(), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    port = server.servers[0].sockets[0].getsockname()[1]
    with GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as client:
        for _ in range(2):
            client.reset(seed=3, game=4)
            secret = words.load().answers[seeds.Draws.of(3).game(4).secret_index(2315)]
            first = client.step({"word": "nymph"})
            assert not first.done and secret not in str(first.observation) + str(client.state())
            last = client.step({"word": secret})
            assert last.done and last.reward == -1.0 and last.observation["won"]
        client.reset(split="test", index=7)
        assert "zzzzz" in client.step({"word": "zzzzz"}).observation["text"]
    server.should_exit = True
    thread.join(timeout=10)
