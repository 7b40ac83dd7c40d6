"""Decides which reported results count: one for each player and puzzle, however often it was reported.

Order of precedence: **the app's summary is authoritative.** A summary whose puzzle number was read from its picture
takes precedence over one whose number was derived from its date; both take precedence over reports by players and
tables. A report that contradicts a better source is kept and listed as a conflict, but does not count. If the best
sources contradict each other, none of them counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.core.messages import did_you_mean
from wordpl.league.names import NameResolver
from wordpl.league.posts import TOO_LATE, UNFINISHED, UNSOLVED, DayFrom, Person
from wordpl.league.puzzles import GRACE_MS, number_at_ms

SAME_SUMMARY_MS = 20 * 3600 * 1000
"""Summaries with the same content within this time are one summary: a group gets one a day."""
SUMMARY_AFTER_MS = 36 * 3600 * 1000
"""A channel's next summary within this time reports the day on which a game was started."""
MAX_PLAYERS = 1 << 31
SOURCE_NAMES = np.array(["date", "picture", "typed"], dtype=object)
"""Names of the values of DayFrom, in that order."""
PRECEDENCE = np.array([1, 0, 2])
"""Precedence of the values of DayFrom, in that order; 0 comes first."""
CONTRADICTS_SUMMARY = "the app's summary says otherwise"
REPORTED_TWICE = "reported twice with other results"

IntArray = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class LeagueReports:
    """Everything that a league's sources report.

    Attributes:
        people: The people.
        results: The reported results, with columns post (position in `posts`), person (position in `people`), number
            and guesses.
        posts: The posts, with columns channel (a number per channel), posted (milliseconds since 1970, -1 if unknown)
            and day_from.
    """

    people: Sequence[Person]
    results: pd.DataFrame
    posts: pd.DataFrame


@dataclass(frozen=True)
class ResolvedLeague:
    """The results of a league.

    Attributes:
        results: One row per player and puzzle, sorted by day and player, with columns player, day (the puzzle number),
            guesses (7 for X) and source ("typed", "picture" or "date": where the number comes from).
        unfinished: Games that were started and never reported, with columns player and day.
        unresolved: Names that match several ids, with columns name, candidates, n_results, first and last (puzzle
            numbers).
        unconfirmed: Players known only by name, with columns name, suggestions (ids of people with similar names) and
            n_results.
        conflicts: Reports that do not count next to those they contradict, with columns player, day, guesses, source,
            counts and why.
        ids: The Discord id or the name behind each player.
    """

    results: pd.DataFrame
    unfinished: pd.DataFrame
    unresolved: pd.DataFrame
    unconfirmed: pd.DataFrame
    conflicts: pd.DataFrame
    ids: dict[str, Person]

    def find(self, text: str, names: NameResolver) -> str:
        """Return the player with this name or id.

        Raises:
            UserError: Nobody with results has this name, or several people have it.
        """
        players = set(self.results["player"])
        if text in self.ids:
            player = text
        else:
            resolved = names.look_up(text)
            if resolved.player is None and resolved.candidates:
                raise UserError(f"{text!r} could be {', '.join(resolved.candidates)}: give the id.")
            player = next((name for name, person in self.ids.items() if person == resolved.player), "")
        if player not in players:
            raise UserError(f"there are no results of {text!r}.{did_you_mean(text, players)}")
        return player


def resolve(reports: LeagueReports, names: NameResolver) -> ResolvedLeague:
    """Return the results that count among those that were reported."""
    players, codes = _players(reports, names)
    number, day_from = _puzzle_numbers(reports, codes)
    is_known = codes >= 0
    spellings = [person for person in reports.people if not person.is_id]
    labels = names.labels((players[code] for code in np.unique(codes[is_known])), spellings)
    order = sorted(labels, key=lambda player: (labels[player], player))
    rank = {player: position for position, player in enumerate(order)}
    ranks = np.array([rank.get(player, -1) for player in players], int)
    table = pd.DataFrame(
        {
            "player": ranks[codes[is_known]],
            "day": number[is_known],
            "guesses": reports.results["guesses"].to_numpy()[is_known],
            "day_from": day_from[is_known],
            "posted": reports.posts["posted"].to_numpy()[reports.results["post"].to_numpy()[is_known]],
        }
    )
    results, conflicts = _best_reports(
        table[table["guesses"] != UNFINISHED], np.array([labels[player] for player in order], object)
    )
    started_games = table[(table["guesses"] == UNFINISHED) & (table["day"] >= 0)]
    return ResolvedLeague(
        results,
        _unfinished(
            started_games.assign(player=[labels[order[position]] for position in started_games["player"]]), results
        ),
        _unresolved(reports, names, number, ~is_known),
        _unconfirmed(results, {label: player for player, label in labels.items()}, names),
        conflicts,
        {label: player for player, label in labels.items()},
    )


