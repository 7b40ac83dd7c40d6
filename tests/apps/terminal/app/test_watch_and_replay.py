"""The watch and replay screens: a growing run, and its games step by step."""

import pytest

from tests.helpers import written_runs
from tests.helpers.pilot import LARGE, SMALL, drive, running, shows, until

pytestmark = [pytest.mark.long, pytest.mark.timeout(200)]


@pytest.fixture
def run(tmp_path):
    run = written_runs.new_run(tmp_path / "run")
    written_runs.append(run, 0, range(12))
    written_runs.append(run, 1, range(5))
    return run


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_a_growing_run_is_shown_and_a_crashed_game_can_be_opened(client, run, size):
    async def scenario():
        async with running(client, size, screen="watch", run=run.folder) as pilot:
            screen = pilot.app.screen
            await shows(pilot, "17 of 24 games")
            await shows(pilot, "Late, crashed and illegal games: 1")
            written_runs.append(run, 1, range(5, 12))
            await shows(pilot, "24 of 24 games")
            run.finish("2026-01-31T12:05:00+00:00")
            await until(pilot, lambda: screen.progress["finished"])
            await pilot.press("tab", "down", "enter")
            await shows(pilot, "ZeroDivisionError: by zero")
            assert pilot.app.screen.name_of_tab == "replay"
            assert pilot.app.screen.game["entry"] == "Lucky()"

    drive(scenario)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_a_game_is_replayed_step_by_step_beside_the_other_entry(client, run, size):
    async def scenario():
        async with running(client, size, screen="replay", run=run.folder) as pilot:
            screen = pilot.app.screen
            await shows(pilot, "17 games")
            await pilot.press("down", "down", "enter")
            await until(pilot, lambda: screen.game and screen.others)
            assert screen.game["number"] == 2
            await shows(pilot, "wrong")
            first, last = screen.game["steps"][0], screen.game["steps"][-1]
            await shows(pilot, f"{first['before']['bits']:.2f} bits")
            await pilot.press("right", "right")
            await shows(pilot, f"{last['after']['bits']:.2f} bits")
            await pilot.press("left")
            assert screen.at == 1
            assert screen.others[0]["entry"] == "Lucky()"

    drive(scenario)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_two_entries_are_compared_side_by_side(client, run, size):
    async def scenario():
        async with running(client, size, screen="replay", run=run.folder) as pilot:
            screen = pilot.app.screen
            await shows(pilot, "17 games")
            await pilot.press("down", "down", "enter")
            await until(pilot, lambda: screen.game and screen.others)
            await pilot.press("ctrl+k")
            await until(pilot, lambda: screen.beside)
            await pilot.pause()
            left, right = (screen.query_one(f"#replay-{name}") for name in ("game", "beside"))
            assert left.region.right <= right.region.x
            assert right.region.width >= 40
            assert screen.query_one("#replay-list").display == (size == LARGE)
            await pilot.press("right")
            for game in (screen.game, screen.beside):
                await shows(pilot, f"{game['steps'][1]['after']['bits']:.2f} bits")
            await pilot.press("ctrl+k")
            assert screen.beside is None

    drive(scenario)


def test_games_can_be_filtered_by_secret_and_the_leaderboard_shown(client, run):
    written_runs.append(run, 1, range(5, 12))
    run.finish("2026-01-31T12:05:00+00:00")
    secret = written_runs.record(run, 0, 3).secret

    async def scenario():
        async with running(client, LARGE, screen="replay", run=run.folder) as pilot:
            screen = pilot.app.screen
            await shows(pilot, "24 games")
            screen.query_one("#replay-secret").focus()
            await pilot.press(*secret)
            await shows(pilot, ": 2 games")
            await pilot.press("ctrl+l")
            await until(pilot, lambda: list(screen.query("#replay-board DataTable")))
            board = screen.query("#replay-board DataTable").first()
            assert {str(board.get_row_at(row)[1]) for row in range(board.row_count)} == {"Steady", "Lucky"}
            await shows(pilot, "best p50")

    drive(scenario)


def test_a_folder_that_is_not_a_run_is_explained(client, tmp_path):
    async def scenario():
        async with running(client, screen="watch", run=tmp_path) as pilot:
            await shows(pilot, "is not a run: it has no")

    drive(scenario)
