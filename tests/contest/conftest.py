"""Fixtures of the tests of contests."""

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import run_worker
from wordpl.run.config import PlayerKind


@pytest.fixture(autouse=True)
def whole_chunks(monkeypatch):
    """Let this process play all games of a chunk even on a machine so slow that it would give some of them back."""
    monkeypatch.setattr(run_worker, "MAX_CHUNK_S", 600.0)


@pytest.fixture
def make_run(tmp_path):
    """Return a function that makes a run of an honest entry whose games all differ; by default it is trusted."""

    def make(name, n_games=60, player=PlayerKind.TRUSTED):
        (tmp_path / name).mkdir()
        return new_run(tmp_path / name, {"bot": DRAWS_ALL}, n_games=n_games, player=player)

    return make
