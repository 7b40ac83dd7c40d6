"""A column of moves behaves like a column of lists, whatever a table does with its rows."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from wordpl.run.frame import MovesType

WORDS, CLUES = st.sampled_from(["crane", "slate", "abide"]), st.sampled_from([".....", "..i..", "ccccc"])
NOISY = st.tuples(WORDS, st.sampled_from([4.0, 0.5, 7.25]), CLUES).map(list)
GAMES = st.lists(st.lists(NOISY, max_size=4) | st.lists(st.tuples(WORDS, CLUES).map(list), max_size=4), max_size=12)


def column(games):
    return pd.Series(pd.array(games, dtype=MovesType()))


@given(games=GAMES, data=st.data())
def test_rows_keep_their_moves(games, data):
    moves = column(games)
    assert moves.tolist() == list(moves) == games
    chosen = data.draw(st.lists(st.booleans(), min_size=len(games), max_size=len(games)))
    kept = [game for game, is_chosen in zip(games, chosen, strict=True) if is_chosen]
    assert moves[pd.Series(chosen, dtype=bool)].tolist() == kept
    order = data.draw(st.permutations(range(len(games))))
    assert moves.iloc[order].tolist() == [games[place] for place in order]
    assert moves.iloc[::-1].iloc[1:].tolist() == games[::-1][1:]
    assert [moves[place] for place in range(len(games))] == games


@given(first=GAMES, second=GAMES, third=GAMES)
def test_columns_with_different_words_can_be_joined(first, second, third):
    joined = pd.concat([column(first), column(second).iloc[1:], column(third)], ignore_index=True)
    assert joined.tolist() == [*first, *second[1:], *third]
    flat = joined.array.in_order()
    words, prices, marks = flat.values
    expected = [move for game in joined for move in game]
    guesses, epsilons, clues = flat.numbers
    assert [words[number] for number in guesses] == [move[0] for move in expected]
    assert [prices[number] for number in epsilons] == [move[1] if len(move) > 2 else None for move in expected]
    assert [marks[number] for number in clues] == [move[-1] for move in expected]
