"""Reports about runs: tables in the terminal, LEADERBOARD.md, scores.csv and HTML pages.

report = reports.RunReport(RunRecords(run))
reports.show(report.boards, console)
report.write()
"""

from wordpl.reports.board import Board, boards
from wordpl.reports.run_report import RunReport
from wordpl.reports.terminal import show, show_against

__all__ = ["Board", "RunReport", "boards", "show", "show_against"]
