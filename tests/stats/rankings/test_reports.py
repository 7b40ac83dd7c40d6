"""A ranking as people see it."""

from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from tests.helpers.simulated_league import league, results
from wordpl.core.errors import UserError
from wordpl.reports import pictures, plain_table
from wordpl.reports.rankings import comparison_table, ranking_csv, ranking_table
from wordpl.stats.rankings import RANKINGS, compare_methods, curves

MEAN = RANKINGS["mean"]


@pytest.fixture(scope="module")
def played():
    found = league(np.linspace(3, 5, 12), 40, np.random.default_rng(1))
    names = {"p000": "$a_b$ | *x*", "p001": "=1+1;\x1b[31m", "p002": "\N{PARTY POPPER}"}
    return found.assign(player=found["player"].replace(names))


def on_screen(table):
    console = Console(width=100)
    with console.capture() as shown:
        plain_table.show(table, console)
    return shown.get()


def test_a_table_shows_places_intervals_and_sample_size_and_escapes_names(played):
    table = ranking_table(MEAN(played), MEAN)
    shown, page, sheet = on_screen(table), plain_table.markdown(table), ranking_csv(MEAN(played))
    assert f"mean · 12 players, {len(played)} results" in shown
    assert "Lower is better; X counts as 7 guesses." in " ".join(shown.split())
    assert "\x1b[31m" not in shown + page + sheet
    assert "&#36;a_b&#36; &#124; \\*x\\*" in page
    assert '"\'=1+1;?[31m"' in sheet
    assert sheet.splitlines()[0].split(";")[:4] == ["player", "rating", "low", "high"]


def test_players_with_few_games_are_shown_without_an_interval():
    assert "no interval" in on_screen(ranking_table(MEAN(results({"a": 3, "b": 4})), MEAN))


@pytest.mark.slow
def test_a_comparison_says_in_words_what_has_been_shown():
    methods = {name: RANKINGS[name] for name in ("mean", "map-elo")}
    equal = comparison_table(compare_methods(league(np.full(5, 4.0), 60, np.random.default_rng(1)), methods))
    assert equal.legend.startswith("None of ")
    unequal = comparison_table(compare_methods(league(np.linspace(3, 5, 5), 240, np.random.default_rng(1)), methods))
    assert unequal.rows[-1][0] == "coin flip"
    assert unequal.rows[-1][-1] == "worse"


@pytest.mark.long  # draws six pictures
def test_pictures_open_and_are_the_same_for_the_same_results(played):
    from matplotlib.image import imread

    def drawn(kind):
        moved = pictures.rating_curves(curves(played, MEAN, n_points=5), MEAN(played, draws=10), MEAN, kind)
        return moved, pictures.distribution(played, "$a_b$ | *x*", kind)

    for picture in drawn("png"):
        height, width, _ = imread(BytesIO(picture)).shape
        assert (width, height) == (960, 540)
    first = drawn("svg")
    assert all(ElementTree.fromstring(picture).tag.endswith("svg") for picture in first)
    assert first == drawn("svg")


def test_a_picture_of_nobody_s_results_is_explained(played):
    with pytest.raises(UserError, match="there are no results to draw of 'nobody'"):
        pictures.distribution(played, "nobody")
