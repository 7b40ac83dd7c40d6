"""The play screen: games by keyboard or mouse alone, saved games, statistics and reviews."""

from datetime import date

import pytest

from tests.helpers.pilot import LARGE, SMALL, drive, press, running, shows, text, until
from wordpl.apps.terminal.app import user_files
from wordpl.apps.terminal.app.play_game import NewGame, daily
from wordpl.apps.terminal.app.widgets import Keyboard
from wordpl.core import words
from wordpl.core.moves import Verdict

pytestmark = [pytest.mark.long, pytest.mark.timeout(200)]

GAME = {"screen": "play", "game_id": "wordle/1", "seed": "hand"}


async def click(pilot, keys):
    """Click on the keys of the keyboard on the screen."""
    keyboard = pilot.app.screen.query_one(Keyboard)
    for key in keys:
        for row, labels in enumerate(keyboard._rows()):
            for place, (_, name) in enumerate(labels):
                if name == {"\n": "enter"}.get(key, key):
                    await pilot.click(keyboard, offset=(4 * place + 1, row))


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_a_game_can_be_played_by_keyboard_alone(client, size):
    async def scenario():
        async with running(client, size, **GAME) as pilot:
            game = pilot.app.screen.game
            await press(pilot, "crane")
            await pilot.press("enter")
            assert game.session.moves[0].guess == "crane"
            await shows(pilot, "Guess 2 of 6")
            await press(pilot, "zzzzz")
            await pilot.press("enter")
            await shows(pilot, "'zzzzz'")
            await pilot.press(*["backspace"] * 5)
            await press(pilot, game.session.secret)
            await pilot.press("enter")
            assert game.session.verdict == Verdict.WON
            await shows(pilot, "Right: the secret is")
            await shows(pilot, "1 wordle/1, 1 won; streak 1")

    drive(scenario)
    (played,) = user_files.read_history()
    assert (played.verdict, played.n_guesses, played.seed) == (Verdict.WON, 2, "hand")


def test_a_noisy_game_can_be_played_by_mouse_alone(client):
    async def scenario():
        async with running(client, **GAME | {"game_id": "wordpl/1"}) as pilot:
            game = pilot.app.screen.game
            await click(pilot, "crane8\n")
            assert game.session.spent == 8.0
            await click(pilot, f"{game.session.secret}!\n")
            assert game.session.verdict == Verdict.WON
            await shows(pilot, "Seen and true clues")
            assert "those at which entries won" in pilot.app.screen._panel.text.plain

    drive(scenario)
    assert user_files.read_history()[0].budget == 8.0


def test_a_noisy_game_shows_the_effect_of_epsilons_and_likely_letters(client):
    async def scenario():
        async with running(client, **GAME | {"game_id": "wordpl/1"}) as pilot:
            screen = pilot.app.screen
            await press(pilot, "crane")
            await until(pilot, lambda: screen.prices)
            await shows(pilot, "Epsilons for CRANE")
            await press(pilot, "8.5")
            await pilot.press("enter")
            assert screen.game.session.spent == 8.5
            await until(pilot, lambda: screen.letters and len(screen.letters["top"]) and "%" in text(pilot))
            await pilot.press("question_mark")
            await shows(pilot, "Suggested:")

    drive(scenario)


def test_an_unfinished_game_continues_at_the_next_start(client):
    async def leave():
        async with running(client, **GAME) as pilot:
            await press(pilot, "crane")
            await pilot.press("enter")

    async def come_back():
        async with running(client, screen="play") as pilot:
            game = pilot.app.screen.game
            assert [move.guess for move in game.session.moves] == ["crane"]
            assert game.chosen == NewGame("wordle/1", "hand")

    drive(leave)
    drive(come_back)


def test_a_daily_puzzle_can_be_chosen_by_date(client):
    async def scenario():
        async with running(client, **GAME) as pilot:
            await pilot.press("ctrl+n", "home", "tab", "tab", "tab")
            await press(pilot, "2022-01-31")
            await pilot.press("enter")
            await pilot.pause()
            game = pilot.app.screen.game
            assert (game.session.secret, game.chosen.number) == ("light", 226)
            await press(pilot, "light")
            await pilot.press("enter", "ctrl+b")
            assert pilot.app.clipboard == "Wordle 226 1/6\n\n🟩🟩🟩🟩🟩"

    drive(scenario)


def test_giving_up_shows_the_secret_and_counts_as_lost(client):
    async def scenario():
        async with running(client, **GAME) as pilot:
            await pilot.press("ctrl+g")
            await shows(pilot, f"The secret was {pilot.app.screen.game.session.secret.upper()}")

    drive(scenario)
    assert user_files.read_history()[0].verdict == Verdict.UNSOLVED


def test_the_words_of_the_command_line_are_those_of_the_game(client, tmp_path):
    file = tmp_path / "eight.txt"
    file.write_text("aardvark\nelephant\nantelope\n")

    async def scenario():
        async with running(client, screen="play", answers=str(file), guesses=str(file)) as pilot:
            game = pilot.app.screen.game
            assert game.session.game.lists.answers == ("aardvark", "elephant", "antelope")
            await shows(pilot, "eight.txt")
            await press(pilot, "elephant8")
            await pilot.press("enter")
            assert game.session.moves[0].guess == "elephant"
            await shows(pilot, "ε 8")

    drive(scenario)


def test_a_missed_day_ends_a_streak_of_daily_puzzles():
    def played(day, verdict=Verdict.WON):
        return user_files.HistoryGame(user_files.now(), "wordle/1", verdict, 4, puzzle=date(2022, 1, day))

    assert user_files.streaks([played(1), played(2), played(3)]) == (3, 3)
    assert user_files.streaks([played(1), played(2), played(4)]) == (1, 2)
    assert user_files.streaks([played(1), played(2, Verdict.UNSOLVED), played(3)]) == (1, 1)


def test_daily_puzzles_are_in_the_original_order():
    assert [daily(date(2021, 6, 19)).secret, daily(date(2022, 1, 31)).secret] == ["cigar", "light"]
    assert daily(date(2022, 1, 31)).secret == words.bundled("puzzle-order")[226]
