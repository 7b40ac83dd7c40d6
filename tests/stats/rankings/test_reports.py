"""The tables, files and pictures of a ranking."""

from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from tests.helpers.simulated_league import league, results
from wordpl.apps.league import pictures
from wordpl.apps.league.report import comparison_table, ranking_csv, ranking_table
from wordpl.core.messages import UserError
from wordpl.reports import renderers
from wordpl.reports.renderers import show_table
from wordpl.stats.rankings import RANKINGS, compare_methods, curves

MEAN = RANKINGS["mean"]


@pytest.fixture(scope="module")
def played():
    simulated = league(np.linspace(3, 5, 12), 40, np.random.default_rng(1))
    names = {"p000": "$a_b$ | *x*", "p001": "=1+1;\x1b[31m", "p002": "\N{PARTY POPPER}"}
    return simulated.assign(player=simulated["player"].replace(names))


def on_screen(table):
    console = Console(width=100)
    with console.capture() as capture:
        show_table(table, console)
    return capture.get()


def test_a_table_shows_places_intervals_and_sample_size_and_escapes_names(played):
    table = ranking_table(MEAN(played), MEAN)
    text, page, csv = on_screen(table), renderers.markdown_table(table), ranking_csv(MEAN(played))
    assert f"mean · 12 players, {len(played)} results" in text
    assert "Lower is better; X counts as 7 guesses." in " ".join(text.split())
    assert "\x1b[31m" not in text + page + csv
    assert "&#36;a_b&#36; &#124; \\*x\\*" in page
    assert '"\'=1+1;?[31m"' in csv
    assert csv.splitlines()[0].split(";")[:4] == ["player", "rating", "low", "high"]


def test_players_with_few_games_are_shown_without_an_interval():
    assert "no interval" in on_screen(ranking_table(MEAN(results({"a": 3, "b": 4})), MEAN))


@pytest.mark.slow
def test_the_legend_of_a_comparison_states_what_has_been_shown():
    methods = {name: RANKINGS[name] for name in ("mean", "map-elo")}
    table_of_equals = comparison_table(compare_methods(league(np.full(5, 4.0), 60, np.random.default_rng(1)), methods))
    assert table_of_equals.legend.startswith("None of ")
    table_of_unequals = comparison_table(
        compare_methods(league(np.linspace(3, 5, 5), 240, np.random.default_rng(1)), methods)
    )
    assert table_of_unequals.rows[-1][0] == "coin flip"
    assert table_of_unequals.rows[-1][-1] == "worse"


@pytest.mark.long  # draws six pictures
def test_pictures_open_and_are_the_same_for_the_same_results(played):
    from matplotlib.image import imread

    def draw(kind):
        curve_picture = pictures.rating_curves(curves(played, MEAN, n_points=5), MEAN(played, draws=10), MEAN, kind)
        return curve_picture, pictures.distribution(played, "$a_b$ | *x*", kind)

    (ranked_height, ranked_width, _), (height, width, _) = (imread(BytesIO(picture)).shape for picture in draw("png"))
    assert (width, height) == (960, 540)
    assert ranked_width == width
    assert 300 < ranked_height < 60 * len(set(played["player"]))  # a line for each player, below a title
    first = draw("svg")
    assert all(ElementTree.fromstring(picture).tag.endswith("svg") for picture in first)
    assert first == draw("svg")


def test_a_picture_of_a_player_without_results_is_refused(played):
    with pytest.raises(UserError, match="there are no results to draw of 'nobody'"):
        pictures.distribution(played, "nobody")
