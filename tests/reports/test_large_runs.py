"""Reports of runs too large for memory are equal to those of small runs."""

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl import load_run
from wordpl.core.messages import UserError
from wordpl.reports.run_report import RunReport
from wordpl.run.config import PlayerKind
from wordpl.run.folder import RunRecords

FAILS = DRAWS_ALL.replace("self.left -= 1", "self.left -= 1\n            assert self.left != 2")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = new_run(
        tmp_path_factory.mktemp("large"), {"bot": DRAWS_ALL, "fails": FAILS}, n_games=80, player=PlayerKind.TRUSTED
    )
    return resume(run, jobs=1).play()


def report_texts(run):
    report = RunReport(RunRecords(run))
    return [report.markdown(), report.scores_csv(), *report.failures(), *report.remarks]


def test_selected_columns_equal_those_of_the_whole_table(run):
    whole, part = load_run(run.folder), load_run(run.folder, columns=["game", "entry", "verdict", "cost", "moves"])
    assert list(part) == ["game", "entry", "verdict", "cost", "moves"]
    for name in part:
        assert part[name].tolist() == whole[name].tolist()
    spent = load_run(run.folder, columns=["spent"])["spent"]
    won = whole["verdict"] == "won"
    assert (spent[won] == whole["cost"][won]).all()
    assert spent[~won].max() > 0


def test_an_unknown_column_is_explained(run):
    with pytest.raises(UserError, match="a run has no column 'price'; it has entry, rules"):
        load_run(run.folder, columns=["price"])
