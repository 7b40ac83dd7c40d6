import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.core.moves import ClassicMove, MoveForm, NoisyMove, from_json, noisy, total_epsilon

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
    with pytest.raises(TypeError, match="classic"):
        noisy([ClassicMove("crane", ".....")])
