"""A puzzle as it is typed: rows, marks, undo, pasted grids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.core.errors import UserError
from wordpl.terminal.app import share_grid
from wordpl.terminal.app.puzzle import Puzzle, Row, UndoHistory


def typed(text: str, puzzle: Puzzle | None = None) -> Puzzle:
    puzzle = puzzle or Puzzle(5)
    for key in text:
        puzzle = puzzle.commit() if key == "\n" else puzzle.press(key, "backspace" if key == "<" else key)
    return puzzle


def test_letters_come_first_and_marks_once_the_word_is_whole():
    assert typed("cigic.ic.\n").hints == [("cigic", ".ic..")]
    assert typed("crane" + "gybbx\n").hints == [("crane", "ci...")]


def test_a_digit_changes_the_mark_of_its_tile_in_a_circle():
    assert [typed("crane" + "2" * n).row.marks for n in range(4)] == ["", ".i...", ".c...", "....."]


def test_backspace_opens_a_row_that_counted():
    done = typed("crane....i\n")
    opened = typed("<", done.select(0))
    assert opened.hints == []
    assert opened.row == Row("crane", "....")
    assert typed("c\n", opened).hints == [("crane", "....c")]


def test_a_removed_row_leaves_the_others():
    puzzle = typed("crane\nslope\n").select(0).remove()
    assert puzzle.hints == [("slope", ".....")]
    assert puzzle.rows[-1] == Row()


@given(st.lists(st.text("abci.12<\n", max_size=12), max_size=6))
def test_undo_after_any_keys_gives_each_puzzle_back(batches):
    history, puzzle, seen = UndoHistory(), Puzzle(5), []
    for keys in batches:
        after = typed(keys, puzzle)
        if after != puzzle:
            seen.append(puzzle)
            history.add(puzzle)
            puzzle = after
    last = puzzle
    for before in reversed(seen):
        puzzle = history.undo(puzzle)
        assert puzzle == before
    for _ in seen:
        puzzle = history.redo(puzzle)
    assert puzzle == last


def test_a_grid_with_its_heading_gives_marks_whose_words_are_typed():
    rows = share_grid.read("Wordle 1,234 3/6*\n\n⬛🟨⬛⬛⬛\n⬜⬜🟩🟩🟩\n🟩🟩🟩🟩🟩", 5)
    puzzle = Puzzle(5).with_grid(rows)
    assert [row.marks for row in puzzle.rows] == [".i...", "..ccc", "ccccc"]
    solved = typed("stole\nboxer\ntiger\n", puzzle)
    assert solved.hints == [("stole", ".i..."), ("boxer", "..ccc"), ("tiger", "ccccc")]
    assert solved.is_solved


def test_words_beside_squares_are_read_too():
    assert share_grid.read("🟦⬛⬛⬛⬛ crane\ntares:....i", 5) == [("i....", "crane"), ("....i", "tares")]


@pytest.mark.parametrize("text", ["", "hello there", "⬛⬛⬛"])
def test_a_text_without_a_row_is_refused_with_what_would_be_right(text):
    with pytest.raises(UserError, match="copy a shared game"):
        share_grid.read(text, 5)


def test_a_grid_that_contradicts_its_heading_is_refused():
    with pytest.raises(UserError, match="2 rows instead of 3"):
        share_grid.read("Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩", 5)
