"""The tables and pages of a tournament."""

from collections.abc import Sequence
from datetime import UTC, datetime

from wordpl.apps.tournament import (
    PlayerStanding,
    RankedResults,
    Ruling,
    ScoredPuzzle,
    TournamentResult,
    TournamentRules,
)
from wordpl.core.messages import amount
from wordpl.reports.elements import Table, number, text_table
from wordpl.reports.html.document import tables_page
from wordpl.reports.names import in_markdown
from wordpl.reports.renderers import markdown_table as markdown

HEADS = ("#", "player", "total", "points", "micro", "solved", "mean", "time", "ended")
GREY_FOR = {"absent_only": "letters the word does not have", "any": "any grey tile"}
GREY_REPEAT = {"each": "each time", "once": "the first time"}
SHORT_ENDINGS = {"not solved": "X", "out of time": "late", "not finished": "…", "lost by a fault": "fault"}


def standings_table(table: Sequence[PlayerStanding], rules: TournamentRules) -> Table:
    """Return the result of `tournament.standings` as a table with rounded numbers."""
    rows = [
        (
            str(row.place),
            row.player,
            f"{row.total:,.1f}",
            f"{row.points:,.1f}",
            f"{row.micro:,.1f}",
            str(row.n_solved),
            "–" if row.mean_guesses is None else number(row.mean_guesses, 2),
            f"{number(row.used_s, 1)} s",
            row.ending,
        )
        for row in table
    ]
    title = f"{rules.name} · {rules.game} · {amount(len(table), 'player')}"
    return text_table(title, HEADS, rows, frozenset({"player", "ended"}), _legend(rules))


def _legend(rules: TournamentRules) -> str:
    n_guesses = len(rules.times_base)
    points = ", ".join(f"{rules.points(n):g}" for n in range(1, n_guesses + 1))
    bonus = ", ".join(f"{seconds:g}" for seconds in rules.bonus_seconds)
    micro = rules.micro_points
    micro_text = (
        f"Micro points: grey {micro.grey:g}, yellow {micro.yellow:g}, green {micro.green:g}, divided by "
        f"{micro.divide_by:g}; repeated letters {micro.duplicates}, grey for {GREY_FOR[micro.grey_for]}, "
        f"{GREY_REPEAT[micro.grey_repeat]}; {'also' if micro.unsolved else 'not'} in unsolved puzzles."
        if micro.count
        else "No micro points."
    )
    return (
        f"Points for 1 to {n_guesses} guesses: {points}. Mean: guesses per solved puzzle. Bank: {rules.bank_s:g} s; "
        f"bonus time: {bonus} s. {micro_text} An unsolved puzzle ends the round for that player. "
        "Equal totals share a rank. "
        "These are the points of a single tournament, without intervals: they show who won, not who is better."
    )


def rulings_table(rulings: Sequence[Ruling]) -> Table:
    """Return the decisions of the host with their reasons."""
    rows = [
        (f"{datetime.fromtimestamp(ruling.time_s, UTC):%Y-%m-%d %H:%M}", ruling.in_words, ruling.reason)
        for ruling in rulings
    ]
    return text_table(
        "Decisions of the host (UTC)", ("time", "decision", "reason"), rows, frozenset({"decision", "reason"})
    )


def tables_of(ranked: RankedResults) -> list[Table]:
    """Return all tables of a tournament: the standings, the host's decisions if there are some, and every puzzle."""
    decided = [rulings_table(ranked.rulings)] if ranked.rulings else []
    return [standings_table(ranked.table, ranked.rules), *decided, rounds_table(ranked.results)]


def rounds_table(results: Sequence[TournamentResult]) -> Table:
    """Return the table of the results of each player in each puzzle."""
    played = [{(puzzle.round_number, puzzle.number): puzzle for puzzle in result.puzzles} for result in results]
    secrets = {place: puzzle.secret for puzzles in played for place, puzzle in puzzles.items()}
    has_rounds = any(round_number > 1 for round_number, _ in secrets)
    rows = [
        (
            f"{round_number}.{number}" if has_rounds else str(number),
            secret,
            *(_shown(puzzles.get((round_number, number))) for puzzles in played),
        )
        for (round_number, number), secret in sorted(secrets.items())
    ]
    heads = ("puzzle", "word", *(result.player for result in results))
    legend = "Guesses · points including micro points · time. X: not solved; late: out of time; …: not finished."
    return text_table("Puzzle by puzzle", heads, rows, frozenset(heads[1:]), legend)


def _shown(puzzle: ScoredPuzzle | None) -> str:
    if puzzle is None:
        return ""
    if puzzle.is_struck:
        return "struck"
    ending_text = str(puzzle.n_guesses) if puzzle.ending == "solved" else SHORT_ENDINGS[puzzle.ending]
    return f"{ending_text} · {puzzle.points + puzzle.micro:g} · {puzzle.used_s:.1f} s"


def page(ranked: RankedResults) -> str:
    """Return the report in Markdown."""
    facts_text = "".join(f"- {in_markdown(name)}: {in_markdown(value)}\n" for name, value in ranked.facts.items())
    return "\n".join(["# Tournament\n", facts_text, *map(markdown, tables_of(ranked))])


def html_page(ranked: RankedResults) -> str:
    """Return the report as one HTML file."""
    return tables_page("Tournament", tables_of(ranked), ranked.facts)
