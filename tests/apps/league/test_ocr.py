"""Puzzle numbers are read in pictures, never wrong ones."""

from datetime import UTC, datetime, time

import pytest

from tests.helpers import pictures
from wordpl.apps.league import ocr
from wordpl.core.puzzles import day_of, find_number

STYLE_STEP = 48
"""Every 48th picture is enough for a test; benchmarks/README.md has the results for all."""


@pytest.fixture(scope="module")
def reader():
    text_reader = ocr.find_reader()
    if text_reader is None:
        pytest.skip("neither tesserocr nor rapidocr is installed")
    return text_reader


def test_numbers_are_read_in_any_font_size_and_colour(reader):
    for index, (number, data) in enumerate(pictures.in_all_styles(seed=3)):
        if index % STYLE_STEP == index // STYLE_STEP % 6:
            posted = datetime.combine(day_of(number + 1), time(7), UTC)
            numbers = (find_number(text, posted) for text in ocr.read_texts(data, reader))
            assert next(filter(None, numbers), None) == number


def test_damaged_pictures_give_no_text(reader):
    assert list(ocr.read_texts(b"no picture", reader)) == []
    assert list(ocr.read_texts(pictures.picture(1567)[:200], reader)) == []


def test_a_number_far_from_the_date_is_ignored():
    assert find_number("Wordle No. 1,561", datetime(2025, 10, 4, 7, tzinfo=UTC)) is None
    assert find_number("No. 1566 or 1567", datetime(2025, 10, 4, 7, tzinfo=UTC)) is None
