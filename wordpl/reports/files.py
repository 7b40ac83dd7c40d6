"""Writes the report files of a run's folder."""

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

    Args:
        boards: The boards of the run.
        folder: The folder of the run.
        facts: Facts about the run for the start of the page, by name.
        remarks: Sentences for the end of the page.
        played_twice: See `scores_csv`.
    """
    write_atomically(Path(folder) / "LEADERBOARD.md", leaderboard(boards, facts, remarks).encode())
    write_atomically(Path(folder) / "scores.csv", scores_csv(boards, played_twice).encode())


def write_page(path: Path, page: str) -> None:
    """Write a page to a file chosen by the user.

    Raises:
        UserError: The file cannot be written.
    """
    try:
        write_atomically(path, page.encode())
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}.") from None
