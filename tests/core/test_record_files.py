"""Record files that were compressed when their run ended."""

import gzip

import pytest

from wordpl.core import record_files
from wordpl.core.errors import UserError


@pytest.fixture
def large_file(tmp_path):
    """Return a plain file that is worth compressing, and its content."""
    path, data = tmp_path / "bot.jsonl", b'{"game":0}\n' * 200_000
    path.write_bytes(data)
    return path, data


def test_compression_is_lossless_and_reproducible(large_file):
    path, data = large_file
    record_files.compress(path)
    compressed = record_files.compressed_path(path)
    first_bytes = compressed.read_bytes()
    assert not path.exists() and record_files.exists(path)
    assert record_files.content(path, 200_000) == data == gzip.decompress(first_bytes)
    path.write_bytes(data)
    record_files.compress(path)
    assert compressed.read_bytes() == first_bytes


def test_a_small_file_stays_plain(tmp_path):
    path = tmp_path / "bot.jsonl"
    path.write_bytes(b'{"game":0}\n')
    record_files.compress(path)
    assert path.exists() and not record_files.compressed_path(path).exists()


def test_a_missing_file_has_no_content(tmp_path):
    assert record_files.content(tmp_path / "bot.jsonl", 10) == b""


def test_reading_stops_at_the_number_of_lines_of_the_run(large_file):
    path, _ = large_file
    record_files.compress(path)
    with pytest.raises(UserError, match="unpacks to more than the 1,000 lines"):
        record_files.content(path, 1000)


def test_one_endless_line_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "bot.jsonl"
    record_files.compressed_path(path).write_bytes(gzip.compress(bytes(50 << 20)))
    with pytest.raises(UserError, match="unpacks to more"):
        record_files.content(path, 1000)


@pytest.mark.parametrize(
    "change", [lambda data: data[:-9], lambda data: data[:40] + b"?" + data[41:], lambda data: b"no"]
)
def test_a_damaged_file_is_refused(large_file, change):
    path, _ = large_file
    record_files.compress(path)
    compressed = record_files.compressed_path(path)
    compressed.write_bytes(change(compressed.read_bytes()))
    with pytest.raises(UserError, match="is damaged"):
        record_files.content(path, 200_000)
