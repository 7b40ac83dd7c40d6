"""Setups: their readable files, their checks, and their word lists."""

import pytest

from tests.helpers.apps import needed
from wordpl.apps.terminal.app import setups
from wordpl.apps.terminal.app.setups import Setup, changed, choose
from wordpl.core import words
from wordpl.core.messages import UserError

FULL = Setup(
    game="wordle-hard/1", answers="modern", guesses="modern", filters=("suffix", 'blacklist=a "b".txt'),
    prior="default", past="weigh", past_weight=0.25, order="alphabet", limit=0, width=7, exact=True, top=3,
    tree="my tree.json",
)  # fmt: skip


def test_a_setup_is_unchanged_after_saving_and_loading():
    path = setups.save("mine", FULL)
    assert setups.load("mine") == FULL
    assert setups.names() == ["mine"]
    assert "# number of guesses to rate\ntop = 3\n" in path.read_text()


@pytest.mark.parametrize(
    "text, message",
    [
        ("width = 0", "width must be a number from 1"),
        ('widht = "3"', "unknown field `widht`"),
        ('limit = "six"', "Expected `int`, got `str`"),
        ('game = "chess/1"', "game must be one of wordle/1"),
        ("width = ", "cannot read the setup"),
    ],
)
def test_an_invalid_setup_is_refused_with_the_reason(text, message):
    path = setups.save("mine", Setup())
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        setups.load("mine")


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "x" * 41])
def test_a_name_outside_the_folder_is_refused(name):
    with pytest.raises(UserError, match="the name of a setup"):
        setups.save(name, Setup())


def test_filters_are_applied_in_order_and_count_the_words_left():
    needed("words.filters")
    setup = Setup(answers="modern", guesses="modern", filters=("suffix", "restore=puzzle-order"))
    choice, steps = choose(setup)
    reordered, reordered_steps = choose(changed(setup, filters=setup.filters[::-1]))
    assert [step.n_left for step in steps][-1] == len(choice.answers)
    assert steps[0].n_left < len(choice.answers)  # words are brought back
    assert len(reordered.answers) == reordered_steps[-1].n_left < len(choice.answers)


def test_past_answers_are_removed_or_weighted_down():
    past = set(words.bundled("past-answers"))
    without_past, _ = choose(Setup(past="strike"))
    assert without_past.answers
    assert not past & set(without_past.answers)
    weighted, _ = choose(Setup(past="weigh", past_weight=0.5))
    assert weighted.weights is not None
    assert {(word in past, weight) for word, weight in zip(weighted.answers, weighted.weights, strict=True)} == {
        (True, 0.5),
        (False, 1.0),
    }


def test_answers_that_cannot_be_guessed_are_named():
    with pytest.raises(UserError, match=r"not among the guesses \(contest\).*Choose a longer list"):
        choose(Setup(answers="modern"))


def options(*hints, **chosen):
    return needed("terminal.app").options_for(hints, True, **chosen)


@pytest.mark.parametrize(
    ("hints", "chosen", "message"),
    [
        (["tares:...c."], {"game_id": "wordpl/1"}, r"needs its epsilon, as in tares:\.\.\.c\.:8"),
        (["tares:...c.:8"], {}, r"has an epsilon, but the game has none: write tares:\.\.\.c\."),
        (["tares:...c.:x"], {"game_id": "wordpl/1"}, "the epsilon must be a number above 0"),
        (["tares:...c.:8:9"], {"game_id": "wordpl/1"}, "must be a guess with its clue"),
        (["tares:....."], {"answers": "six.txt", "guesses": "six.txt"}, "'tares' is not one of the 2 allowed guesses"),
        ([], {"screen": "play", "answers": "six.txt"}, "the answers have 6 letters, the guesses 5"),
        ([], {"screen": "play", "answers": "none"}, "wordpl has no bundled word list 'none'"),
        ([], {"game_id": "absurdle/1"}, "game must be one of .* `wordpl play` plays any game"),
    ],
)
def test_whatever_is_wrong_with_the_arguments_of_the_app_is_said_before_it_starts(
    tmp_path, monkeypatch, hints, chosen, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "six.txt").write_text("planet\nsilver\n")
    with pytest.raises(UserError, match=message):
        options(*hints, **chosen)


def test_a_noisy_row_of_the_command_line_has_its_epsilon_and_a_game_its_own_limit():
    assert options("tares:...c.:8", game_id="wordpl/1").hints == (("tares", "...c.", 8.0),)
    assert options(game_id="wordpl/1").setup.limit == 0
    assert options(game_id="wordle-hard/1").setup.limit == 6


def test_an_unfinished_game_keeps_its_words_and_does_not_continue_with_others(tmp_path):
    play_game = needed("terminal.app.play_game")
    file = tmp_path / "six.txt"
    file.write_text("planet\nsilver\nvanish\n")
    game = play_game.PlayGame.begin(play_game.NewGame("wordle/1", "1", answers=str(file), guesses=str(file)))
    wrong = next(word for word in ("planet", "silver") if word != game.session.secret)
    game.make(wrong)
    assert play_game.resume().session.secret == game.session.secret
    file.write_text("planet\nsilver\nvanish\nwinter\n")
    with pytest.raises(UserError, match="the word lists of your last game have changed"):
        play_game.resume()
