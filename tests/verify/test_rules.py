"""The verifier's reading of the rules is the one by which games are played."""

import json
from itertools import product
from math import exp

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.helpers.limits import LIMITS
from wordpl import games
from wordpl.contest.referee import secret_of
from wordpl.core.clues import CLUE_RULES, noisy
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists
from wordpl.games.absurdle import revealed
from wordpl.run.records import Record, UncheckedRecord, encode
from wordpl.verify.replay import check_record
from wordpl.verify.rules import (
    GAME_RULES,
    ForbiddenMoveError,
    RunDraws,
    adversary_clue,
    noisy_clue,
    outcome,
    read_move,
    uses_hint,
)

WORDS = tuple(map("".join, product("abc", repeat=4)))  # few letters, so that most words repeat some
LISTS = WordLists(WORDS[::3], WORDS)
EPSILONS = st.just(0) | st.floats(1e-9, 50) | st.sampled_from(LIMITS)


def play(name, draws, number, choices):
    """Return the record of a game in which every choice that is no legal move is passed over."""
    game = games.make_game(name, LISTS)
    secret, moves = secret_of(game, number, draws), []
    for word, epsilon in choices:
        try:
            move = game.check((word, epsilon) if game.facts.form == "noisy" else word)
            reply = game.reply(secret, moves, move, lambda: draws.game(number).noise(len(moves) + 1, LISTS.length))
        except games.IllegalMoveError:
            continue
        moves.append(move.with_clues(reply.clues))
        if reply.verdict is not None:
            return Record(number, secret, moves, reply.verdict, reply.message)
    return Record(number, secret, moves, Verdict.CRASHED)


def test_every_game_has_a_second_implementation():
    assert set(GAME_RULES) == set(games.names())
    assert all(rules.facts == games.game_class(name).facts for name, rules in GAME_RULES.items())


@pytest.mark.parametrize("name", games.names())
@given(
    seed=st.integers(),
    number=st.integers(0, 10**6),
    choices=st.lists(st.tuples(st.sampled_from(WORDS), EPSILONS), max_size=12),
)
def test_a_game_played_by_one_implementation_passes_the_other(name, seed, number, choices):
    draws = Draws.of(seed)
    record = play(name, draws, number, choices)
    assert not check_record(record, GAME_RULES[name], RunDraws(draws, LISTS))


@pytest.mark.parametrize("name", games.names())
def test_the_limit_of_guesses_is_the_same_in_both_implementations(name):
    draws = Draws.of(name)
    record = play(name, draws, 5, [("aaaa", 1.0)] * 1001)
    assert record.verdict == Verdict.UNSOLVED
    assert not check_record(record, GAME_RULES[name], RunDraws(draws, LISTS))


@pytest.mark.parametrize("epsilon", [0.3, 5.0, 8.0, 40.0])
def test_noise_changes_a_mark_at_the_same_number_in_both_implementations(epsilon):
    keep = exp(epsilon / 5) / (2 + exp(epsilon / 5))
    for threshold, marks in ((keep, "c."), ((keep + 1) / 2, ".i")):
        nearest = round(threshold * 2**32)
        draws = [number for number in range(nearest - 3, nearest + 4) if number < 2**32]
        by_rules = [noisy_clue("ccccc", epsilon, [number] * 5)[0] for number in draws]
        assert by_rules == [noisy("ccccc", epsilon, [number] * 5)[0] for number in draws]
        assert set(by_rules) == set(marks)
        draws_below = [number for number, mark in zip(draws, by_rules, strict=True) if mark == marks[0]]
        assert max(draws_below) < threshold * 2**32 <= max(draws_below) + 1 + 1e-3


def test_noise_can_turn_each_mark_into_both_others():
    changed = {mark: {noisy_clue(mark, 0.001, [number])[0] for number in (2**31, 2**32 - 1)} for mark in ".ic"}
    assert changed == {".": {"i", "c"}, "i": {"c", "."}, "c": {".", "i"}}
    assert [noisy_clue(mark, 0.001, [2**31]) for mark in ".ic"] == [noisy(mark, 0.001, [2**31]) for mark in ".ic"]


