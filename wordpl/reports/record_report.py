"""The records of a run: the best entries at each quantile, and the judgement of a claim."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from wordpl.contest.entries import require_named
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import Run, RunInfo
from wordpl.core.run_records import RunRecords
from wordpl.reports import record_board
from wordpl.reports.plain_table import PlainTable
from wordpl.reports.run_report import RunReport, generator
from wordpl.stats import compare
from wordpl.stats.compare.claims import RECORD_GAMES


@dataclass(frozen=True)
class ClaimTables:
    """The tables about a claim: the judgement of each entry, and the comparisons of pairs of entries."""

    judgement: PlainTable
    duels: list[PlainTable]


class RecordReport:
    """The records of a run, from the games that are scored by their budget.

    Attributes:
        info: The description of the run.
        folder: The run's folder.
        game_id: The name of the game.
        games: The games with a budget, one per row.
        remarks: Sentences about the repeated and irregular games of the entries.
    """

    def __init__(self, folder: Path):
        """Read the games of the run in this folder.

        Raises:
            UserError: The run has no game with a budget, or several.
        """
        report = RunReport(RunRecords(Run(folder)))
        self.info, self.folder, self.remarks = report.records.info, folder, report.remarks
        self.games: pd.DataFrame = report.games[report.games["measure"] == "budget"]
        game_ids = list(self.games["rules"].unique())
        if len(game_ids) != 1:
            found = f"the games {' and '.join(game_ids)}" if game_ids else "no game with a budget"
            raise UserError(f"{folder} has {found}: records are for one game with a budget, such as wordpl/1.")
        self.game_id: str = game_ids[0]

    @cached_property
    def champions(self) -> dict[float, list[compare.RecordRow]]:
        """The board of each quantile.

        Raises:
            UserError: No game has been played by all entries.
        """
        if compare.by_entry(self.games)[self.games["entry"].iloc[0]].empty:
            raise UserError(f"no game of {self.folder} has been played by all entries yet.")
        return compare.champions(self.games, generator(self.info))

    def judge(self, claim: tuple[float, float], against: str | None) -> ClaimTables:
        """Return the judgement of a claim by the run.

        Args:
            claim: The quantile and the budget.
            against: The name of an entry to compare with the others.
        """
        info = self.info
        order = None if info.seed is None else seeds.order(seeds.run_key(info.seed), info.n_games)
        found = compare.judgements(self.games, *claim, order)
        played = set(self.games["entry"])
        entries = [entry for entry in info.entries if entry.name in played]
        duels = []
        for entry in require_named(against, entries) if against else ():
            pairs = compare.head_to_heads(self.games, entry.name, claim, order, generator(info))
            duels.append(record_board.duel_table(pairs, entry.name, claim))
        return ClaimTables(record_board.judgement_table(found, claim, info.n_games), duels)


def unfit(info: RunInfo) -> Iterator[str]:
    """Yield the reasons why a run cannot hold records."""
    if not info.commitment:
        yield "it is not official (wordpl evaluate --official), so its seed could have been chosen"
    if info.player == PlayerKind.TRUSTED:
        yield "its entries ran in the harness's own process"
    if info.finished is None:
        yield "it has not ended"
    if info.n_games < RECORD_GAMES:
        yield f"it has {info.n_games:,} games for each entry, but a record needs {RECORD_GAMES:,}"
