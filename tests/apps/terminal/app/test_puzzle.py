"""Typing a puzzle: rows, marks, undo, pasted grids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.apps.terminal.app.puzzle import Puzzle, PuzzleRow, UndoHistory, read_pasted
from wordpl.core.messages import UserError


def typed(text: str, puzzle: Puzzle | None = None) -> Puzzle:
    puzzle = puzzle or Puzzle(5)
    for key in text:
        puzzle = puzzle.commit() if key == "\n" else puzzle.press(key, "backspace" if key == "<" else key)
    return puzzle


def test_marks_are_typed_after_the_letters_of_a_word():
    assert typed("cigic.ic.\n").hints == [("cigic", ".ic..")]
    assert typed("crane" + "gybbx\n").hints == [("crane", "ci...")]


def test_a_digit_cycles_the_mark_of_its_tile():
    assert [typed("crane" + "2" * n).row.marks for n in range(4)] == ["", ".i...", ".c...", "....."]


def test_backspace_reopens_a_finished_row():
    finished = typed("crane....i\n")
    reopened = typed("<", finished.select(0))
    assert reopened.hints == []
    assert reopened.row == PuzzleRow("crane", "....")
    assert typed("c\n", reopened).hints == [("crane", "....c")]


def test_removing_a_row_keeps_the_others():
    puzzle = typed("crane\nslope\n").select(0).remove()
    assert puzzle.hints == [("slope", ".....")]
    assert puzzle.rows[-1] == PuzzleRow()


@given(st.lists(st.text("abci.12<\n", max_size=12), max_size=6))
def test_undo_restores_each_puzzle_after_any_keys(batches):
    history, puzzle, earlier = UndoHistory(), Puzzle(5), []
    for keys in batches:
        after = typed(keys, puzzle)
        if after != puzzle:
            earlier.append(puzzle)
            history.add(puzzle)
            puzzle = after
    last = puzzle
    for before in reversed(earlier):
        puzzle = history.undo(puzzle)
        assert puzzle == before
    for _ in earlier:
        puzzle = history.redo(puzzle)
    assert puzzle == last


def test_a_pasted_grid_gives_marks_whose_words_can_be_typed():
    rows = read_pasted("Wordle 1,234 3/6*\n\n⬛🟨⬛⬛⬛\n⬜⬜🟩🟩🟩\n🟩🟩🟩🟩🟩", 5)
    puzzle = Puzzle(5).with_grid(rows)
    assert [row.marks for row in puzzle.rows] == [".i...", "..ccc", "ccccc"]
    solved = typed("stole\nboxer\ntiger\n", puzzle)
    assert solved.hints == [("stole", ".i..."), ("boxer", "..ccc"), ("tiger", "ccccc")]
    assert solved.is_solved


def test_words_beside_squares_are_read():
    assert read_pasted("🟦⬛⬛⬛⬛ crane\ntares:....i", 5) == [("i....", "crane"), ("....i", "tares")]


@pytest.mark.parametrize("text", ["", "hello there", "⬛⬛⬛"])
def test_a_text_without_a_grid_is_refused_with_advice(text):
    with pytest.raises(UserError, match="copy a shared game"):
        read_pasted(text, 5)


def test_a_grid_that_contradicts_its_heading_is_refused():
    with pytest.raises(UserError, match="2 rows instead of 3"):
        read_pasted("Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩", 5)