DRAWS = Draws.of("rules")
FEW_WORDS = WordLists(("aaab", "abca"), ("aaab", "abca", "bbbb", "cabb"))


def outcome_of(name, value, *earlier):
    """Return the clues and the end of game 3 that a move brings after these guesses with their clues."""
    rules, draws = GAME_RULES[name], RunDraws(DRAWS, FEW_WORDS).of_game(3)
    return outcome(rules, FEW_WORDS, draws, list(earlier), read_move(rules, value))


MOVE_FORMAT = '[guess, a finite epsilon above 0 with its decimal point, clues], or [answer, 0, ""]'
NO_EPSILON = "a finite epsilon above 0 with its decimal point, or 0"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("wordpl/1", ["aaab", 1, ""], NO_EPSILON),
        ("wordpl/1", ["aaab", 0.0, ""], NO_EPSILON),
        ("wordpl/1", ["aaab", -1.0, ""], NO_EPSILON),
        ("wordpl/1", ["aaab", -1, ""], NO_EPSILON),
        ("wordpl/1", ["aaab", float("inf"), ""], NO_EPSILON),
        ("wordpl/1", ["bbbb", 0, ""], "a word of the answers"),
        ("wordpl/1", ["cccc", 1.0, ""], "a word of the guesses"),
        ("wordpl/1", ["aaab", ""], MOVE_FORMAT),
        ("wordpl/1", 7, MOVE_FORMAT),
        ("wordle/1", ["aaab", 1.0, ""], "[guess, clues]"),
        ("wordle/1", ["cccc", ""], "a word of the guesses"),
        ("absurdle/1", ["cccc", ""], "a word of the guesses"),
    ],
)
def test_a_forbidden_move_is_reported_with_the_allowed_ones(name, value, text):
    with pytest.raises(ForbiddenMoveError) as error:
        outcome_of(name, value)
    assert str(error.value) == text


def test_hard_mode_holds_for_all_earlier_guesses():
    earlier = [("aaab", "c..."), ("cabb", "...c")]
    assert outcome_of("wordle-hard/1", ["aaab", ""], *earlier)
    for guesses in (earlier, earlier[::-1]):
        with pytest.raises(ForbiddenMoveError, match=r"^a guess that uses what aaab c\.\.\. revealed$"):
            outcome_of("wordle-hard/1", ["bbbb", ""], *guesses)
    assert outcome_of("wordle/1", ["bbbb", ""], *earlier)


@pytest.mark.parametrize(
    ("guess", "hinted", "clues", "is_used"),
    [
        ("abca", "aaab", "c...", True),
        ("babb", "aaab", "c...", False),
        ("abbb", "aaab", "ci..", False),
        ("abba", "aaab", "ci..", True),
        ("aaba", "aaab", "ci.i", True),
        ("aaaa", "aaab", "ci.i", False),
        ("cccc", "aaab", "....", True),
    ],
)
def test_a_hint_is_used_by_letters_in_place_and_as_often_as_marked(guess, hinted, clues, is_used):
    assert uses_hint(guess, hinted, clues) == is_used


@pytest.mark.parametrize(
    ("name", "last"), [("wordpl/1", 1000), ("wordpl-counted/1", 1000), ("wordle/1", 6), ("absurdle/1", 100)]
)
def test_the_last_guess_ends_a_game_and_the_one_before_does_not(name, last):
    value = ["bbbb", 1.0, ""] if name.startswith("wordpl") else ["bbbb", ""]
    for n_before in (last - 2, last - 1):
        clues, end = outcome_of(name, value, *[("bbbb", "....")] * n_before)
        is_last = n_before == last - 1
        assert bool(end) == is_last
        assert bool(clues) == (not is_last or not name.startswith("wordpl"))
        if is_last:
            text = "no answer within 1000 guesses" if name.startswith("wordpl") else ""
            assert end == (Verdict.UNSOLVED, text)


