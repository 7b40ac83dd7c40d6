"""The search without kernels finds what the search with kernels finds, step by step."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.solvers.search.test_counting import boards
from wordpl.core import words
from wordpl.kernels.clue_matrix import clue_matrix
from wordpl.kernels.compiled import kernel, plain_for_small_work
from wordpl.solvers.search import ClassicSearch, best_guesses, partitions
from wordpl.solvers.search.board import EVERY_GUESS, FULL_WIDTH, Group, SearchTerms
from wordpl.solvers.search.bounds import guesses_with_more_parts
from wordpl.solvers.search.counting import count_parts, number_labels
from wordpl.solvers.search.move_ordering import next_guess, queue_of
from wordpl.solvers.search.partitions import allocate_parts, child_board, group_of, split
from wordpl.solvers.search.position import (
    Position,
    _add_up_parts,
    _count_clues,
    board_of,
    group_of_all,
    label_matrix,
    read_only,
    tools_for,
)
from wordpl.solvers.search.problem import Problem

pytestmark = pytest.mark.timeout(600)  # the first test compiles the kernels

CASES = [
    ([["tares", "....i"]], 10, False, False),
    ([["tares", "..i.."]], 10, False, True),
    ([["tares", "....i"]], 10, True, False),
    ([["tares", "....."], ["cloud", "..i.."]], None, False, False),
    ([["crane", "....."]], 50, False, False),
]
PLAINLY = """
import json, sys
from tests.solvers.search.test_plain import found
results = [found(*case) for case in json.loads(sys.argv[1])]
assert "numba" not in sys.modules
print(json.dumps(results))
"""


def found(hints, width, is_hard, is_weighted):
    """Return all that a search has found and how much it did: its ratings, its counters and a hash of its memo."""
    lists = words.load()
    prior = np.arange(1.0, len(lists.answers) + 1) if is_weighted else None
    search = ClassicSearch(Problem(lists, tuple(map(tuple, hints)), 6, is_hard, prior).position(), width)
    ratings = best_guesses(search, 5).ratings
    memo = int(np.bitwise_xor.reduce(search.tools.memo * np.arange(1, 5, dtype=np.uint64), axis=None))
    return [[rating.guess, rating.bound] for rating in ratings], search.tools.tally.tolist(), memo


@pytest.mark.slow  # searches each position in two ways
def test_a_search_without_kernels_does_what_the_kernels_do(monkeypatch):
    from wordpl.solvers.search import search

    program = f"from wordpl.solvers.search import search\nsearch.is_cached = lambda _: False{PLAINLY}"
    command = [sys.executable, "-c", program, json.dumps(CASES)]
    plain = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for limits in (search.MAX_PLAIN, search.MAX_PLAIN_AT_FIRST):
        monkeypatch.setitem(limits, False, 0)
        monkeypatch.setitem(limits, True, 0)
    for case, results in zip(CASES, plain, strict=True):
        assert json.loads(json.dumps(found(*case))) == results, case


@kernel
def never_called() -> None:
    """Serve as a kernel that this process has not loaded."""


def compiled_and_plain(call):
    """Return what a function returns that calls kernels, once compiled and once without compilation."""
    compiled = call()
    with plain_for_small_work(True, never_called):
        return compiled, call()


@pytest.mark.slow
@given(boards(), st.integers(0, 40))
def test_counting_without_kernels_agrees_with_the_kernels(example, enough):
    board, tools, rows = example

    def count():
        tools.tally[:], counts, labels = 0, np.zeros(board.labels.shape[1], board.labels.dtype), board.labels.copy()
        count_parts(board, rows, counts, enough, tools)
        number_labels(labels, len(tools.seen))
        kept, most = guesses_with_more_parts(counts, enough)
        return [*counts.tolist(), *tools.tally.tolist(), *labels.ravel().tolist(), *kept.tolist(), most]

    compiled, plain = compiled_and_plain(count)
    assert compiled == plain


@given(boards(most_answers=60), st.integers(2, 70), st.data())
def test_splitting_without_kernels_agrees_with_the_kernels(example, left, data):
    board, tools, rows = example
    group = Group(rows, np.uint64(1), np.uint64(2), left, data.draw(st.integers(0, board.labels.shape[1] - 1)))

    def divide():
        parts = allocate_parts(len(rows))
        n = split(board, group, parts, tools)
        fields = (parts.begin, parts.end, parts.key, parts.check, parts.weight)
        return [parts.rows.tolist(), *(field[:n].tolist() for field in fields)]

    compiled, plain = compiled_and_plain(divide)
    assert compiled == plain


@given(st.lists(st.text("abc", min_size=5, max_size=5), min_size=2, max_size=40, unique=True), st.data())
def test_splitting_in_hard_mode_without_kernels_agrees_with_the_kernels(words_, data):
    letters, n = words.letters(words_), len(words_)
    position = Position(clue_matrix(letters, letters, "counted"), np.arange(n), np.arange(n), left=6, letters=letters)
    board = board_of(position)
    tools = tools_for(position, board, SearchTerms(FULL_WIDTH, True), 4)
    first, secret = (data.draw(st.integers(0, n - 1)) for _ in range(2))
    known = partitions.demands_after(board.known, tools, board.guesses[first], board.guesses[board.own[secret]])
    columns = partitions.allowed_columns(known, board, tools)
    second, rows = data.draw(st.sampled_from(columns.tolist())), np.sort(board.answer[columns])
    board = board._replace(known=known)
    group = group_of_all(position, board)._replace(only=second, rows=rows)

    def divide():
        parts = allocate_parts(len(rows))
        n_parts = split(board, group, parts, tools)
        return [parts.rows.tolist(), parts.key[:n_parts].tolist(), parts.check[:n_parts].tolist()], parts, n_parts

    (compiled, parts, n_parts), (plain, *_) = compiled_and_plain(divide)
    assert compiled == plain
    for part in range(n_parts):
        child = group_of(group, parts, part)
        answer = board.guesses[board.own[child.rows[0]]]
        adds = (partitions.demands_after(known, tools, board.guesses[second], answer) != known).any()
        assert partitions.adds_demands(known, tools, board.guesses[second], answer) == adds


@pytest.mark.slow
@given(boards(most_answers=60))
def test_the_order_of_guesses_without_kernels_agrees_with_the_kernels(example):
    board, tools, rows = example

    def order():
        counts = np.zeros(board.labels.shape[1], board.labels.dtype)
        count_parts(board, rows, counts, 0, tools)
        columns, _ = guesses_with_more_parts(counts, 0)
        queue = queue_of(columns, counts)
        return [int(next_guess(board, rows, queue, tools)) for _ in range(min(50, len(columns)))]

    compiled, plain = compiled_and_plain(order)
    assert compiled == plain


@given(boards(most_answers=60))
def test_boards_without_kernels_agree_with_those_of_the_kernels(example):
    board, tools, rows = example
    matrix, columns = read_only(np.ascontiguousarray(board.labels.T)), rows.astype(np.int64)
    guesses, n_clues = np.arange(len(matrix)), int(matrix.max()) + 1

    def numbers():
        counts, worths = np.zeros(len(matrix), np.int64), np.zeros(len(matrix))
        _count_clues(matrix, guesses, columns, np.zeros(n_clues, np.int64), counts)
        _add_up_parts(matrix, guesses, columns, board.weights[rows].astype(float), np.zeros((2, n_clues)), worths)
        return [counts.tolist(), worths.tolist(), label_matrix(matrix, guesses, columns).tolist()]

    def smaller_board():
        group = Group(rows, np.uint64(1), np.uint64(2), 5, EVERY_GUESS)
        return [np.asarray(field).tolist() for field in child_board(board, group, group, tools)]

    compiled, plain = compiled_and_plain(numbers)
    assert compiled == plain
    if board.labels.dtype == np.uint8:
        compiled, plain = compiled_and_plain(smaller_board)
        assert compiled == plain
