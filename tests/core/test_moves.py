import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.core.moves import (
    LARGEST_BUDGET,
    ClassicMove,
    GameFacts,
    MoveForm,
    NoisyMove,
    budget_of,
    budget_text,
    facts_from_text,
    from_json,
    noisy,
    total_epsilon,
)

EPSILONS = st.just(0) | st.floats(0, 1e300, exclude_min=True)
LINES = st.lists(st.tuples(st.text(), EPSILONS, st.text(".ic")), max_size=4)


@given(moves=LINES)
def test_noisy_moves_are_written_as_they_were_read(moves):
    text = msgspec.json.encode(moves)
    decoded = [from_json(move, MoveForm.NOISY) for move in msgspec.json.decode(text)]
    assert msgspec.json.encode(decoded) == text
    assert msgspec.json.encode(msgspec.json.decode(text, type=list[NoisyMove])) == text


@pytest.mark.parametrize("kind", MoveForm)
@pytest.mark.parametrize(
    "value", [7, None, "crane", {}, [], ["crane"], ["crane", "."] * 2, ["crane", True, "."], [1, 1.0, "."], [1, "."]]
)
def test_invalid_moves_are_refused(kind, value):
    with pytest.raises(ValueError):
        from_json(value, kind)


def test_moves_become_the_arguments_of_strategy_methods():
    assert NoisyMove("crane", 5.0, "").with_clues("..i..").arguments == ("crane", 5.0, "..i..")
    assert ClassicMove("crane", "").with_clues("..i..").arguments == ("crane", "..i..")


def test_only_noisy_moves_spend_anything():
    moves = [NoisyMove("crane", 5.0, "....."), NoisyMove("abide", 0, "")]
    assert (total_epsilon(moves), total_epsilon([ClassicMove("crane", ".....")])) == (5.0, 0)
    assert noisy(moves) == moves
    assert [move.is_answer for move in (*moves, NoisyMove("crane", 5.0, ""))] == [False, True, False]
    with pytest.raises(TypeError, match="classic"):
        noisy([ClassicMove("crane", ".....")])


def test_budgets_are_summed_to_five_decimals_and_may_be_infinite():
    assert budget_of([0.1] * 3) == 0.3
    assert budget_of([1e16, 1.0, -1e16]) == 1
    assert (budget_of([1.000004]), budget_of([1.000006]), budget_of([])) == (1, 1.00001, 0)
    assert budget_of([1e308, 1e308]) == float("inf")
    assert [budget_text(budget) for budget in (14.32, 1e308, LARGEST_BUDGET, np.inf)] == ["14.32", "1e+308", "∞", "∞"]


def test_the_facts_of_a_game_say_what_a_loss_costs_and_whether_clues_may_be_false():
    facts = GameFacts.of_guesses("mine/1", 8)
    assert (facts.limit, facts.loss_cost, facts.bins, facts.has_epsilon, facts.is_exact) == (8, 9.0, 8, False, True)
    noisy_facts = GameFacts("mine/2", MoveForm.NOISY, "budget")
    assert (noisy_facts.has_epsilon, noisy_facts.has_answer_move, noisy_facts.is_exact) == (True, True, False)
    assert not GameFacts("mine/3", MoveForm.CLASSIC, "guesses", has_false_clues=True).is_exact
    assert GameFacts("mine/4", MoveForm.NOISY, "budget", has_false_clues=False).is_exact
    assert facts_from_text(facts.as_text()) == facts
    with pytest.raises(ValueError):
        facts_from_text('{"id": "mine/1"}')
