"""The tables of a league, for the commands and for the bot: ratings, days, players, comparisons and conflicts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import pandas as pd

from wordpl.apps.league import posts
from wordpl.apps.league.alias_log import AliasChange
from wordpl.apps.league.imports import LeagueChanges
from wordpl.apps.league.player_names import NameResolver
from wordpl.apps.league.posts import UNSOLVED, NotRead
from wordpl.apps.league.resolve import LeagueOptions, ResolvedLeague
from wordpl.apps.league.schedules import Announcement, PostSchedule
from wordpl.apps.league.statistics import ACTIVE_DAYS, PlayerComparison, PlayerStats
from wordpl.apps.league.store import LoggedImport
from wordpl.core.messages import amount
from wordpl.core.puzzles import LAST_NUMBER, day_of
from wordpl.reports.elements import Table, interval, number, rank_interval, text_table
from wordpl.reports.results import semicolons
from wordpl.stats.rankings import Ranking

RANKED_HEADS = ("#", "player", "rating", "95% interval", "places", "tier", "games")
COMPARED_HEADS = ("method", "loss", "95% interval", "to the best", "95% interval of that", "")


def ranking_table(table: pd.DataFrame, ranking: Ranking) -> Table:
    """Return the result of a ranking as a table with rounded numbers."""
    digits = 0 if table["rating"].abs().max() >= 100 else 2
    rows = [
        (
            str(row.place),
            row.player,
            number(row.rating, digits),
            interval(row.low, row.high, digits),
            "–" if isnan(row.place_low) else rank_interval(int(row.place_low), int(row.place_high)),
            str(row.tier),
            f"{row.n_games:,}",
        )
        for row in rows_of(table)
    ]
    title = f"{ranking.name} · {amount(len(table), 'player')}, {amount(int(table['n_games'].sum()), 'result')}"
    best = "Higher" if ranking.higher_is_better else "Lower"
    x = "X counts as 7 guesses" if ranking.x_is_seven else "X is left out"
    if missed := getattr(ranking, "missed", 0):
        x += f", a missed day as {missed}"
    legend = (
        f"{best} is better; {x}. Intervals are 95% intervals, for players with at least 5 games; those of places hold "
        "for all players at once. A tier contains its best player and all who are not shown to be worse."
    )
    return text_table(title, RANKED_HEADS, rows, {"player"}, legend)


def ranking_csv(table: pd.DataFrame) -> str:
    """Return the table as CSV with all digits."""
    return semicolons(list(table.columns), table.itertuples(index=False))


def comparison_table(table: pd.DataFrame) -> Table:
    """Return the result of `rankings.compare_methods` as a table with rounded numbers."""
    rows = [
        (
            row.method,
            f"{row.log_loss:.4f}",
            f"{row.low:.4f}–{row.high:.4f}",
            f"{row.difference:+.4f}",
            f"{row.difference_low:+.4f} to {row.difference_high:+.4f}",
            "worse" if row.is_worse else "=" if place else "best",
        )
        for place, row in enumerate(rows_of(table))
    ]
    n_days, n_pairs = table["n_days"].iloc[0], table["n_pairs"].iloc[0]
    title = f"Which ranking predicts best · {amount(n_days, 'day')} predicted, {amount(n_pairs, 'pair')} of players"
    equal = table.loc[~table["is_worse"], "method"].tolist()
    verdict = (
        f"{equal[0]} predicts best; the others are significantly worse."
        if len(equal) == 1
        else f"None of {', '.join(equal)} is significantly better than the others."
    )
    legend = (
        f"{verdict} Loss: the log loss of the predicted odds for each pair of players of a day, where 0.6931 is a coin "
        "toss and lower is better; each day is predicted only from earlier days. =: not significantly worse than the "
        "best."
    )
    return text_table(title, COMPARED_HEADS, rows, {"method", ""}, legend)


TEXT_HEADS = frozenset(
    ["", "by", "channel", "guesses", "like", "month", "name", "opponent", "player", "post", "puzzle", "report", "what"]
) | {"when", "who", "why", "zone"}

MAX_LISTED = 5


def remarks(league: ResolvedLeague) -> list[str]:
    """Return sentences about the quality of the results."""
    n_derived, n = int((league.results["source"] == "date").sum()), len(league.results)
    n_conflicts = len(league.conflicts[~league.conflicts["counts"]])
    n_unresolved, n_unconfirmed = len(league.unresolved), len(league.unconfirmed)
    sentences = [
        (league.warning, league.warning.removesuffix(".")),
        (
            n_derived,
            f"{n_derived:,} of {n:,} results come from summaries without a puzzle number; their day decides",
        ),
        (
            n_unresolved,
            f"{amount(n_unresolved, 'name fits', 'names fit')} several people and "
            f"{'is' if n_unresolved == 1 else 'are'} left out",
        ),
        (n_conflicts, f"{amount(n_conflicts, 'report does', 'reports do')} not count, being late or contradicted"),
        (n_unconfirmed, f"{amount(n_unconfirmed, 'player is', 'players are')} known by a name only, not by an account"),
    ]
    return [f"{text}." for count, text in sentences if count]


def settings_lines(options: LeagueOptions, league: ResolvedLeague) -> list[str]:
    """Return what the league has chosen, as sentences."""
    zone = options.zone or f"not chosen{f'; the summaries fit {league.zone}' if league.zone else ''}"
    days = amount(options.deadline_days, "day")
    return [
        f"Time zone: {zone}.",
        f"Unsolved puzzles: {x_rule(options.x_is_seven)}.",
        f"Missed days, in totals: {f'each counts as {options.missed}' if options.missed else 'they do not count'}.",
        f"Deadline: a share counts until the end of the day {days} after the puzzle's.",
        *([league.warning] if league.warning else []),
    ]


def x_rule(x_is_seven: bool) -> str:
    """Return how the league counts unsolved puzzles."""
    return "X counts as 7" if x_is_seven else "X is left out"


def with_remarks(table: Table, sentences: Sequence[str]) -> Table:
    """Return the table with these sentences added to its legend."""
    return replace(table, legend=" ".join(filter(None, [table.legend, *sentences])))


def personal_tables(personal: PlayerStats) -> list[Table]:
    """Return a player's tables: the overview, the months, the best and worst days, and the opponents."""
    months = [
        (row.month, number(row.mean, 2), interval(row.low, row.high, 2), f"{row.n_games}")
        for row in rows_of(personal.months)
    ]
    opponents = [
        (row.opponent, *map(str, (row.won, row.tied, row.lost)), _percent(row.share), _percents(row.low, row.high))
        for row in rows_of(personal.head_to_head)
    ]
    return [
        _overall(personal),
        text_table("Mean by month", ("month", "mean", "95% interval", "games"), months, TEXT_HEADS),
        _days(personal),
        text_table("Head to head", ("opponent", "won", "tied", "lost", "points", "95% interval"), opponents, TEXT_HEADS,
                   "Days that both played. Points are the share of days won; a tie counts half."),
    ]  # fmt: skip


