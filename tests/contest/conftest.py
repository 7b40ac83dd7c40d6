"""What the tests of contests share."""

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.core.game_kinds import PlayerKind


@pytest.fixture
def run_of(tmp_path):
    """Make a run of an honest entry, whose games are all different; by default in this process, which costs least."""

    def make(name, n_games=60, player=PlayerKind.TRUSTED):
        (tmp_path / name).mkdir()
        return new_run(tmp_path / name, {"bot": DRAWS_ALL}, n_games=n_games, player=player)

    return make
