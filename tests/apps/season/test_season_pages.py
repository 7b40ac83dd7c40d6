"""The pages of a season agree with its standings, and answer their reader's questions on the first screen."""

import re
from html import unescape

import numpy as np
import pytest

from tests.helpers.browsing import open_page
from tests.helpers.first_screen import SCREENS, axe_violations, unanswered
from tests.helpers.made_up_seasons import confirm, games_of, play, season_in, send, spring_cup
from wordpl.apps.season import history, report, site
from wordpl.apps.season.credits import Credits
from wordpl.apps.season.story import SeasonStory
from wordpl.reports.elements import Entry


def texts(pattern, page):
    """Return the texts of the elements that a pattern finds."""
    return [unescape(re.sub("<[^>]*>", "", found)).strip() for found in re.findall(pattern, page, re.DOTALL)]


def made_up_games(rng, labels, n_games):
    """Return games of versions, some of which are equal, near ties, on the edge of the share, or never win."""
    share, centre = rng.choice([0.3, 0.5, 0.8]), rng.uniform(20, 60)
    games = {}
    for label in labels:
        kind = rng.integers(4)
        if kind == 0:
            games[label] = Credits(np.full(n_games, 60.0), np.zeros(n_games))
        else:
            worse = 1 + 0.2 * rng.random() * (kind > 1)
            games[label] = games_of(rng, centre * worse, share / worse, n_games)
    return games


@pytest.mark.slow
def test_card_order_and_leader_agree_with_the_standings_of_any_season(tmp_path):
    season = season_in(tmp_path / "cup", scores=("p50", "p_win", "mean"))
    labels = [send(season, f"bot{place}") for place in range(6)]
    rng = np.random.default_rng(5)
    for at in range(2):
        play(season, made_up_games(rng, labels, 12), at)
    first, second = season.made_up
    n_open = 0
    for _ in range(25):
        season.made_up = {first: made_up_games(rng, labels, int(rng.choice([12, 60]))),
                          second: made_up_games(rng, labels[:3], int(rng.choice([12, 300])))}  # fmt: skip
        season._known = None
        standings = season.standings()
        story = SeasonStory(season, standings)
        readme = report.front_table(season, standings)
        for table, shown in zip(standings.tables, story.cards(), strict=False):
            leader, others = table.rows[0], table.rows[1:]
            assert re.findall(r'data-entry="(.*?)"', story.panel(table)) == [row.version.label for row in table.rows]
            assert leader.first_rank == 1
            values = {}
            for row in table.rows:
                values.setdefault((row.first_rank, row.last_rank), []).append(row.value)
            for same in values.values():
                assert same == sorted(same, reverse=not table.score.lower_is_better)
            (value,) = texts(r'class="value">(.*?)</span>', shown)
            if not any(np.isfinite(row.value) for row in table.rows):
                assert value == "–"
                continue
            assert re.search(rf">{leader.version.label}<", shown)
            assert value == report.value_cell(leader, table.score).text
            assert value != "∞" or "It wins less than 50% of games" in shown
            (certainty,) = texts(r'class="pill[^"]*"[^>]*>(.*?)</span>', shown)
            assert (certainty == "sure") == all(row.first_rank > 1 for row in others)
            n_open += certainty == "open"
            assert leader.version.label in readme
            assert (
                report.as_json(season, standings)["standings"][table.score.name][0]["version"] == leader.version.label
            )
    assert 8 < n_open < 67


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """The pages of a season of nine rounds, with a hostile title, a record and a nominated one."""
    season = spring_cup(tmp_path_factory.mktemp("season") / "cup", title="<b>Spring</b> cup",
                        scores=("p50", "p_win"))  # fmt: skip
    folder = tmp_path_factory.mktemp("pages")
    site.write(season, season.standings(), folder)
    return season, folder


@pytest.mark.slow
def test_a_leader_leads_since_the_round_in_which_it_took_the_lead(cup):
    season, folder = cup
    past = history.SeasonHistory(season, season.standings())
    table = past.now.tables[0]
    leaders = [min(tables["p50"], key=lambda row: (row[1] + row[2], row[1], row[3] or np.inf))[0]
               for _, tables in sorted(past.logged.items())]  # fmt: skip
    since = len(leaders)
    while since > 1 and leaders[since - 2] == "ada@2":
        since -= 1
    assert (table.rows[0].version.label, since) == ("ada@2", 5)
    assert past.lead(table).since == since
    assert past.lead(table).sure_since > since
    assert f"leads since round {since}" in (folder / "index.html").read_text()


@pytest.mark.parametrize(("n", "said"), [(5, "b0, b1, b2, b3 and b4"), (6, "b0, b1, b2, b3 and 2 more")])
def test_no_sentence_hides_a_single_name(n, said):
    assert history.listed([f"b{number}" for number in range(n)]) == said


