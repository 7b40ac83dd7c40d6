"""What pages show of games that a right guess ends: estimates without luck, with counted values beside them."""

import json
from csv import DictReader
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import load_run

BUNDLED_RUN = Path(__file__).parents[2] / "results" / "bundled"
METHOD = "are estimated without luck: how many fewer guesses a clue left to go than its guess could expect"


@pytest.fixture(scope="module")
def report():
    return RunReport.of(BUNDLED_RUN)


@pytest.fixture(scope="module")
def wordle(report):
    """The rows of the board of Wordle, by entry."""
    (board,) = (board for board in report.boards if board.rules == "wordle/1")
    return board.table.set_index("strategy")


@pytest.mark.slow
def test_scores_of_wordle_are_estimated_and_the_counted_ones_stay_beside_them(wordle):
    games = load_run(BUNDLED_RUN)
    for name, row in wordle.iterrows():
        costs = games.loc[games["entry"] == name, "cost"].to_numpy(float)
        assert row["mean_guesses_counted"] == pytest.approx(np.where(np.isfinite(costs), costs, 7).mean())
        assert row["solved_in_4_counted"] == pytest.approx((costs <= 4).mean())
        assert row["won_counted"] == pytest.approx(np.isfinite(costs).mean())
        for score in ("mean_guesses", "solved_in_4"):
            width, counted = (row[f"{head}_high"] - row[f"{head}_low"] for head in (score, f"{score}_counted"))
            assert width < 0.55 * counted
            assert row[f"{score}_counted_low"] <= row[score] <= row[f"{score}_counted_high"]


@pytest.mark.long
def test_terminal_page_csv_and_json_show_the_same_numbers_and_name_the_method_once(report, wordle):
    text = wordpl("evaluate", "--resume", BUNDLED_RUN, "--full").output
    data = json.loads(wordpl("evaluate", "--resume", BUNDLED_RUN, "--json").stdout)
    entries = {row["strategy"]: row for board in data["boards"] for row in board["entries"]}
    rows = {row["strategy"]: row for row in DictReader(StringIO(report.scores_csv()), delimiter=";")}
    page = report.markdown()
    for name, row in wordle.iterrows():
        for column in ("mean_guesses", "mean_guesses_low", "mean_guesses_counted", "solved_in_4", "won_counted"):
            assert entries[name][column] == pytest.approx(row[column])
            assert float(rows[name][column]) == pytest.approx(row[column])
        for shown in (f"{row['mean_guesses']:.3f}", f"{row['mean_guesses_counted']:.3f}"):
            assert shown in text
            assert shown in page
    assert " ".join(page.split()).count(METHOD) == 1


@pytest.mark.slow
def test_percentiles_of_guesses_stay_counted(wordle):
    assert not [
        column for column in wordle.columns if column.startswith("p50_estimate") and wordle[column].notna().any()
    ]
