"""The cache of ratings of first guesses: damaged or outdated files are never shown."""

import pytest

from wordpl.apps.terminal.app import setups
from wordpl.apps.terminal.app.setups import Setup, WordChoice

WORDS = WordChoice(("abbey", "crane"), ("abbey", "crane", "tares"))
RATING = {"kind": "rating", "n_wanted": 1, "guess": "abbey", "expected": 1.5, "bits": 1.0, "chance": 0.5, "worst": 1}
DONE = {"kind": "done", "is_optimal": True, "n_searched": 2, "cpu_s": 0.1}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_saved_ratings_are_loaded_only_for_the_same_setup():
    setups.save_opening(Setup(), WORDS, [RATING, DONE])
    assert setups.load_opening(Setup(), WORDS) == [RATING, DONE]
    assert setups.load_opening(Setup(width=7), WORDS) == []


@pytest.mark.parametrize("field", ["is_optimal", "n_searched", "cpu_s"])
def test_ratings_of_another_version_are_ignored(field):
    setups.save_opening(Setup(), WORDS, [RATING, {key: value for key, value in DONE.items() if key != field}])
    assert setups.load_opening(Setup(), WORDS) == []


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'[{"kind": "other"}]', b'[{"kind": ["rating"]}]'])
def test_a_damaged_file_is_ignored(content):
    setups.save_opening(Setup(), WORDS, [RATING, DONE])
    (file,) = setups.openings_folder().glob("*.json")
    file.write_bytes(content)
    assert setups.load_opening(Setup(), WORDS) == []
