"""The pages of runs: made from records alone, without secrets of unfinished runs."""

from pathlib import Path

import pytest

from tests.helpers import written_runs
from tests.helpers.web_client import web_client
from wordpl.run.folder import Run

pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
from wordpl.web import run_pages
from wordpl.web.config import RefusedError


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = written_runs.new_run(tmp_path / "hand")
    for entry_index, n_games in enumerate((12, 7)):
        written_runs.append(run, entry_index, range(n_games))
    return run


def test_an_unfinished_run_shows_its_progress_and_no_game(run: Run) -> None:
    page = run_pages.run_page(run.folder)
    assert "12 of 12" in page
    assert "7 of 12" in page
    assert not [number for number in range(12) if written_runs.session_of(number).secret in page.lower()]
    with pytest.raises(RefusedError, match="after its end"):
        run_pages.game_page(run.folder, run.info.entries[0].slug, 0)


def test_a_game_of_a_finished_run_shows_true_marks_beside_noisy_ones(run: Run) -> None:
    run.finish("2026-01-31T13:00:00+00:00")
    page = run_pages.game_page(run.folder, run.info.entries[1].slug, 4)
    assert written_runs.session_of(4).secret.upper() in page
    assert "true marks" in page
    assert "ZeroDivisionError" in page
    with pytest.raises(RefusedError, match="does not exist"):
        run_pages.game_page(run.folder, run.info.entries[0].slug, 99)


def test_new_records_change_the_version_of_a_page(run: Run) -> None:
    before = run_pages.version_of(run.folder)
    written_runs.append(run, 1, range(7, 9))
    assert run_pages.version_of(run.folder) != before


def test_files_of_a_run_are_never_served(run: Run, tmp_path: Path) -> None:
    for name in ("report.html", "index.html", "LEADERBOARD.md", "run.json"):
        (run.folder / name).write_text("<script>alert(1)</script>", encoding="utf-8")
    with web_client(tmp_path, results=tmp_path) as client:
        for path in ("hand/report.html", "hand/index.html", "hand/run.json", "hand/LEADERBOARD.md", "../hand/run.json"):
            reply = client.send(f"/runs/{path}")
            assert (reply.status_code, "alert" in reply.text) == (404, False)


def test_text_from_contestants_is_escaped(run: Run) -> None:
    page = run_pages.page("<b>bold</b>", "<img src=x onerror=alert(1)>", depth=1)
    assert "<b>" not in page
    assert "<img" not in page
