"""A log of intermediate results, so that collecting an entry's evidence can be resumed after an interruption.

The first line says what is enumerated for which entry, with the seed of the drawn games; if it differs from what is
wanted, the file is overwritten. Each further line is a finished first clue or the number of finished drawn games.
"""

from pathlib import Path
from typing import Any

import msgspec

from wordpl.contest.enumeration import Branch
from wordpl.core.files import complete_lines, truncate_torn_tail

GAMES_PER_LINE = 500
"""The number of drawn games after which a line is written."""


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    question: dict[str, Any]
    seed: str


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """Either a branch with its first clue, or the number of drawn games that agreed with the enumeration."""

    clues: str = ""
    branch: Branch | None = None
    n_played: int = 0


class EvidenceLog:
    """The state of collecting evidence.

    Attributes:
        seed: The seed of the drawn games: that of the file, if it is resumed.
        n_histories: The number of games to draw.
        branches: The finished branches by their first clue.
        n_played: The number of drawn games that agreed with the enumeration.
    """

    def __init__(self, path: Path | None, question: dict[str, Any], seed: str):
        """Open a log, and resume it if it answers the same question.

        Args:
            path: The file; None: keep the state in memory only.
            question: Everything except the seed that the result depends on.
            seed: The seed of the drawn games, unless the log is resumed.
        """
        self.path, self.seed = path, seed
        self.n_histories: int = question["n_histories"]
        self.branches: dict[str, Branch] = {}
        self.n_played = 0
        if path is not None:
            self._open(path, _Header(question, seed))

    def _open(self, path: Path, header: _Header) -> None:
        lines = complete_lines(path)
        logged = _decoded(lines[0], _Header) if lines else None
        if logged is None or logged.question != header.question:
            path.write_bytes(msgspec.json.encode(header) + b"\n")
            return
        truncate_torn_tail(path)
        self.seed = logged.seed
        for line in lines[1:]:
            entry = msgspec.json.decode(line, type=_Line)
            if entry.branch is not None:
                self.branches[entry.clues] = entry.branch
            self.n_played = max(self.n_played, entry.n_played)

    def add_branch(self, clues: str, branch: Branch) -> None:
        """Log the branch of a first clue, unless it is already known."""
        if clues not in self.branches:
            self.branches[clues] = branch
            self._append(_Line(clues, branch))

    def add_game(self) -> None:
        """Count a drawn game that agreed with the enumeration."""
        self.n_played += 1
        if self.n_played % GAMES_PER_LINE == 0:
            self._append(_Line(n_played=self.n_played))

    def remove(self) -> None:
        """Delete the file."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _append(self, line: _Line) -> None:
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(line) + b"\n")


def _decoded(line: bytes, type_: type[_Header]) -> _Header | None:
    try:
        return msgspec.json.decode(line, type=type_)
    except msgspec.DecodeError:
        return None
