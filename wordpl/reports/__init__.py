"""Reports about runs: in the terminal, as LEADERBOARD.md and scores.csv, as HTML pages and as JSON.

report = reports.RunReport(RunRecords(run))
reports.show(report.sections(), console)
report.write()

A report is a list of sections: data, which is found in `reports.sections`, and which each output renders.

Names are imported on first use: some modules print JSON or plain text, for which pandas and rich would take long.
"""

from typing import TYPE_CHECKING

from wordpl.core import lazy_getattr

if TYPE_CHECKING:
    from wordpl.reports.renderers import show
    from wordpl.reports.results import RunResults
    from wordpl.reports.run_report import RunReport
    from wordpl.reports.sections import sections_of
    from wordpl.reports.standings import Board, boards

__all__ = ["Board", "RunReport", "RunResults", "boards", "sections_of", "show"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "Board": "wordpl.reports.standings",
        "RunReport": "wordpl.reports.run_report",
        "boards": "wordpl.reports.standings",
        "RunResults": "wordpl.reports.results",
        "sections_of": "wordpl.reports.sections",
        "show": "wordpl.reports.renderers",
    },
)
