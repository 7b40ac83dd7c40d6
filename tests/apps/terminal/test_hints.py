"""The hints of `?` are correct and can be played."""

import subprocess
import sys

import pytest

from wordpl import games
from wordpl.apps.terminal import display, sessions
from wordpl.core.moves import ClassicMove
from wordpl.kernels.posterior import Posterior


def session_after(lists, rules, secret, *moves):
    session = next(sessions(games.make_game(rules, lists), "1", 0, secret))
    for move in moves:
        session.play(move)
    return session


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["wordpl/1", "wordpl-counted/1"])
def test_hints_show_the_posterior_of_the_clue_rule(lists, rules):
    session = session_after(lists, rules, "jelly", ("eerie", 9.0), ("level", 7.5))
    posterior = Posterior.uniform(lists, session.game.clue_rule)
    for move in session.moves:
        posterior.update(*move.arguments)
    word, probability = posterior.best()
    lines = display.noisy_hints(session)
    assert lines[0].startswith(f"{posterior.bits:.1f} bits left")
    assert lines[1].split()[:2] == [word, f"{probability:.3f}"]


@pytest.mark.long  # plays many games with hints
def test_following_the_hints_wins_most_noisy_games(lists):
    won = 0
    for number in range(6):
        session = next(sessions(games.make_game("wordpl/1", lists), "hints", number, None))
        while session.verdict is None:
            advice = next(line for line in display.noisy_hints(session) if line.startswith("Suggested: "))
            move = advice.removeprefix("Suggested: ").split(",")[0].split()
            session.play((move[0][1:], 0) if move[0].startswith("!") else (move[0], float(move[1])))
        won += session.verdict == "won"
    assert won >= 4


@pytest.mark.parametrize("rules", ["wordle/1", "wordle-hard/1"])
def test_classic_hints_list_the_answers_left_and_suggest_an_allowed_guess(lists, rules):
    session = session_after(lists, rules, "jelly", "crane", "slope")
    n_left, left, advice = display.classic_hints(session)
    possible = [
        word
        for word in lists.answers
        if all(session.game.clue(move.guess, word) == move.clues for move in session.moves)
    ]
    assert n_left.startswith(f"{len(possible)} answers are left")
    assert left.split() == possible
    guess = advice.removeprefix("Suggested: ").split(",")[0]
    session.play(guess)


def test_the_only_answer_left_is_suggested_as_the_answer(lists):
    session = session_after(lists, "wordle-hard/1", "jelly", "belly", "jelly")
    session.moves.pop()
    session.moves += [ClassicMove("telly", ".cccc"), ClassicMove("welly", ".cccc")]
    assert display.classic_hints(session)[-1] == "Suggested: jelly, the answer."


WITHOUT_KERNELS = """
import sys
from wordpl import games
from wordpl.core import words
from wordpl.apps.terminal import display, sessions
for game in ("wordle/1", "absurdle/1", "wordpl/1"):
    session = next(sessions(games.make_game(game, words.load()), "1", 0, None))
    session.play(("crane", 8.0) if game == "wordpl/1" else "crane")
    assert any(line.startswith("Suggested: ") for line in display.hints(session))
print("numba" in sys.modules)
"""


@pytest.mark.slow  # starts a process
def test_hints_neither_compile_nor_load_kernels():
    command = [sys.executable, "-c", WITHOUT_KERNELS]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout == "False\n"
