"""The board of each game: who leads each score, and one row for each entry."""

from collections.abc import Iterator, Mapping
from math import isfinite, isnan
from typing import Any

from wordpl.core.messages import amount
from wordpl.reports import elements
from wordpl.reports.results import Board, RunResults, entries_of
from wordpl.stats.scores import Score
from wordpl.stats.scores.quantiles import QuantileScore

MEANINGS = {
    "p05": "the budget to win 5 % of games",
    "p50": "the budget to win 50 % of games",
    "p95": "the budget to win 95 % of games",
    "p_win": "the probability of winning",
    "mean_cost": "the mean cost of a game",
    "mean_guesses": "the mean number of guesses",
    "mean_tries": "the mean number of guesses",
    "solved_in_4": "the share solved in four guesses",
}

MAX_SURE = 0.999


def parts(results: RunResults) -> Iterator[elements.Part]:
    """Yield the verdicts, the table and the findings of each board."""
    for board in results.boards:
        entries = results.entries(board)
        yield elements.Verdicts(
            title(board), [verdict(board, score, entries) for score in board.ranked_scores], board.rules
        )
        yield table(board, entries)
        if board.exact:
            yield elements.Note([about_exact(board)])
        if findings := list(board.findings()):
            yield elements.Note(findings, "finding")


def about_exact(board: Board) -> str:
    """Return which entries have exact scores, and why."""
    n_answers = int(board.table["n_games"].max())
    names = "" if len(board.exact) == len(board.table) else f" by {', '.join(sorted(board.exact))}"
    return f"Exact: all {n_answers:,} answers were played once{names}."


def title(board: Board) -> str:
    """Return the game and the size of the sample."""
    return f"{board.rules} · {sample_size(board.table)}" + (" each" if len(board.table) > 1 else "")


def sample_size(table: Any) -> str:
    """Return the number of games of the rows of a table with the column `n_games`."""
    min_games, max_games = table["n_games"].min(), table["n_games"].max()
    return f"{amount(max_games, 'game')}" if min_games == max_games else f"{min_games:,} to {amount(max_games, 'game')}"


def estimate(row: Mapping[Any, Any], score: Score, board: Board) -> elements.EstimateCell:
    """Return a score of a row of `Board.table`, with its ranks if there are other entries."""
    name = score.name
    ranks = None
    if score in board.ranked_scores:
        low, high = int(row[f"{name}_rank_low"]), int(row[f"{name}_rank_high"])
        p_best = float(row[f"{name}_p_best"])
        ranks = elements.RankInterval(low, high, len(board.table), _open(p_best, board) if low == 1 < high else p_best)
    return elements.EstimateCell(
        float(row[name]),
        float(row[f"{name}_low"]),
        float(row[f"{name}_high"]),
        score.digits,
        score.percent,
        exact=row["strategy"] in board.exact,
        marked=bool(row[f"{name}_mark"]),
        ranks=ranks,
        undecided=undecided(row, score),
    )


def undecided(row: Mapping[Any, Any], score: Score) -> str:
    """Return why it is not clear whether an entry wins the share of a percentile at all; "" if it is clear.

    Either the estimate of P(win) does not decide, or it does, and the counted percentile says the opposite.
    """
    if not isinstance(score, QuantileScore) or f"{score.name}_estimate" not in row or "p_win" not in row:
        return ""
    low, high = row["p_win_low"], row["p_win_high"]
    is_counted = isfinite(row[score.name])
    if (high < score.q and not is_counted) or (low > score.q and is_counted):
        return ""
    margin = (high - low) / 2
    digits = 3 if margin >= 0.001 else 4
    estimated = f"{row['p_win']:.{digits}f} ± {margin:.{digits}f}"
    if low <= score.q <= high:
        return f"{score.q:.0%} undecided: {estimated}"
    return f"{score.q:.0%} undecided: {row['n_won'] / row['n_games']:.{digits}f} counted, {estimated} estimated"


def verdict(board: Board, score: Score, entries: Mapping[str, elements.Entry]) -> elements.LeadVerdict:
    """Return who leads a score, and how sure that is."""
    rows = board.ranked_rows(score)
    if not any(isnan(row[f"{score.name}_p_best"]) for row in rows):
        rows.sort(key=lambda row: -row[f"{score.name}_p_best"])  # stable: the order of the board decides between equals
    leader, others = rows[0], rows[1:]
    may_be_best = [row for row in others if row[f"{score.name}_mark"]]
    ranked = [(entries[row["strategy"]], estimate(row, score, board)) for row in others]
    value = estimate(leader, score, board)
    is_decided = bool(leader[f"{score.name}_mark"]) and not may_be_best and not value.undecided
    return elements.LeadVerdict(
        score.name,
        score.head,
        MEANINGS.get(score.name, score.head),
        entries[leader["strategy"]],
        value,
        _sure(float(leader[f"{score.name}_p_best"]), board),
        is_decided and (isfinite(value.value) or not score.lower_is_better),
        [pair for pair, row in zip(ranked, others, strict=True) if row[f"{score.name}_mark"]],
        ranked[0] if ranked else None,
        nobody="" if any(row[f"{score.name}_mark"] for row in rows) else nobody(score),
    )


def nobody(score: Score) -> str:
    """Return why no entry is the best in a score."""
    return f"no entry wins {score.q:.0%} of games" if isinstance(score, QuantileScore) else "no entry wins a game"