def test_a_newcomer_changes_nobody_s_rank_in_the_news(cup):
    """With it, ranks of two to three became two to four, for nothing that the others had done."""
    season, _ = cup
    past = history.SeasonHistory(season, season.standings())
    assert list(past.changes({"p50": "x", "p_win": "y"})) == ["gus@1 is new."]
    (table, _) = past.now.tables
    assert {row.version.label: past.change(table, row).text for row in table.rows}["gus@1"] == "first games"
    assert {past.change(table, row).text for row in table.rows if row.version.label != "gus@1"} == {"stays"}


def test_the_news_say_in_words_who_leads_now_and_who_is_shown_behind(tmp_path):
    rng = np.random.default_rng(2)
    season = season_in(tmp_path / "cup", scores=("p50",))
    labels = [send(season, name) for name in ("ada", "ben")]
    play(season, {label: games_of(rng, centre, 0.9, 30) for label, centre in zip(labels, (40, 36), strict=True)}, 1)
    assert season.standings().tables[0].rows[0].version.label == "ben@1"
    play(season, {label: games_of(rng, centre, 0.9, 900) for label, centre in zip(labels, (30, 36), strict=True)}, 8)
    past = history.SeasonHistory(season, season.standings())
    assert list(past.changes({"p50": "budget"})) == [
        "▲ ada@1 now leads by budget, in place of ben@1.",
        "▼ ben@1 is now shown behind ada@1 by budget.",
    ]
    changes = [past.change(past.now.tables[0], row) for row in past.now.tables[0].rows]
    assert [(change.text, change.sign) for change in changes] == [("leads now", 1), ("shown behind ada@1", -1)]
    pages = site.pages(season, season.standings())
    assert re.search('data-entry="ben@1"><td class="n rank"[^>]*>2<', pages["index.html"])
    assert re.search('class="pill sure"[^>]*>leads since round 2', pages["entry-ada.html"])


def test_a_nominated_record_is_dashed_and_said_in_plain_words(cup):
    _, folder = cup
    page = (folder / "index.html").read_text()
    assert 'class="proposed"' in page
    assert "of ada@2 may be one: 26,000 fresh games would tell (nominated)." in page
    assert "<dt>nominated</dt>" in page


def test_a_season_without_rounds_or_records_has_pages(tmp_path):
    season = season_in(tmp_path / "cup")
    send(season, "ada")
    pages = site.pages(season, season.standings())
    assert "before its first round" in pages["index.html"]
    assert "wordpl season sample my_bot.py" in pages["index.html"]
    assert 'class="chart' not in pages["index.html"]
    assert "It has no games yet." in pages["entry-ada.html"]


def test_a_record_of_a_season_that_began_with_one_has_its_step(tmp_path):
    season = season_in(tmp_path / "cup", scores=("p50",))
    terms = season.folder / "season.toml"
    terms.write_text(terms.read_text().replace("[records]", "[records]\np50 = 50.0"))
    season = type(season)(season.folder)
    season.made_up = {}
    label = send(season, "ada")
    play(season, {label: games_of(np.random.default_rng(1), 40, 0.9), send(season, "ben"): games_of(
        np.random.default_rng(2), 60, 0.9)}, 7)  # fmt: skip
    confirm(season, label, "p50", 45.0, 9)
    page = site.pages(season, season.standings())["index.html"]
    assert "before the season at 50" in page
    assert "ada@1 at 45" in page


@pytest.mark.browser
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("width", "height"), SCREENS)
@pytest.mark.parametrize("name", ["index", "entry-ada", "entry-eve"])
def test_the_first_screen_answers_a_reader_s_questions(cup, name, width, height):
    assert unanswered(cup[1] / f"{name}.html", width, height) == []


@pytest.mark.browser
@pytest.mark.filterwarnings("default")
def test_the_slider_of_a_season_s_curves_reads_them(cup):
    season, folder = cup
    games = season.standings().games
    version = next(version for version in season.versions if version.label == "ada@2")
    line = site.curve_of(Entry("ada@2"), games[version.index])
    with open_page(folder / "index.html") as (page, problems):
        for budget in (30.0, 45.5):
            page.locator("input.reader").evaluate(
                "(one, to) => { one.value = to; one.dispatchEvent(new Event('input')); }", budget
            )
            share = max((y for x, y in zip(line.x, line.y, strict=True) if x <= budget), default=0.0)
            shown = page.locator("ul.legend li", has_text="ada@2").locator("b").inner_text().strip()
            assert shown == f"{100 * share:.1f}%"
        assert problems == []


@pytest.mark.browser
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "entry-ada"])
def test_axe_finds_nothing(cup, name, scheme):
    assert axe_violations(cup[1] / f"{name}.html", scheme) == []
