"""The board of each game: who leads each score, and one row for each entry."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from types import MappingProxyType

from wordpl.core.messages import amount
from wordpl.reports import elements
from wordpl.reports.results import RunResults, entries_of
from wordpl.reports.standings import Board
from wordpl.run.records import Usage
from wordpl.stats.scores import Score
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.shares import ShareScore

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

NAMED_FROM = 0.005
"""The probability of being the best above which a verdict names an entry: a smaller one rounds to 0%."""
Column = tuple[elements.Column, list[elements.Value]]
"""A column of a table with its cells."""


def parts(results: RunResults) -> Iterator[elements.Part]:
    """Yield the verdicts, the table and the findings of each board."""
    for board in results.boards:
        entries = results.entries(board)
        yield elements.Verdicts(
            title(board), [verdict(board, score, entries) for score in board.ranked_scores], board.rules
        )
        yield table(board, entries, results.usage)
        if board.exact:
            yield elements.Note([about_exact(board)])
        if findings := list(board.findings()):
            yield elements.Note(findings, "finding")


def about_exact(board: Board) -> str:
    """Return which entries have exact scores, and why."""
    n_answers = max(row.n_games for row in board.rows)
    names = "" if len(board.exact) == len(board.rows) else f" by {', '.join(sorted(board.exact))}"
    return f"Exact: all {n_answers:,} answers were played once{names}."


def title(board: Board) -> str:
    """Return the game and the size of the sample."""
    sizes = [row.n_games for row in board.rows]
    return f"{board.rules} · {sample_size(sizes)}" + (" each" if len(sizes) > 1 else "")


def sample_size(sizes: Collection[int]) -> str:
    """Return the number of games of entries in words."""
    min_games, max_games = min(sizes), max(sizes)
    return f"{amount(max_games, 'game')}" if min_games == max_games else f"{min_games:,} to {amount(max_games, 'game')}"


def verdict(board: Board, score: Score, entries: Mapping[str, elements.Entry]) -> elements.LeadVerdict:
    """Return who leads a score, and how sure that is."""
    rows = board.ranked(score)
    leader, others = rows[0][score], rows[1:]
    ranked = [(entries[row.name], row[score].cell) for row in others]
    may_be_best = [pair for pair, row in zip(ranked, others, strict=True) if row[score].may_be_best]
    named = [(entry, value) for entry, value in may_be_best if not value.ranks or not value.ranks.p_best <= NAMED_FROM]
    needed, why = board.forecast(score, rows[0], others), ""
    if (
        isinstance(score, QuantileScore)
        and leader.cell.text == "∞"
        and any(isfinite(row[score].value) for row in others)
    ):
        why = f"it won less than {score.q:.0%} of these games, and others are shown to need more"
    is_decided = leader.may_be_best and not may_be_best and not leader.undecided
    return elements.LeadVerdict(
        score.name,
        score.head,
        MEANINGS.get(score.name, score.head),
        entries[rows[0].name],
        leader.cell,
        leader.sure,
        is_decided and (isfinite(leader.value) or not score.lower_is_better),
        named,
        ranked[0] if ranked else None,
        nobody="" if board.n_tied(score) else nobody(score),
        more=None if needed is None else elements.MoreGames(needed.n_more, needed.low, needed.high),
        why=why,
    )


def nobody(score: Score) -> str:
    """Return why no entry is the best in a score."""
    return f"no entry wins {score.q:.0%} of games" if isinstance(score, QuantileScore) else "no entry wins a game"


def table(
    board: Board, entries: Mapping[str, elements.Entry] | None = None, usage: Mapping[str, Usage] = MappingProxyType({})
) -> elements.Table:
    """Return the table of a board, with a row for each entry.

    Args:
        board: The board.
        entries: The entries by name.
        usage: What entries without code took, by name.
    """
    entries, rows, main = entries or entries_of(board), board.rows, board.main_score
    places = [elements.RankInterval(*(row[main].places or (1, len(rows))), len(rows)) for row in rows]
    columns: list[Column] = [(elements.Column("rank", meaning="rank by the main score"), list(places))]
    columns.append((elements.Column("strategy", "name"), [entries[row.name] for row in rows]))
    columns += [_score(score, board) for score in board.scores if score.shown == "always"]
    if board.game.bins:
        columns += _guesses(board)
    if len({row.n_games for row in rows}) > 1:
        columns.append((elements.Column("games"), [row.n_games for row in rows]))
    columns += _usage(board, usage)
    columns += _counts(board)
    columns += [
        _score(score, board)
        for score in board.scores
        if score.shown == "wide" or (score.shown == "if any" and any(row[score].value > 0 for row in rows))
    ]
    columns += [_counted(score, board) for score in board.scores if any(row[score].counted for row in rows)]
    n_tied = board.n_tied(main) if board.ranked_scores else 0
    cells = list(zip(*(values for _, values in columns), strict=True))
    return elements.Table(
        f"{board.rules}: all scores", [column for column, _ in columns], cells, n_tied=n_tied, lines=True
    )


def _score(score: Score, board: Board) -> Column:
    is_short = score is board.main_score or score.percent or isinstance(score, QuantileScore)
    level = elements.Detail.BOARD if score.shown == "always" and is_short else elements.Detail.FULL
    best = None if score.lower_is_better is None else "low" if score.lower_is_better else "high"
    scale = (0.0, 1.0) if score.name == "p_win" else None
    # Of noisy games, P(win) is the estimate of what these shares count.
    is_counted = isinstance(score, ShareScore) and any(other.name == "p_win" for other in board.scores)
    head = f"{score.head}, counted" if is_counted else score.head
    column = elements.Column(head, level=level, best=best, scale=scale, meaning=MEANINGS.get(score.name, ""))  # type: ignore[arg-type]
    return column, [row[score].cell for row in board.rows]


def _counted(score: Score, board: Board) -> Column:
    """Return the counted value of a score that is estimated without luck."""
    cells: list[elements.Value] = []
    for row in board.rows:
        found = row[score].counted or row[score].estimate
        cells.append(elements.EstimateCell(found.value, found.low, found.high, score.digits, score.percent))
    return elements.Column(f"{score.head}, counted", level=elements.Detail.FULL), cells


ESTIMATED = ("mean_guesses", "solved_in_4")
"""The scores of games that a right guess ends of which `wordpl estimate` shows both values."""


def estimates(board: Board) -> elements.Table:
    """Return the counted means and shares of a game that a right guess ends, beside those without luck."""
    scores = [score for score in board.scores if score.name in ESTIMATED]
    columns: list[Column] = [(elements.Column("entry", "name"), [row.name for row in board.rows])]
    columns.append((elements.Column("games"), [row.n_games for row in board.rows]))
    for score in scores:
        without_luck: list[elements.Value] = [replace(row[score].cell, marked=False, ranks=None) for row in board.rows]
        columns.append((elements.Column(f"{score.head}, counted"), _counted(score, board)[1]))
        columns.append((elements.Column("without luck"), without_luck))
    cells = list(zip(*(values for _, values in columns), strict=True))
    return elements.Table(f"{board.rules}, with 95% intervals", [column for column, _ in columns], cells)


def as_estimates(board: Board) -> list[dict[str, object]]:
    """Return what `estimates` shows, for programs: an object for each entry."""
    found = []
    for row in board.rows:
        one: dict[str, object] = {"entry": row.name, "games": row.n_games}
        for score in (score for score in board.scores if score.name in ESTIMATED):
            own = row[score]
            for name, value in (("counted", own.counted or own.estimate), ("without_luck", own.estimate)):
                ends = {"value": value.value, "low": value.low, "high": value.high}
                one[f"{score.name}_{name}"] = ends
        found.append(one)
    return found


def _guesses(board: Board) -> list[Column]:
    """Return the histogram of guesses, and the hardest words, of games whose cost is the number of guesses."""
    histograms = [row.histogram for row in board.rows]
    words = [", ".join(f"{secret} {'X' if n == float('inf') else f'{n:.0f}'}" for secret, n in row.worst_words)
             for row in board.rows]  # fmt: skip
    head = "".join(f"{name:>3}" for name in histograms[0].bins)
    return [
        (elements.Column(head), list(histograms)),
        (elements.Column("worst words", "text", elements.Detail.FULL), list(words)),
    ]


def _usage(board: Board, usage: Mapping[str, Usage]) -> list[Column]:
    """Return the tokens and the cost of a game, if entries of the board have any."""
    found = [usage.get(row.name) for row in board.rows]
    columns: list[Column] = []
    for head, digits, name in (("tokens", 0, "tokens"), ("cost", 4, "cost")):
        values = [None if one is None else getattr(one, name) for one in found]
        if any(value is not None and isfinite(value) for value in values):
            cells: list[elements.Value] = [
                None if value is None or not isfinite(value) else elements.Number(value, digits) for value in values
            ]
            columns.append((elements.Column(head, best="low", meaning=f"{head} per game"), cells))
    return columns


def _counts(board: Board) -> list[Column]:
    """Return the CPU times, if they are known, and the games lost by faults."""
    columns: list[Column] = []
    if any(row.cpu_s for row in board.rows):
        times: list[elements.Value] = [row.cpu_s and elements.Seconds(*row.cpu_s) for row in board.rows]
        columns.append((elements.Column("CPU per game", level=elements.Detail.FULL), times))
    faults = [row.n_faults for row in board.rows]
    level = elements.Detail.BOARD if any(faults) else elements.Detail.FULL
    return [*columns, (elements.Column("faults", level=level), [elements.Count(count) for count in faults])]


SECTION = elements.RunSection(title="", parts=parts, place=10)
