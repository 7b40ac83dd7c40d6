"""The commands of `wordpl league`."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.helpers.cli import require_documented
from wordpl.apps.league.sources import ImportOptions, import_file
from wordpl.apps.league.store import LeagueStore
from wordpl.cli import main


@pytest.fixture
def league(tmp_path, monkeypatch):
    """Return a function that runs `wordpl league` with a new store and returns exit code and output."""
    monkeypatch.setenv("WORDPL_LEAGUE", str(tmp_path / "league.sqlite"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        result = CliRunner().invoke(main, ["league", *arguments], env={"COLUMNS": "110"})
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        require_documented(result.stdout)
        return result.exit_code, result.output

    return run


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a file with the results of three players on 25 days."""
    names = ("Player One", "Player Two", "=Player|Three")
    rows = [
        f"{name},{1500 + day},{1 + (day * 3 + index * 2) % 7}" for day in range(25) for index, name in enumerate(names)
    ]
    path = tmp_path_factory.mktemp("table") / "table.csv"
    path.write_text("\n".join(["player,puzzle,guesses", *rows]))
    return str(path)


@pytest.fixture(scope="module")
def imported(table, tmp_path_factory):
    """Return a store into which the table was imported."""
    path = tmp_path_factory.mktemp("store") / "league.sqlite"
    with closing(LeagueStore(str(path))) as store:
        import_file(store, Path(table), ImportOptions())
    return path


@pytest.fixture
def filled(league, imported, tmp_path):
    """Return the same function, with a copy of that store."""
    shutil.copy(imported, tmp_path / "league.sqlite")
    return league


def test_a_leaderboard_is_printed_as_json(filled):
    output = json.loads(filled("leaderboard", "--json")[1])
    assert (output["format"], output["kind"], output["method"]) == (1, "league-leaderboard", "mean")
    heads = filled("leaderboard", "--format", "csv")[1].splitlines()[0].split(";")
    assert [list(player) for player in output["players"]] == [heads] * 3


@pytest.mark.parametrize(
    ("command", "title"),
    [
        (("stats", "Player One"), "Player One"),
        (("day", "1510"), "1,510"),
        (("crowns",), "Crowns"),
        (("compare", "Player One", "Player Two"), "Player One"),
    ],
)
def test_tables_are_printed_as_json(filled, command, title):
    output = json.loads(filled(*command, "--json")[1])
    assert output["kind"] == f"league-{command[0]}"
    assert title in output["tables"][0]["title"] + str(output["tables"][0]["columns"])
    assert output["tables"][0]["rows"]


@pytest.mark.long  # a whole session of commands
def test_the_commands_work_together(league, table, tmp_path):
    code, output = league("leaderboard")
    assert (code, "there is no store" in output, "`wordpl league import FILE` creates one" in output) == (1, True, True)
    assert not list(tmp_path.glob("*.sqlite"))
    _, output = league("import", table)
    assert "75 results, 75 new, for the league friends." in output
    assert "75 results, 0 new" in league("import", table)[1]
    code, output = league("leaderboard", "--curves", "curves.png", "--distribution", "all.svg")
    assert (code, "mean · 3 players, 75 results" in output) == (0, True)
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "all.svg").read_bytes()
    assert "=Player&#124;Three" in league("leaderboard", "--format", "markdown", "--method", "elo", "--elo-k", "8")[1]
    page = league("leaderboard", "--format", "html")[1]
    assert page.startswith("<!DOCTYPE html>")
    assert "=Player|Three" in page
    assert (
        "\n'=Player|Three;"
        in league("leaderboard", "--format", "csv", "--no-bayes-adjustment", "--no-day-adjustment")[1]
    )
    code, output = league("stats", "Player One", "--distribution", "mine.png")
    assert (code, "Player One · 25 games" in output, "Head to head" in output) == (0, True, True)
    assert league("stats", "Player One", "--format", "csv")[1].count("\n") == 26
    assert "Which ranking predicts best" in league("compare")[1]


@pytest.mark.slow
def test_every_table_uses_what_the_league_has_chosen(league, table):
    league("import", "--zone", "Europe/Berlin", table)
    assert "Time zone: Europe/Berlin" in league("settings")[1]
    assert "X counts as 7" in league("stats", "Player One")[1]
    league("settings", "--x-left-out", "--grace", "2")
    for command in (["leaderboard"], ["stats", "Player One"], ["compare", "Player One", "Player Two"], ["day", "1500"]):
        assert "X is left out" in league(*command)[1], command
    assert "2 days after" in league("settings")[1]
    code, output = league("settings", "--zone", "Berlin")
    assert (code, "Did you mean Europe/Berlin?" in output) == (1, True)


