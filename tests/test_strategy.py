from dataclasses import dataclass
from types import ModuleType

import pytest

from wordpl import Strategy, strategy
from wordpl.strategy import EntryError, declared, name_of


class Plain:
    def first_move(self):
        return "crane", 1.0

    def next_move(self, guess, epsilon, clues):
        return "crane", 0


class Named(Plain):
    def __str__(self):
        return "my\n  own   name"


@dataclass
class Data(Plain):
    epsilon: float = 5.0


class Kept(Strategy, Plain):
    game = "wordle-hard/1"

    def __init__(self, epsilon, secret_sauce=3):
        self.epsilon = epsilon


def module(**content):
    made = ModuleType("strategies.made")
    for thing in content.values():
        if isinstance(thing, type):
            thing.__module__ = "strategies.made"
    vars(made).update(content)
    return made


@pytest.mark.parametrize(
    ("made", "name"),
    [(Plain(), "Plain"), (Named(), "my own name"), (Data(), "Data(epsilon=5.0)"), (Kept(7), "Kept(epsilon=7)")],
)
def test_a_strategy_s_name_is_its_str_or_repr_in_one_line(made, name):
    assert name_of(made) == name


def test_a_file_declares_its_entries_or_its_classes_that_need_no_arguments():
    listed = declared(module(ENTRIES=[Data(), Data(epsilon=8.0)], Data=Data))
    assert [(one.make, one.name) for one in listed] == [
        ("ENTRIES[0]", "Data(epsilon=5.0)"),
        ("ENTRIES[1]", "Data(epsilon=8.0)"),
    ]
    found = list(declared(module(Plain=Plain, Kept=Kept, imported=Strategy, number=3)))
    assert [(one.make, one.game) for one in found] == [("Plain()", "wordpl/1")]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"ENTRIES": [Data()] * 4}, "one to 3 strategies"),
        ({"ENTRIES": "Data()"}, "one to 3 strategies"),
        ({"ENTRIES": [3]}, "ENTRIES\\[0\\] is no strategy: it needs the methods first_move and next_move"),
        ({"Kept": Kept}, "Kept needs epsilon: give them defaults, list it in ENTRIES, or play it as"),
        ({}, "holds no strategy"),
    ],
)
def test_a_file_without_entries_is_told_what_is_missing(content, complaint):
    with pytest.raises(EntryError, match=complaint):
        list(declared(module(**content)))


def test_the_base_class_offers_the_game_s_own_generator_words_and_rules(lists):
    bot = Kept(1)
    strategy.begin_game(bot, 5)
    first = bot.rng.integers(1000, size=3)
    bot.rng.random(10)
    strategy.begin_game(bot, 5)
    assert list(bot.rng.integers(1000, size=3)) == list(first)
    assert tuple(bot.guesses) == lists.guesses
    assert tuple(bot.answers) == lists.answers
    assert (bot.rules, bot.clue_rule) == ("wordle-hard/1", "counted")
    bot.rules = "wordpl/1"
    assert bot.clue_rule == "anywhere"