def _players(reports: LeagueReports, names: NameResolver) -> tuple[list[Person], IntArray]:
    """Return the players and, for each result, the position of its player, -1 if the name is ambiguous."""
    codes: dict[Person, int] = {}

    def code(player: Person | None) -> int:
        return -1 if player is None else codes.setdefault(player, len(codes))

    of_person = np.array([code(names.resolve(person).player) for person in reports.people], int)
    person, number = (reports.results[column].to_numpy() for column in ("person", "number"))
    player_codes = of_person[person]
    for index, reporter in enumerate(reports.people):
        rows = np.flatnonzero(person == index) if reporter.key in names.aliases else np.empty(0, int)
        for alias in names.aliases.get(reporter.key, ()):
            is_covered = (number[rows] >= alias.first_number) & (number[rows] <= alias.last_number)
            player_codes[rows[is_covered]] = code(names.resolve_alias(alias).player)
    return list(codes), player_codes


def _puzzle_numbers(reports: LeagueReports, codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the puzzle number of each result and where it comes from.

    A summary with a number derived from its date takes over the more reliable number of a summary with the same
    content: the same one in another channel, or posted twice. A started game gets the number of the channel's next
    summary, -1 if there is none.
    """
    results = reports.results
    post, number = results["post"].to_numpy(), results["number"].to_numpy().copy()
    day_from = reports.posts["day_from"].to_numpy()[post]
    is_started = results["guesses"].to_numpy() == UNFINISHED
    rows = np.flatnonzero((day_from < DayFrom.TEXT) & ~is_started)
    if len(rows):
        summarized = np.where(codes < 0, len(reports.people) + results["person"].to_numpy(), codes)[rows]
        better_numbers = _better_numbers(reports.posts, _summaries(post[rows], summarized, results.iloc[rows]))
        new_number, new_from = np.full((2, len(reports.posts)), -1)
        new_number[better_numbers.index] = better_numbers["number"]
        new_from[better_numbers.index] = better_numbers["day_from"]
        is_better = new_number[post] >= 0
        number, day_from = np.where(is_better, new_number[post], number), np.where(is_better, new_from[post], day_from)
    if is_started.any():
        number[is_started] = _next_summary(reports.posts, post[is_started], post[rows], number[rows])
    return number, day_from


def _summaries(post: IntArray, summarized: IntArray, results: pd.DataFrame) -> pd.DataFrame:
    """Return the number of each summary, and its content as bytes that are equal for summaries with equal results.

    >>> rows = pd.DataFrame({"guesses": [3, 4, 4, 3], "number": [9, 9, 8, 8]})
    >>> _summaries(np.array([0, 0, 1, 1]), np.array([5, 6, 6, 5]), rows)["content"].nunique()
    1
    """
    entries = summarized * (UNSOLVED + 1) + results["guesses"].to_numpy()
    order = np.lexsort((entries, post))
    starts = np.flatnonzero(np.diff(post[order], prepend=-1))
    parts = np.split(entries[order], starts[1:])
    return pd.DataFrame(
        {"content": [part.tobytes() for part in parts], "number": results["number"].to_numpy()[order][starts]},
        index=post[order][starts],
    )


def _better_numbers(posts: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Return the most reliable number and its day_from, by post, for each summary whose number comes from its date."""
    summaries = summaries.join(posts[["posted", "day_from"]]).sort_values(["content", "posted", "number"])
    starts = (summaries["content"] != summaries["content"].shift()) | (summaries["posted"].diff() > SAME_SUMMARY_MS)
    summaries["same"] = starts.cumsum()
    best = summaries.sort_values("day_from", ascending=False, kind="stable").drop_duplicates("same").set_index("same")
    derived = summaries[summaries["day_from"] == DayFrom.DATE]
    return best.loc[derived["same"], ["number", "day_from"]].set_index(derived.index)


def _next_summary(posts: pd.DataFrame, started: IntArray, summaries: IntArray, number: IntArray) -> IntArray:
    """Return the number of the first summary after each post in its channel; -1 if none follows in time."""
    first = pd.DataFrame({"number": number}, index=summaries).groupby(level=0)["number"].first()
    later_summaries = posts.loc[first.index].assign(number=first).sort_values("posted")
    started_posts = posts.loc[started].assign(at=np.arange(len(started))).sort_values("posted")
    columns = ["posted", "channel", "number"]
    matched_posts = pd.merge_asof(
        started_posts,
        later_summaries[columns],
        on="posted",
        by="channel",
        direction="forward",
        tolerance=SUMMARY_AFTER_MS,
    )
    return matched_posts.sort_values("at")["number"].fillna(-1).to_numpy(np.int64)


def _best_reports(table: pd.DataFrame, labels: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return each player's result of each puzzle according to the best source, and the conflicts.

    The reports are sorted into groups, one for each player and puzzle, and by the precedence of their sources: the
    first report of a group counts, unless another one of the same precedence differs from it.
    """
    day, posted = table["day"].to_numpy(), table["posted"].to_numpy()
    too_late = (posted >= 0) & (table["day_from"] == DayFrom.TEXT) & (day > number_at_ms(posted + GRACE_MS))
    late, table = table[too_late], table[~too_late]
    key, precedence = table["player"] + table["day"] * MAX_PLAYERS, PRECEDENCE[table["day_from"]]
    order = np.argsort((key * len(PRECEDENCE) + precedence) * (UNSOLVED + 1) + table["guesses"])
    table, keys = table.iloc[order], key.to_numpy()[order]
    guesses, precedence = table["guesses"].to_numpy(), precedence[order]

    is_first = np.append(True, np.diff(keys) != 0)[: len(keys)]
    starts, group = np.flatnonzero(is_first), np.cumsum(is_first) - 1
    differs = guesses != guesses[starts][group]
    is_disputed, has_conflict = np.zeros((2, len(starts)), bool)
    is_disputed[group[differs & (precedence == precedence[starts][group])]] = True
    has_conflict[group[differs]] = True

    counted = table.iloc[starts[~is_disputed]]
    rows = differs | (is_first & has_conflict[group])
    why = np.where(is_disputed[group], REPORTED_TWICE, np.where(differs, CONTRADICTS_SUMMARY, ""))[rows]
    conflict_rows = table[rows].assign(counts=~is_disputed[group][rows] & ~differs[rows], why=why)
    conflict_rows = pd.concat([conflict_rows, late.assign(counts=False, why=TOO_LATE)])
    conflicts = _with_names(conflict_rows, labels, ["counts", "why"]).drop_duplicates(ignore_index=True)
    return _with_names(counted, labels), conflicts


def _with_names(table: pd.DataFrame, labels: np.ndarray, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return rows with the names of players and of the sources of puzzle numbers."""
    named = pd.DataFrame(
        {
            "player": labels[table["player"]],
            "day": table["day"].to_numpy(),
            "guesses": table["guesses"].to_numpy(),
            "source": SOURCE_NAMES[table["day_from"]],
        }
    )
    for name in columns:
        named[name] = table[name].to_numpy()
    return named


def _unfinished(started: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Return player and day of games that were started and have no result."""
    games = started[["player", "day"]].drop_duplicates()
    played_games = pd.MultiIndex.from_frame(results[["player", "day"]])
    is_played = pd.MultiIndex.from_frame(games).isin(played_games)
    return games[~is_played].sort_values(["day", "player"], ignore_index=True)


def _unresolved(reports: LeagueReports, names: NameResolver, number: IntArray, is_open: np.ndarray) -> pd.DataFrame:
    people = reports.people
    is_unresolved = is_open & (reports.results["guesses"].to_numpy() != UNFINISHED)
    reported = pd.DataFrame(
        {"person": reports.results["person"].to_numpy()[is_unresolved], "number": number[is_unresolved]}
    )
    rows = [
        (people[person].key, names.resolve(people[person]).candidates, len(numbers), numbers.min(), numbers.max())
        for person, numbers in ((int(str(key)), numbers) for key, numbers in reported.groupby("person")["number"])
    ]
    table = pd.DataFrame(rows, columns=["name", "candidates", "n_results", "first", "last"])
    return table.sort_values("name", ignore_index=True)


def _unconfirmed(results: pd.DataFrame, ids: dict[str, Person], names: NameResolver) -> pd.DataFrame:
    counts = results["player"].value_counts()
    rows = [
        (name, names.suggestions(name), int(counts[name]))
        for name, person in sorted(ids.items())
        if not person.is_id and name in counts
    ]
    return pd.DataFrame(rows, columns=["name", "suggestions", "n_results"])
