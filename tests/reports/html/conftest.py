import numpy as np
import pytest

from tests.helpers.page_models import HOSTILE, model, noisy_run
from wordpl.reports.html.run_page import run_page


@pytest.fixture(scope="session")
def page_file(tmp_path_factory):
    """A page of a run with every kind of game, a hostile name and a hostile message."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(
        run_page([model(noisy_run(np.random.default_rng(1), n_games=24, hostile=HOSTILE))]), encoding="utf-8"
    )
    return path
