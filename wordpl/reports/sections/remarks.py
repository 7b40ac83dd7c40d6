"""Sentences about repeated and irregular games."""

from collections.abc import Iterator

from wordpl.reports.results import RunResults
from wordpl.reports.section import Note, Part, RunSection


def parts(results: RunResults) -> Iterator[Part]:
    """Yield the remarks."""
    if results.remarks:
        yield Note(results.remarks)


SECTION = RunSection(title="Remarks", parts=parts, place=30)
