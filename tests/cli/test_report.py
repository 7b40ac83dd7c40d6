"""`wordpl report` and `wordpl site`: pages of runs in folders."""

import re
from urllib.parse import unquote

import pytest
from msgspec.structs import replace

from tests.helpers.cli import wordpl
from tests.helpers.paths import HOME
from tests.helpers.written_runs import append, new_run
from wordpl.reports.site import RecordPoint, find_runs, record_chart
from wordpl.run.folder import Run

HOSTILE = "<b>run & co"


def written_run(folder, n_games=12):
    run = new_run(folder, n_games)
    for entry_index in range(len(run.info.entries)):
        append(run, entry_index, range(n_games))
    return run


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    written_run(folder / "may")
    written_run(folder / HOSTILE)
    new_run(folder / "empty")
    return folder


@pytest.mark.slow
def test_a_page_contains_the_result_of_verify_and_the_command_that_makes_it(results, tmp_path):
    page = tmp_path / "page.html"
    result = wordpl("report", results / "may", "-o", page)
    assert result.exit_code == 0, result.stderr
    assert f"The page is {page}" in result.stdout
    text = page.read_text()
    assert "24 games were replayed from the seed" in text
    assert "wordpl verify" in text
    assert "report.html" in text


@pytest.mark.slow
def test_without_verify_the_page_names_the_command_that_recomputes_the_run(results, tmp_path):
    wordpl("report", results / "may", "--no-verify", "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "Anybody can recompute this run from its seed" in text
    assert "not verified" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["may"], "name the file to write"),
        (["empty", "-o", "page.html"], "has no games yet"),
        (["none", "-o", "page.html"], "does not exist"),
        (["may", "-o", "/no/such/folder/page.html"], "/no/such/folder"),
    ],
)
def test_wrong_arguments_are_explained(results, arguments, message, monkeypatch):
    monkeypatch.chdir(results)
    result = wordpl("report", *arguments)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.split())


def test_boards_can_be_written_again(results):
    board = results / "may" / "LEADERBOARD.md"
    board.write_text("former")
    assert wordpl("report", results / "may", "--boards").exit_code == 0
    assert board.read_text().startswith("# Leaderboard")
    assert (results / "may" / "scores.csv").exists()


@pytest.mark.slow
def test_a_site_has_an_index_and_a_page_for_each_run_that_has_games(results, tmp_path):
    result = wordpl("site", results, "--no-verify", "-o", tmp_path)
    assert result.exit_code == 0, result.stderr
    index = (tmp_path / "index.html").read_text()
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"may.html", f"{HOSTILE}.html"}
    assert "empty" not in index
    links = re.findall(r'href="(runs/[^"]*)"', index)
    assert set(links) == {"runs/%3Cb%3Erun%20%26%20co.html", "runs/may.html"}
    assert "History of entries" in index
    for link in re.findall(r'href="(entries/[^"]*)"', index):
        page = (tmp_path / unquote(link)).read_text()
        assert re.search(r'href="\.\./runs/', page)
        assert 'href="../index.html"' in page
    assert result.stderr.count("writing run ") == 3


def test_the_runs_of_a_site_are_listed_newest_first(tmp_path):
    started = {"b": "2026-03-01", "a": "2026-01-01", "d": "2026-02-01", "c": "2026-04-01"}
    for name, date in started.items():
        (tmp_path / name).mkdir()
        info = Run(HOME / "results" / "bundled").info
        info.started = f"{date}T12:00:00+00:00"
        Run.create(tmp_path / name, info)
    assert [folder.name for folder in find_runs(tmp_path)] == ["c", "b", "d", "a"]


def test_the_chart_of_records_has_only_budgets_that_were_lower_than_all_before():
    budgets = {"2026-01-01": 40.0, "2026-02-01": 42.5, "2026-03-01": 36.75}
    chart = record_chart([RecordPoint(date, 0.5, budget, f"Bot(budget={budget})") for date, budget in budgets.items()])
    assert re.findall(r"<title>(.*?)</title>", chart) == [
        "2026-01-01: Bot(budget=40.0) at 40",
        "2026-03-01: Bot(budget=36.75) at 36.75",
    ]
    assert "50%: 36.75, Bot 36.75" in chart


@pytest.mark.slow
def test_a_site_shows_an_official_classic_run_without_records(tmp_path):
    folder = tmp_path / "results" / "classic"
    run = Run(HOME / "results" / "bundled")
    classic = [entry for entry in run.info.entries if entry.game.id == "wordle/1"][:1]
    info = run.info
    info.entries[:] = classic
    info.commitment, info.finished = "c0ffee", info.finished or "2026-11-21T12:00:00+00:00"
    info.config = replace(info.config, n_games=20_000)
    copied_run = Run.create(folder, info)
    source = Run(HOME / "results" / "bundled")
    (entry,) = classic
    copied_run.entry(entry).records_path.write_bytes(source.entry(entry).records_path.read_bytes())
    copied_run.finish(str(info.finished))
    result = wordpl("site", folder.parent, "--no-verify", "-o", tmp_path / "site")
    assert result.exit_code == 0, result.stderr
    assert ">Records<" not in (tmp_path / "site" / "index.html").read_text()


def test_a_site_of_a_folder_without_runs_is_refused(tmp_path):
    result = wordpl("site", tmp_path, "-o", tmp_path / "site")
    assert result.exit_code in (1, 2)
    assert "there is no run in" in result.stderr
