"""Record files that were compressed when their run ended."""

import gzip

import pytest

from wordpl.core.messages import UserError
from wordpl.core.moves import MoveForm
from wordpl.run import records


@pytest.fixture
def large_file(tmp_path):
    """Return a plain file that is worth compressing, and its content."""
    path, data = tmp_path / "bot.jsonl", b'{"game":0}\n' * 200_000
    path.write_bytes(data)
    return path, data


def test_compression_is_lossless_and_reproducible(large_file):
    path, data = large_file
    records.compress(path)
    compressed = records.compressed_path(path)
    first_bytes = compressed.read_bytes()
    assert not path.exists() and records.compressed_path(path).exists()
    assert b"".join(records.parts(path, 200_000)) == data == gzip.decompress(first_bytes)
    path.write_bytes(data)
    records.compress(path)
    assert compressed.read_bytes() == first_bytes


def test_a_small_file_stays_plain(tmp_path):
    path = tmp_path / "bot.jsonl"
    path.write_bytes(b'{"game":0}\n')
    records.compress(path)
    assert path.exists() and not records.compressed_path(path).exists()


def test_a_missing_file_has_no_content(tmp_path):
    assert b"".join(records.parts(tmp_path / "bot.jsonl", 10)) == b""


def test_reading_stops_at_the_number_of_lines_of_the_run(large_file):
    path, _ = large_file
    records.compress(path)
    with pytest.raises(UserError, match="holds more than the 1,000 lines"):
        b"".join(records.parts(path, 1000))


def test_one_endless_line_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "bot.jsonl"
    records.compressed_path(path).write_bytes(gzip.compress(bytes(50 << 20)))
    with pytest.raises(UserError, match="a line of a file of records has at most 256 KiB"):
        b"".join(records.parts(path, 1000))


@pytest.mark.parametrize(
    "change", [lambda data: data[:-9], lambda data: data[:40] + b"?" + data[41:], lambda data: b"no"]
)
def test_a_damaged_file_is_refused(large_file, change):
    path, _ = large_file
    records.compress(path)
    compressed = records.compressed_path(path)
    compressed.write_bytes(change(compressed.read_bytes()))
    with pytest.raises(UserError, match="is damaged"):
        b"".join(records.parts(path, 200_000))


def test_a_record_that_is_nested_too_deep_is_named(tmp_path):
    path = tmp_path / "bot.jsonl"
    deep = b"[" * 3000 + b"]" * 3000
    path.write_bytes(b'{"game":0,"secret":"crane","moves":[],"verdict":"won","message":%b}\n' % deep)
    with pytest.raises(UserError, match=r"line 1 of .* is not a record"):
        list(records.read_records(path, MoveForm.NOISY))
    assert not records.is_torn(path.read_bytes())
