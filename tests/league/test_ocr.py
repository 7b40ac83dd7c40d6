"""Puzzle numbers are read in pictures, never wrong ones."""

from datetime import UTC, datetime, time

import pytest

from tests.helpers import pictures
from wordpl.league import ocr
from wordpl.league.puzzles import day_of, find_number

EVERY = 48
"""One picture in so many shows whether reading works; docs/league.md says how many of all were read."""


@pytest.fixture(scope="module")
def read():
    found = ocr.find_reader()
    if found is None:
        pytest.skip("neither tesserocr nor rapidocr is installed")
    return found


def test_numbers_are_read_in_any_font_size_and_colour(read):
    for at, (number, data) in enumerate(pictures.all_kinds(seed=3)):
        if at % EVERY == at // EVERY % 6:
            posted = datetime.combine(day_of(number + 1), time(7), UTC)
            found = (find_number(text, posted) for text in ocr.read_texts(data, read))
            assert next(filter(None, found), None) == number


def test_what_is_no_picture_or_too_large_says_nothing(read):
    assert list(ocr.read_texts(b"no picture", read)) == []
    assert list(ocr.read_texts(pictures.picture(1567)[:200], read)) == []


def test_a_number_far_from_the_date_is_not_believed():
    assert find_number("Wordle No. 1,561", datetime(2025, 10, 4, 7, tzinfo=UTC)) is None
    assert find_number("No. 1566 or 1567", datetime(2025, 10, 4, 7, tzinfo=UTC)) is None
