"""Pictures of a league: names in any script, any number of players, light and dark."""

from io import BytesIO

import pandas as pd
import pytest

pytest.importorskip("matplotlib")
from PIL import Image

from wordpl.apps.league import pictures
from wordpl.apps.league.settings import LeaderboardSettings
from wordpl.stats import rankings

NAMES = ["Łukasz", "Боря", "陳明", "さくら", "김민준", "🔥 Dora", "O'$x$", "مريم", "\U0001fae8"]


def results(n_players, n_days=12):
    names = [f"{NAMES[number % len(NAMES)]} {number}" for number in range(n_players)]
    rows = [(name, day, 2 + (number * 7 + day * 3) % 5) for number, name in enumerate(names) for day in range(n_days)]
    return pd.DataFrame([(*row, "date") for row in rows], columns=["player", "day", "guesses", "source"])


def board(table, **options):
    ranking = LeaderboardSettings(game_cutoff=1).ranking()
    return pictures.rating_curves(rankings.curves(table, ranking), ranking(table), ranking, **options)


def open_picture(picture):
    return Image.open(BytesIO(picture)).convert("RGB")


@pytest.mark.slow
def test_pictures_grow_with_the_number_of_players_and_name_all():
    heights = [open_picture(board(results(n))).height for n in (3, 12, 30)]
    assert heights[0] < heights[1] < heights[2]
    svg = board(results(30), kind="svg").decode()
    assert svg.count("<!-- 12 -->") >= 30  # the games of each player; a rank or a tick may be 12 too
    assert "Ranking of 30 players" in svg
    assert ">day<" not in svg and "<!-- puzzle -->" in svg


@pytest.mark.slow
@pytest.mark.parametrize("theme", [pictures.LIGHT, pictures.DARK])
def test_the_background_is_that_of_the_theme(theme):
    corner = open_picture(board(results(3), theme=theme)).getpixel((2, 2))
    assert "#{:02x}{:02x}{:02x}".format(*corner) == theme.background


@pytest.mark.slow
def test_characters_without_a_font_are_replaced_by_names_or_codes():
    assert pictures.drawable("🔥 Ann", ["DejaVu Sans"]) == "[fire] Ann"
    assert pictures.drawable("陳明", ["DejaVu Sans"]) == "[U+9673][U+660E]"
    assert pictures.drawable("Ann\u200d\ufe0f", ["DejaVu Sans"]) == "Ann"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_drawn_as_empty_boxes(name):
    text = pictures.drawable(name)
    files, families = dict(pictures.installed()), pictures.families_for([text])
    covered_characters = {
        chr(code) for family in families if family in files for code in pictures.characters(files[family])
    }
    assert not {character for character in text if not character.isspace()} - covered_characters


@pytest.mark.slow
def test_the_curve_of_a_player_has_an_interval():
    table = results(1, 20)
    svg = pictures.running_means(table, [table["player"][0]], kind="svg").decode()
    assert "PolyCollection" in svg
