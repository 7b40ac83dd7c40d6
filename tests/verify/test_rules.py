"""The verifier's reading of the rules is the one by which games are played."""

from itertools import product
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from wordpl import games
from wordpl.contest.match import secret_of
from wordpl.core import seeds
from wordpl.core.clues import noisy
from wordpl.core.records import FirstTry, Record, Verdict
from wordpl.core.words import WordLists
from wordpl.verify.replay import RunDraws, check_record
from wordpl.verify.rules import GAME_RULES, noisy_clue

WORDS = tuple(map("".join, product("abc", repeat=4)))  # few letters, so that most words repeat some
LISTS = WordLists(WORDS[::3], WORDS)
EPSILONS = st.just(0) | st.floats(1e-9, 50) | st.just(1e300)


def play(name, key, number, choices):
    """Return the record of a game in which every choice that is no legal move is passed over."""
    game = games.make_game(name, LISTS)
    secret, moves = secret_of(game, number, key), []
    for word, epsilon in choices:
        try:
            move = game.check((word, epsilon) if game.kind == "noisy" else word)
            reply = game.reply(secret, moves, move, lambda: seeds.noise(key, number, len(moves) + 1, LISTS.length))
        except games.IllegalMoveError:
            continue
        moves.append(move.with_clues(reply.clues))
        if reply.verdict is not None:
            return Record(number, secret, moves, reply.verdict, reply.message)
    return Record(number, secret, moves, Verdict.CRASHED)


def test_every_game_has_a_second_reading():
    assert set(GAME_RULES) == set(games.names())
    assert all(rules.measure == games.game_class(name).measure for name, rules in GAME_RULES.items())


@pytest.mark.parametrize("name", games.names())
@given(
    seed=st.integers(),
    number=st.integers(0, 10**6),
    choices=st.lists(st.tuples(st.sampled_from(WORDS), EPSILONS), max_size=12),
)
def test_a_game_played_by_one_reading_holds_by_the_other(name, seed, number, choices):
    key = seeds.run_key(seed)
    record = play(name, key, number, choices)
    assert not check_record(record, GAME_RULES[name], RunDraws(key, LISTS))
    # Older runs have games that were played twice.
    played_again = structs.replace(record, first_try=FirstTry(record.moves[:-1], 5.0, 5.1))
    assert not check_record(played_again, GAME_RULES[name], RunDraws(key, LISTS))


@pytest.mark.parametrize("name", games.names())
def test_a_game_that_goes_on_for_ever_ends_after_the_same_guesses(name):
    key = seeds.run_key(name)
    record = play(name, key, 5, [("aaaa", 1.0)] * 1001)
    assert record.verdict == Verdict.UNSOLVED
    assert not check_record(record, GAME_RULES[name], RunDraws(key, LISTS))


@pytest.mark.parametrize("epsilon", [0.3, 5.0, 8.0, 40.0])
def test_a_mark_turns_at_the_same_number_in_both_readings(epsilon):
    keep = exp(epsilon / 5) / (2 + exp(epsilon / 5))
    for part, marks in ((keep, "c."), ((keep + 1) / 2, ".i")):
        at = round(part * 2**32)
        near = [number for number in range(at - 3, at + 4) if number < 2**32]
        by_rules = [noisy_clue("ccccc", epsilon, [number] * 5)[0] for number in near]
        assert by_rules == [noisy("ccccc", epsilon, [number] * 5)[0] for number in near]
        assert set(by_rules) == set(marks)
        ends = [number for number, mark in zip(near, by_rules, strict=True) if mark == marks[0]]
        assert max(ends) < part * 2**32 <= max(ends) + 1 + 1e-3


def test_each_mark_turns_into_the_two_others():
    turned = {mark: {noisy_clue(mark, 0.001, [number])[0] for number in (2**31, 2**32 - 1)} for mark in ".ic"}
    assert turned == {".": {"i", "c"}, "i": {"c", "."}, "c": {".", "i"}}
    assert [noisy_clue(mark, 0.001, [2**31]) for mark in ".ic"] == [noisy(mark, 0.001, [2**31]) for mark in ".ic"]
