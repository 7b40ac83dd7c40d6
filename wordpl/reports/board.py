"""The table behind every report, with one row for each entry, ordered by rank."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from wordpl.core.records import Verdict
from wordpl.stats import compare
from wordpl.stats.posterior_wins import ClueExcess, clue_excesses
from wordpl.stats.scores import LOSS_COST, Score, main_score, scores_for
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.shares import distribution, worst_words

FAULTS = (Verdict.ILLEGAL, Verdict.CRASHED, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT)
NEWER = ("n_fault", "n_unplayed")
"""Columns that are left out if all values are 0, so that tables of older runs do not change."""


@dataclass(frozen=True, eq=False)
class Board:
    """The results of all entries in one game.

    Attributes:
        rules: The name of the game.
        scores: The scores of the columns.
        n_compared: The number of games that all entries have played, on which they were compared.
        table: One row for each entry, with its name in the column `strategy`. Each score S has the columns S, S_low
            and S_high. A score that ranks entries also has S_mark (see `compare.PairwiseSignificance.marks`),
            S_rank_low and S_rank_high (the rank interval), and S_p_best (the probability of being the best). `place` is
            S_rank_low of the main score. Counts are n_games, n_VERDICT and n_faults; classic games also have
            n_solved_in_1 to n_solved_in_6, and worst_words, a list of (secret, guesses). cpu_median_s and cpu_max_s are
            CPU times of a game, if they are known.
        loss_cost: The cost of a lost game in the mean cost.
        excesses: The entries that won more games than their clues allow.
        exact: The entries that have played every possible game, so that their scores have no interval.
        compared: The pairwise comparisons of the entries, by the name of the score.
    """

    rules: str
    scores: list[Score]
    n_compared: int
    table: pd.DataFrame
    loss_cost: float = LOSS_COST
    excesses: list[ClueExcess] = field(default_factory=list)
    exact: frozenset[str] = frozenset()
    compared: Mapping[str, compare.PairwiseSignificance] = field(default_factory=dict)

    @property
    def ranked_scores(self) -> list[Score]:
        """The scores that rank entries and are always shown; empty if there is only one entry."""
        if len(self.table) < 2 or not self.n_compared:
            return []
        return [score for score in self.scores if score.shown == "always" and f"{score.name}_p_best" in self.table]

    def _repr_html_(self) -> str:
        """Return the board's table for a notebook."""
        from wordpl.reports.html.tables import notebook_html  # imports this module

        return notebook_html(self)

    def order_by(self, score: Score) -> pd.DataFrame:
        """Return the table with the best entry of this score first."""
        by = [f"{score.name}_rank_low", score.name, "strategy"]
        return self.table.sort_values(by, ascending=[True, bool(score.lower_is_better), True], ignore_index=True)


def boards(
    run: pd.DataFrame,
    rng: np.random.Generator,
    loss_cost: float = LOSS_COST,
    exact: Collection[str] = (),
) -> list[Board]:
    """Return a board for each game of the run.

    Args:
        run: Rows of `run_records.load_run`. The column `posterior` (see `posterior_wins.with_posteriors`) adds P(win)
            and the test of the clues to noisy games; the column `cpu_s` adds CPU times.
        rng: The generator of the resamples for the probabilities of being the best; it does not affect the order.
        loss_cost: The cost of a lost game in the mean cost.
        exact: The entries that have played every answer once, always with the same moves.
    """
    by_rules = run.groupby("rules", sort=False, observed=True)
    boards_by_rules = [_board(str(rules), games, rng, loss_cost) for rules, games in by_rules]
    return [_with_exact(board, frozenset(exact)) for board in boards_by_rules] if exact else boards_by_rules


