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
    setup = Setup(answers="modern", guesses="modern", filters=("suffix", "whitelist=puzzle-order"))
    choice, steps = choose(setup)
    reordered, reordered_steps = choose(changed(setup, filters=setup.filters[::-1]))
    assert [step.n_left for step in steps][-1] == len(choice.answers)
    assert steps[0].n_left < len(choice.answers)  # the whitelist brings words back
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