def _overall(personal: PlayerStats) -> Table:
    streaks = personal.streaks
    rows = [
        *((guesses, f"{n:,}", _percent(n / personal.n_games)) for guesses, n in personal.distribution.items()),
        ("mean", number(personal.mean, 2), interval(personal.low, personal.high, 2)),
        ("streak, solved", f"{streaks.solved_now}", f"longest {streaks.solved}"),
        ("streak, played", f"{streaks.played_now}", f"longest {streaks.played}"),
    ]
    if personal.n_unfinished:
        rows.append(("unfinished", f"{personal.n_unfinished}", "–"))
    title = f"{personal.player} · {amount(personal.n_games, 'game')}"
    return text_table(
        title,
        ("guesses", "games", "of all"),
        rows,
        TEXT_HEADS,
        f"{x_rule(personal.x_is_seven)}. The interval is a 95% confidence interval.",
    )


def _days(personal: PlayerStats) -> Table:
    rows = [
        (name, f"{row.day} ({day_of(row.day)})", guesses_text(row.guesses), number(row.others, 2), f"{row.n_others}")
        for name, days in (("best", personal.best), ("worst", personal.worst))
        for row in rows_of(days)
    ]
    heads = ("", "puzzle", "needed", "others' mean", "others")
    legend = "The days with the largest differences from the mean of the other players."
    return text_table("Best and worst days", heads, rows, TEXT_HEADS, legend)


