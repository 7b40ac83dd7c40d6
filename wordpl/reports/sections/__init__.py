"""The sections of the reports about runs, one module each. Modules added to this folder are found automatically.

A module defines its section as `SECTION = RunSection(...)`, and computes its parts from the results of a run. The
renderers show these parts in the terminal, in LEADERBOARD.md, on the page, in JSON and in the app.
"""

from collections.abc import Sequence

from wordpl.core import modules_in
from wordpl.reports.elements import Detail, Part, RunSection, Section
from wordpl.reports.results import RunResults

__all__ = ["find", "sections_of"]


def find() -> dict[str, RunSection]:
    """Return the sections by name, in the order of a report."""
    modules = [module for module in modules_in(__name__) if hasattr(module, "SECTION")]
    sections = {module.__name__.rpartition(".")[2]: module.SECTION for module in modules}
    return dict(sorted(sections.items(), key=lambda item: (item[1].place, item[0])))


def sections_of(results: RunResults, level: Detail = Detail.DETAILS) -> list[Section]:
    """Return the sections of a run up to this level that have contents."""
    computed = [
        Section(name, section.title, _parts(name, section, results), section.level)
        for name, section in find().items()
        if section.level <= level
    ]
    return [section for section in computed if section.parts]


def _parts(name: str, section: RunSection, results: RunResults) -> Sequence[Part]:
    """Return the contents of a section, which are computed once if they follow from the games."""
    if not section.is_of_games:
        return list(section.parts(results))
    if name not in results.computed:
        results.computed[name] = list(section.parts(results))
    return results.computed[name]
