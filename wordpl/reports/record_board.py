"""The tables of records, one for each quantile, and the section of a page that contains them."""

import re
from collections.abc import Sequence

from wordpl.contest.evidence import Evidence
from wordpl.core.errors import UserError
from wordpl.reports.columns import number
from wordpl.reports.markdown import REMARK_CHARACTERS
from wordpl.reports.names import in_markdown
from wordpl.reports.plain_table import PlainTable, markdown
from wordpl.stats.compare import Claim, HeadToHead, Judgement, RecordRow
from wordpl.stats.compare.claims import RECORD_GAMES
from wordpl.stats.compare.sequential import SequentialTestResult

BEGIN, END = "<!-- records -->", "<!-- end of records -->"
BETWEEN = re.compile(f"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.DOTALL)
SHARES = ("won within it", "95% interval", "at least")
HEADS = ("#", "strategy", "budget", *SHARES, "evidence", "record", "first lower", "by 5 %")
LEGEND = (
    "Budget: the smallest budget for which these games show, with 95% confidence, that this share of all games is won "
    "within it; in brackets, the largest budget spent if they show none. At least: the exact one-sided 95% lower bound "
    f"of the share won within the budget; if it is above the quantile, on {RECORD_GAMES:,} games whose number was "
    "fixed in advance, it is a record. #: 1 + the number of entries shown to be better; records with the same rank as "
    "the first share it. First lower, by 5 %: the probability that the first entry needs a smaller budget than this "
    "one, and at least 5 % smaller, from resampled games. Evidence: proved: every clue was enumerated; proved, 95 % "
    "sure: every last guess was enumerated, and the answers after it were sampled in 100,000 games, for which "
    "3/100,000 is subtracted; games: the games of the run."
)


def table(q: float, board: Sequence[RecordRow], proven: Sequence[Evidence], *, is_last: bool = True) -> PlainTable:
    """Return the board of a quantile.

    Args:
        q: The quantile.
        board: The rows of the games, from `compare.champions`.
        proven: The evidence by enumeration, the smallest budget first.
        is_last: Whether this is the last table, which gets the legend.
    """
    games = f"{max(one.claim.n_games for one in board):,} games each" if board else "no entry wins that often"
    rows = [(not row.claim.is_record, row.claim.budget, 1, _row(row)) for row in board]
    rows += [(False, one.budget, 0, _proven_row(one)) for one in proven]
    order = sorted(range(len(rows)), key=lambda i: (*rows[i][:3], i) if proven else (i,))
    shown = [_with_role(rows[i][3], place, bool(proven)) for place, i in enumerate(order)]
    legend = LEGEND if is_last else ""
    return PlainTable(f"{100 * q:g} % of games · {games}", HEADS, shown, frozenset(LEFT), legend)


LEFT = ("strategy", "evidence", "record")
PLACE, ROLE = 0, HEADS.index("record")


def _with_role(row: tuple[str, ...], place: int, is_mixed: bool) -> tuple[str, ...]:
    """Return the row with its rank among proved and played results; if anything is proved, only the first holds."""
    if not is_mixed:
        return row
    changed = list(row)
    changed[PLACE], changed[ROLE] = str(place + 1), "holds" if place == 0 else ""
    return tuple(changed)


def _proven_row(one: Evidence) -> tuple[str, ...]:
    chance, least = f"{one.enumerated:.4%}", f"{one.chance:.4%}"
    return ("", one.entry.name, f"{one.budget:.6g}", chance, "", least, one.certainty, "", "", "")


def _row(row: RecordRow) -> tuple[str, ...]:
    claim = row.claim
    budget = f"{claim.budget:.6g}" if claim.is_shown else f"({claim.budget:.6g})"
    found = (row.first_better, row.first_margin)
    chances = ("" if chance is None else number(chance, percent=True) for chance in found)
    return (str(row.place), row.name, budget, *_shares(claim), "games", row.role, *chances)


def _shares(claim: Claim) -> tuple[str, str, str]:
    """Return the share won, its interval and its bound with two decimals, which can decide about a record."""
    return f"{claim.share:.2%}", f"{100 * claim.low:.2f}–{claim.high:.2%}", f"{claim.bound:.2%}"


def judgement_table(found: Sequence[Judgement], claim: tuple[float, float], n_games: int) -> PlainTable:
    """Return the judgement of a claim for each entry.

    Args:
        found: The judgement of each entry.
        claim: The quantile and the budget.
        n_games: The number of games, which was fixed in advance.
    """
    q, budget = claim
    rows = [
        (one.name, f"{one.claim.n_games:,}", *_shares(one.claim), _answer(one.claim, n_games), _read(one.reading))
        for one in found
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


def _answer(claim: Claim, n_games: int) -> str:
    if claim.n_games < n_games:
        return f"not yet: {n_games:,} games are planned"
    if claim.is_record or not claim.is_shown:
        return "yes" if claim.is_record else "no"
    return f"yes, but a record needs {RECORD_GAMES:,} games"


def _read(reading: SequentialTestResult | None) -> str:
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
            one.rival,
            f"{one.pairs.n_games:,}",
            f"{one.pairs.only_first} : {one.pairs.only_second}",
            "< 0.001" if one.pairs.p_value < 0.001 else f"{one.pairs.p_value:.3f}",
            f"{100 * one.pairs.difference:+.2f}%",
            f"{100 * one.pairs.low:+.2f} to {100 * one.pairs.high:+.2f}%",
            _read(one.reading),
            number(one.margin_chance, percent=True),
        )
        for one in found
    ]
    heads = ("against", "games", "won alone", "p", "wins more", "95% interval", "read in order", "lower by 5 %")
    legend = (
        f"Won alone: games that only this entry, or only the other, has won within {budget:.6g}, with the exact "
        "McNemar p-value. Wins more: the difference of the shares. Read in order: a sequential test whether it wins "
        f"more often, as above. Lower by 5 %: the probability that its {100 * q:g} % score is at least 5 % below the "
        "other's, from resampled games."
    )
    return PlainTable(f"{entry} on the same games", heads, rows, frozenset({"against", "read in order"}), legend)


def section(tables: Sequence[PlainTable], source: str, remarks: Sequence[str]) -> str:
    """Return the section of a page with the tables of records, for the place between its markers.

    Args:
        tables: A table for each quantile.
        source: Markdown about the source of the tables.
        remarks: Sentences about entries.
    """
    said = "\n".join(f"- {in_markdown(remark, REMARK_CHARACTERS)}" for remark in remarks)
    parts = [source, *(markdown(table, "###").strip() for table in tables), said]
    return "\n\n".join(part for part in parts if part) + "\n"


def between_markers(page: str) -> str | None:
    """Return the text between the markers of a page; None if it has no markers."""
    found = BETWEEN.search(page)
    return found and found[0]


def rewritten(page: str, text: str) -> str:
    """Return the page with this text between its markers. Raises UserError if it has no markers."""
    if between_markers(page) is None:
        raise UserError(f"there is no place for the records: add a line {BEGIN!r} and, below it, a line {END!r}.")
    return BETWEEN.sub(lambda _: text, page, count=1)