def _open(p_best: float, board: Board) -> float:
    """Return the probability that an entry is the best where its ranks are open, so that it is neither 0 nor 1."""
    return p_best if len(board.exact) == len(board.table) else min(max(p_best, 1 - MAX_SURE), MAX_SURE)


def _sure(p_best: float, board: Board) -> float:
    """Return a probability of being the best, which resamples can only show to be large, not to be 1."""
    return p_best if len(board.exact) == len(board.table) else min(p_best, MAX_SURE)


def table(board: Board, entries: Mapping[str, elements.Entry] | None = None) -> elements.Table:
    """Return the table of a board, with a row for each entry."""
    entries = entries or entries_of(board)
    rows = board.rows
    columns: list[tuple[elements.Column, list[elements.Value]]] = [
        (elements.Column("rank", meaning="rank by the main score"), _places(board, rows))
    ]
    columns.append((elements.Column("strategy", "name"), [entries[row["strategy"]] for row in rows]))
    columns += [_score(score, board, rows) for score in board.scores if score.shown == "always"]
    if board.game.bins:
        columns += _guesses(rows)
    if board.table["n_games"].nunique() > 1:
        columns.append((elements.Column("games"), [int(row["n_games"]) for row in rows]))
    columns += _counts(board, rows)
    columns += [
        _score(score, board, rows)
        for score in board.scores
        if score.shown == "wide" or (score.shown == "if any" and (board.table[score.name] > 0).any())
    ]
    columns += [_counted(score, rows) for score in board.scores if f"{score.name}_counted" in board.table]
    n_tied = int(board.table[f"{board.main_score.name}_mark"].astype(bool).sum()) if board.ranked_scores else 0
    cells = list(zip(*(values for _, values in columns), strict=True))
    return elements.Table(
        f"{board.rules}: all scores", [column for column, _ in columns], cells, n_tied=n_tied, lines=True
    )


def _places(board: Board, rows: list[dict[Any, Any]]) -> list[elements.Value]:
    name = board.main_score.name
    return [
        elements.RankInterval(int(row[f"{name}_rank_low"]), int(row[f"{name}_rank_high"]), len(rows)) for row in rows
    ]


def _score(score: Score, board: Board, rows: list[dict[Any, Any]]) -> tuple[elements.Column, list[elements.Value]]:
    is_short = score is board.main_score or score.percent or isinstance(score, QuantileScore)
    level = elements.Detail.BOARD if score.shown == "always" and is_short else elements.Detail.FULL
    best = None if score.lower_is_better is None else "low" if score.lower_is_better else "high"
    scale = (0.0, 1.0) if score.name == "p_win" else None
    column = elements.Column(score.head, level=level, best=best, scale=scale, meaning=MEANINGS.get(score.name, ""))  # type: ignore[arg-type]
    return column, [estimate(row, score, board) for row in rows]


def _counted(score: Score, rows: list[dict[Any, Any]]) -> tuple[elements.Column, list[elements.Value]]:
    """Return the counted value of a score that is estimated without luck."""
    ends = (f"{score.name}_counted{end}" for end in ("", "_low", "_high"))
    values, lows, highs = ([float(row[name]) for row in rows] for name in ends)
    cells: list[elements.Value] = [
        elements.EstimateCell(value, low, high, score.digits, score.percent)
        for value, low, high in zip(values, lows, highs, strict=True)
    ]
    return elements.Column(f"{score.head}, counted", level=elements.Detail.FULL), cells


def _guesses(rows: list[dict[Any, Any]]) -> list[tuple[elements.Column, list[elements.Value]]]:
    """Return the histogram of guesses, and the hardest words, of games whose cost is the number of guesses."""
    histograms = [histogram(row) for row in rows]
    words = [", ".join(f"{secret} {'X' if n == float('inf') else f'{n:.0f}'}" for secret, n in row["worst_words"])
             for row in rows]  # fmt: skip
    head = "".join(f"{name:>3}" for name in histograms[0].bins)
    return [
        (elements.Column(head), list(histograms)),
        (elements.Column("worst words", "text", elements.Detail.FULL), list(words)),
    ]


def histogram(row: Mapping[Any, Any]) -> elements.Histogram:
    """Return the numbers of games of a row by the number of guesses, with those not solved at the end."""
    bins = [name.removeprefix("n_solved_in_") for name in row if str(name).startswith("n_solved_in_")]
    counts = [int(row[f"n_solved_in_{name}"]) for name in bins]
    return elements.Histogram((*bins, "X"), (*counts, int(row["n_games"]) - sum(counts)))


def _counts(board: Board, rows: list[dict[Any, Any]]) -> list[tuple[elements.Column, list[elements.Value]]]:
    """Return the CPU times, if they are known, and the games lost by faults."""
    columns: list[tuple[elements.Column, list[elements.Value]]] = []
    if "cpu_median_s" in board.table:
        times = [(row["cpu_median_s"], row["cpu_max_s"]) for row in rows]
        cells: list[elements.Value] = [
            None if isnan(median) else elements.Seconds(median, longest) for median, longest in times
        ]
        columns.append((elements.Column("CPU per game", level=elements.Detail.FULL), cells))
    level = elements.Detail.BOARD if board.table["n_faults"].any() else elements.Detail.FULL
    return [*columns, (elements.Column("faults", level=level), [elements.Count(int(row["n_faults"])) for row in rows])]


SECTION = elements.RunSection(title="", parts=parts, place=10)
