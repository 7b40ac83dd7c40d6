"""Sentences about repeated and irregular games."""

from collections.abc import Iterator

from wordpl.reports.elements import Note, Part, RunSection
from wordpl.reports.results import RunResults


def parts(results: RunResults) -> Iterator[Part]:
    """Yield the remarks."""
    if results.remarks:
        yield Note(results.remarks)


SECTION = RunSection(title="Remarks", parts=parts, place=30)