def _with_exact(board: Board, exact: frozenset[str]) -> Board:
    """Return the board without intervals for exact entries; if all entries are exact, their ranks are exact too."""
    table, is_exact = board.table.copy(), board.table["strategy"].isin(exact)
    for score in board.scores:
        table.loc[is_exact, [f"{score.name}_low", f"{score.name}_high"]] = np.nan
        if is_exact.all() and score.lower_is_better is not None:
            worth = table[score.name] if score.lower_is_better else -table[score.name]
            table[f"{score.name}_rank_low"] = worth.rank(method="min").astype(int)
            table[f"{score.name}_rank_high"] = worth.rank(method="max").astype(int)
            best = worth == worth.min()
            table[f"{score.name}_p_best"] = best / best.sum()
            table[f"{score.name}_mark"] = np.where(best & (len(table) > 1), compare.MARK, "")
    main = next(score for score in board.scores if score.main)
    table["place"] = table[f"{main.name}_rank_low"]
    exact_board = replace(board, table=table, exact=frozenset(table.loc[is_exact, "strategy"]))
    return replace(exact_board, table=exact_board.order_by(main))


def _board(rules: str, games: pd.DataFrame, rng: np.random.Generator, loss_cost: float) -> Board:
    measure = str(games["measure"].iloc[0])
    known_scores = [score for score in scores_for(measure, loss_cost) if not _is_unknown(score, games)]
    scores = sorted(known_scores, key=lambda score: not isinstance(score, QuantileScore))
    entries = {str(name): rows for name, rows in games.groupby("entry", sort=False, observed=True)}
    table = pd.DataFrame([_row(name, rows, scores) for name, rows in entries.items()])
    table = table.drop(columns=[name for name in NEWER if not table[name].any()])
    table.insert(1, "rules", rules)
    n_compared = len(next(iter(compare.by_entry(games).values())))
    significances = compare.pairwise_significance(games, rng, loss_cost) if n_compared else {}
    table = table.assign(**_comparison_columns(scores, significances, len(table)))
    main = main_score(measure)
    table["place"] = table[f"{main.name}_rank_low"]
    quantiles = [score for score in scores if isinstance(score, QuantileScore)]
    excesses = clue_excesses(games, quantiles) if measure == "budget" and "posterior" in games else []
    board = Board(rules, scores, n_compared, table, loss_cost, excesses, compared=significances)
    return replace(board, table=board.order_by(main))


def _is_unknown(score: Score, games: pd.DataFrame) -> bool:
    """Return whether a score that ranks entries cannot be computed, such as P(win) without posteriors."""
    return score.lower_is_better is not None and bool(np.isnan(score.per_game(games)).any())


def _comparison_columns(
    scores: list[Score], significances: Mapping[str, compare.PairwiseSignificance], n_entries: int
) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for score in scores:
        significance = significances.get(score.name)
        columns[f"{score.name}_mark"] = significance.marks if significance else [""] * n_entries
        if score.lower_is_better is not None:
            columns[f"{score.name}_rank_low"] = significance.places if significance else [1] * n_entries
            columns[f"{score.name}_rank_high"] = significance.last_places if significance else [n_entries] * n_entries
            columns[f"{score.name}_p_best"] = significance.p_best if significance else np.full(n_entries, np.nan)
    return columns


def _row(name: str, games: pd.DataFrame, scores: list[Score]) -> dict[str, Any]:
    row: dict[str, Any] = {"strategy": name, "n_games": len(games)}
    for score in scores:
        estimate = score(score.per_game(games))
        row |= {score.name: estimate.value, f"{score.name}_low": estimate.low, f"{score.name}_high": estimate.high}
    for verdict in Verdict:
        row[f"n_{verdict.replace(' ', '_')}"] = int((games["verdict"] == str(verdict)).sum())
    row["n_faults"] = int(games["verdict"].isin([str(verdict) for verdict in FAULTS]).sum())
    if games["measure"].iloc[0] == "guesses":
        row |= {f"n_solved_in_{guesses}": n for guesses, n in enumerate(distribution(games)[:-1], 1)}
        row["worst_words"] = worst_words(games)
    if "cpu_s" in games and games["cpu_s"].notna().any():
        row |= {"cpu_median_s": float(games["cpu_s"].median()), "cpu_max_s": float(games["cpu_s"].max())}
    return row
