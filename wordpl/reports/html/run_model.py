"""What a page shows of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from wordpl.core.words import WordLists
from wordpl.reports.board import Board
from wordpl.stats.compare.matrix import ComparisonMatrix


@dataclass(frozen=True, eq=False)
class RunModel:
    """What a page shows of a run.

    Attributes:
        name: What the run is called.
        frame: Rows of `records.load_run`, with the columns `posterior` and `cpu_s` where they are known.
        boards: Its boards.
        matrices: For each board's game the comparison of all pairs, a matrix a score.
        lists: The words it was played with.
        facts: What was played and how, by name.
        remarks: Sentences about entries.
        verified: What `wordpl verify` says, in sentences; empty where it was not asked.
        commands: What makes the run, checks it, and makes the page again.
    """

    name: str
    frame: pd.DataFrame
    boards: Sequence[Board]
    matrices: Mapping[str, Sequence[ComparisonMatrix]]
    lists: WordLists
    facts: Mapping[str, str]
    remarks: Sequence[str] = ()
    verified: Sequence[str] = ()
    commands: Sequence[str] = field(default_factory=tuple)

    def rows_of(self, board: Board) -> pd.DataFrame:
        """Return the games of a board."""
        return self.frame[self.frame["rules"] == board.rules]

    @property
    def n_games(self) -> int:
        """One more than the largest number of a game."""
        return int(self.frame["game"].max()) + 1 if len(self.frame) else 0


def is_noisy(board: Board) -> bool:
    """Return whether the games of a board have budgets."""
    return any(score.name == "mean_cost" for score in board.scores)
