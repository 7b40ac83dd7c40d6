"""What the player's side of the protocol sends, whatever a strategy returns or raises."""

import json
from collections import deque
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest

from wordpl import Strategy
from wordpl.players import diagnosis, worker
from wordpl.players.diagnosis import Denied


class Bot(Strategy):
    def __init__(self, word="crane"):
        self.word = word

    def first_move(self):
        return self.word, self.rng.random()

    def next_move(self, guess, epsilon, clues):
        return f"{guess}{epsilon:g}{clues}", self.rules


def served(strategies, *requests):
    """Return the replies to these requests."""
    replies = BytesIO()
    lines = (json.dumps(request).encode() + b"\n" for request in requests)
    worker.serve(strategies, deque(lines), replies)
    return [json.loads(line) for line in replies.getvalue().splitlines()]


def test_the_chosen_strategy_plays_by_its_rules_with_the_seed_of_each_game():
    new, move = {"new_game": {"seed": 5}}, {"move": ["slate", 2.0], "clues": "..i.c"}
    first, again, other = served([Bot()], new, new, {"new_game": {"seed": 6}})
    assert first == again != other
    assert first["move"][0] == "crane"
    bots = [Bot(), Bot("moist")]
    chosen = served(bots, {"choose": 1, "game": "wordpl-counted/1"}, new, move, {"choose": 0, "game": "wordpl/1"}, new)
    assert chosen[0]["move"][0] == "moist"
    assert chosen[1]["move"] == ["slate2..i.c", "wordpl-counted/1"]
    assert chosen[2]["move"][0] == "crane"


class Word(str):
    __slots__ = ()


SENT = [
    (("crane", 1.0), b'["crane",1.0]'),
    (("crane", True), b'["crane",true]'),
    ("crane", b'"crane"'),
    (("crane", float("inf")), b'["crane",Infinity]'),
    (("crane", np.float64(2.5)), b'["crane",2.5]'),
    ((np.str_("crane"), np.int64(0)), b'["crane",0]'),
    (("cran\u00e9", 1), b'["cran\\u00e9",1]'),
    (("a", 1, 2), b'["a",1,2]'),
    (b"x" * 300, b'{"repr":"b\'' + b"x" * 198 + b'"}'),
]


@pytest.mark.parametrize(("value", "sent"), SENT, ids=lambda value: repr(value)[:30])
def test_a_value_is_sent_as_ascii_json_or_as_the_start_of_its_repr(value, sent):
    assert worker.to_line(value) == b'{"move":' + sent + b"}\n"


@pytest.mark.parametrize(
    ("value", "is_plain"),
    [
        ("crane", True), (("crane", 1), True), (("crane", 1.5), True), (["crane", 1], False), (("crane", 1, 2), False),
        (("crane", True), False), (("crane", float("nan")), False), ((Word("crane"), 1), False), ((5, 1), False),
        (Word("crane"), False), ("cran\u00e9", False), (("cran\u00e9", 1), False), (("crane", np.float64(1)), False),
    ],
)  # fmt: skip
def test_only_moves_of_the_usual_form_take_the_short_way(value, is_plain):
    assert worker.is_plain(value) == is_plain


def test_an_error_is_sent_with_what_was_tried():
    def fail(error):
        raise error

    assert json.loads(worker.answer(fail, MemoryError()))["fault"] == "out of memory"
    ended = json.loads(worker.answer(fail, SystemExit(3)))
    assert (ended["fault"], ended["denied"]) == ("crashed", Denied.EXIT)
    assert ended["message"].endswith("SystemExit: 3")
    crashed = json.loads(worker.answer(fail, ValueError("x" * 5000 + " at 0x7f0123456789")))
    assert "denied" not in crashed
    assert "ValueError: xxx" in crashed["message"]
    assert crashed["message"].endswith("x at 0x...")
    assert len(crashed["message"]) < 1500


def test_a_long_stack_is_shown_by_its_outermost_and_last_calls():
    stack = "".join(f'  File "/x/bot.py", line {n} in f{n}\n' for n in range(9, 0, -1))
    assert worker.stack_in_words(stack.encode()) == (
        "It was in f1 (bot.py, line 1), ..., f7 (bot.py, line 7), f8 (bot.py, line 8), f9 (bot.py, line 9)"
    )
    assert worker.stack_in_words(b'  File "<string>", line 1 in <module>\n') == ""
    assert worker.sample_stack(0, -1) == worker.sample_stack(2**22 + 1, -1) == ""


def chained(*errors):
    """Return an error that was caused by the next one, and so on."""
    for error, cause in pairwise(errors):
        error.__cause__ = cause
    return errors[0]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(101, "Network is unreachable"), Denied.NETWORK),
        (chained(ValueError(), KeyError(), OSError(101, "")), Denied.NETWORK),
        (chained(*(ValueError() for _ in range(25)), SystemExit()), ""),  # too far away
        (OSError(30, "Read-only file system", "/usr/x"), Denied.WRITE),
        (PermissionError(13, "Permission denied", "/nowhere/at/all"), Denied.WRITE),
        (PermissionError(13, "Permission denied", "/etc/passwd"), Denied.READ),
        (FileNotFoundError(2, "No such file", "/srv/table.json"), Denied.READ),
        (FileNotFoundError(2, "No such file", "table.json"), ""),
        (ValueError("no"), ""),
    ],
)
def test_what_an_error_says_of_the_sandbox(error, expected):
    assert diagnosis.denied(error) == expected
