"""Reports of runs too large for memory are equal to those of small runs."""

import pytest

from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl import load_run
from wordpl.core.messages import UserError
from wordpl.reports import publication, verification
from wordpl.reports.html.run_page import run_page
from wordpl.reports.run_report import RunReport
from wordpl.run.config import PlayerKind
from wordpl.run.entry import RunEntry
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
    whole, part = (
        load_run(run.folder, moves=True),
        load_run(run.folder, columns=["game", "entry", "verdict", "cost", "moves"]),
    )
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


def test_games_that_are_too_many_to_be_scored_are_left_out_and_the_report_says_so(run, monkeypatch):
    monkeypatch.setattr("wordpl.stats.findings.MAX_SCORED", 100)
    report = RunReport(RunRecords(run))
    assert report.boards[0].table["n_games"].tolist() == [50, 50]
    assert report.remarks[0].startswith("Scores, comparisons and details are those of the first 50 of 80 games")
    assert "the first 50 of 80 games" in report.markdown()


def test_a_page_of_a_run_that_is_too_large_is_not_verified_and_says_so(run, monkeypatch):
    monkeypatch.setattr("wordpl.reports.publication.MAX_VERIFIED", 100)
    (sentence,) = publication.page_results(RunReport(RunRecords(run))).verified
    assert sentence.startswith("Not verified for this page, as the run has more than 100 games: wordpl verify ")


def test_a_page_lists_no_more_games_than_it_says(run, monkeypatch):
    monkeypatch.setattr("wordpl.reports.html.page_data.MAX_LISTED", 20)
    page = run_page([RunReport(RunRecords(run)).results()])
    assert "It lists the first 10 games of each entry: `wordpl export RUN --parquet FILE` writes all games" in page


def test_a_page_shows_the_first_of_many_entries_and_says_where_the_others_are(run, monkeypatch):
    monkeypatch.setattr("wordpl.reports.html.run_page.MAX_ROWS", 1)
    monkeypatch.setattr("wordpl.stats.compare.MAX_PAIRED", 1)
    monkeypatch.setattr("wordpl.stats.compare.N_PAIRED", 1)
    page = run_page([RunReport(RunRecords(run)).results()])
    assert "(the first 1 of 2 rows; LEADERBOARD.md and scores.csv have all)" in page
    assert "(the first 1 of 2 entries)" in page
    assert "`wordpl evaluate --resume RUN --against ENTRY` compares any entry" in page


@pytest.mark.slow
def test_verify_decodes_the_records_of_a_sound_run_once(run, monkeypatch):
    RunReport(RunRecords(run)).write()
    whole = verification.verify_run(run)

    def read_again(*_):
        raise AssertionError("records are read again")

    monkeypatch.setattr(RunEntry, "record_blocks", read_again)
    monkeypatch.setattr(RunEntry, "records", read_again)
    assert verification.verify_run(run) == whole
    assert whole.holds
