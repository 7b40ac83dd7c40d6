"""No entry can pass for another on the board, whatever it calls itself and wherever its file lies."""

import pytest
from msgspec import UNSET

from wordpl.core import paths
from wordpl.games import game_class
from wordpl.players.discovery import resolve_entries
from wordpl.run.info import About, EntryInfo

OURS = "strategies/n_guess.py"
NAME = "NGuess(epsilon=8, n_guesses=2)"


def names(*entries):
    """Return the names that entries get, each given as its own name, its file and perhaps its author."""
    facts = game_class("wordpl/1").facts
    infos = [
        EntryInfo(name, "", facts, file, "Bot()", "", about=About(*author) if author else UNSET)
        for name, file, *author in entries
    ]
    return [entry.name for entry in resolve_entries(infos, None)]


def test_entries_with_the_same_name_all_carry_their_files_in_any_order():
    clash = [("Bot", "a/honest.py"), ("Bot", "b/impostor.py")]
    assert names(*clash) == ["Bot [a/honest.py]", "Bot [b/impostor.py]"]
    assert names(*reversed(clash)) == ["Bot [b/impostor.py]", "Bot [a/honest.py]"]


def test_entries_with_the_same_name_are_told_apart_by_their_authors():
    clash = [("Bot", "a/bot.py", "Ann"), ("Bot", "b/bot.py", "Ben"), ("Other", "c/bot.py", "Ann")]
    assert names(*clash) == ["Bot [by Ann]", "Bot [by Ben]", "Other"]


@pytest.mark.parametrize(("first", "second"), [("Ann", "Ann"), ("Ann", "ann"), ("Ann", ""), ("Ann", "\u0410nn")])
def test_authors_who_are_not_told_apart_do_not_tell_entries_apart(first, second):
    assert names(("Bot", "a/x.py", first), ("Bot", "b/y.py", second)) == ["Bot [a/x.py]", "Bot [b/y.py]"]


def test_nobody_passes_for_the_author_of_a_strategy_of_the_project():
    ours, other = (NAME, str(paths.bundled() / OURS)), (NAME, "bots/n_guess.py", "wordpl")
    assert names(ours, other) == [NAME, f"{NAME} [bots/n_guess.py]"]


def test_names_that_differ_stay_as_they_are():
    assert names(("Bot", "a/one.py"), ("Other", "a/two.py"), ("Bot(2)", "a/one.py")) == ["Bot", "Other", "Bot(2)"]


@pytest.mark.parametrize("first", [True, False])
def test_a_strategy_of_the_project_keeps_its_name_whoever_else_takes_it(first):
    ours, other = (NAME, str(paths.bundled() / OURS)), (NAME, "bots/n_guess.py")
    entry_names = names(*((other, ours) if first else (ours, other)))
    assert set(entry_names) == {NAME, f"{NAME} [bots/n_guess.py]"}
    assert entry_names[1 if first else 0] == NAME


@pytest.mark.parametrize(
    "name",
    [
        "nguess(EPSILON=8, n_guesses=2)",
        "NGuess(epsilon=8,  n_guesses=2) ",
        "NGu\u0435ss(epsilon=8, n_guesses=2)",  # a Cyrillic letter
        "NGuess(epsilon=8,\u200bn_guesses=2)",  # a blank that cannot be seen
        "\uff2eGuess(epsilon=8, n_guesses=2)",  # full width
        "NGuess(epsi1on=8, n_guesses=2)",
        "NGuess(epsil\u00f6n=8, n_guesses=2)",
        "NGuess[epsilon=8; n_guesses=2]",
        "NGuess(epsilon=8., n__guesses=2)",
        "N\u0262uess(epsilon=8, n_guesses=2)",  # a small capital, which no table of ours has
    ],
)
def test_a_name_that_looks_like_another_carries_its_file(name):
    assert names((NAME, str(paths.bundled() / OURS)), (name, "bots/x.py"))[1].endswith("[bots/x.py]")


def test_an_entry_that_imitates_a_marked_name_is_marked_too():
    entry_names = names(("Bot", "a/honest.py"), ("Bot", "b/impostor.py"), ("Bot [a/honest.py]", "c/third.py"))
    assert entry_names == ["Bot [a/honest.py]", "Bot [b/impostor.py]", "Bot [a/honest.py] [c/third.py]"]


def test_files_with_similar_paths_get_distinct_names():
    entry_names = names(("Bot", "/x/bots/bot.py"), ("Bot", "/y/bots/bot.py"))
    assert entry_names == ["Bot [x/bots/bot.py]", "Bot [y/bots/bot.py]"]


def test_file_marks_escape_lookalike_letters_and_control_characters():
    entry_names = names(("Bot", "bots/bot.py"), ("Bot", "bots/b\u043et.py"), ("Bot", "bots/b\x1b[31m.py"))
    assert entry_names == ["Bot [bots/bot.py]", "Bot [bots/b\\u043et.py]", "Bot [bots/b\\x1b[31m.py]"]


@pytest.mark.parametrize(("name", "file"), [("!!!", "bots/...py"), ("..", "bots/\u2605.py"), ("?", "bots/..py")])
def test_every_entry_gets_a_distinct_slug_that_is_a_safe_file_name(name, file):
    info = EntryInfo(name, "", game_class("wordpl/1").facts, file, "Bot()", "")
    slugs = [entry.slug for entry in resolve_entries([info, info], None)]
    assert len(set(slugs)) == 2
    assert all(slug.strip("._") for slug in slugs)


def test_long_names_and_paths_stay_within_the_bound_and_differ():
    entry_names = names(("B" * 100, f"/x/{'a' * 200}/bot.py"), ("B" * 100, f"/y/{'a' * 200}/bot.py"))
    assert len(set(entry_names)) == 2
    assert all(len(name) <= 104 for name in entry_names)


def test_two_project_strategies_with_one_name_both_carry_their_files():
    clash = [(NAME, str(paths.bundled() / file)) for file in (OURS, "strategies/schedule")]
    for order in (clash, clash[::-1]):
        assert all(name.endswith(("n_guess.py]", "strategies/schedule]")) for name in names(*order))