def day_table(day: int, results: pd.DataFrame, x_is_seven: bool = True) -> Table:
    """Return the table of one puzzle from the result of `statistics.day_results`."""
    rows = [(row.player, guesses_text(row.guesses), "👑" if row.crown else "") for row in rows_of(results)]
    counted = results["guesses"] if x_is_seven else results.loc[results["guesses"] < UNSOLVED, "guesses"]
    mean = f"Mean {counted.mean():.2f} of {amount(len(counted), 'player')}; " if len(counted) else ""
    legend = f"{mean}{x_rule(x_is_seven)}. 👑: best result of the day."
    return text_table(f"Puzzle {day:,} ({day_of(day)})", ("player", "needed", "crown"), rows, TEXT_HEADS, legend)


def crowns_table(table: pd.DataFrame) -> Table:
    """Return the table of crowns from the result of `statistics.crowns`."""
    rows = [
        (row.player, *map(str, (row.crowns, row.alone, row.n_days)), _percent(row.share), _percents(row.low, row.high))
        for row in rows_of(table)
    ]
    heads = ("player", "crowns", "alone", "days", "of days", "95% interval")
    legend = (
        "A crown goes to the best result of a day with at least two players; ties share it. Days are the days played."
    )
    return text_table("Crowns", heads, rows, TEXT_HEADS, legend)


def comparison_of_players(found: PlayerComparison, x_is_seven: bool = True) -> Table:
    """Return the comparison of two players."""
    rows = [
        (found.first, f"{found.won}", f"{found.tied}", f"{found.lost}", number(found.means[0], 2)),
        (found.second, f"{found.lost}", f"{found.tied}", f"{found.won}", number(found.means[1], 2)),
    ]
    verdict = f"{found.better} is better." if found.better else "Neither is shown to be better."
    interval_text = (
        f"95% interval {interval(found.low, found.high, 2)}" if found.n_days > 1 else "no interval from one day"
    )
    legend = (
        f"Difference of the means {found.difference:+.2f} ({interval_text}), "
        f"negative if {found.first} needs fewer guesses. {verdict} {x_rule(x_is_seven)}. "
        "The interval is that of Student's t over the days."
    )
    title = f"{found.first} and {found.second} · {amount(found.n_days, 'day')} that both played"
    return text_table(title, ("player", "won", "tied", "lost", "mean"), rows, TEXT_HEADS, legend)


def conflicts_table(conflicts: pd.DataFrame) -> Table:
    """Return the table of reports that do not count, and of those that they contradict."""
    rows = [
        (
            f"{row.day} ({day_of(row.day)})",
            row.player,
            guesses_text(row.guesses),
            "player" if row.source == "typed" else "app",
            "counts" if row.counts else row.why,
        )
        for row in rows_of(conflicts)
    ]
    legend = (
        "The app's summary has priority. If reports of equal reliability differ, none of them counts. A late share "
        "counts if the organiser accepts it: `wordpl league accept PLAYER PUZZLE` or /accept."
    )
    return text_table("Conflicts", ("puzzle", "player", "said", "by", "why"), rows, TEXT_HEADS, legend)


def changes_table(changes: LeagueChanges) -> Table:
    """Return the table of the results that an import or a second reading adds, changes and removes."""
    rows = [
        (row.player, f"{row.before}", f"+{row.added}", f"{row.changed}", f"-{row.removed}", "new" if row.is_new else "")
        for row in rows_of(changes.players)
    ]
    title = f"What changes · {amount(len(rows), 'player')}, {int(changes.players['is_new'].sum())} new"
    gaps = [
        f"{day_of(first)}" if first == last else f"{day_of(first)} to {day_of(last)}" for first, last in changes.gaps
    ]
    missed = f"{', '.join(gaps[:MAX_LISTED])}{', …' if len(gaps) > MAX_LISTED else ''}"
    legend = f"No results of {missed}." if gaps else ""
    return text_table(title, ("player", "before", "added", "changed", "removed", ""), rows, TEXT_HEADS, legend)


def imports_table(imports: Sequence[LoggedImport]) -> Table:
    """Return the log of imports."""
    rows = [
        (f"{entry.number}", f"{entry.made:%Y-%m-%d %H:%M}", entry.actor, entry.files, "taken back" * entry.undone)
        for entry in imports
    ]
    legend = "Times are in UTC. To take an import back, use `wordpl league undo --import NUMBER`."
    return text_table("Imports", ("number", "when", "by", "file", ""), rows, {*TEXT_HEADS, "file"}, legend)


