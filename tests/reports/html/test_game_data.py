"""Moves that are stored as "the same as before" can be decoded from the stored data alone."""

from hypothesis import given
from hypothesis import strategies as st

from wordpl.core.clues import encode
from wordpl.reports.html.page_data import coded_moves
from wordpl.run.frame import Moves

CLUES = st.sampled_from([".....", "..i..", "ccccc"])
NOISY = st.lists(st.tuples(st.sampled_from(["crane", "slate"]), st.sampled_from([4.0, 0.5, 7.25]), CLUES), max_size=3)


def with_answer(moves):
    return [*moves, ("crane", 0, "")]


def decode(coded, words):
    """Return the games, decoded from the moves that differ from earlier ones and all clues."""
    new_moves = iter([(words[guess], epsilon) for guess, epsilon, same in
                 zip(coded.guesses, coded.epsilons[coded.prices], coded.is_same, strict=True) if not same])  # fmt: skip
    clues = iter(coded.clues[coded.has_clues])
    moves_after, games, at = {}, [], 0
    for first, end in zip(coded.starts, coded.starts[1:], strict=False):
        history, moves = (), []
        for at in range(first, end):
            if not coded.is_same[at]:
                moves_after[history] = next(new_moves)
            move = moves_after[history]
            clue = int(next(clues)) if coded.has_clues[at] else 0
            moves.append((*move, clue))
            history += (*move, clue)
        games.append(moves)
    return games


@given(st.lists(NOISY.map(with_answer) | NOISY, max_size=30), st.data())
def test_all_games_or_only_the_first_ones_can_be_decoded(games, data):
    words = {}
    coded = coded_moves(Moves.of_lists(games), True, words)
    expected = [[(word, epsilon, encode(clues) if clues else 0) for word, epsilon, clues in moves] for moves in games]
    assert decode(coded, list(words)) == expected
    n = data.draw(st.integers(0, len(games)))
    assert decode(coded.first(n), list(words)) == expected[:n]
    assert list(coded.spent()) == [sum(epsilon for _, epsilon, _ in moves) for moves in games]


def test_repeated_games_store_no_moves():
    games = [[("crane", "....."), ("slate", "ccccc")]] * 3
    assert coded_moves(Moves.of_lists(games), False, {}).is_same.tolist() == [False, False, True, True, True, True]
