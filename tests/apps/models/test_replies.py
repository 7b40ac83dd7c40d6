"""How moves are read from replies: 60 as models give them, and replies that are made to harm."""

import time
import tracemalloc
from contextlib import suppress

import pytest

from wordpl.apps.models.replies import UnreadableReplyError, legal, proposal
from wordpl.core.words import load
from wordpl.games import IllegalMoveError, make_game

NO = "no move"

TEXTS = {
    # marked words
    "[crane]": "crane",
    "[CRANE]": "crane",
    "My guess is [crane].": "crane",
    "**[crane]**": "crane",
    "[**crane**]": "crane",
    "[ crane ]": "crane",
    '["crane"]': "crane",
    "[`crane`]": "crane",
    "[“crane”]": "crane",
    "I thought of [about], but its letters are common, so [crane]": "crane",
    "First [crane] to test vowels.\n\nFinal answer: [slate]": "slate",
    "[crane] because [1] it has common letters": "crane",
    "Let me think.\n- [stare]: good\n- [crane]: better\n\n[crane]": "crane",
    "The word list [see above] has it: [crane]": "crane",
    "[crane] or maybe [crane or slate]": "crane",
    "```\n[crane]\n```": "crane",
    "Guess: [crane] 🟩🟨⬛": "crane",
    "[crane](https://example.org)": "crane",
    "# Guess 3\n\n> [crane]\n": "crane",
    "Ich rate [crane]!": "crane",
    "[cranes]": "cranes",  # a marked word, though no legal move
    # reasoning
    "<think>[about]? No.</think>[crane]": "crane",
    "<think>\nIt could be [about].\n</think>\n\nI guess [crane].": "crane",
    "<thinking>[about]</thinking> [crane]": "crane",
    "<Think>[about]</Think> [crane]": "crane",
    "[about] was my plan</think>[crane]": "crane",  # the template of the model has the opening tag
    "<think>one</think>[about]<think>two</think>[crane]": "crane",
    "<reasoning>hm</reasoning>crane": "crane",
    "[crane] <think>but is it?": "crane",
    "<think>[crane]": NO,
    "<think>[crane]</think>": NO,
    # one word and nothing else
    "crane": "crane",
    "CRANE": "crane",
    " crane\n": "crane",
    "crane.": "crane",
    "Crane!": "crane",
    '"crane"': "crane",
    "'crane'": "crane",
    "**CRANE**": "crane",
    "`crane`": "crane",
    "```\ncrane\n```": "crane",
    "```text\ncrane\n```": "crane",
    # no move
    "": NO,
    "My guess is crane.": NO,
    "My guess is **crane**.": NO,
    "crane slate": NO,
    "crane, slate": NO,
    "[crane slate]": NO,
    "[]": NO,
    "[ ]": NO,
    "[c r a n e]": NO,
    "[cráne]": NO,
    "[cr4ne]": NO,
    "[[crane, slate]]": NO,
    "(crane)": NO,
    "{crane}": NO,
    '{"guess": "crane"}': NO,  # the entry has chosen text
    "\\boxed{crane}": NO,
    "C-R-A-N-E": NO,
    "I cannot help with that.": NO,
    "Sure! What is the secret word?": NO,
    "[crane 8.5]": NO,  # of another game
}
PRICED = {
    "[crane 8.5]": ("crane", 8.5),
    "[CRANE 8]": ("crane", 8.0),
    "[crane, 8.5]": ("crane", 8.5),
    "[crane: 8.5]": ("crane", 8.5),
    "**[crane 8.5]**": ("crane", 8.5),
    "[crane 0]": ("crane", 0.0),
    "[answer crane]": ("crane", 0),
    "[Answer: CRANE]": ("crane", 0),
    "[crane 8.5], later [answer slate]": ("slate", 0),
    "[crane]": NO,
    "[crane 1e9]": NO,
    "[crane -1]": NO,
    "[crane inf]": NO,
    "crane 8.5": NO,
    "crane": NO,
}
OBJECTS = {
    '{"guess": "crane"}': "crane",
    '{"guess": " CRANE "}': "crane",
    '{"thought": "[about]", "guess": "crane"}': "crane",
    '```json\n{"guess": "crane"}\n```': "crane",
    '<think>{"guess": "about"}</think>{"guess": "crane"}': "crane",
    '{"guess": "crane"} {"guess": "slate"}': NO,
    'Here it is: {"guess": "crane"}': NO,
    '{"guess": 5}': NO,
    '{"word": "crane"}': NO,
    '["crane"]': NO,
    '"crane"': NO,
    "[crane]": NO,
    '{"guess": "cra': NO,
}
PRICED_OBJECTS = {
    '{"guess": "crane", "epsilon": 8.5}': ("crane", 8.5),
    '{"guess": "crane", "epsilon": 8}': ("crane", 8),
    '{"answer": "crane"}': ("crane", 0),
    '{"guess": "crane"}': NO,
    '{"guess": "crane", "epsilon": "8"}': NO,
    '{"guess": "crane", "epsilon": true}': NO,
}


def read(text, form="text", **how):
    try:
        return proposal(text, form, **{"priced": False} | how)
    except UnreadableReplyError:
        return NO


@pytest.mark.parametrize(
    ("form", "priced", "table"),
    [("text", False, TEXTS), ("text", True, PRICED), ("json", False, OBJECTS), ("json", True, PRICED_OBJECTS)],
)
def test_moves_are_read_from_replies_by_the_rules_that_are_stated(form, priced, table):
    assert {text: read(text, form, priced=priced) for text in table} == table


def test_a_tool_is_called_or_no_move_is_made():
    assert read('{"guess": "crane"}', "tool", called=True) == "crane"
    assert read('{"guess": "crane"}', "tool") == NO
    assert read("[crane]", "tool") == NO


BOMBS = {
    "brackets": "[" * 500_000,
    "words": "[crane] " * 62_000 + "[slate",
    "tags": "<think>" * 70_000,
    "closed": "</think>" * 60_000 + "[crane]",
    "nested": '{"guess":' * 50_000,
    "list": "[" * 20_000 + "]" * 20_000,
    "blanks": "[crane" + " " * 500_000 + "]",
    "quotes": "[" + "*" * 500_000,
    "fence": "```\n" + "`" * 500_000,
    "letters": "a" * 500_000,
    "object": '{"guess": "' + "a" * 500_000 + '"}',
    "objects": '{"guess":{}}' * 40_000,
    "prose": "la " * 170_000,
}


@pytest.mark.parametrize("form", ["text", "json", "tool"])
def test_no_reply_costs_more_than_ten_milliseconds_or_ten_megabytes(form):
    game = make_game("wordle/1", load())
    slow = {}
    for name, text in {**BOMBS, "far": "[crame]", "long": "[" + "a" * 40 + "]"}.items():
        times = []
        for _ in range(5):  # the best of them: other processes use the machine, too
            began = time.thread_time()
            with suppress(UnreadableReplyError, IllegalMoveError):
                legal(game, proposal(text, form, priced=False, called=form == "tool"))
            times.append(time.thread_time() - began)
        if min(times) > 0.01:
            slow[name] = min(times)
    assert not slow
    tracemalloc.start()
    for text in BOMBS.values():
        read(text, form, called=form == "tool")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000


def test_what_is_wrong_with_a_word_is_quoted_short_and_in_one_line():
    game = make_game("wordle/1", load())
    with pytest.raises(IllegalMoveError) as error:
        legal(game, "a\x1b[31m\n" * 1000)
    assert len(str(error.value)) < 200 and "\x1b" not in str(error.value) and "\n" not in str(error.value)
