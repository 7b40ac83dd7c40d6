"""The reports that a run's folder keeps."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.reports.board import Board
from wordpl.reports.markdown import leaderboard
from wordpl.reports.scores_csv import scores_csv


def write(
    boards: Sequence[Board],
    folder: Path,
    facts: Mapping[str, str],
    remarks: Sequence[str] = (),
    played_twice: Mapping[str, Sequence[int]] | None = None,
) -> None:
    """Write LEADERBOARD.md and scores.csv.

    facts: what was played and how, for the head of the page. remarks: sentences for its end. played_twice: see
    `scores_csv`
    """
    write_atomically(Path(folder) / "LEADERBOARD.md", leaderboard(boards, facts, remarks).encode())
    write_atomically(Path(folder) / "scores.csv", scores_csv(boards, played_twice).encode())


def write_page(path: Path, page: str) -> None:
    """Write a page to a file of the user's choice.

    Raises:
        UserError: The file cannot be written.
    """
    try:
        write_atomically(path, page.encode())
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}.") from None
