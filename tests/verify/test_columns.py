"""The reading in columns accepts what the plain reading of the rules accepts, and nothing else."""

import json
from copy import deepcopy
from itertools import product
from math import log

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verify.conftest import differences_in, entry_named
from tests.verify.test_rules import EPSILONS, LISTS, WORDS, play
from wordpl.core.clues import MARKS
from wordpl.core.seeds import Draws, SingleKeyDraws
from wordpl.run.records import UncheckedRecord, encode
from wordpl.verify.replay import ColumnReader, check_record
from wordpl.verify.rules import GAME_RULES, RunDraws, noise_thresholds

NOISY = ("wordpl/1", "wordpl-counted/1")
N_GAMES = 50
VALUES = st.sampled_from([
    0, 0.0, -0.0, 1, 5, 5.0, -2.5, 1e300, 10**400, None, True, "", "aaaa", "abca", "cbaa", "zzzz", "....", "ic.c",
    "icc", "....c", "xxxx", "won", "wrong", "late", "fault", "unplayed", "unsolved", [], ["aaaa", 5.0, "...."],
    ["aaaa", 0, ""], N_GAMES, -1, "another secret", {},
])  # fmt: skip
games = st.lists(st.lists(st.tuples(st.sampled_from(WORDS), EPSILONS), max_size=6), min_size=1, max_size=6)


def numbers(found):
    return [record.game for record in found]


def reader(name, draws):
    return ColumnReader(GAME_RULES[name], draws, N_GAMES)


def is_plainly_right(line, name, draws):
    """Return whether the plain reading finds nothing wrong with a line."""
    try:
        record = msgspec.json.decode(line, type=UncheckedRecord)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    if record.replay is not None or encode(record) != line + b"\n":
        return False
    return 0 <= record.game < N_GAMES and not check_record(record, GAME_RULES[name], draws)