def not_read_table(parts: Sequence[NotRead], names: NameResolver, guild: str = "") -> Table:
    """Return the table of messages of which a part could not be read, with their links if the server is given."""
    rows = [
        (
            f"{posts.sent_at(part.message):%Y-%m-%d %H:%M}",
            names.shown_name(part.author) if part.author else "–",
            part.why or "read by an earlier version: /reread says why",
            *((posts.link(guild, part),) if guild else ()),
        )
        for part in parts
    ]
    heads = ("when", "player", "why", *(("message",) if guild else ()))
    legend = "Times are in UTC. An edit that makes a message readable counts at once."
    return text_table("Not read", heads, rows, {*TEXT_HEADS, "message"}, legend)


def missing_table(table: pd.DataFrame, number: int) -> Table:
    """Return the table of those who have not played a puzzle, from the result of `statistics.missing`."""
    rows = [(row.player, f"{row.last:,} ({day_of(row.last)})") for row in rows_of(table)]
    title = f"Not played yet: puzzle {number:,} ({day_of(number)})"
    return text_table(
        title,
        ("player", "last puzzle"),
        rows,
        {*TEXT_HEADS, "last puzzle"},
        f"Of those who played in the {ACTIVE_DAYS} days before.",
    )


def unconfirmed_table(unconfirmed: pd.DataFrame, names: NameResolver) -> Table:
    """Return the table of players who are known only by name, with members who have similar names."""
    rows = [
        (row.name, f"{row.n_results}", ", ".join(f"{names.shown_name(id)} ({id})" for id in row.suggestions) or "–")
        for row in rows_of(unconfirmed)
    ]
    legend = "Players are never merged automatically: use `wordpl league merge NAME ID` or /alias."
    return text_table("Known only by name", ("name", "results", "like"), rows, TEXT_HEADS, legend)


def log_table(changes: Sequence[AliasChange]) -> Table:
    """Return the log of aliases, merges and splits."""
    rows = [
        (f"{change.number}", f"{change.made:%Y-%m-%d %H:%M}", change.actor,
         f"{change.action}{'' if change.added else ', removed'}{' (reverted)' if change.undone else ''}",
         f"{alias.name} is {alias.player}{alias_span(alias.first_number, alias.last_number)}")
        for change in changes for alias in [change.alias]
    ]  # fmt: skip
    legend = "Times are in UTC. To revert a change, use `wordpl league undo NUMBER`."
    return text_table("Aliases, merges and splits", ("number", "when", "by", "what", "who"), rows, TEXT_HEADS, legend)


def schedule_table(
    schedules: Sequence[PostSchedule], done: Sequence[Announcement], lost: Sequence[tuple[str, str]]
) -> Table:
    """Return the table of scheduled posts, with the posts that were missed."""
    rows = [
        (
            schedule.kind,
            schedule.time,
            schedule.zone,
            schedule.channel,
            max((row.period for row in done if row.kind == schedule.kind), default="–"),
        )
        for schedule in schedules
    ]
    missed_posts = ", ".join(f"{kind} of {period}" for kind, period in lost[-MAX_LISTED:])
    if len(lost) > MAX_LISTED:
        missed_posts = f"{len(lost):,} posts, the last of them {missed_posts}"
    legend = f"Missed, because the bot was offline or its post was refused: {missed_posts}." if missed_posts else ""
    legend = legend or "No post was missed."
    return text_table("Scheduled posts", ("post", "time", "zone", "channel", "last"), rows, TEXT_HEADS, legend)


def alias_span(first: int, last: int) -> str:
    """Return the days of an alias as text; "" for all days."""
    start = f"{day_of(first)}" if first else "the first day"
    end = f"{day_of(last)}" if last < LAST_NUMBER else "now on"
    return "" if first == 0 and last == LAST_NUMBER else f", from {start} to {end}"


def rows_of(table: pd.DataFrame) -> Iterator[Any]:
    """Return the rows of a table as named tuples."""
    return iter(table.itertuples())


def guesses_text(n: int) -> str:
    """Return a number of guesses, X for an unsolved puzzle."""
    return "X" if n == UNSOLVED else f"{n}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _percents(low: float, high: float) -> str:
    return f"{100 * low:.0f}–{100 * high:.0f}%"
