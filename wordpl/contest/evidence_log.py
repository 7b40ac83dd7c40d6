"""What has been asked of an entry so far, on disk, so that collecting its evidence goes on after an interruption.

The first line says what is asked and of whom, with the seed of the drawn games; a file that was begun for another
question is begun anew. Then comes a line for each first clue that is done, and one for every few drawn games.
"""

from pathlib import Path
from typing import Any

import msgspec

from wordpl.contest.enumeration import Branch
from wordpl.core import append_log

EVERY = 500
"""Drawn games between two lines."""


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    question: dict[str, Any]
    seed: str


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """Either a branch with its first clue, or the number of drawn games that went as they should."""

    clues: str = ""
    branch: Branch | None = None
    n_played: int = 0


class EvidenceLog:
    """The state of a collection; without a path it is kept in memory alone.

    Attributes:
        seed: Of the drawn games: that of the file, if it holds the same question.
        branches: What is known after each first clue that is done.
        n_played: How many drawn games have been played and went as they should.
    """

    def __init__(self, path: Path | None, question: dict[str, Any], seed: str):
        self.path, self.seed = path, seed
        self.n_histories: int = question["n_histories"]
        self.branches: dict[str, Branch] = {}
        self.n_played = 0
        if path is not None:
            self._open(path, _Head(question, seed))

    def _open(self, path: Path, head: _Head) -> None:
        lines = append_log.whole_lines(path)
        found = _decoded(lines[0], _Head) if lines else None
        if found is None or found.question != head.question:
            path.write_bytes(msgspec.json.encode(head) + b"\n")
            return
        append_log.truncate_torn_tail(path)
        self.seed = found.seed
        for line in lines[1:]:
            said = msgspec.json.decode(line, type=_Line)
            if said.branch is not None:
                self.branches[said.clues] = said.branch
            self.n_played = max(self.n_played, said.n_played)

    def add_branch(self, clues: str, branch: Branch) -> None:
        """Keep what was found after a first clue, unless it is known."""
        if clues not in self.branches:
            self.branches[clues] = branch
            self._append(_Line(clues, branch))

    def add_game(self) -> None:
        """Count a drawn game that went as it should."""
        self.n_played += 1
        if self.n_played % EVERY == 0:
            self._append(_Line(n_played=self.n_played))

    def remove(self) -> None:
        """Delete the file."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _append(self, line: _Line) -> None:
        if self.path is not None:
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(line) + b"\n")


def _decoded(line: bytes, type_: type[_Head]) -> _Head | None:
    try:
        return msgspec.json.decode(line, type=type_)
    except msgspec.DecodeError:
        return None
