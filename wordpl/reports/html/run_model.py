"""The contents of a page about a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from wordpl.core.words import WordLists
from wordpl.reports.board import Board
from wordpl.stats.compare.differences import ComparisonMatrix


@dataclass(frozen=True, eq=False)
class RunModel:
    """The contents of a page about a run.

    Attributes:
        name: The name of the run.
        frame: Rows of `run_records.load_run`, with the columns `posterior` and `cpu_s` if they are known.
        boards: The boards.
        matrices: The pairwise comparisons for each game, one matrix per score.
        lists: The word lists of the run.
        facts: Facts about the run, by name.
        remarks: Sentences about entries.
        verified: The sentences of `wordpl verify`; empty if the run was not verified.
        commands: The commands that play the run, verify it, and write the page.
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