def places_in(value):
    """Yield each container in a JSON value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places_in(value[key])


@pytest.mark.parametrize("name", NOISY)
@given(seed=st.integers(), choices=games)
def test_games_that_were_played_hold(name, seed, choices):
    draws = Draws.of(seed)
    lines = [encode(play(name, draws, number, moves))[:-1] for number, moves in enumerate(choices)]
    assert numbers(reader(name, RunDraws(draws, LISTS)).records_that_hold(lines)) == list(range(len(choices)))


@settings(max_examples=max(60, settings.default.max_examples))
@given(name=st.sampled_from(NOISY), choices=games, value=VALUES, chance=st.randoms(use_true_random=False))
def test_a_changed_value_is_accepted_if_the_plain_reading_accepts_it(name, choices, value, chance):
    draws = Draws.of("columns")
    drawn = RunDraws(draws, LISTS)
    records = [json.loads(encode(play(name, draws, number, moves))) for number, moves in enumerate(choices)]
    container, place = chance.choice(list(places_in(records)))
    if chance.random() < 0.2 and isinstance(container, list) and container is not records:
        container.insert(chance.randrange(len(container) + 1), deepcopy(chance.choice(container)))
    else:
        container[place] = value
    lines = [json.dumps(record, separators=(",", ":")).encode() for record in records]
    expected = all(is_plainly_right(line, name, drawn) for line in lines)
    assert (reader(name, drawn).records_that_hold(lines) is not None) == expected


@settings(max_examples=max(40, settings.default.max_examples))
@given(
    name=st.sampled_from(NOISY),
    choices=games,
    chance=st.randoms(use_true_random=False),
    byte=st.sampled_from(b'{}[],":0'),
)
def test_a_changed_byte_is_accepted_if_the_plain_reading_accepts_it(name, choices, chance, byte):
    draws = Draws.of("bytes")
    drawn = RunDraws(draws, LISTS)
    lines = [encode(play(name, draws, number, moves))[:-1] for number, moves in enumerate(choices)]
    number = chance.randrange(len(lines))
    line = bytearray(lines[number])
    line[chance.randrange(len(line))] = byte
    lines[number] = bytes(line)
    expected = all(is_plainly_right(line, name, drawn) for line in lines)
    assert (reader(name, drawn).records_that_hold(lines) is not None) == expected


NO_ANSWER = next(word for word in LISTS.guesses if word not in LISTS.answers)
IMPOSSIBLE = {
    "an answer that costs": lambda record: record["moves"][-1].__setitem__(1, 1),
    "an answer that is never a secret": lambda record: record["moves"][-1].__setitem__(0, NO_ANSWER),
    "a failure of a game that was answered": lambda record: record.update(verdict="late"),
    "a message of a game that was answered": lambda record: record.update(message="failed"),
    "an answer with clues": lambda record: record["moves"][-1].__setitem__(2, "...."),
    "a second answer": lambda record: record["moves"].append(record["moves"][-1]),
    "a wrong answer that was not given": lambda record: record["moves"].pop(),
    "a game that was not played but has moves": lambda record: record.update(
        moves=record["moves"][:1], verdict="unplayed"
    ),
}


@pytest.mark.parametrize("edit", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_the_rules_do_not_allow_does_not_hold(edit):
    drawn = RunDraws(draws := Draws.of("rules"), LISTS)
    wrong = next(word for word in LISTS.answers if word != drawn.of_game(3).secret)
    record = json.loads(encode(play("wordpl/1", draws, 3, [("aaaa", 5.0), (wrong, 0)])))
    columns, line = reader("wordpl/1", drawn), json.dumps(record, separators=(",", ":")).encode()
    assert numbers(columns.records_that_hold([line])) == [3]
    edit(record)
    line = json.dumps(record, separators=(",", ":")).encode()
    assert not is_plainly_right(line, "wordpl/1", drawn)
    assert columns.records_that_hold([line]) is None


def test_a_game_that_the_run_does_not_have_does_not_hold():
    draws = Draws.of("outside")
    line = encode(play("wordpl/1", draws, N_GAMES, [("aaaa", 5.0)]))[:-1]
    assert reader("wordpl/1", RunDraws(draws, LISTS)).records_that_hold([line]) is None


def test_two_records_on_one_line_do_not_hold():
    draws = Draws.of("lines")
    one, two = (encode(play("wordpl/1", draws, number, [("aaaa", 5.0)]))[:-1] for number in range(2))
    columns = reader("wordpl/1", RunDraws(draws, LISTS))
    assert numbers(columns.records_that_hold([one, two])) == [0, 1]
    assert columns.records_that_hold([one + b"," + two]) is None
    half = len(one) // 2
    assert columns.records_that_hold([one[:half], one[half:]]) is None


def test_a_game_of_the_limit_of_guesses_is_left_to_the_plain_reading():
    draws = Draws.of("limit")
    record = play("wordpl/1", draws, 5, [("aaaa", 1.0)] * 1001)
    assert reader("wordpl/1", RunDraws(draws, LISTS)).records_that_hold([encode(record)[:-1]]) is None
    assert not check_record(record, GAME_RULES["wordpl/1"], RunDraws(draws, LISTS))


@pytest.mark.slow
def test_a_wrong_line_among_many_is_found_with_its_game_alone(run):
    path = run.entry(entry_named(run, "wordpl/1")).records_path
    lines = path.read_bytes().splitlines(keepends=True)
    number, record = next((i, json.loads(line)) for i, line in enumerate(lines) if b'"verdict":"wrong"' in line)
    lines[number] = json.dumps(record | {"verdict": "won"}, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    run.finish(run.info.finished)
    assert differences_in(run) == [f"wordpl/1, game {number}: the verdict is won, expected wrong"]


def test_draws_of_many_games_are_those_of_single_games():
    for scheme, n_answers in ((Draws, 0), (Draws, len(LISTS.answers)), (SingleKeyDraws, 0)):
        draws = RunDraws(scheme.of("draws", n_answers), LISTS)
        numbers = np.array([3, 0, 3, 49, 10**6])  # the last one is too large to be kept
        for games in (numbers[:4], numbers, numbers[:2]):
            single = [draws.of_game(game) for game in games.tolist()]
            assert [LISTS.answers[index] for index in draws.secrets(games)] == [one.secret for one in single]
            for round_ in (1, 2, 20):
                assert draws.noise(games, round_).tolist() == [list(one.noise(round_)) for one in single]


def test_a_mark_whose_number_is_the_bound_of_noise_is_turned():
    drawn = RunDraws(draws := Draws.of("bound"), LISTS)
    game, number = next((game, n) for game in range(N_GAMES) if (n := draws.game(game).noise(1, 4)[0]) > 2**31)
    kept = (number - 0.5) / 2**32  # rounded up to the number
    epsilon = -4 * log((1 / kept - 1) / 2)
    assert noise_thresholds(epsilon, 4)[0] == number
    line = encode(play("wordpl/1", draws, game, [("aaaa", epsilon)]))[:-1]
    assert numbers(reader("wordpl/1", drawn).records_that_hold([line])) == [game]


@pytest.mark.parametrize("epsilon", [0.0, -5.0])
def test_no_clue_of_a_guess_without_an_epsilon_above_0_holds(epsilon):
    drawn = RunDraws(draws := Draws.of("rules"), LISTS)
    columns, record = reader("wordpl/1", drawn), json.loads(encode(play("wordpl/1", draws, 3, [("aaaa", 5.0)])))
    for clue in map("".join, product(MARKS, repeat=4)):
        record["moves"][0][1:] = epsilon, clue
        assert columns.records_that_hold([json.dumps(record, separators=(",", ":")).encode()]) is None
