"""The tables and pages of a tournament."""

from collections.abc import Mapping, Sequence

from wordpl.apps.tournament import ScoredPuzzle, Standing, TournamentResult, TournamentRules
from wordpl.core.messages import amount
from wordpl.reports.elements import Table, number, text_table
from wordpl.reports.html.document import tables_page
from wordpl.reports.names import in_markdown
from wordpl.reports.renderers import markdown_table as markdown

HEADS = ("#", "player", "total", "points", "micro", "solved", "mean", "time", "ended")
GREY_FOR = {"absent_only": "letters the word does not have", "any": "any grey tile"}
GREY_REPEAT = {"each": "each time", "once": "the first time"}
SHORT_ENDINGS = {"not solved": "X", "out of time": "late", "not finished": "…", "lost by a fault": "fault"}


def standings_table(table: Sequence[Standing], rules: TournamentRules) -> Table:
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
    ending_text = str(puzzle.n_guesses) if puzzle.ending == "solved" else SHORT_ENDINGS[puzzle.ending]
    return f"{ending_text} · {puzzle.points + puzzle.micro:g} · {puzzle.used_s:.1f} s"


def page(
    results: Sequence[TournamentResult], table: Sequence[Standing], rules: TournamentRules, facts: Mapping[str, str]
) -> str:
    """Return the report in Markdown; `facts` are shown at its start."""
    facts_text = "".join(f"- {in_markdown(name)}: {in_markdown(value)}\n" for name, value in facts.items())
    sections = [markdown(standings_table(table, rules)), markdown(rounds_table(results))]
    return "\n".join(["# Tournament\n", facts_text, *sections])


def html_page(
    results: Sequence[TournamentResult], table: Sequence[Standing], rules: TournamentRules, facts: Mapping[str, str]
) -> str:
    """Return the report as one HTML file; the arguments are those of `page`."""
    return tables_page("Tournament", [standings_table(table, rules), rounds_table(results)], facts)
