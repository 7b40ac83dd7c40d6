"""Reports about runs: tables in the terminal, LEADERBOARD.md, scores.csv and HTML pages.

report = reports.RunReport(RunRecords(run))
reports.show(report.boards, console)
report.write()

Names are imported on first use: some modules print JSON or plain text, for which pandas and rich would take long.
"""

from typing import TYPE_CHECKING

from wordpl.core.lazy_exports import lazy_getattr

if TYPE_CHECKING:
    from wordpl.reports.board import Board, boards
    from wordpl.reports.run_report import RunReport
    from wordpl.reports.terminal import show, show_against

__all__ = ["Board", "RunReport", "boards", "show", "show_against"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "Board": "wordpl.reports.board",
        "RunReport": "wordpl.reports.run_report",
        "boards": "wordpl.reports.board",
        "show": "wordpl.reports.terminal",
        "show_against": "wordpl.reports.terminal",
    },
)
