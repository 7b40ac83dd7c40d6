"""A season whose rounds were played in this process, for the tests to go on with and to spoil."""

import shutil

import pytest

from tests.helpers.trusted_seasons import TrustedSeason, season_in, send
from wordpl.contest import Observer


@pytest.fixture(scope="session")
def played_cup(tmp_path_factory):
    """The folder of a season with two rounds, a confirmation and a second version, which tests leave as it is."""
    folder = tmp_path_factory.mktemp("season")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("state", "cache"):
            patch.setenv(f"XDG_{name.upper()}_HOME", str(folder / name))
        season = season_in(folder / "cup")
        send(season, "one", "two")
        season.play_round()
        season.announce_confirmation("one", "p_win", 0.5, Observer())
        season.play()
        send(season, "one", "late", epsilon=7.0)
        season.play_round()
    return folder


@pytest.fixture
def cup(played_cup, tmp_path, monkeypatch):
    """A copy of that season."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(played_cup / "cache"))
    return TrustedSeason(shutil.copytree(played_cup / "cup", tmp_path / "cup"))
