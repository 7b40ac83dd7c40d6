"""Fixtures of the tests of contests."""

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.core.game_kinds import PlayerKind


@pytest.fixture
def make_run(tmp_path):
    """Return a function that makes a run of an honest entry whose games all differ; by default it is trusted."""

    def make(name, n_games=60, player=PlayerKind.TRUSTED):
        (tmp_path / name).mkdir()
        return new_run(tmp_path / name, {"bot": DRAWS_ALL}, n_games=n_games, player=player)

    return make
