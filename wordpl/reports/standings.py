"""The board of each game of a run: a row for each entry, with its standing in each score, and the flat table of them.

A number of a board has one way: `boards` measures it, a `Standing` holds it, and `Standing.cell` is what every output
shows. Who leads and in which order entries stand is asked of the board, which asks the standings.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from wordpl.core.moves import LARGEST_BUDGET, GameFacts, Verdict
from wordpl.core.words import WordLists
from wordpl.reports.elements import EstimateCell, Histogram, RankInterval, rank_interval
from wordpl.reports.names import in_csv, shown
from wordpl.run.frame import rows_by
from wordpl.stats import compare, findings
from wordpl.stats.budget_quantiles import BudgetQuantile
from wordpl.stats.compare.sequential import Forecast
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.findings import Finding, FindingKind
from wordpl.stats.guess_odds import GuessOdds
from wordpl.stats.scores import LOSS_COST, Estimate, Score, facts_of, main_score, scores_for
from wordpl.stats.scores.means import MeanCost, proportion
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.shares import distribution, is_verdict, worst_words

FAULTS = (Verdict.ILLEGAL, Verdict.CRASHED, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT)
MAX_SURE = 0.999
"""The largest probability of being the best that resamples show."""


@dataclass(frozen=True)
class Standing:
    """What one entry has achieved in one score.

    Attributes:
        score: The score.
        estimate: Its number, with the 95% interval; NaN in place of an interval if all possible games were played. A
            percentile is counted; its interval is the shortest one that contains both its number and the interval of
            `without_luck`. Another score is estimated without luck, if luck is known.
        places: The rank interval; None if the score has no direction.
        p_best: The probability of being the best, from resamples; NaN if it is unknown.
        may_be_best: Whether the entry is marked: it has not been shown to be worse than any other, see
            `compare.PairwiseSignificance.marks`.
        without_luck: The estimate of a percentile without luck, if luck is known.
        share: The estimated share of games won within the counted percentile, if luck is known.
        counted: The counted number of a mean or a share that is estimated without luck, in games that a right guess
            ends.
        undecided: Why it is not clear whether the entry wins the share of a percentile at all; "" if it is clear.
        is_exact: Whether the entry has played every possible game.
        is_certain: Whether all entries have, so that ranks and probabilities are exact.
        n_ranked: The number of entries that boards rank by this score; 0 if they show no ranks.
    """

    score: Score
    estimate: Estimate
    places: tuple[int, int] | None = None
    p_best: float = nan
    may_be_best: bool = False
    without_luck: Estimate | None = None
    share: Estimate | None = None
    counted: Estimate | None = None
    undecided: str = ""
    is_exact: bool = False
    is_certain: bool = False
    n_ranked: int = 0

    @property
    def value(self) -> float:
        """The number."""
        return self.estimate.value

    @property
    def sure(self) -> float:
        """The probability of being the best as it is shown: resamples can show that it is large, not that it is 1."""
        return self.p_best if self.is_certain else min(self.p_best, MAX_SURE)

    @property
    def ranks(self) -> RankInterval | None:
        """The rank interval as boards show it, with the probability of being the best; None if they show none."""
        if self.places is None or not self.n_ranked:
            return None
        low, high = self.places
        is_open = low == 1 < high and not self.is_certain  # then the probability is neither 0 nor 1
        return RankInterval(low, high, self.n_ranked, max(self.sure, 1 - MAX_SURE) if is_open else self.p_best)

    @property
    def cell(self) -> EstimateCell:
        """The standing as tables show it."""
        return EstimateCell(
            float(self.value),
            float(self.estimate.low),
            float(self.estimate.high),
            self.score.digits,
            self.score.percent,
            exact=self.is_exact,
            marked=self.may_be_best,
            ranks=self.ranks,
            undecided=self.undecided,
            other=self.other,
        )

    @property
    def other(self) -> float:
        """The estimate of an undecided percentile, if either it or the counted one is infinite; otherwise NaN."""
        if not self.undecided or self.without_luck is None:
            return nan
        estimate = self.without_luck.value
        return estimate if isfinite(estimate) != isfinite(self.value) else nan

    @property
    def number(self) -> float:
        """The number that is shown and compared: the estimate where counting disagrees about whether it is finite."""
        return self.value if isnan(self.other) else self.other

    @property
    def order(self) -> tuple[float, bool, float, float, float]:
        """What the entries are ordered by, the best one first.

        The rank, whether there is a number (the estimate where counting disagrees about whether it is finite), the
        probability of being the best, the number, then the share of games won within it.
        """
        rank, chance = self.places[0] if self.places else 1, 0.0 if isnan(self.p_best) else self.p_best
        value = self.number if self.score.lower_is_better else -self.number
        return rank, self.number == inf, -chance, value, -self.share.value if self.share else 0.0


@dataclass(frozen=True, eq=False)
class EntryRow:
    """The results of one entry in one game.

    Attributes:
        name: The name of the entry.
        n_games: The number of its games.
        verdicts: The number of games with each verdict.
        solved: The numbers of games won in 1, 2, ... guesses; empty in a game without such bins.
        worst_words: The hardest secrets of such a game with their numbers of guesses, infinite for unsolved ones.
        cpu_s: The median and the largest CPU time of a game; None if they are not known.
        standings: The standing in each score, by its name.
    """

    name: str
    n_games: int
    verdicts: Mapping[Verdict, int]
    solved: tuple[int, ...]
    worst_words: list[tuple[str, float]]
    cpu_s: tuple[float, float] | None
    standings: Mapping[str, Standing]

    def __getitem__(self, score: Score) -> Standing:
        """Return the standing in a score."""
        return self.standings[score.name]

    @property
    def n_faults(self) -> int:
        """The number of games lost by a fault."""
        return sum(self.verdicts[verdict] for verdict in FAULTS)

    @property
    def histogram(self) -> Histogram:
        """The numbers of games by the number of guesses, with those not solved at the end."""
        bins = map(str, range(1, len(self.solved) + 1))
        return Histogram((*bins, "X"), (*self.solved, self.n_games - sum(self.solved)))


@dataclass(frozen=True, eq=False)
class Board:
    """The results of all entries in one game.

    Attributes:
        game: The facts of the game.
        scores: The scores of the columns.
        main_score: The score by which the rows are ordered.
        n_compared: The number of games that all entries have played, on which they were compared.
        rows: The results of each entry, the best one by the main score first.
        loss_cost: The cost of a lost game in the mean cost.
        found: The results that the clues of an entry do not allow.
        other_losses: For half and twice the cost of a lost game, the rank intervals by mean cost that differ, by entry.
        exact: The entries that have played every possible game, so that their scores have no interval.
        compared: The pairwise comparisons of the entries, by the name of the score.
        luck: The games of each entry without most of the luck, by its name; None: wins are counted.
    """

    game: GameFacts
    scores: list[Score]
    main_score: Score
    n_compared: int
    rows: Sequence[EntryRow]
    loss_cost: float = LOSS_COST
    found: Sequence[Finding] = ()
    other_losses: Mapping[float, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    exact: frozenset[str] = frozenset()
    compared: Mapping[str, compare.PairwiseSignificance] = field(default_factory=dict)
    luck: Mapping[str, LuckCorrected] | None = None

    @property
    def rules(self) -> str:
        """The name of the game."""
        return self.game.id

    @property
    def names(self) -> list[str]:
        """The names of the entries, in the order of the board."""
        return [row.name for row in self.rows]

    @property
    def ranked_scores(self) -> list[Score]:
        """The scores that rank entries and are always shown; empty if there is only one entry."""
        return [score for score in self.scores if self.rows[0][score].ranks]

    def ranked(self, score: Score) -> list[EntryRow]:
        """Return the rows with the best entry of this score first; exact ties are in the order of the run."""
        return sorted(self.rows, key=lambda row: row[score].order)

    def forecast(self, score: Score, leader: EntryRow, others: Sequence[EntryRow]) -> Forecast | None:
        """Return how many more games would decide between the leader of a score and its closest rival."""
        rivals = [row.name for row in others if row[score].may_be_best]
        compared = self.compared.get(score.name)
        if compared is None or not rivals or leader[score].is_certain:
            return None
        return compared.forecast(leader.name, rivals)

    def n_tied(self, score: Score) -> int:
        """Return how many entries may be the best."""
        return sum(row[score].may_be_best for row in self.rows)

    def findings(self) -> Iterator[str]:
        """Yield a sentence for each result that the clues of an entry do not allow."""
        for one in self.found:
            yield one.sentence(shown(one.entry))

    def loss_notes(self) -> Iterator[str]:
        """Yield how the ranks by mean cost change if a lost game costs half or twice as much."""
        for loss_cost, places in self.other_losses.items():
            changes = [f"{shown(name)} #{rank_interval(*ends)}" for name, ends in places.items()]
            more = len(changes) - compare.MAX_PAIRED
            ranks = ", ".join(changes[: compare.MAX_PAIRED]) + (f" and {more:,} more" if more > 0 else "")
            changed = (
                f"these ranks by mean cost would change: {ranks}" if ranks else "no rank by mean cost would change"
            )
            yield f"If a lost game counted as {loss_cost:g}, {changed}."

    def leaderboard(self) -> pd.DataFrame:
        """Return the board as people read it: its scores with their 95% intervals as text, by place."""
        columns: dict[str, Any] = {"strategy": self.names, "games": [row.n_games for row in self.rows]}
        for score in self.ranked_scores or self.scores:
            found = [row[score].estimate for row in self.rows]
            columns[score.name] = [one.value for one in found]
            columns[f"{score.name} 95%"] = [f"{one.low:.4g}–{one.high:.4g}" for one in found]
        places = [f"#{rank_interval(*(row[self.main_score].places or (1, 1)))}" for row in self.rows]
        return pd.DataFrame(columns).set_index(pd.Index(places, name="place"))

    @cached_property
    def table(self) -> pd.DataFrame:
        """The board as a flat table, from which scores.csv and JSON are made, with one row for each entry.

        Its name is in the column `strategy`. A score S has the columns S, S_low and S_high, S_mark and, if it ranks
        entries, S_rank_low, S_rank_high and S_p_best. A percentile whose luck is known has S_estimate, S_estimate_low
        and S_estimate_high, its estimate without luck, and S_share, S_share_low and S_share_high, the estimated share
        of games won within it. A mean or a share that is estimated without luck in games that a right guess ends has
        S_counted, S_counted_low and S_counted_high. `place` is S_rank_low of the main score. Counts are n_games,
        n_VERDICT and n_faults; games with bins also have n_solved_in_1, n_solved_in_2, ... and worst_words, a list of
        (secret, guesses). cpu_median_s and cpu_max_s are CPU times of a game, if they are known.
        """
        has_times = any(row.cpu_s for row in self.rows)
        return pd.DataFrame([self._flat(row, has_times=has_times) for row in self.rows])

    def _flat(self, row: EntryRow, *, has_times: bool) -> dict[str, Any]:
        flat: dict[str, Any] = {"strategy": row.name, "rules": self.rules, "n_games": row.n_games}
        for score in self.scores:
            one, name = row[score], score.name
            parts = {
                name: one.estimate,
                f"{name}_estimate": one.without_luck,
                f"{name}_share": one.share,
                f"{name}_counted": one.counted,
            }
            for head, found in parts.items():
                if found is not None:
                    flat |= {head: found.value, f"{head}_low": found.low, f"{head}_high": found.high}
        flat |= {f"n_{verdict.replace(' ', '_')}": count for verdict, count in row.verdicts.items()}
        flat["n_faults"] = row.n_faults
        if self.game.bins:
            flat |= {f"n_solved_in_{guesses}": count for guesses, count in enumerate(row.solved, 1)}
            flat["worst_words"] = row.worst_words
        if has_times:
            flat["cpu_median_s"], flat["cpu_max_s"] = row.cpu_s or (nan, nan)
        for score in self.scores:
            one, name = row[score], score.name
            flat[f"{name}_mark"] = compare.MARK if one.may_be_best else ""
            if one.places is not None:
                flat[f"{name}_rank_low"], flat[f"{name}_rank_high"] = one.places
                flat[f"{name}_p_best"] = one.p_best
        main = row[self.main_score].places
        return flat | {"place": main and main[0]}

    @property
    def published(self) -> pd.DataFrame:
        """The flat table without marks, as it is written into files."""
        return self.table.drop(columns=[f"{score.name}_mark" for score in self.scores])


def boards(
    run: pd.DataFrame,
    rng: np.random.Generator,
    loss_cost: float = LOSS_COST,
    exact: Collection[str] = (),
    luck: Mapping[str, LuckCorrected] | None = None,
    order: str = "",
    odds: Mapping[str, GuessOdds] | None = None,
    lists: WordLists | None = None,
) -> list[Board]:
    """Return a board for each game of the run.

    Args:
        run: Rows of `folder.load_run`. The column `posterior` (see `posterior_wins.with_posteriors`) adds P(win)
            and the test of the clues to noisy games; the column `cpu_s` adds CPU times.
        rng: The generator of the resamples for the probabilities of being the best; it does not affect the order.
        loss_cost: The cost of a lost game in the mean cost.
        exact: The entries that have played every answer once, always with the same moves.
        luck: The games without most of the luck of the entries that have such games, by name; None: wins are counted.
        order: The name of the score by which boards are ordered; a game without it has its usual order.
        odds: The odds of the guesses of the entries that have no such games, by name, for the findings.
        lists: The word lists of the run, for the findings.
    """
    found = []
    for games in rows_by(run, "rules").values():
        board = _board(games, rng, loss_cost, luck, order, exact)
        quantiles = [score for score in board.scores if isinstance(score, QuantileScore)]
        found.append(replace(board, found=findings.find(games, lists, quantiles, luck, odds, exact)))
    return found


def _board(
    games: pd.DataFrame,
    rng: np.random.Generator,
    loss_cost: float,
    luck: Mapping[str, LuckCorrected] | None,
    order: str,
    exact: Collection[str],
) -> Board:
    game = facts_of(games)
    known_scores = [
        score
        for score in scores_for(game, loss_cost)  # a score that ranks entries may be unknown, as P(win) without moves
        if score.lower_is_better is None or not np.isnan(score.per_game(games)).any()
    ]
    scores = sorted(known_scores, key=lambda score: not isinstance(score, QuantileScore))
    entries = rows_by(games, "entry")
    if luck is not None and not set(entries) <= set(luck):
        luck = None
    n_compared = len(next(iter(compare.by_entry(games).values())))
    compared = compare.pairwise_significance(games, rng, loss_cost, luck) if n_compared else {}
    own_exact = frozenset(entries) & frozenset(exact)
    standings: dict[str, dict[str, Standing]] = {name: {} for name in entries}
    for score in scores:
        measured = [
            _measured(score, rows, luck[name] if luck and name not in own_exact else None, is_exact=name in own_exact)
            for name, rows in entries.items()
        ]
        is_shown = score.ranks_boards and n_compared > 0 and len(entries) > 1
        for name, one in zip(entries, _compared(measured, compared.get(score.name), is_shown=is_shown), strict=True):
            standings[name][score.name] = one
    rows = [_row(name, own, standings[name]) for name, own in entries.items()]
    main = next(score for score in scores if score.name == main_score(game, order).name)
    others = _other_losses(games, scores, compared, luck) if n_compared and len(entries) > 1 else {}
    rows.sort(key=lambda row: row[main].order)
    return Board(game, scores, main, n_compared, rows, loss_cost, (), others, own_exact, compared, luck)


def _measured(score: Score, games: pd.DataFrame, luck: LuckCorrected | None, *, is_exact: bool) -> Standing:
    """Return what an entry has achieved in a score, not yet compared with others."""
    values = None if luck is None else score.without_luck(luck)
    lost = None if luck is None else score.lost(luck)
    estimate, clean, share = score(score.per_game(games) if values is None else values, lost), None, None
    counted = None if values is None or luck is None or luck.luck.has_answer else score(score.per_game(games))
    if isinstance(score, QuantileScore) and luck is not None and score.uses_luck:
        clean, share = BudgetQuantile(luck, score.q).estimate(), proportion(*luck.credited_within(estimate.value))
        estimate = Estimate(estimate.value, min(clean.low, estimate.value), max(clean.high, estimate.value))
    if is_exact:
        estimate = Estimate(estimate.value, nan, nan)
    return Standing(score, estimate, without_luck=clean, share=share, counted=counted, is_exact=is_exact)


def _compared(
    measured: Sequence[Standing], compared: compare.PairwiseSignificance | None, *, is_shown: bool
) -> list[Standing]:
    """Return the standings of all entries in a score with their ranks, which are exact if all entries are.

    Args:
        measured: What each entry has achieved.
        compared: The comparisons of the entries; None: they were not compared.
        is_shown: Whether boards rank entries by this score.
    """
    n, score = len(measured), measured[0].score
    is_certain = all(one.is_exact for one in measured)
    places: list[tuple[int, int] | None] = [None] * n
    chances, may_be_best = [nan] * n, [False] * n
    if score.lower_is_better is not None and is_certain:
        worth = np.array([one.value if score.lower_is_better else -one.value for one in measured])
        n_better, n_not_worse = np.searchsorted(np.sort(worth), worth), np.searchsorted(np.sort(worth), worth, "right")
        places = [(int(low) + 1, int(high)) for low, high in zip(n_better, n_not_worse, strict=True)]
        is_best = worth == worth.min()
        chances, may_be_best = (is_best / is_best.sum()).tolist(), (is_best & (n > 1)).tolist()
    elif score.lower_is_better is not None:
        places = [(1, n)] * n
        if compared is not None:
            places = [(int(low), int(high)) for low, high in compared.rank_intervals.values()]
            chances, may_be_best = compared.p_best.tolist(), [bool(mark) for mark in compared.marks]
    shown_ranks = n if is_shown else 0
    return [
        replace(one, places=ends, p_best=p_best, may_be_best=may, is_certain=is_certain, n_ranked=shown_ranks)
        for one, ends, p_best, may in zip(measured, places, chances, may_be_best, strict=True)
    ]


def _row(name: str, games: pd.DataFrame, standings: Mapping[str, Standing]) -> EntryRow:
    """Return the row of an entry with these standings."""
    verdicts = {verdict: int(is_verdict(games["verdict"], verdict).sum()) for verdict in Verdict}
    share_won = verdicts[Verdict.WON] / len(games)
    decided = {head: replace(one, undecided=_undecided(one, standings, share_won)) for head, one in standings.items()}
    bins, cpu_s = facts_of(games).bins, None
    if "cpu_s" in games and games["cpu_s"].notna().any():
        cpu_s = float(games["cpu_s"].median()), float(games["cpu_s"].max())
    solved = tuple(distribution(games, bins)[:-1]) if bins else ()
    return EntryRow(name, len(games), verdicts, solved, worst_words(games) if bins else [], cpu_s, decided)


def _undecided(one: Standing, standings: Mapping[str, Standing], share_won: float) -> str:
    """Return why it is not clear whether an entry wins the share of a percentile at all; "" if it is clear.

    Either the estimate of P(win) does not decide, or it does, and the counted percentile says the opposite.

    Args:
        one: The standing in a score.
        standings: All standings of the entry, by the name of the score.
        share_won: The counted share of games won.
    """
    if not isinstance(one.score, QuantileScore) or one.without_luck is None or "p_win" not in standings:
        return ""
    q, wins, is_counted = one.score.q, standings["p_win"].estimate, isfinite(one.value)
    if (wins.high < q and not is_counted) or (wins.low > q and is_counted):
        return ""
    margin = (wins.high - wins.low) / 2
    digits = 3 if margin >= 0.001 else 4
    estimated = f"{wins.value:.{digits}f} ± {margin:.{digits}f}"
    if wins.low <= q <= wins.high:
        return f"{q:.0%} undecided: {estimated}"
    return f"{q:.0%} undecided: {share_won:.{digits}f} counted, {estimated} estimated"


def _other_losses(
    games: pd.DataFrame,
    scores: list[Score],
    compared: Mapping[str, compare.PairwiseSignificance],
    luck: Mapping[str, LuckCorrected] | None,
) -> dict[float, dict[str, tuple[int, int]]]:
    """Return the rank intervals by mean cost that differ for half and twice the cost of a lost game."""
    found: dict[float, dict[str, tuple[int, int]]] = {}
    for score in (score for score in scores if isinstance(score, MeanCost)):
        usual = compared[score.name].rank_intervals
        for factor in (0.5, 2.0):
            other = score.with_loss(factor * score.loss_cost)
            ranks = compare.rank_intervals(other, games, luck)
            found[other.loss_cost] = {name: ends for name, ends in ranks.items() if ends != usual[name]}
    return found


SEPARATOR = ";"
SEPARATORS = (";", ",", "\t")
FIRST = ["strategy", "p05", "p50", "p95", "timeouts", "rules", "place"]
"""The first five are those of the original contest's file."""


