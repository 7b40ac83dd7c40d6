"""The times of games, read line by line and by column."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.run import records
from wordpl.run.records import Duration

N_GAMES = 6
TIMES = st.floats(0, 100).map(lambda value: round(value, 6))
LINES = st.one_of(
    st.builds(Duration, st.integers(0, N_GAMES), st.none() | TIMES, TIMES, st.sampled_from(["", "ada"]), TIMES).map(
        records.encode_duration
    ),
    st.sampled_from([b"1;0.5\n", b"2;0.25;;;\n", b"3;x;1.0;;0\n", b"4;0.5;0.7\n", b";;\n", b"\n", b"-1;1.0;1.0;;0\n"]),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("times") / "entry.csv"


@given(lines=st.lists(LINES, max_size=8), has_head=st.booleans(), is_compressed=st.booleans())
def test_times_by_column_are_those_that_are_read_line_by_line(path, lines, has_head, is_compressed):
    compressed = path.with_suffix(".csv.gz")
    for file in (path, compressed):
        file.unlink(missing_ok=True)
    data = b"".join([records.DURATIONS_HEADER.encode() + b"\n" if has_head else b"", *lines])
    if is_compressed:
        compressed.write_bytes(gzip.compress(data))
    else:
        path.write_bytes(data)
    expected = np.full(N_GAMES, np.nan)
    for duration in records.read_durations(path, N_GAMES):
        if duration.cpu_s is not None and 0 <= duration.game < N_GAMES:
            expected[duration.game] = duration.cpu_s
    assert records.cpu_times(path, N_GAMES) == pytest.approx(expected, rel=1e-12, abs=0, nan_ok=True)


def test_an_entry_without_a_file_has_no_times(tmp_path):
    assert np.isnan(records.cpu_times(tmp_path / "none.csv", N_GAMES)).all()
