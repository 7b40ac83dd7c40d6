"""The records of a run: the best entries at each quantile, and the judgement of a claim."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from wordpl.contest import determinism
from wordpl.contest.entries import require_named
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.reports.cells import number
from wordpl.reports.run_report import RunReport, generator
from wordpl.reports.section import Table, text_table
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import RunInfo
from wordpl.stats import compare
from wordpl.stats.compare import Claim, HeadToHead, Judgement
from wordpl.stats.compare.claims import RECORD_GAMES
from wordpl.stats.compare.sequential import SequentialTestResult
from wordpl.stats.estimates import LuckCorrected

ESTIMATE = "estimate (95%)"


@dataclass(frozen=True)
class ClaimTables:
    """The tables about a claim: the judgement of each entry, and the comparisons of pairs of entries."""

    judgement: Table
    duels: list[Table]


class RecordReport:
    """The records of a run, from the games that are scored by their budget.

    Attributes:
        info: The description of the run.
        folder: The run's folder.
        game_id: The name of the game.
        games: The games with a budget, one per row.
        remarks: Sentences about the repeated and irregular games of the entries.
    """

    def __init__(self, run: Run, report: RunReport | None = None):
        """Read the games of a run.

        Args:
            run: The run.
            report: The report of the run, if it has been computed.

        Raises:
            UserError: The run has no game with a budget, or several.
        """
        self._report = report = report or RunReport(RunRecords(run))
        with_budget = {entry.game.id for entry in report.records.info.entries if entry.game.has_answer_move}
        self.info, self.folder, self.remarks = report.records.info, run.folder, report.remarks
        self.games: pd.DataFrame = report.games[report.games["rules"].isin(with_budget)]
        game_ids = list(self.games["rules"].unique())
        if len(game_ids) != 1:
            games_text = f"the games {' and '.join(game_ids)}" if game_ids else "no game with a budget"
            raise UserError(f"{run.folder} has {games_text}: records are for one game with a budget, such as wordpl/1.")
        self.game_id: str = game_ids[0]

    @cached_property
    def champions(self) -> dict[float, list[compare.RecordRow]]:
        """The board of each quantile.

        Raises:
            UserError: No game has been played by all entries.
        """
        games = self.games[~self.games["entry"].isin(self.barred)]
        if games.empty:
            raise UserError(
                f"no entry of {self.folder} can hold a record: all of them changed when they were repeated."
            )
        if compare.by_entry(games)[games["entry"].iloc[0]].empty:
            raise UserError(f"no game of {self.folder} has been played by all entries yet.")
        return compare.champions(games, generator(self.info), self._luck)

    @cached_property
    def barred(self) -> dict[str, str]:
        """Why an entry holds no record, by its name: it made other moves when its games were repeated."""
        found = determinism.findings(self._report.records)
        return {
            finding.entry.name: "it seems to know the secret" if finding.by_secret else "its repeated games differ"
            for finding in found
            if finding.changed
        }

    @cached_property
    def _luck(self) -> dict[str, LuckCorrected] | None:
        """The games of all entries without most of the luck; None if they cannot be credited from their clues."""
        luck = self._report.luck
        return luck if set(self.games["entry"]) <= set(luck) else None

    def judge(self, claim: tuple[float, float], against: str | None) -> ClaimTables:
        """Return the judgement of a claim by the run.

        Args:
            claim: The quantile and the budget.
            against: The name of an entry to compare with the others.
        """
        info = self.info
        order = None if info.seed is None else seeds.order(seeds.run_key(info.seed), info.config.n_games)
        judgements = compare.judgements(self.games, *claim, order, self._luck)
        names_of_players = set(self.games["entry"])
        entries = [entry for entry in info.entries if entry.name in names_of_players]
        duels = []
        for entry in require_named(against, entries) if against else ():
            pairs = compare.head_to_heads(self.games, entry.name, claim, order, generator(info))
            duels.append(duel_table(pairs, entry.name, claim))
        return ClaimTables(judgement_table(judgements, claim, info.config.n_games, self.barred), duels)


def unfit(info: RunInfo) -> Iterator[str]:
    """Yield the reasons why a run cannot hold records."""
    if not info.commitment:
        yield "it is not official (wordpl evaluate --official), so its seed could have been chosen"
    if info.config.player == PlayerKind.TRUSTED:
        yield "its entries ran in the harness's own process"
    if info.finished is None:
        yield "it has not ended"
    if info.after_seed:
        yield f"entries were added to it after its seed was known: {', '.join(info.after_seed)}"
    if info.config.n_games < RECORD_GAMES:
        yield f"it has {info.config.n_games:,} games for each entry, but a record needs {RECORD_GAMES:,}"


def judgement_table(
    found: Sequence[Judgement],
    claim: tuple[float, float],
    n_games: int,
    barred: Mapping[str, str],
) -> Table:
    """Return the judgement of a claim for each entry.

    Args:
        found: The judgement of each entry.
        claim: The quantile and the budget.
        n_games: The number of games, which was fixed in advance.
        barred: Why an entry holds no record, by its name.
    """
    q, budget = claim
    rows = [
        (
            judgement.name,
            f"{judgement.claim.n_games:,}",
            *shares(judgement.claim),
            f"no: {barred[judgement.name]}" if judgement.name in barred else _verdict(judgement.claim, n_games),
            _test_verdict(judgement.reading),
        )
        for judgement in found
    ]
    heads = ("strategy", "games", "won within it", ESTIMATE, "at least", "shown", "read in order")
    legend = (
        "Estimate, at least: the 95% interval and the one-sided lower bound of the share, without luck if the entry "
        "always spends this budget, and thus has declared it before the run; otherwise from the games won. The claim "
        "is shown if the bound is above the quantile, for a number of games that was fixed in advance, if the games "
        "won do not contradict it, and if no repeated game has other moves. Read in order: a sequential test of the "
        "same values that may be evaluated after each game, so that a run can stop when the result is clear; each "
        "verdict is wrong in at most 5% of runs. Choose one of the two in advance."
    )
    title = f"Are {100 * q:g} % of all games won within {budget:.6g}?"
    return text_table(title, heads, rows, frozenset({"strategy", "shown", "read in order"}), legend)


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


def duel_table(found: Sequence[HeadToHead], entry: str, claim: tuple[float, float]) -> Table:
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
    return text_table(f"{entry} on the same games", heads, rows, frozenset({"against", "read in order"}), legend)


def shares(claim: Claim) -> tuple[str, str, str]:
    """Return the share won, the estimate with its interval, and its bound; two decimals can decide about a record."""
    estimate = f"{claim.estimate:.2%} ({100 * claim.low:.2f}–{claim.high:.2%})"
    return f"{claim.share:.2%}", estimate, f"{claim.bound:.2%}"
