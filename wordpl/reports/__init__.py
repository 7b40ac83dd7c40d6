"""What a run says, made readable: tables in the terminal, LEADERBOARD.md, scores.csv.

boards = reports.boards(load_run(folder), rng)
reports.show(boards, console)
reports.write(boards, folder, {"seed": "1f0e", "games": "1001"})
"""

from wordpl.reports.board import Board, boards
from wordpl.reports.files import write
from wordpl.reports.repeat_report import sentences
from wordpl.reports.terminal import show, show_against

__all__ = ["Board", "boards", "sentences", "show", "show_against", "write"]
