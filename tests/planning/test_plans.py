import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl import words
from wordpl.planning import plans
from wordpl.planning.building import Recipe, build
from wordpl.planning.plans import Plan
from wordpl.planning.recipes import RECIPES
from wordpl.planning.second import Search
from wordpl.planning.splits import compare
from wordpl.solvers.lookahead import Effort

SEARCH = Search(Effort(4, 8, 20, 0.8), n_tried=2, n_games=4)
RECIPE = Recipe("bad", 9.0, (0.4, 0.3, 0.3), search=SEARCH)


@pytest.fixture
def few(tmp_path):
    texts = ["bad", "dab", "add", "cab", "ace", "bee", "ebb", "fed", "fad", "deb"]
    for name, some in (("answers", texts[:8]), ("valid", texts)):
        (tmp_path / f"{name}.txt").write_text("\n".join(some))
    return words.load(tmp_path / "answers.txt", tmp_path / "valid.txt")


@given(st.floats(0.5, 500), st.lists(st.floats(0.01, 1), min_size=2, max_size=5))
def test_the_epsilons_add_up_to_no_more_than_the_budget(budget, parts):
    shares = tuple(part / sum(parts) for part in parts)
    spent = sum(Plan(rule="anywhere", sha256={}, first="", budget=budget, shares=shares).epsilons())
    assert budget - 1e-5 < spent <= budget


@pytest.mark.parametrize("shares", [(0.6, 0.4), (0.4, 0.3, 0.3), (0.25,) * 4], ids=len)
def test_a_plan_goes_on_after_an_interruption_as_if_there_had_been_none(few, tmp_path, shares):
    def stop(state):
        if next(steps) == 9:
            raise KeyboardInterrupt

    recipe, steps = Recipe("bad", 12.0, shares, search=SEARCH), iter(range(27))
    with pytest.raises(KeyboardInterrupt):
        build(few, recipe, tmp_path / "broken.json", "", stop)
    build(few, recipe, tmp_path / "broken.json", "", lambda state: None)
    build(few, recipe, tmp_path / "whole.json", "", lambda state: None)
    assert (tmp_path / "broken.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert len(plans.load(tmp_path / "whole.json").second) == 27


def test_committed_plans_are_of_the_recipes_and_of_these_word_lists(lists):
    for name, recipe in RECIPES.items():
        plan = plans.load(words.HOME / "strategies" / f"schedule-{name}.json")
        assert plan.fits(lists, "anywhere")
        assert plan.provenance.recipe == repr(recipe)
        assert set(plan.second.values()) <= lists.guess_set


def test_splits_are_compared_on_the_same_games(few):
    table = compare(few, RECIPE, [RECIPE.shares, RECIPE.shares, (0.1, 0.1, 0.8)], 20, lambda: None)
    assert table["gain"][1] == table["gain_error"][1] == 0
    assert table["gain_error"][2] > 0
