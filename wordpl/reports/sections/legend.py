"""The meaning of the numbers, marks and ranks of the boards, once for all boards of a run."""

from collections.abc import Iterator, Sequence

from wordpl.reports.elements import Note, Part, RunSection
from wordpl.reports.results import RunResults
from wordpl.reports.standings import Board
from wordpl.stats import compare

CLIFF = (
    "If an entry always spends the same budget, a percentile is either that budget or, if it wins fewer games, "
    "infinite. When its share of wins is close to the percentile, a few games decide between the two; P(win) and the "
    "mean cost do not jump like this."
)

SHORT = "★ bold: not shown to be worse than another · ∞: fewer games are won · rank: its 95% interval"


def parts(results: RunResults) -> Iterator[Part]:
    """Yield the legend of all boards."""
    if sentences := list(legend(results.boards)):
        yield Note(sentences, "legend", short=SHORT)


def legend(boards: Sequence[Board]) -> Iterator[str]:
    """Yield the meaning of the numbers, marks and ranks of these boards."""
    if not boards:
        return
    names = {score.name for board in boards for score in board.scores if score.shown == "always"}
    yield "Each score has its 95% confidence interval, except where the interval is a single value."
    if "p05" in names:
        yield "p05, p50, p95: the budget within which 5, 50, 95% of games are won; ∞: fewer games are won."
    if "p_win" in names:
        yield (
            "P(win): the mean posterior probability of the answers, given the clues, minus luck; won: the counted "
            "wins. The mean cost, ranks, intervals and probabilities of being the best are estimated without luck; "
            "p05, p50 and p95 themselves are counted."
        )
    if any(len(board.rows) > compare.MAX_PAIRED for board in boards):
        yield (
            f"Of more than {compare.MAX_PAIRED} entries, two are told apart if their intervals, at a level that holds "
            f"for all entries at once, are disjoint; the first {compare.N_PAIRED} of a score are also compared in "
            "pairs, game by game. The probabilities of being the best take the errors of entries as independent. "
            f"Details are shown of the first {compare.N_PAIRED} entries of the board; "
            "`wordpl evaluate --resume RUN --against ENTRY` compares any entry with each of the others."
        )
    if any(board.game.has_answer_move and board.game.sha256 for board in boards) and "p_win" not in names:
        yield "Wins of the host's own game are counted: to credit what its clues justify, name its file (--game)."
    if "mean_cost" in names:
        cost = next(board.loss_cost for board in boards if board.game.loss_cost is None)
        yield f"Mean cost: a lost game counts as {cost:g}, and no game counts as more."
        yield from (note for board in boards for note in board.loss_notes())
    if "mean_guesses" in names:
        costs = sorted({board.game.loss_cost for board in boards if board.game.loss_cost is not None})
        yield f"X: not solved, which counts as {' or '.join(map('{:g}'.format, costs))} guesses in the mean."
        yield "Bars: the percentage of games by number of guesses."
    if any(row.standings[score.name].counted for board in boards for row in board.rows for score in board.scores):
        yield (
            "The mean, the shares in 4 and won of games that a right guess ends, and their ranks, intervals and "
            "probabilities of being the best, are estimated without luck: how many fewer guesses a clue left to go "
            "than its guess could expect is subtracted. Bars are counted; --full, scores.csv and --json also show the "
            "counted means and shares."
        )
    if any(not board.game.has_secret for board in boards):
        yield "Where no secret is drawn, as in Absurdle, no clue is luck."
    yield from dict.fromkeys(_about_comparison(board) for board in boards if len(board.rows) > 1)
    yield "Faults: games lost by an illegal move, a crash, or a time or memory limit."
    if "p50" in names:
        yield CLIFF


def _about_comparison(board: Board) -> str:
    if not board.n_compared:
        return "No game has been played by all entries yet, so the entries are not compared."
    games = f"the same {board.n_compared:,} games" if board.n_compared > 1 else "one game"
    main = board.main_score.name.replace("_", " ")
    return (
        f"★: not shown to be worse than any other entry. #: the interval of possible ranks, from {games}, and the "
        "probability of being the best. In each column, all rank intervals are correct on at least 95% of all boards. "
        f"Ordered by {main}."
    )


SECTION = RunSection(title="", parts=parts, place=20)
