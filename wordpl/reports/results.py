"""The results of a run, from which its sections are made: a board with one row per entry, ordered by rank."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core import words
from wordpl.core.moves import GameFacts, Verdict
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists
from wordpl.reports.elements import Entry, rank_interval
from wordpl.reports.names import in_csv, labels, shown
from wordpl.run.frame import Moves, rows_by
from wordpl.run.info import About
from wordpl.stats import compare, findings
from wordpl.stats.budget_quantiles import BudgetQuantile
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.findings import Finding, FindingKind
from wordpl.stats.guess_odds import GuessOdds
from wordpl.stats.scores import LOSS_COST, Score, facts_of, main_score, scores_for
from wordpl.stats.scores.means import MeanCost, proportion
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.shares import distribution, is_verdict, worst_words

ENDS = (("", "value"), ("_low", "low"), ("_high", "high"))
FAULTS = (Verdict.ILLEGAL, Verdict.CRASHED, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT)


@dataclass(frozen=True, eq=False)
class Board:
    """The results of all entries in one game.

    Attributes:
        game: The facts of the game.
        scores: The scores of the columns.
        main_score: The score by which the table is ordered.
        n_compared: The number of games that all entries have played, on which they were compared.
        table: One row for each entry, with its name in the column `strategy`. Each score S has the columns S, S_low
            and S_high. If luck is known, a percentile, which is counted, also has S_estimate, S_estimate_low and
            S_estimate_high, its estimate without luck, and S_share, S_share_low and S_share_high, the estimated share
            of games won within it. A score that ranks entries also has S_mark (see
            `compare.PairwiseSignificance.marks`),
            S_rank_low and S_rank_high (the rank interval), and S_p_best (the probability of being the best). `place` is
            S_rank_low of the main score. Counts are n_games, n_VERDICT and n_faults; games with
            bins also have n_solved_in_1, n_solved_in_2, ... and worst_words, a list of (secret, guesses). cpu_median_s
            and cpu_max_s are CPU times of a game, if they are known.
        loss_cost: The cost of a lost game in the mean cost.
        found: The results that the clues of an entry do not allow.
        other_losses: For half and twice the cost of a lost game, the rank intervals by mean cost that differ, by entry.
        exact: The entries that have played every possible game, so that their scores have no interval.
        compared: The pairwise comparisons of the entries, by the name of the score.
    """

    game: GameFacts
    scores: list[Score]
    main_score: Score
    n_compared: int
    table: pd.DataFrame
    loss_cost: float = LOSS_COST
    found: Sequence[Finding] = ()
    other_losses: Mapping[float, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    exact: frozenset[str] = frozenset()
    compared: Mapping[str, compare.PairwiseSignificance] = field(default_factory=dict)

    @property
    def rules(self) -> str:
        """The name of the game."""
        return self.game.id

    @property
    def ranked_scores(self) -> list[Score]:
        """The scores that rank entries and are always shown; empty if there is only one entry."""
        if len(self.table) < 2 or not self.n_compared:
            return []
        return [score for score in self.scores if score.ranks_boards and f"{score.name}_p_best" in self.table]

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

    @cached_property
    def rows(self) -> list[dict[Any, Any]]:
        """The rows of the table."""
        return self.table.to_dict("records")

    def ranked_rows(self, score: Score) -> list[dict[Any, Any]]:
        """Return the rows with the best entry of this score first; exact ties are in the order of the run."""
        return [self.rows[position] for position in self._order(score)]

    def ordered(self) -> "Board":
        """Return the board with the best entry of its main score first."""
        return replace(self, table=self.table.take(self._order(self.main_score)).reset_index(drop=True))

    def leaderboard(self) -> pd.DataFrame:
        """Return the board as people read it: its scores with their 95% intervals as text, by place."""
        columns: dict[str, Any] = {"strategy": self.table["strategy"], "games": self.table["n_games"]}
        for score in self.ranked_scores or self.scores:
            columns[score.name] = self.table[score.name]
            ends = zip(self.table[f"{score.name}_low"], self.table[f"{score.name}_high"], strict=True)
            columns[f"{score.name} 95%"] = [f"{low:.4g}–{high:.4g}" for low, high in ends]
        last = self.table.get(f"{self.main_score.name}_rank_high", self.table["place"])
        places = [f"#{rank_interval(*place)}" for place in zip(self.table["place"], last, strict=True)]
        return pd.DataFrame(columns).set_index(pd.Index(places, name="place"))

    def _order(self, score: Score) -> NDArray[np.int64]:
        """Return the positions of the rows, the best entry of this score first."""
        keys = {f"{score.name}_rank_low": True, score.name: bool(score.lower_is_better)}
        if f"{score.name}_share" in self.table:
            keys[f"{score.name}_share"] = False  # among equal budgets, the entry that wins more games within them
        # Exact ties keep the order of the run: names do not decide.
        own = self.table[list(keys)].reset_index(drop=True)
        return own.sort_values(list(keys), ascending=list(keys.values()), kind="stable").index.to_numpy()


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
    boards_by_rules = []
    for games in rows_by(run, "rules").values():
        board = _board(games, rng, loss_cost, luck, order)
        quantiles = [score for score in board.scores if isinstance(score, QuantileScore)]
        found = findings.find(games, lists, quantiles, luck, odds, exact)
        boards_by_rules.append(replace(board, found=found))
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
    main = board.main_score
    table["place"] = table[f"{main.name}_rank_low"]
    return replace(board, table=table, exact=frozenset(table.loc[is_exact, "strategy"])).ordered()


def _board(
    games: pd.DataFrame,
    rng: np.random.Generator,
    loss_cost: float,
    luck: Mapping[str, LuckCorrected] | None,
    order: str,
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
    table = pd.DataFrame([_row(name, rows, scores, luck[name] if luck else None) for name, rows in entries.items()])
    table.insert(1, "rules", game.id)
    n_compared = len(next(iter(compare.by_entry(games).values())))
    significances = compare.pairwise_significance(games, rng, loss_cost, luck) if n_compared else {}
    table = table.assign(**_comparison_columns(scores, significances, len(table)))
    main = next(score for score in scores if score.name == main_score(game, order).name)
    table["place"] = table[f"{main.name}_rank_low"]
    others = _other_losses(games, scores, significances, luck) if n_compared and len(entries) > 1 else {}
    board = Board(game, scores, main, n_compared, table, loss_cost, (), others, compared=significances)
    return board.ordered()


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


def _without_luck(score: QuantileScore, counted: float, luck: LuckCorrected) -> dict[str, float]:
    """Return what the clues say of a percentile: its estimate, the share won within it, and its interval.

    The interval is the shortest one that contains both the one of the estimate and the counted percentile, which is
    the score.
    """
    estimate, share = BudgetQuantile(luck, score.q).estimate(), proportion(*luck.credited_within(counted))
    row = {f"{score.name}_low": min(estimate.low, counted), f"{score.name}_high": max(estimate.high, counted)}
    for label, found in (("estimate", estimate), ("share", share)):
        row |= {f"{score.name}_{label}{end}": getattr(found, name) for end, name in ENDS}
    return row


def _row(name: str, games: pd.DataFrame, scores: list[Score], luck: LuckCorrected | None) -> dict[str, Any]:
    row: dict[str, Any] = {"strategy": name, "n_games": len(games)}
    for score in scores:
        values = None if luck is None else score.without_luck(luck)
        lost = None if luck is None else score.lost(luck)
        estimate = score(score.per_game(games) if values is None else values, lost)
        row |= {score.name: estimate.value, f"{score.name}_low": estimate.low, f"{score.name}_high": estimate.high}
        if isinstance(score, QuantileScore) and luck is not None and score.uses_luck:
            row |= _without_luck(score, estimate.value, luck)
        if values is not None and luck is not None and not luck.luck.has_answer:
            counted = score(score.per_game(games))
            row |= {f"{score.name}_counted{end}": getattr(counted, name) for end, name in ENDS}
    counts = {verdict: int(is_verdict(games["verdict"], verdict).sum()) for verdict in Verdict}
    row |= {f"n_{verdict.replace(' ', '_')}": count for verdict, count in counts.items()}
    row["n_faults"] = sum(counts[verdict] for verdict in FAULTS)
    if bins := facts_of(games).bins:
        row |= {f"n_solved_in_{guesses}": n for guesses, n in enumerate(distribution(games, bins)[:-1], 1)}
        row["worst_words"] = worst_words(games)
    if "cpu_s" in games and games["cpu_s"].notna().any():
        row |= {"cpu_median_s": float(games["cpu_s"].median()), "cpu_max_s": float(games["cpu_s"].max())}
    return row


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
    table = pd.concat([_rows(board) for board in boards], ignore_index=True)
    further_columns = [column for column in table.columns if column not in FIRST]
    return table[FIRST + further_columns].to_csv(sep=separator, index=False, lineterminator="\n", float_format="%.10g")


def separator_of(text: str) -> str:
    """Return the separator of a file, from its first line.

    >>> separator_of("strategy,p05,p50")
    ','
    """
    return text[len(FIRST[0]) : len(FIRST[0]) + 1] or SEPARATOR


def _rows(board: Board) -> pd.DataFrame:
    rows = board.table.drop(columns=[f"{score.name}_mark" for score in board.scores])
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


def semicolons(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV file with semicolons, all digits of numbers, and empty fields for unknown values."""
    lines = [heads, *([_shown(value) for value in row] for row in rows)]
    return "".join(";".join(line) + "\n" for line in lines)