def test_with_every_answer_each_game_has_its_own_secret():
    n = len(LISTS.answers)
    draws = RunDraws(Draws.of("rules", n), LISTS)
    secrets = [draws.of_game(game).secret for game in range(n)]
    assert sorted(secrets) == sorted(LISTS.answers)
    assert secrets == [LISTS.answers[Draws.of("rules", n).game(game).secret_index(n)] for game in range(n)]
    for game in (-1, n):
        assert draws.of_game(game) == RunDraws(DRAWS, LISTS).of_game(game)
    assert [list(draws.repeated(m)) for m in (5, 7)] == [list(draws.draws.repeat_order(m)) for m in (5, 7)]
    assert draws.of_game(0).noise(2) == DRAWS.game(0).noise(2, 4)


def faults_of(record, name="wordle/1"):
    return check_record(record, GAME_RULES[name], RunDraws(DRAWS, FEW_WORDS))


def test_each_fault_of_a_record_is_reported_once():
    secret = RunDraws(DRAWS, FEW_WORDS).of_game(3).secret
    clue = CLUE_RULES["counted"]
    record = Record(3, secret, [["bbbb", clue("bbbb", secret)], [secret, "cccc"]], Verdict.WON)
    assert faults_of(record) == []
    assert faults_of(structs.replace(record, moves=[*record.moves, ["bbbb", "...."]])) == [
        ("move 3", '["bbbb","...."]', "none, as the game ended with move 2")
    ]
    assert faults_of(structs.replace(record, secret="cabb")) == [("the secret", '"cabb"', f'"{secret}"')]
    assert faults_of(structs.replace(record, verdict=Verdict.LATE, message="why")) == [
        ("the verdict", "late why", "won")
    ]
    assert faults_of(structs.replace(record, moves=[["bbbb", "cccc"], *record.moves[1:]])) == [
        ("the clue of move 1", '"cccc"', f'"{clue("bbbb", secret)}"')
    ]
    unfinished = structs.replace(record, moves=record.moves[:1])
    ends = "illegal, crashed, late, out of memory, fault or unplayed, as no move ended the game"
    assert faults_of(unfinished) == [("the verdict", "won", ends)]
    assert faults_of(structs.replace(unfinished, verdict=Verdict.CRASHED)) == []
    unplayed = structs.replace(unfinished, verdict=Verdict.UNPLAYED)
    assert faults_of(unplayed) == [("the number of its moves", "1", "0, as the game was not played")]
    assert faults_of(structs.replace(unplayed, moves=[])) == []
    forbidden = [["zzzz", ""], ["yyyy", ""]]
    assert faults_of(structs.replace(unfinished, moves=forbidden, verdict=Verdict.CRASHED)) == [
        ("move 1", '["zzzz",""]', "a word of the guesses")
    ]
    without_secret = structs.replace(record, secret="", moves=[], verdict=Verdict.CRASHED)
    assert faults_of(without_secret, "absurdle/1") == []
    assert faults_of(without_secret) == [("the secret", '""', f'"{secret}"')]


def test_the_verifier_s_adversary_prefers_the_clue_that_reveals_least():
    lists = WordLists(("aabc", "abca", "bcaa", "cccc"), ("aabc", "abca", "bcaa", "cccc", "bbbb"))
    for guess in lists.guesses:
        groups = {}
        for word in lists.answers:
            groups.setdefault(CLUE_RULES["counted"](guess, word), []).append(word)
        least = min(groups, key=lambda clues: (-len(groups[clues]), *revealed(clues)))
        assert adversary_clue(lists, (guess,)) == (least, groups[least])


@pytest.mark.parametrize("clue", ["", "cccc"])
def test_a_clue_that_the_draws_do_not_give_is_wrong(clue):
    record = json.loads(encode(play("wordle/1", DRAWS, 3, [("cabb", 0)])))
    right, record["moves"][0][-1] = record["moves"][0][-1], clue
    changed = msgspec.json.decode(json.dumps(record), type=UncheckedRecord)
    wrong = check_record(changed, GAME_RULES["wordle/1"], RunDraws(DRAWS, LISTS))
    assert right not in ("", "cccc")
    assert [problem for problem in wrong if "clue" in problem[0]] == [
        ("the clue of move 1", json.dumps(clue), json.dumps(right))
    ]
