from dataclasses import replace
from itertools import islice
from json import dumps, loads

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.paths import HOME
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.kernels.clue_matrix import ClueTable
from wordpl.solvers.noisy.clue_entropy import channel
from wordpl.solvers.noisy.final_guess import next_guess, win_chances
from wordpl.solvers.plans import plan_file
from wordpl.solvers.plans.plan_file import Plan, shifted
from wordpl.solvers.plans.recipes import RECIPES, Recipe, build, compare
from wordpl.solvers.plans.search import Search, after_first, second_guess

SEARCH = Search(n_tried=3, n_clues=4, splits=(0.0, 0.2))
RECIPE = Recipe("bad", 9.0, (0.4, 0.3, 0.3), search=SEARCH)


@pytest.fixture
def few_words(tmp_path):
    all_words = ["bad", "dab", "add", "cab", "ace", "bee", "ebb", "fed", "fad", "deb"]
    for name, file_words in (("answers", all_words[:8]), ("valid", all_words)):
        (tmp_path / f"{name}.txt").write_text("\n".join(file_words))
    return words.load(tmp_path / "answers.txt", tmp_path / "valid.txt")


def chance_to_win(table, weights, epsilons, row=None):
    """Return the joint probability of these weights and of a win, over every clue."""
    total = weights.sum()
    if row is None:
        row = next_guess(table, weights / total, epsilons)
    if len(epsilons) == 1:
        chances = win_chances(table.columns[:, row : row + 1], weights / total, epsilons[0], table.length)
        return total * chances[0]
    joint = channel(epsilons[0], table.length)[:, table.matrix[row]] * weights
    return sum(chance_to_win(table, weights_after_clue, epsilons[1:]) for weights_after_clue in joint)


@pytest.mark.parametrize(
    "epsilons",
    [
        pytest.param((4.0,), marks=pytest.mark.slow),
        pytest.param((3.0, 4.0), marks=pytest.mark.long),  # two are searched by all splits
        pytest.param((3.0, 2.0, 4.0), marks=pytest.mark.slow),
    ],
    ids=len,
)
def test_the_value_of_a_second_guess_is_its_chance_to_win(few_words, epsilons):
    table = ClueTable.of(few_words, "anywhere")
    for state in islice(after_first(table, 0, 3.0), 3):
        choice = second_guess(table, state, epsilons, Search(n_tried=3, n_clues=27, splits=(0.0, 0.2)))
        chance = chance_to_win(table, state.posterior, shifted(epsilons, choice.moved), choice.row)
        assert choice.value == pytest.approx(chance, abs=0.03)


@given(st.floats(0.5, 500), st.lists(st.floats(0.01, 1), min_size=3, max_size=5), st.floats(-0.3, 0.3))
def test_epsilons_add_up_to_no_more_than_the_budget(budget, parts, moved):
    shares = tuple(part / sum(parts) for part in parts)
    plan = Plan(rule="anywhere", sha256={}, first="", budget=budget, shares=shares, moved={"c": moved})
    planned = plan.epsilons()
    assert budget - 1e-5 < sum(planned) <= budget
    epsilons_left = plan.after("c", planned[1:])
    assert sum(epsilons_left) == sum(planned[1:])


@pytest.mark.parametrize("shares", [(0.6, 0.4), (0.4, 0.3, 0.3), (0.25,) * 4], ids=len)
def test_an_interrupted_plan_is_equal_to_an_uninterrupted_one(few_words, tmp_path, shares):
    def stop(state):
        if next(steps) == 9:
            raise KeyboardInterrupt

    recipe, steps = Recipe("bad", 12.0, shares, search=SEARCH), iter(range(27))
    with pytest.raises(KeyboardInterrupt):
        build(few_words, recipe, tmp_path / "broken.json", "", stop)
    build(few_words, recipe, tmp_path / "broken.json", "", lambda state: None)
    build(few_words, recipe, tmp_path / "whole.json", "", lambda state: None)
    assert (tmp_path / "broken.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert len(plan_file.load(tmp_path / "whole.json").second) == 27


def test_committed_plans_fit_the_recipes_and_word_lists(lists):
    for name, recipe in RECIPES.items():
        plan = plan_file.load(HOME / "strategies" / "schedule" / f"schedule-{name}.json")
        assert plan.fits(lists, "anywhere")
        assert plan.provenance.recipe == repr(recipe)
        assert set(plan.second.values()) <= lists.guess_set


def test_first_words_and_splits_are_compared_on_the_same_games(few_words):
    other_recipes = [replace(RECIPE, shares=(0.1, 0.1, 0.8)), replace(RECIPE, first="ace")]
    table = compare(few_words, [RECIPE, RECIPE, *other_recipes], 20, lambda: None)
    assert table["gain"][1] == table["gain_error"][1] == 0
    assert min(table["gain_error"][2:]) > 0
    assert list(table["first"]) == ["bad", "bad", "bad", "ace"]


def test_a_plan_may_list_its_second_guesses_in_the_order_of_clues(tmp_path):
    plan_json = loads((HOME / "strategies" / "schedule" / "schedule-p50.json").read_text())
    packed_json = plan_json | {"second": " ".join(plan_json["second"][clues] for clues in sorted(plan_json["second"]))}
    (tmp_path / "plan.json").write_text(dumps(packed_json))
    bundled = HOME / "strategies" / "schedule" / "schedule-p50.json"
    assert plan_file.load(tmp_path / "plan.json") == plan_file.load(bundled)
    (tmp_path / "plan.json").write_text(dumps(packed_json | {"second": "crane slate"}))
    with pytest.raises(UserError, match="cannot read the plan"):
        plan_file.load(tmp_path / "plan.json")


@pytest.mark.parametrize(
    "edited",
    [{"shares": [0.5, 0.4]}, {"shares": [1.5, -0.5]}, {"shares": []}, {"budget": 0}, {"budget": 1e10}, {"budget": -3.5},
     {"moved": {"crane": 1.5}}],
)  # fmt: skip
def test_a_plan_that_divides_no_budget_is_refused(tmp_path, edited):
    plan = loads((HOME / "strategies" / "schedule" / "schedule-p05.json").read_text())
    path = tmp_path / "schedule-mine.json"
    path.write_text(dumps(plan))
    assert plan_file.load(path).budget == plan["budget"]
    path.write_text(dumps(plan | edited))
    with pytest.raises(UserError, match="cannot read the plan"):
        plan_file.load(path)
