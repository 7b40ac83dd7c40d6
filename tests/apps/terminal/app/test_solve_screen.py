"""The solve screen: typed, clicked and pasted clues, with the suggestions of the library."""

import random

import pytest

from tests.helpers.pilot import LARGE, SMALL, drive, press, running, shows, text, until
from wordpl.apps.terminal.app import setups
from wordpl.apps.terminal.app.setups import Setup
from wordpl.apps.terminal.app.widgets import THEMES, TileBoard
from wordpl.core import words
from wordpl.core.clues import counted
from wordpl.solvers.search import ClassicSearch, best_guesses
from wordpl.solvers.search.problem import Problem

pytestmark = [pytest.mark.long, pytest.mark.timeout(200)]

QUICK = Setup(top=3, width=5)


def is_done(screen):
    return lambda: screen.search.done is not None and not screen.search.is_running


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_typed_clues_give_suggestions_and_the_effect_of_a_guess(client, size):
    async def scenario():
        async with running(client, size, setup=QUICK) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            await press(pilot, "tares....i")
            await pilot.press("enter")
            await until(pilot, lambda: screen.search.done and screen.search.effect)
            assert screen.puzzle.hints == [("tares", "....i")]
            await shows(pilot, "94 of 2,315 answers")
            best = screen.search.ranked[0]
            await shows(pilot, f"{best['guess']} {best['expected']:.4f} {best['bits']:.3f}")
            await shows(pilot, f"{best['guess'].upper()}: {screen.search.effect['n_parts']} clues")
            await pilot.press("ctrl+b")
            assert pilot.app.clipboard == best["guess"]
            await press(pilot, "crony")
            await until(pilot, lambda: screen.search.effect["guess"] == "crony")

    drive(scenario)


def test_a_puzzle_is_solved_with_a_pasted_share_grid(client):
    guesses = ["crane", "moist", "light"]  # puzzle 226 of 2022-01-31
    grid = "\n".join(counted(guess, "light").translate(str.maketrans(".ic", "⬛🟨🟩")) for guess in guesses)

    async def scenario():
        async with running(client, setup=QUICK) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            screen.paste(f"Wordle 226 3/6\n\n{grid}\n")
            for guess in guesses[:2]:
                await press(pilot, guess)
                await pilot.press("enter")
            await until(pilot, is_done(screen))
            assert "light" in [word for word, _ in screen.search.left["answers"]]
            await press(pilot, guesses[2])
            await pilot.press("enter")
            await pilot.pause()
            await shows(pilot, "Solved in 3 guesses")

    drive(scenario)


def test_marks_can_be_clicked_changed_and_undone(client):
    async def scenario():
        async with running(client, setup=QUICK) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            await press(pilot, "tares")
            await pilot.click(TileBoard, offset=(2 + 5 * 4 + 1, 0))  # the fifth tile
            assert screen.puzzle.row.marks == "....i"
            await pilot.press("enter", "up", "1")
            assert screen.puzzle.hints == [("tares", "i...i")]
            await pilot.press("ctrl+u")
            assert screen.puzzle.hints == [("tares", "....i")]
            await pilot.press("ctrl+y")
            assert screen.puzzle.hints == [("tares", "i...i")]

    drive(scenario)


def test_a_contradiction_is_explained_with_its_row(client):
    async def scenario():
        async with running(client, setup=QUICK) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            for row in ("tares....i", "slick....c"):
                await press(pilot, row)
                await pilot.press("enter")
            await until(pilot, lambda: screen.search.contradiction)
            await shows(pilot, "Row 2: Row 1 says")
            assert [row.is_wrong for row in pilot.app.screen.query_one(TileBoard).rows][:3] == [False, True, False]

    drive(scenario)


def test_a_word_outside_the_list_is_not_accepted(client):
    async def scenario():
        async with running(client, setup=QUICK) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            await press(pilot, "qqqqq")
            await pilot.press("enter")
            assert screen.puzzle.hints == []
            await shows(pilot, "QQQQQ is not")

    drive(scenario)


def test_enter_after_a_word_without_marks_enters_nothing(client):
    async def scenario():
        async with running(client, setup=QUICK) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            await press(pilot, "tares")
            await pilot.press("enter")
            assert screen.puzzle.hints == []
            await shows(pilot, "TARES has no marks yet")

    drive(scenario)


