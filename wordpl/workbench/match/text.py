"""Text output of a match."""

from math import isfinite

from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.reports.columns import duration
from wordpl.reports.plain_table import PlainTable
from wordpl.stats.compare.bounded_means import LOG_THRESHOLD
from wordpl.workbench.match.result import MatchResult, MatchVerdict
from wordpl.workbench.values import ChanceKind

MAX_NAME_CHARACTERS = 60
CLEAR_AT = round(2.718281828459045**LOG_THRESHOLD)
MAX_EVIDENCE = 9999
READ = {
    ChanceKind.COUNTED: "counted",
    ChanceKind.BY_ANSWER: "posterior of the answer",
    ChanceKind.BEFORE_LAST: "chance before the last clue",
}


def live_line(result: MatchResult) -> str:
    """Return a line with the current result of a match.

    >>> CLEAR_AT
    40
    """
    goal = result.goal
    parts = [
        f"{amount(result.n_games, 'game')}",
        f"{goal.shown(result.scores[0])} vs. {goal.shown(result.scores[1])}",
        f"{goal.shown_difference(result.difference)} {_ends(result)}",
        f"evidence {_evidence(result)} of {CLEAR_AT}",
    ]
    return "  ".join([*parts, *([] if result.is_decided else [_more(result)])])


def table(result: MatchResult) -> PlainTable:
    """Return a table with the scores of both entries."""
    rows = [
        [f"{which}: {sanitize_untrusted_text(name, MAX_NAME_CHARACTERS)}", result.goal.shown(score),
         f"{won:,}", duration(cpu) if cpu else "–"]
        for which, name, score, won, cpu in zip(
            ("new", "old"), (result.new, result.old), result.scores, (result.only_new, result.only_old), result.cpu_s,
            strict=True)
    ]  # fmt: skip
    title = f"{result.goal.in_words()}, {amount(result.n_games, 'game')} each"
    return PlainTable(title, ["entry", "score", "won alone", "CPU per game"], rows, frozenset({"entry"}))


def sentences(result: MatchResult) -> list[str]:
    """Return the sentences below the table, the verdict first."""
    goal = result.goal
    said = [_verdict(result)]
    gap = f"new minus old: {goal.shown_difference(result.difference)} {goal.unit}"
    said.append(f"{gap}, {'exact' if result.is_exact else f'95% interval {_ends(result)}'}")
    if goal.uses_chances and not result.is_exact and set(result.kinds) != {ChanceKind.COUNTED}:
        new, old = (READ[kind] for kind in result.kinds)
        read = new if new == old else f"new {new}, old {old}"
        said.append(f"wins are estimated from the clues instead of counted: {read}")
    return said


def _verdict(result: MatchResult) -> str:
    how = "all clues were enumerated" if result.is_exact and result.after else "every answer was played once"
    after = f"clear after {amount(result.after, 'game')}" if not result.is_exact and result.after else how
    if result.verdict == MatchVerdict.BETTER:
        return f"The new entry is better: {after}."
    if result.verdict == MatchVerdict.WORSE:
        return f"The new entry is worse: {after}."
    if result.verdict == MatchVerdict.EQUAL:
        return f"The entries are equal{f': {how}' if result.is_exact else ' within the margin'}."
    return f"Undecided; {_more(result)}."


def _more(result: MatchResult) -> str:
    if not isfinite(result.n_more) or result.n_more > 1e7:
        return "the number of games needed is unknown"
    return f"about {max(1, round(result.n_more)):,} more games needed"


def _ends(result: MatchResult) -> str:
    low, high = (result.goal.shown_difference(end) for end in (result.low, result.high))
    return f"({low} to {high})" if result.goal.difference(1.0) > 0 else f"({high} to {low})"


def _evidence(result: MatchResult) -> str:
    return f"{min(result.evidence, MAX_EVIDENCE):.3g}" + ("+" if result.evidence > MAX_EVIDENCE else "")
