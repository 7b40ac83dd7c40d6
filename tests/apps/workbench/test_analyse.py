"""Analysis of an entry's losses from the records of a run."""

import pandas as pd
import pytest

from tests.helpers import written_runs
from tests.helpers.cli import wordpl
from wordpl.apps.workbench import loss_analysis
from wordpl.apps.workbench.loss_analysis import analyse, by_neighbours, n_neighbours
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.reports import as_json
from wordpl.reports.run_report import RunReport


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = written_runs.new_run(tmp_path_factory.mktemp("analyse") / "run", 12)
    for entry_index in (0, 1):
        written_runs.append(run, entry_index, range(12))
    return run


@pytest.mark.slow
def test_an_entry_is_compared_with_its_best_rival_on_the_same_games(run):
    analysis = analyse(run.folder, "Lucky()", n_valued=2)
    assert (analysis.n_games, analysis.n_lost) == (12, 6)  # every third is answered wrongly, every fifth crashes
    rival = analysis.rivalry
    assert (rival.rival, rival.n_games, rival.n_only_rival) == ("Steady(epsilon=8)", 12, 2)
    assert [item.game for item in rival.worst[:2]] == [4, 9]
    assert "--number 4" in rival.worst[0].replay
    assert [item.n_games for item in analysis.rounds] == [2, 2]
    assert all(0 < item.expected <= item.available for item in analysis.rounds)
    assert sum(item.n_games for item in analysis.calibration) == 10
    assert sum(item.n_games for item in analysis.neighbours) == 12


def test_the_tables_show_the_analysis(run):
    result = wordpl("analyse", run.folder, "Lucky", "--valued", 1)
    assert result.exit_code == 0
    for text in (
        "12 games, 6 lost",
        "Calibration of the last answer",
        "Comparison with Steady(epsilon=8)",
        "--number 4",
    ):
        assert text in result.stdout
    assert len(loss_analysis.analysis_tables(analyse(run.folder, "Lucky", n_valued=0))) >= 5


@pytest.mark.slow
def test_an_unknown_entry_is_explained_with_the_existing_ones(run):
    with pytest.raises(UserError, match=r"matches no entries.*\n.*Steady"):
        analyse(run.folder, "Luky")
    assert "no strategy 'nobody'" in wordpl("analyse", run.folder, "Lucky", "--against", "nobody").stderr


def test_neighbours_differ_in_one_letter():
    counts = n_neighbours(words.load(None, None))
    assert counts["light"] >= 6
    assert counts["abide"] == sum(
        sum(a != b for a, b in zip("abide", word, strict=True)) == 1 for word in words.load(None, None).answers
    )


def test_the_tables_have_numbers_as_numbers(run):
    for part in as_json.parts(loss_analysis.analysis_tables(analyse(run.folder, "Lucky()", n_valued=2))):
        for row in part["rows"]:
            for column, value in zip(part["columns"], row, strict=True):
                if column["kind"] == "number":
                    assert isinstance(value, int) or value["kind"] in ("number", "estimate"), (part["title"], value)


def test_the_scores_are_those_of_the_board(run):
    (board,) = RunReport.of(run).boards
    row = next(row for row in board.rows if row.name == "Lucky()")
    found = analyse(run.folder, "Lucky()", n_valued=0)
    assert {"P(win)", "mean cost", "p50"} <= found.standings.keys()
    for head, standing in found.standings.items():
        assert repr(standing.cell) == repr(row[standing.score].cell)  # they may have NaN
        assert found.scores[head] == (standing.estimate.value, standing.estimate.low, standing.estimate.high)


def test_the_mean_cost_of_a_group_is_that_of_its_games_even_if_their_sum_overflows():
    rows = pd.DataFrame({"entry": "Bot()", "secret": ["light", "night", "crane"], "cost": [1e308, 1e308, 8.0]})
    groups = by_neighbours(rows, WordLists(("light", "night", "crane"), ("light", "night", "crane")))
    assert sorted(group.mean_cost for group in groups) == [8.0, 1e308]
