"""The pages of a results site: each run by its own score, what is new, and answers on the first screen."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from tests.helpers.first_screen import SCREENS, axe_violations, unanswered
from tests.helpers.frames import run_of
from tests.helpers.page_models import model, noisy_run
from wordpl.reports import site
from wordpl.reports.html.run_page import history
from wordpl.reports.site import RecordPoint, own_score
from wordpl.reports.standings import boards

N_GAMES = 60


def summary(name, date, seed, games=("wordpl/1",), records=()):
    """Return a run of a site, as `write_site` keeps it."""
    found = model(noisy_run(np.random.default_rng(seed), n_games=N_GAMES, game_ids=games, hostile="Evil <b>"), name)
    found = replace(found, facts={"date": date, "seed": str(seed)}, games=found.games.iloc[:0], moves={})
    return site._RunSummary(found, date, [], [RecordPoint(date, q, budget, entry) for q, budget, entry in records])


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The index and the page of an entry of a site of three runs, two of which lowered a record."""
    plain = "Plain wordpl/1"
    runs = [
        summary("may", "2026-05-03", 3, ("wordpl/1", "wordle/1"), [(0.5, 36.7, plain)]),
        summary("april", "2026-04-03", 4, records=[(0.5, 41.5, "Evil <b> wordpl/1")]),
        summary("march", "2026-03-03", 5, records=[(0.5, 48.5, plain), (0.05, 18.5, plain)]),
    ]
    names = list(dict.fromkeys(name for run in runs for board in run.results.boards for name in board.names))
    scores, story = history([run.results for run in runs]), site._SiteStory(runs, names)
    folder = tmp_path_factory.mktemp("site")
    (folder / "index.html").write_text(site._index(story, scores), encoding="utf-8")
    (folder / "entry.html").write_text(site._entry_page(story, plain, scores), encoding="utf-8")
    return folder


def board_of(*shares):
    """Return the board of entries that win these shares of 400 games, at a budget of 10 more for each."""
    costs = {f"Bot({place})": np.where(np.arange(400) < share * 400, 10.0 * (place + 1), np.inf)
             for place, share in enumerate(shares)}  # fmt: skip
    (board,) = boards(run_of(costs), np.random.default_rng(1))
    return board


@pytest.mark.parametrize(
    ("shares", "expected"), [((0.07, 0.08), "p05"), ((0.6, 0.7), "p50"), ((0.97,), "p95"), ((0.07, 0.97), "p50")]
)
def test_a_run_is_told_by_the_largest_share_that_all_of_its_entries_win(shares, expected):
    """A run of entries for 5% of games had the leader "p50: no entry wins 50% of games"."""
    assert own_score(board_of(*shares)).name == expected


def test_a_classic_run_and_one_that_nobody_wins_have_their_main_score():
    (classic,) = model(noisy_run(np.random.default_rng(1), n_games=N_GAMES, game_ids=("wordle/1",))).boards
    assert own_score(classic) is classic.main_score
    assert own_score(board_of(0.0, 0.0)).name == "p50"


@pytest.mark.slow
def test_the_index_names_what_is_new_and_charts_only_records_that_were_lowered(pages):
    page = (pages / "index.html").read_text(encoding="utf-8")
    news = unescape(re.sub("<[^>]*>", " ", re.search(r'class="news">(.*?)</div>', page, re.DOTALL)[1]))
    assert "holds the record for 50% of games: 36.7, 41.5 before." in news
    assert "New: " in news  # the entries of the game that no run had before
    assert page.count('class="chart time') == 1
    assert "no entry wins" not in page
    assert "Evil <b>" not in page


@pytest.mark.browser
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("width", "height"), SCREENS)
@pytest.mark.parametrize("name", ["index", "entry"])
def test_the_first_screen_answers_a_reader_s_questions(pages, name, width, height):
    assert unanswered(pages / f"{name}.html", width, height) == []


@pytest.mark.browser
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "entry"])
def test_axe_finds_nothing(pages, name, scheme):
    assert axe_violations(pages / f"{name}.html", scheme) == []
