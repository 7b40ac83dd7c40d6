"""The records of a run: the best entries at each quantile, and the judgement of a claim."""

from collections.abc import Iterator, Sequence
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
from wordpl.reports.columns import number
from wordpl.reports.plain_table import PlainTable
from wordpl.reports.run_report import RunReport, generator
from wordpl.stats import compare
from wordpl.stats.compare import Claim, HeadToHead, Judgement
from wordpl.stats.compare.claims import RECORD_GAMES
from wordpl.stats.compare.sequential import SequentialTestResult


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
            games_text = f"the games {' and '.join(game_ids)}" if game_ids else "no game with a budget"
            raise UserError(f"{folder} has {games_text}: records are for one game with a budget, such as wordpl/1.")
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
        judgements = compare.judgements(self.games, *claim, order)
        names_of_players = set(self.games["entry"])
        entries = [entry for entry in info.entries if entry.name in names_of_players]
        duels = []
        for entry in require_named(against, entries) if against else ():
            pairs = compare.head_to_heads(self.games, entry.name, claim, order, generator(info))
            duels.append(duel_table(pairs, entry.name, claim))
        return ClaimTables(judgement_table(judgements, claim, info.n_games), duels)


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


def judgement_table(found: Sequence[Judgement], claim: tuple[float, float], n_games: int) -> PlainTable:
    """Return the judgement of a claim for each entry.

    Args:
        found: The judgement of each entry.
        claim: The quantile and the budget.
        n_games: The number of games, which was fixed in advance.
    """
    q, budget = claim
    rows = [
        (
            judgement.name,
            f"{judgement.claim.n_games:,}",
            *shares(judgement.claim),
            _verdict(judgement.claim, n_games),
            _test_verdict(judgement.reading),
        )
        for judgement in found
    ]
    heads = ("strategy", "games", "won within it", "95% interval", "at least", "shown", "read in order")
    legend = (
        "At least: the exact one-sided 95% lower bound. The claim is shown if the bound is above the quantile, for a "
        "number of games that was fixed in advance. Read in order: a sequential test that may be evaluated after each "
        "game, so that a run can stop when the result is clear; each verdict is wrong in at most 5% of runs. Choose "
        "one of the two in advance."
    )
    title = f"Are {100 * q:g} % of all games won within {budget:.6g}?"
    return PlainTable(title, heads, rows, frozenset({"strategy", "shown", "read in order"}), legend)


def _verdict(claim: Claim, n_games: int) -> str:
    if claim.n_games < n_games:
        return f"not yet: {n_games:,} games are planned"
    if claim.is_record or not claim.is_shown:
        return "yes" if claim.is_record else "no"
    return f"yes, but a record needs {RECORD_GAMES:,} games"


def _test_verdict(reading: SequentialTestResult | None) -> str:
    if reading is None:
        return "order not known yet"
    if reading.after is None:
        return f"open after {reading.n_read:,}"
    return f"{reading.verdict}, clear after {reading.after:,}"


def duel_table(found: Sequence[HeadToHead], entry: str, claim: tuple[float, float]) -> PlainTable:
    """Return the comparison of an entry with the others.

    Args:
        found: The comparison with each other entry.
        entry: The name of the entry.
        claim: The quantile and the budget.
    """
    q, budget = claim
    rows = [
        (
            duel.rival,
            f"{duel.pairs.n_games:,}",
            f"{duel.pairs.only_first} : {duel.pairs.only_second}",
            "< 0.001" if duel.pairs.p_value < 0.001 else f"{duel.pairs.p_value:.3f}",
            f"{100 * duel.pairs.difference:+.2f}%",
            f"{100 * duel.pairs.low:+.2f} to {100 * duel.pairs.high:+.2f}%",
            _test_verdict(duel.reading),
            number(duel.margin_chance, percent=True),
        )
        for duel in found
    ]
    heads = ("against", "games", "won alone", "p", "wins more", "95% interval", "read in order", "lower by 5 %")
    legend = (
        f"Won alone: games that only this entry, or only the other, has won within {budget:.6g}, with the exact "
        "McNemar p-value. Wins more: the difference of the shares. Read in order: a sequential test whether it wins "
        f"more often, as above. Lower by 5 %: the probability that its {100 * q:g} % score is at least 5 % below the "
        "other's, from resampled games."
    )
    return PlainTable(f"{entry} on the same games", heads, rows, frozenset({"against", "read in order"}), legend)


def shares(claim: Claim) -> tuple[str, str, str]:
    """Return the share won, its interval and its bound with two decimals, which can decide about a record."""
    return f"{claim.share:.2%}", f"{100 * claim.low:.2f}–{claim.high:.2%}", f"{claim.bound:.2%}"
