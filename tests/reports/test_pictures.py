"""Pictures of a league: names in any script, as many players as there are, light and dark."""

from io import BytesIO

import pandas as pd
import pytest

pytest.importorskip("matplotlib")
from PIL import Image

from wordpl.league.settings import LeaderboardSettings
from wordpl.reports import fonts, pictures
from wordpl.stats import rankings

NAMES = ["Łukasz", "Боря", "陳明", "さくら", "김민준", "🔥 Dora", "O'$x$", "مريم", "\U0001fae8"]


def results(n_players, n_days=12):
    names = [f"{NAMES[at % len(NAMES)]} {at}" for at in range(n_players)]
    rows = [(name, day, 2 + (at * 7 + day * 3) % 5) for at, name in enumerate(names) for day in range(n_days)]
    return pd.DataFrame([(*row, "date") for row in rows], columns=["player", "day", "guesses", "source"])


def board(found, **more):
    ranking = LeaderboardSettings(game_cutoff=1).ranking()
    return pictures.rating_curves(rankings.curves(found, ranking), ranking(found), ranking, **more)


def opened(picture):
    return Image.open(BytesIO(picture)).convert("RGB")


@pytest.mark.slow
def test_more_players_make_a_longer_picture_in_which_all_are_named():
    heights = [opened(board(results(n))).height for n in (3, 12, 30)]
    assert heights[0] == heights[1] < heights[2]
    svg = board(results(30), kind="svg").decode()
    assert svg.count(" games)") == 30


@pytest.mark.slow
@pytest.mark.parametrize("theme", [pictures.LIGHT, pictures.DARK])
def test_the_background_is_the_theme_s(theme):
    corner = opened(board(results(3), theme=theme)).getpixel((2, 2))
    assert "#{:02x}{:02x}{:02x}".format(*corner) == theme.background


@pytest.mark.slow
def test_what_no_font_covers_is_written_out():
    assert fonts.drawable("🔥 Ann", ["DejaVu Sans"]) == "[fire] Ann"
    assert fonts.drawable("陳明", ["DejaVu Sans"]) == "[U+9673][U+660E]"
    assert fonts.drawable("Ann\u200d\ufe0f", ["DejaVu Sans"]) == "Ann"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_drawn_as_boxes(name):
    shown = fonts.drawable(name)
    files, families = dict(fonts.installed()), fonts.families_for([shown])
    covered = {chr(code) for family in families if family in files for code in fonts.characters(files[family])}
    assert not {one for one in shown if not one.isspace()} - covered


@pytest.mark.slow
def test_a_person_s_curve_has_its_interval():
    found = results(1, 20)
    svg = pictures.running_means(found, [found["player"][0]], kind="svg").decode()
    assert "FillBetweenPolyCollection" in svg or "PolyCollection" in svg