@pytest.mark.parametrize("length", [8, 11])
def test_all_letters_of_long_words_are_shown_with_their_marks(client, tmp_path, length):
    file = tmp_path / "long.txt"
    file.write_text("\n".join(letter * (length - 1) + "x" for letter in "abc"))

    async def scenario():
        async with running(client, setup=Setup(answers=str(file), guesses=str(file), top=2)) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            await press(pilot, "a" * (length - 1) + "x" + "." * (length - 1) + "c")
            await pilot.press("enter")
            await shows(pilot, " ".join(["A·"] * (length - 1) + ["X●"]))

    drive(scenario)


def test_pasted_rows_of_a_noisy_game_have_an_epsilon(client):
    async def scenario():
        async with running(client, setup=Setup(game="wordpl/1", top=3)) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            screen.paste("⬛🟨⬛⬛🟩 ε9 || crane")
            await press(pilot, "crane")
            await pilot.press("enter")
            assert screen.puzzle.noisy_hints == [("crane", 9.0, ".i..c")]
            screen.paste("crane:.i..c")
            assert screen.puzzle.noisy_hints == [("crane", screen.search.epsilon, ".i..c")]
            await until(pilot, lambda: screen.search.suggestion)

    drive(scenario)


def test_noisy_clues_give_a_guess_and_its_epsilon(client):
    async def scenario():
        async with running(client, setup=Setup(game="wordpl/1", top=3)) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            await press(pilot, "crane.i..c=9.5")
            await pilot.press("enter", "enter")
            assert screen.puzzle.noisy_hints == [("crane", 9.5, ".i..c")]
            await until(pilot, lambda: screen.search.suggestion and screen.search.effect)
            await shows(pilot, f"at epsilon {screen.search.suggestion['epsilon']:g}")

    drive(scenario)


def test_a_setup_can_be_edited_saved_and_used(client):
    async def scenario():
        async with running(client, setup=QUICK) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            await pilot.press("ctrl+s")
            dialog = pilot.app.screen
            dialog.query_one("#setup-add").focus()
            for filter_text in ("suffix", "blacklist=past-answers"):
                dialog.query_one("#setup-add").value = filter_text
                await pilot.press("enter")
            await until(pilot, lambda: "words" in text(pilot) and "Counting" not in text(pilot))
            dialog.query_one("#setup-filters").focus()
            await pilot.press("down", "shift+up")
            dialog.query_one("#setup-name").value = "evening"
            await pilot.click("#setup-keep")
            await pilot.press("ctrl+s")
            await until(pilot, lambda: screen.setup.filters)
        assert screen.setup.filters == ("blacklist=past-answers", "suffix")
        assert setups.load("evening") == setups.load(setups.LAST) == screen.setup

    drive(scenario)


def test_rows_are_restored_at_the_next_start(client):
    async def leave():
        async with running(client, setup=QUICK) as pilot:
            await until(pilot, lambda: pilot.app.screen.choice.answers)
            await press(pilot, "tares....i")
            await pilot.press("enter")

    async def come_back():
        async with running(client, setup=QUICK) as pilot:
            await until(pilot, lambda: pilot.app.screen.puzzle.hints == [("tares", "....i")])

    drive(leave)
    drive(come_back)


def test_help_can_be_searched_and_the_theme_changed(client):
    async def scenario():
        async with running(client, setup=QUICK) as pilot:
            await pilot.press("f1", *"undo")
            await pilot.pause()
            await shows(pilot, "Ctrl+U")
            assert "Ctrl+B" not in text(pilot)
            await pilot.press("escape", "ctrl+t")
            assert pilot.app.theme == THEMES[1]

    drive(scenario)


@pytest.mark.timeout(900)
def test_suggestions_equal_those_of_the_library_in_random_games(client):
    lists, rng = words.load(), random.Random("random games")
    setup = Setup(top=8, width=20)

    async def scenario():
        async with running(client, setup=setup) as pilot:
            screen = pilot.app.screen
            await until(pilot, lambda: screen.choice.answers)
            for _ in range(12):
                secret, hints = rng.choice(lists.answers), []
                await pilot.press("ctrl+n")
                for guess in rng.sample(lists.guesses, rng.randint(1, 3)):
                    hints.append((guess, counted(guess, secret)))
                    await press(pilot, "".join(hints[-1]))
                    await pilot.press("enter")
                await until(pilot, is_done(screen))
                problem = Problem(lists, tuple(hints))
                position = problem.position()
                search = ClassicSearch(position, setup.width)
                least = best_guesses(search, setup.top).best.bound
                assert screen.puzzle.hints == hints
                suggestion = screen.search.ranked[0]
                assert suggestion["expected"] == least / len(position.candidates)
                assert search.rate(lists.guesses.index(suggestion["guess"])).bound == least  # others may be as good

    drive(scenario, 500.0)
