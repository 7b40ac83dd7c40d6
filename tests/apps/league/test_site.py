"""The pages of a league show its results, and nobody who was hidden or forgotten."""

import re

import pandas as pd
import pytest
from click.testing import CliRunner

from tests.helpers.simulated_league import results
from wordpl.apps.league.posts import Person
from wordpl.apps.league.resolve import LeagueOptions, ResolvedLeague
from wordpl.apps.league.site import LeagueSite
from wordpl.cli import main
from wordpl.core.messages import UserError

pytest.importorskip("matplotlib")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs `wordpl league` on a league of three players and a week."""
    monkeypatch.setenv("WORDPL_LEAGUE", str(tmp_path / "league.sqlite"))
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments):
        result = CliRunner().invoke(main, ["league", *arguments])
        assert result.exit_code == 0, result.output
        return result.output

    names = ("Ann <b>", "Bob", "Cy")
    rows = [f"{name},{1560 + day},{1 + (day * 3 + at * 2) % 7}" for day in range(7) for at, name in enumerate(names)]
    (tmp_path / "table.csv").write_text("\n".join(["player,puzzle,guesses", *rows]))
    run_command("import", "table.csv", "--zone", "UTC")
    return run_command


@pytest.mark.slow
def test_every_link_and_picture_of_the_site_exists_and_names_are_escaped(run, tmp_path):
    run("site", "-o", "public")
    folder = tmp_path / "public"
    pages = list(folder.rglob("*.html"))
    assert {"index.html", "records.html", "head-to-head.html", "days.html", "seasons.html"} <= {
        str(page.relative_to(folder)) for page in pages
    }
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "Ann <b>" not in text
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            assert (page.parent / target).exists(), (page, target)
    standings = (folder / "index.html").read_text(encoding="utf-8")
    assert "Ann &lt;b&gt;" in standings
    assert (folder / "seasons" / "2025-W40.html").exists()
    assert "3–" in (folder / "head-to-head.html").read_text(encoding="utf-8")


def test_pages_count_the_days_of_those_who_are_shown_as_the_league_does():
    table = results({"Ann": 3, "Bob": 7, "Cy": 4}, {"Ann": 4, "Bob": 4, "Cy": 7}, {"Cy": 1}).assign(source="typed")
    ids = {name: Person(name, False) for name in ("Ann", "Bob", "Cy")}
    empty = pd.DataFrame()
    started = pd.DataFrame({"player": ["Cy", "Ann"], "day": [2, 2]})
    for x_is_seven, cells in ((True, ["1–1–0", "0–1–1"]), (False, ["0–1–0", "0–1–0"])):
        options = LeagueOptions(x_is_seven=x_is_seven, missed=8)
        league = ResolvedLeague(table, started, empty, empty, empty, ids, options)
        site = LeagueSite.of("Friends", league, {Person("Cy", False)})
        assert list(site.league.unfinished["player"]) == ["Ann"]
        shown = ("head-to-head.html", "days.html", "seasons/2021-06.html")
        pages = {name: make().decode() for name, make in site.files() if name in shown}
        assert ("X is left out" in pages[shown[2]]) is not x_is_seven
        assert not any("Cy" in page for page in pages.values())
        assert re.findall("[0-9]–[0-9]–[0-9]", pages["head-to-head.html"]) == cells
    assert league.board_options == {"x_is_seven": False, "missed": 8, "open_day": 2}
    with pytest.raises(UserError, match="no results to show"):
        LeagueSite.of("Friends", league, set(ids.values()))


@pytest.mark.slow
def test_a_player_who_is_hidden_or_forgotten_disappears_from_the_site(run, tmp_path):
    run("site", "-o", "public")
    assert any("Bob" in file.read_text(encoding="utf-8") for file in (tmp_path / "public").rglob("*.html"))
    run("hide", "Bob")
    run("forget", "Cy", "--yes")
    run("site", "-o", "public")
    for file in (tmp_path / "public").rglob("*.*"):
        text = file.read_text(encoding="utf-8")
        assert "Bob" not in text, file
        assert not re.search(r"\bCy\b", text), file
    assert len(list((tmp_path / "public" / "players").glob("*.html"))) == 1


@pytest.mark.slow
def test_the_picture_of_standings_has_the_players_of_their_table(run, tmp_path):
    """The table left out those with less than three games, and the picture did not."""
    (tmp_path / "late.csv").write_text("player,puzzle,guesses\nEve,1566,1\nHal,1566,2")
    run("import", "late.csv", "--zone", "UTC")
    run("site", "-o", "public")
    table = (tmp_path / "public" / "index.html").read_text(encoding="utf-8").split("Players</h2>")[0]
    assert "3 players" in table
    picture = (tmp_path / "public" / "curves.svg").read_text(encoding="utf-8")
    drawn = set(re.findall(r"<!-- (.*?) -->", picture))
    assert "Ranking of 3 players" in drawn
    assert not drawn & {"Eve", "Hal"}
    assert {"Bob", "Cy"} <= drawn


def test_a_folder_with_other_files_is_not_touched(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    result = CliRunner().invoke(main, ["league", "site", "-o", "mine"])
    assert (result.exit_code, "contains other files" in result.output) == (1, True)


@pytest.mark.slow
def test_the_pages_are_served_and_follow_the_league(run, tmp_path):
    pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
    from tests.helpers.web_client import web_client

    with web_client(tmp_path, league=str(tmp_path / "league.sqlite")) as client:
        assert "Bob" in client.send("/league/").text
        picture = client.send("/league/players/1-distribution.svg")
        assert (picture.status_code, picture.headers["content-type"]) == (200, "image/svg+xml")
        assert client.send("/league/players/99.html").status_code == 404
        run("forget", "Bob", "--yes")
        assert "Bob" not in client.send("/league/index.html").text
