"""The pages of runs: made from records alone, without secrets of unfinished runs."""

from pathlib import Path

import pytest

from tests.helpers import written_runs
from tests.helpers.web_client import web_client
from wordpl.run.folder import Run

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
from wordpl.apps.web import pages
from wordpl.apps.web.pages import version_of


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = written_runs.new_run(tmp_path / "hand")
    for entry_index, n_games in enumerate((12, 7)):
        written_runs.append(run, entry_index, range(n_games))
    return run


def test_an_unfinished_run_shows_its_progress_and_no_game(run: Run) -> None:
    page = pages.run_page(run.folder, 100)
    assert "12 of 12" in page.html
    assert "7 of 12" in page.html
    assert page.refresh_s
    content = page.html[page.html.index("<main") : page.html.index("</main>")].lower()
    assert not [number for number in range(12) if written_runs.session_of(number).secret in content]


@pytest.mark.slow
def test_a_finished_run_shows_its_report_with_games_to_replay(run: Run) -> None:
    run.finish("2026-01-31T13:00:00+00:00")
    page = pages.run_page(run.folder, 100)
    assert 'id="replay"' in page.html
    assert page.refresh_s is None


def test_new_records_change_the_version_of_a_page(run: Run) -> None:
    before = version_of(run.folder)
    written_runs.append(run, 1, range(7, 9))
    assert version_of(run.folder) != before


def test_files_of_a_run_are_never_served(run: Run, tmp_path: Path) -> None:
    for name in ("report.html", "index.html", "LEADERBOARD.md", "run.json"):
        (run.folder / name).write_text("<script>alert(1)</script>", encoding="utf-8")
    with web_client(tmp_path, results=tmp_path) as client:
        for path in ("hand/report.html", "hand/index.html", "hand/run.json", "hand/LEADERBOARD.md", "../hand/run.json"):
            reply = client.send(f"/runs/{path}")
            assert (reply.status_code, "alert" in reply.text) == (404, False)


def test_a_run_that_cannot_be_read_gives_an_error_page_without_markup_of_others(run: Run, tmp_path: Path) -> None:
    with web_client(tmp_path, results=tmp_path) as client:
        assert "hand/" in client.send("/runs/").text
        (run.folder / "run.json").write_text('{"<img src=x>"', encoding="utf-8")
        reply = client.send("/runs/hand/")
        assert (reply.status_code, "<img" in reply.text) == (200, False)
        assert "<h1>Error</h1>" in reply.text
        assert client.send("/runs/nothing/").status_code == 404
