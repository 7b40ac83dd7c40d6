"""Counting and ordering of guesses, against a plain implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.solvers.search.board import FULL_WIDTH, SearchBoard, SearchTerms
from wordpl.solvers.search.bounds import bound_with_parts, guesses_with_more_parts
from wordpl.solvers.search.counting import count_parts
from wordpl.solvers.search.move_ordering import next_guess, queue_of
from wordpl.solvers.search.position import Position, board_of, tools_for

pytestmark = pytest.mark.timeout(600)  # the first test compiles the kernels


@st.composite
def boards(draw, most_answers=300):
    """Draw a board of random labels with its tools, and some of its answers."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_answers, n_guesses = draw(st.integers(2, most_answers)), draw(st.sampled_from([3, 64, 1100]))
    n_labels = draw(st.sampled_from([2, 9, 240, 1000]))
    matrix = rng.integers(
        0, n_labels, (n_guesses + n_answers, n_answers), dtype=np.uint8 if n_labels < 256 else np.uint16
    )
    weights = rng.integers(1, draw(st.sampled_from([2, 9])), n_answers)
    position = Position(
        matrix, np.arange(n_answers), rng.permutation(n_guesses + n_answers)[:n_answers], weights=weights
    )
    board = board_of(position)
    rows = np.sort(rng.choice(n_answers, draw(st.integers(1, n_answers)), replace=False)).astype(np.int32)
    return board, tools_for(position, board, SearchTerms(FULL_WIDTH, False), 4), rows


def plain_counts(board: SearchBoard, rows: np.ndarray) -> list[int]:
    return [len(set(column)) for column in board.labels[rows].T.tolist()]


def counted(board, tools, rows, enough):
    counts = np.zeros(board.labels.shape[1], board.labels.dtype)
    count_parts(board, rows, counts, enough, tools)
    return counts


@given(boards())
def test_counts_of_parts_agree_with_sets_of_labels(example):
    board, tools, rows = example
    assert counted(board, tools, rows, 1 << 30).max() == max(plain_counts(board, rows))
    assert counted(board, tools, rows, 0).tolist() == plain_counts(board, rows)


@given(boards(most_answers=60), st.integers(0, 20))
@pytest.mark.long  # rates all guesses of many positions
def test_guesses_are_tried_in_the_order_of_their_ratings(example, too_few):
    board, tools, rows = example
    counts = counted(board, tools, rows, 0)
    columns, most_left_out = guesses_with_more_parts(counts, too_few)
    assert most_left_out == max([k for k in counts.tolist() if k <= too_few], default=1)

    def rating(column: int) -> tuple[int, int]:
        labels, weights = board.labels[rows, column], board.weights[rows]
        size = sum(int(weights[labels == label].sum()) * int((labels == label).sum()) for label in set(labels))
        return 2 * size + len(rows) * bound_with_parts(board, rows, int(counts[column])), column

    queue = queue_of(columns, counts)
    order = [int(next_guess(board, rows, queue, tools)) for _ in range(len(columns) + 1)]
    assert order == [*sorted((int(column) for column in columns), key=rating), -1]
