"""Sections of reports are found, not listed, and each output renders them."""

import io
import json
import sys

import pytest
from msgspec.structs import replace
from rich.console import Console

from tests.helpers import written_runs
from wordpl import reports
from wordpl.reports import as_json, sections
from wordpl.reports.html.run_page import run_page
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import About

SECTION = """
from wordpl.reports.elements import EstimateCell
from wordpl.reports.elements import Column, Note, RunSection, Table


def parts(results):
    for board in results.boards:
        rows = [(entry, EstimateCell(36.5, 30.25, 41.75, digits=2)) for entry in results.entries(board).values()]
        yield Table("A dropped table", [Column("strategy", "name"), Column("dropped score")], rows)
    yield Note(["A dropped sentence."])


SECTION = RunSection(title="A dropped section", parts=parts, place=45)
"""


@pytest.fixture
def dropped(tmp_path, monkeypatch):
    """A section in a file of its own, which nothing else mentions."""
    (tmp_path / "dropped.py").write_text(SECTION)
    monkeypatch.setattr(sections, "__path__", [*sections.__path__, str(tmp_path)])
    yield
    sys.modules.pop("wordpl.reports.sections.dropped", None)


@pytest.mark.slow
@pytest.mark.usefixtures("dropped")
def test_a_section_in_a_file_appears_in_every_output(tmp_path):
    run = written_runs.finished_run(tmp_path)
    report = RunReport(RunRecords(run))
    for full in (False, True):
        console = Console(file=io.StringIO(), width=100)
        reports.show(report.sections(), console, full)
        assert "A dropped table" in console.file.getvalue()
        assert "30.25–41.75" in console.file.getvalue()
    assert "## A dropped section" in report.markdown()
    assert "36.50 (30.25–41.75)" in report.markdown()
    page = run_page([report.results()])
    assert "A dropped table" in page
    assert "<small>30.25–41.75</small>" in page
    value = json.loads(as_json.as_text("evaluate", as_json.run(report)))
    (found,) = (section for section in value["sections"] if section["name"] == "dropped")
    assert found["parts"][0]["rows"][0][1]["low"] == 30.25
    assert found["parts"][-1]["sentences"] == ["A dropped sentence."]


def test_authors_are_shown_if_an_entry_names_one(tmp_path):
    run = written_runs.finished_run(tmp_path)
    assert "## Authors" not in RunReport(RunRecords(run)).markdown()
    first, *others = run.info.entries
    run.info.entries = [replace(first, about=About("Ann", "https://example.org", "Guess well.")), *others]
    run.write_info()
    report = RunReport(RunRecords(Run(run.folder)))
    assert "Ann | Guess well. | https" in report.markdown()
    value = json.loads(as_json.as_text("evaluate", as_json.run(report)))
    assert value["boards"][0]["entries"][0].items() >= {"author": "Ann", "description": "Guess well."}.items()


def test_each_module_of_the_folder_is_a_section_with_a_place_of_its_own():
    found = sections.find()
    assert list(found.values()) == sorted(found.values(), key=lambda section: section.place)
    assert len({section.place for section in found.values()}) == len(found)


def test_entries_that_are_named_together_are_compared_once(tmp_path):
    report = RunReport(RunRecords(written_runs.finished_run(tmp_path)))
    (table,) = report.against("x.py")
    assert len(table.rows) == 1