def _shown(value: object) -> str:
    if isinstance(value, str):
        text = in_csv(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(';"\n') else text
    return "" if value != value else str(value)


@dataclass(frozen=True, eq=False)
class RunResults:
    """The results of a run.

    Attributes:
        boards: The board of each game.
        games: Rows of `load_run`, with the columns `posterior` and `cpu_s` if they are known.
        moves: The moves of each entry's games, by its name; empty if they are not known.
        lists: The word lists of the run, by default those of the contest.
        name: The name of the run.
        facts: Facts about the run, by name.
        remarks: Sentences about entries.
        verified: The sentences of `wordpl verify`; empty if the run was not verified.
        commands: The commands that play the run, verify it, and write the page.
        draws: The draws of the run; None if its seed is not known or not revealed yet.
        about: What authors say about their entries, by the names of the entries.
        computed: The contents of the sections that have been computed and follow from the games, by name.
    """

    boards: Sequence[Board]
    games: pd.DataFrame
    moves: Mapping[str, Moves] = field(default_factory=dict)
    lists: WordLists = field(default_factory=words.load)
    name: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    verified: Sequence[str] = ()
    commands: Sequence[str] = ()
    about: Mapping[str, About] = field(default_factory=dict)
    draws: Draws | None = None
    computed: dict[str, Sequence[Any]] = field(default_factory=dict, init=False)

    def checked(self, verified: Sequence[str], commands: Sequence[str]) -> "RunResults":
        """Return the results with what `wordpl verify` found and with commands."""
        found = replace(self, verified=verified, commands=commands)
        found.computed.update(self.computed)
        return found

    def rows_of(self, board: Board) -> pd.DataFrame:
        """Return the games of a board."""
        return self._by_rules[board.rules]

    @cached_property
    def _by_rules(self) -> dict[str, pd.DataFrame]:
        return rows_by(self.games, "rules")

    @cached_property
    def _entries(self) -> dict[str, dict[str, Entry]]:
        found: dict[str, dict[str, Entry]] = {}
        for board in self.boards:
            found[board.rules] = entries_of(board, sum(map(len, found.values())))
        return found

    def entries(self, board: Board) -> dict[str, Entry]:
        """Return the entries of a board by name, in the order of the board."""
        return self._entries[board.rules]

    def first(self, board: Board) -> tuple[dict[str, Entry], str]:
        """Return the entries that are shown in detail, and a phrase for a title that says so if these are not all."""
        entries = self.entries(board)
        if len(entries) <= compare.MAX_PAIRED:
            return entries, ""
        first = dict(islice(entries.items(), compare.N_PAIRED))
        return first, f" (the first {len(first)} of {len(entries):,} entries)"

    @property
    def has_moves(self) -> bool:
        """Whether the moves of the games are known."""
        return bool(self.moves)

    @property
    def n_games(self) -> int:
        """One more than the largest number of a game."""
        return int(self.games["game"].max()) + 1 if len(self.games) else 0


def entries_of(board: Board, first: int = 0) -> dict[str, Entry]:
    """Return the entries of a board by name, with labels and numbers from `first` on, in the order of the board."""
    names = [str(name) for name in board.table["strategy"]]
    short = labels(names)
    return {name: Entry(name, short[name], number) for number, name in enumerate(names, first)}
