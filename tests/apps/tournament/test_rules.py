"""The rules of tournaments: the effect of each setting, and messages about invalid ones."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from msgspec.structs import replace

from tests.helpers.paths import HOME
from wordpl.apps.tournament import Guess, PlayedPuzzle, Terms, load_rules, score
from wordpl.apps.tournament.scoring import micro_points
from wordpl.core.messages import UserError

RULES = load_rules()
DEFAULT = HOME / "wordpl" / "data" / "tournament.toml"
EXAMPLE = ["state", "steak", "meats", "beast", "feast", "least"]
"""The guesses of the published rules' own example, whose secret is YEAST."""


@pytest.mark.parametrize(
    "settings, rows, total",
    [
        ({}, [11, 5, 10, 11, 1, 1], 39),
        ({"grey_for": "any"}, [12, 5, 10, 11, 1, 1], 40),
        ({"duplicates": "naive"}, [13, 5, 8, 11, 1, 1], 39),
    ],
    ids=["classic", "any grey", "naive"],
)
def test_settings_give_these_points_for_the_published_example(settings, rows, total):
    points = micro_points(EXAMPLE, "yeast", replace(RULES.micro_points, **settings))
    assert (points, sum(points)) == (rows, total)


@pytest.mark.parametrize(
    "rows, total", [([11, 5, 12, 11, 1, 1], 41), ([11, 5, 13, 11, 1, 1], 42)], ids=["as printed", "its terms summed"]
)
def test_no_settings_give_the_other_points_of_the_published_example(rows, total):
    switches = product(("classic", "naive"), ("absent_only", "any"), ("each", "once"))
    for duplicates, grey_for, grey_repeat in switches:
        micro = replace(RULES.micro_points, duplicates=duplicates, grey_for=grey_for, grey_repeat=grey_repeat)
        points = micro_points(EXAMPLE, "yeast", micro)
        assert points != rows
        assert sum(points) != total


def test_grey_letters_count_each_time_or_once():
    each, once = (
        micro_points(["mucky", "mucky"], "yeast", replace(RULES.micro_points, grey_repeat=grey_repeat))
        for grey_repeat in ("each", "once")
    )
    assert (each, once) == ([6, 4], [6, 0])


def played(*times_s, secret="yeast", last="yeast"):
    """Return a puzzle with guesses at these times."""
    words = [*EXAMPLE[: len(times_s) - 1], last]
    return PlayedPuzzle(secret, [Guess(word, at_s) for word, at_s in zip(words, times_s, strict=True)])


def test_1_to_6_guesses_score_points_and_unsolved_puzzles_none():
    plain = replace(RULES, micro_points=replace(RULES.micro_points, count=False))
    results = list(score([played(*range(n)) for n in range(1, 7)] + [played(*range(6), last="least")], plain))
    assert [result.points for result in results] == [100, 400, 200, 100, 50, 25, 0]
    assert [result.ending for result in results] == ["solved"] * 6 + ["not solved"]
    assert all(result.micro == 0 for result in results)


def test_micro_points_are_tenths_and_can_be_limited_to_solved_puzzles():
    lost = played(*range(6), last="least")
    only_solved = replace(RULES, micro_points=replace(RULES.micro_points, unsolved=False))
    assert [result.micro for result in score([lost], RULES)] == [3.9]
    assert [result.micro for result in score([lost], only_solved)] == [0]


def test_puzzles_use_time_of_the_bank_and_bonuses_add_to_it():
    rules = replace(RULES, bank_minutes=1.0, bonus_seconds=(30.0, 20.0, 10.0, 0.0, 0.0, 0.0))
    results = list(score([played(0, 25), played(0, 10, 30), played(0)], rules))
    assert [(item.used_s, item.bonus_s, item.bank_s) for item in results] == [
        (25, 20, 55),
        (30, 10, 35),
        (0, 30, 65),
    ]


def test_an_unsolved_puzzle_empties_the_bank_and_ends_the_tournament():
    results = list(score([played(*range(6), last="least"), played(0)], RULES))
    assert [(result.ending, result.bank_s) for result in results] == [("not solved", 0)]


@pytest.mark.parametrize("at_s, ending", [(59.999, "solved"), (60.0, "out of time"), (61.0, "out of time")])
def test_a_guess_when_the_bank_is_empty_is_late(at_s, ending):
    results = list(score([played(0, at_s), played(0)], replace(RULES, bank_minutes=1.0)))
    assert results[0].ending == ending
    assert len(results) == (2 if ending == "solved" else 1)
    assert results[0].points == (400 if ending == "solved" else 0)


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("puzzles = 50", 'puzzles = "many"', "Expected 'int', got 'str' - at 'puzzles'"),
        ("puzzles = 50", "puzzles = 0", "Expected 'int' >= 1 - at 'puzzles'"),
        ("bank_minutes = 30", "", "there must be a setting called 'bank_minutes'"),
        ("bank_minutes = 30", "bank_minutes = 30\nbank = 3", "there is no setting called 'bank'"),
        ("[1, 4, 2, 1, 0.5, 0.25]", "[1, 4]", "times_base needs 6 amounts, one per guess of wordle/1; got 2"),
        ("[1, 4, 2, 1, 0.5, 0.25]", "[1, 4, 2, 1, 0.5, 0.25, 0]", "times_base needs 6 amounts, one per guess"),
        ('"classic"', '"clasic"', "Invalid enum value 'clasic' - at 'micro_points.duplicates'"),
        ('"wordle/1"', '"wordle"', "Did you mean 'wordle/1'?"),
        ('"wordle/1"', '"wordpl/1"', "must have a secret and a limit of guesses; wordpl/1 has not"),
        ("rounds = 1 ", "rounds = 100 ", "at most 1,000 puzzles; these rules have 100 rounds of 50"),
        ("puzzles = 50", "puzzles 50", "is not TOML: Expected '='"),
    ],
)
def test_an_invalid_file_of_rules_is_explained(tmp_path, old, new, complaint):
    file = tmp_path / "rules.toml"
    file.write_text(DEFAULT.read_text().replace(old, new))
    with pytest.raises(UserError) as error:
        load_rules(file)
    assert complaint in error.value.message


def test_a_window_closes_after_it_opens():
    opens = datetime(2026, 12, 1, tzinfo=UTC)
    assert Terms.new(RULES, opens, opens + timedelta(seconds=1)).closes > opens
    with pytest.raises(UserError, match="the window must close after it opens"):
        Terms.new(RULES, opens, opens)


def test_values_can_be_changed_in_the_file_of_rules(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text(DEFAULT.read_text().replace("base_points = 100", "base_points = 10"))
    assert load_rules(file).points(2) == 40


@pytest.mark.parametrize(("fault", "ending"), [(True, "lost by a fault"), (False, "not finished")])
def test_a_puzzle_without_a_guess_uses_no_time_and_scores_nothing(fault, ending):
    (scored,) = score([PlayedPuzzle("crane", [], fault), PlayedPuzzle("crane", [Guess("crane", 1.0)])], load_rules())
    assert (scored.ending, scored.n_guesses, scored.used_s, scored.points, scored.micro) == (ending, 0, 0.0, 0.0, 0.0)


def test_each_round_has_its_own_puzzles_and_time_bank():
    rules = replace(RULES, rounds=2, puzzles=2, bank_minutes=1.0)
    results = list(score([played(0, 25), played(0, 60), played(0, 10), played(0)], rules))
    places = [(result.round_number, result.number, result.ending, result.bank_s) for result in results]
    assert places == [(1, 1, "solved", 35), (1, 2, "out of time", 0), (2, 1, "solved", 50), (2, 2, "solved", 50)]