@pytest.mark.slow
def test_a_person_is_exported_and_forgotten(league, table):
    league("import", table)
    assert len(json.loads(league("export", "Player One")[1])["results"]) == 25
    assert league("forget", "Player One")[0] == 1, "without an answer, nothing is deleted"
    assert "Deleted 25 reports" in league("forget", "Player One", "--yes")[1]
    assert "75 results, 0 new" in league("import", table)[1]
    assert "nobody is known as 'Player One'" in league("export", "Player One")[1]
    assert "is read again" in league("forget", "Player One", "--undo")[1]
    assert "75 results, 25 new" in league("import", table)[1]


def test_a_late_share_is_listed_and_can_be_accepted(league, tmp_path):
    chat = "[20/12/2025, 09:15:02] Ann: Wordle 1,567 1/6\n[03/10/2025, 09:15:02] Bob: Wordle 1,567 4/6\n"
    (tmp_path / "chat.txt").write_text(chat)
    assert "1 report does not count" in league("import", "chat.txt")[1]
    assert "Ann" not in league("day", "1567")[1]
    assert "posted after the deadline" in league("conflicts")[1].replace("\n", " ")
    assert league("accept", "Ann", "1567")[0] == 0
    assert "Ann" in league("day", "1567")[1]


def test_errors_say_what_would_be_right(filled):
    assert "Did you mean 'Player One'?" in filled("stats", "Player Ome")[1]
    assert "Rankings: elo," in filled("leaderboard", "--method", "glicko")[1]
    assert "must end in .png or .svg" in filled("leaderboard", "--curves", "curves.jpg")[1]
    assert "no player has 26 games: lower --game-cutoff" in filled("leaderboard", "--game-cutoff", "26")[1]
    assert "from the channel '5'" in filled("leaderboard", "--channel-only", "5")[1]
    assert "set WORDPL_BOT_TOKEN in the environment" in filled("bot")[1]


def test_a_league_of_one_day_has_no_intervals(league, tmp_path):
    (tmp_path / "shares.txt").write_text("Ann:\nWordle 1,567 4/6\n\nBob:\nWordle 1,567 3/6\n")
    league("import", str(tmp_path / "shares.txt"))
    assert "no interval from one day" in league("compare", "Ann", "Bob")[1]
    assert league("conflicts") == (0, "No conflicts.\n")
    assert league("conflicts", "--format", "csv")[1].startswith("puzzle;")
    code, output = league("merge", "Bib", "Ann")
    assert code == 1
    assert "there are no results of 'Bib'. Did you mean 'Bob'?" in output


@pytest.mark.slow
def test_ambiguous_names_are_listed_until_an_alias_resolves_them(league, exports):
    _, output = league("import", str(exports / "names_local_time.json"))
    assert "2 names could be several people" in output
    assert "5 not read:" in output
    assert "'Twin' could be 100000000000000006, 100000000000000007" in league("alias")[1]
    code, output = league("alias", "Twin", "100000000000000006", "--until", "2025-10-31")
    assert (code, "'Twin' is '100000000000000006', from the first day to 2025-10-31" in output) == (0, True)
    assert "'Twin' could" not in output
    assert "Removed 1 alias of 'Twin'" in league("alias", "Twin", "--remove")[1]
    assert "'Twin' needs a PLAYER" in league("alias", "Twin")[1]
    assert "--from must not be after" in league("alias", "a", "b", "--from", "2025-02-01", "--until", "2025-01-01")[1]


def test_a_file_in_latin_1_is_refused_with_the_command_that_converts_it(league, tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes("player,puzzle,guesses\nMüller,1500,3\n".encode("latin-1"))
    code, output = league("import", str(path))
    assert (code, "line 2: byte 0xfc is not UTF-8" in output) == (1, True), output
    assert "iconv -f WINDOWS-1252 -t UTF-8 old.csv" in output
    path.write_text("player,puzzle,guesses\nMüller,1500,3\n", encoding="utf-16")
    assert "1 result, 1 new" in league("import", str(path))[1]
    assert "Müller" in league("day", "1500")[1]


@pytest.mark.parametrize("option", [("--elo-k", "1e9"), ("--game-cutoff", "-5"), ("--season", "2026-13")])
def test_settings_outside_their_limits_are_refused(filled, option):
    code, output = filled("leaderboard", *option)
    assert code in (1, 2), output
    assert option[1].split("e")[0] in output