def scores_csv(boards: Sequence[Board], separator: str = SEPARATOR) -> str:
    """Return the file with one row for each entry; lost quantiles are inf, scores that do not apply are empty.

    Args:
        boards: The boards of a run.
        separator: The separator of the values.
    """
    if not boards:
        return separator.join(FIRST) + "\n"
    table = pd.concat([_rows(board) for board in boards], ignore_index=True).replace(LARGEST_BUDGET, inf)
    further_columns = [column for column in table.columns if column not in FIRST]
    return table[FIRST + further_columns].to_csv(sep=separator, index=False, lineterminator="\n", float_format="%.10g")


def separator_of(text: str) -> str:
    """Return the separator of a file, from its first line.

    >>> separator_of("strategy,p05,p50")
    ','
    """
    return text[len(FIRST[0]) : len(FIRST[0]) + 1] or SEPARATOR


def _rows(board: Board) -> pd.DataFrame:
    rows = board.published
    rows = rows.assign(strategy=rows["strategy"].map(in_csv), timeouts=rows["n_late"])
    by_wins = {in_csv(one.entry): one.p_value for one in board.found if one.kind is FindingKind.WINS}
    rows["clue_excess_p"] = rows["strategy"].map(by_wins)
    if "worst_words" in rows:
        rows["worst_words"] = [
            " ".join(f"{secret}:{guesses:g}" for secret, guesses in row) for row in rows["worst_words"]
        ]
    # Int64 keeps counts as whole numbers if other games do not have them.
    count_columns = [str(column) for column in rows.columns if str(column).startswith("n_") or "_rank_" in str(column)]
    return rows.astype(dict.fromkeys(count_columns, "Int64"))
