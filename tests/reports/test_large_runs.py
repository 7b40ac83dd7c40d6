"""A run that is too large for memory comes to the same as one that is not."""

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl import load_run
from wordpl.contest import Contest
from wordpl.core import run_records
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.run_records import RunRecords
from wordpl.reports.run_report import RunReport

FAILS = DRAWS_ALL.replace("self.left -= 1", "self.left -= 1\n            assert self.left != 2")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = new_run(
        tmp_path_factory.mktemp("large"), {"bot": DRAWS_ALL, "fails": FAILS}, n_games=80, player=PlayerKind.TRUSTED
    )
    return Contest.resume(run.folder, jobs=1).play()


def told(run):
    report = RunReport(RunRecords(run))
    return [report.leaderboard(), report.scores_csv(), *report.failures(), *report.remarks]


@pytest.mark.slow
def test_a_large_run_has_the_same_tables_and_the_same_failures(run, monkeypatch):
    expected = told(run)
    monkeypatch.setattr(run_records, "MAX_CACHED_GAMES", 0)
    assert told(run) == expected
    assert any("games crashed, the first game" in line for line in expected)


def test_columns_that_are_asked_for_hold_what_the_whole_table_holds(run):
    whole, part = load_run(run.folder), load_run(run.folder, columns=["game", "entry", "verdict", "cost", "moves"])
    assert list(part) == ["game", "entry", "verdict", "cost", "moves"]
    for name in part:
        assert part[name].tolist() == whole[name].tolist()
    spent = load_run(run.folder, columns=["spent"])["spent"]
    won = whole["verdict"] == "won"
    assert (spent[won] == whole["cost"][won]).all()
    assert spent[~won].max() > 0


def test_a_column_that_a_run_has_not_is_named(run):
    with pytest.raises(UserError, match="a run has no column 'price'; it has entry, rules"):
        load_run(run.folder, columns=["price"])
