"""Which results count: one for each player and puzzle, whoever said it how often.

The rule of precedence: **the app's summary is the fact.** A summary whose puzzle was read in its picture comes before
one whose puzzle was derived from its date, and both come before what players and tables report. A report that
contradicts a better source is kept, listed as a conflict, and does not count. Where the best sources contradict each
other, none of them counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.core.suggestions import did_you_mean
from wordpl.league.names import Names
from wordpl.league.posts import TOO_LATE, UNFINISHED, UNSOLVED, DayFrom, Person
from wordpl.league.puzzles import GRACE_MS, number_at_ms

SAME_SUMMARY_MS = 20 * 3600 * 1000
"""Summaries that say the same within this time are one: a group has one a day."""
SUMMARY_AFTER_MS = 36 * 3600 * 1000
"""The next summary of a channel within this time is of the day on which somebody was playing."""
MAX_PLAYERS = 1 << 31
KNOWN_FROM = np.array(["date", "picture", "typed"], dtype=object)
"""In the order of DayFrom."""
PRECEDENCE = np.array([1, 0, 2])
"""In the order of DayFrom: 0 is believed first."""
CONTRADICTS_SUMMARY = "the app's summary says otherwise"
REPORTED_TWICE = "reported twice with other results"

IntArray = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class Reports:
    """What a league's sources say.

    people: whom `person` of the results counts. results: columns post, person, number, guesses. posts: indexed as
    `post` counts; columns channel (a number for each), posted (milliseconds, -1 for none), day_from.
    """

    people: Sequence[Person]
    results: pd.DataFrame
    posts: pd.DataFrame


@dataclass(frozen=True)
class ResolvedLeague:
    """The results of a league.

    results: a row for each player and puzzle, in this order; columns player, day (the puzzle's number), guesses (7 for
    X), source ("typed", "picture" or "date": how the number is known).
    unfinished: player and day of games that were begun and never reported.
    unresolved: names that could be several people: name, candidates, n_results, first, last (puzzle numbers).
    unconfirmed: players who are only known by a name: name, suggestions (ids of people with a name like it), n_results.
    conflicts: reports that do not count, beside those that they contradict: player, day, guesses, source, counts, why.
    ids: the Discord id, or the name, behind each player.
    """

    results: pd.DataFrame
    unfinished: pd.DataFrame
    unresolved: pd.DataFrame
    unconfirmed: pd.DataFrame
    conflicts: pd.DataFrame
    ids: dict[str, Person]

    def find(self, text: str, names: Names) -> str:
        """Return the player who is called so. Raises UserError if nobody is, or several are."""
        players = set(self.results["player"])
        if text in self.ids:
            found = text
        else:
            meant = names.called(text)
            if meant.player is None and meant.candidates:
                raise UserError(f"{text!r} could be {', '.join(meant.candidates)}: give the id.")
            found = next((name for name, person in self.ids.items() if person == meant.player), "")
        if found not in players:
            raise UserError(f"there are no results of {text!r}.{did_you_mean(text, players)}")
        return found


def resolve(reports: Reports, names: Names) -> ResolvedLeague:
    """Return what counts of what was reported."""
    players, codes = _players(reports, names)
    number, day_from = _numbers(reports, codes)
    known = codes >= 0
    spellings = [one for one in reports.people if not one.is_id]
    labels = names.labels((players[code] for code in np.unique(codes[known])), spellings)
    order = sorted(labels, key=lambda player: (labels[player], player))
    rank = {player: at for at, player in enumerate(order)}
    ranks = np.array([rank.get(player, -1) for player in players], int)
    table = pd.DataFrame(
        {
            "player": ranks[codes[known]],
            "day": number[known],
            "guesses": reports.results["guesses"].to_numpy()[known],
            "day_from": day_from[known],
            "posted": reports.posts["posted"].to_numpy()[reports.results["post"].to_numpy()[known]],
        }
    )
    results, conflicts = _once(table[table["guesses"] != UNFINISHED], np.array([labels[one] for one in order], object))
    begun = table[(table["guesses"] == UNFINISHED) & (table["day"] >= 0)]
    return ResolvedLeague(
        results,
        _unfinished(begun.assign(player=[labels[order[at]] for at in begun["player"]]), results),
        _unresolved(reports, names, number, ~known),
        _unconfirmed(results, {label: player for player, label in labels.items()}, names),
        conflicts,
        {label: player for player, label in labels.items()},
    )


def _players(reports: Reports, names: Names) -> tuple[list[Person], IntArray]:
    """Return the players, and which of them each result is of; -1 where that stays open."""
    codes: dict[Person, int] = {}

    def code(player: Person | None) -> int:
        return -1 if player is None else codes.setdefault(player, len(codes))

    of_person = np.array([code(names.meant(person).player) for person in reports.people], int)
    person, number = (reports.results[column].to_numpy() for column in ("person", "number"))
    found = of_person[person]
    for at, one in enumerate(reports.people):
        rows = np.flatnonzero(person == at) if one.key in names.aliases else np.empty(0, int)
        for alias in names.aliases.get(one.key, ()):
            within = (number[rows] >= alias.first_number) & (number[rows] <= alias.last_number)
            found[rows[within]] = code(names.target(alias).player)
    return list(codes), found


def _numbers(reports: Reports, codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the puzzle of each result and how it is known.

    A summary whose number is only derived from its date takes that of a summary that says the same and knows it better:
    the same one in another channel, or posted twice. A game that was begun has the number of the channel's next summary
    (-1 where none follows).
    """
    results = reports.results
    post, number = results["post"].to_numpy(), results["number"].to_numpy().copy()
    day_from = reports.posts["day_from"].to_numpy()[post]
    is_begun = results["guesses"].to_numpy() == UNFINISHED
    rows = np.flatnonzero((day_from < DayFrom.TEXT) & ~is_begun)
    if len(rows):
        who = np.where(codes < 0, len(reports.people) + results["person"].to_numpy(), codes)[rows]
        better = _better_numbers(reports.posts, _summaries(post[rows], who, results.iloc[rows]))
        new_number, new_from = np.full((2, len(reports.posts)), -1)
        new_number[better.index], new_from[better.index] = better["number"], better["day_from"]
        is_better = new_number[post] >= 0
        number, day_from = np.where(is_better, new_number[post], number), np.where(is_better, new_from[post], day_from)
    if is_begun.any():
        number[is_begun] = _next_summary(reports.posts, post[is_begun], post[rows], number[rows])
    return number, day_from


def _summaries(post: IntArray, who: IntArray, results: pd.DataFrame) -> pd.DataFrame:
    """Return the number of each summary, and a text that is the same for summaries that say the same.

    >>> rows = pd.DataFrame({"guesses": [3, 4, 4, 3], "number": [9, 9, 8, 8]})
    >>> _summaries(np.array([0, 0, 1, 1]), np.array([5, 6, 6, 5]), rows)["content"].nunique()
    1
    """
    entries = who * (UNSOLVED + 1) + results["guesses"].to_numpy()
    order = np.lexsort((entries, post))
    starts = np.flatnonzero(np.diff(post[order], prepend=-1))
    parts = np.split(entries[order], starts[1:])
    return pd.DataFrame(
        {"content": [part.tobytes() for part in parts], "number": results["number"].to_numpy()[order][starts]},
        index=post[order][starts],
    )


def _better_numbers(posts: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Return number and day_from, by post, for dated summaries from those that say the same and know them better."""
    summaries = summaries.join(posts[["posted", "day_from"]]).sort_values(["content", "posted", "number"])
    starts = (summaries["content"] != summaries["content"].shift()) | (summaries["posted"].diff() > SAME_SUMMARY_MS)
    summaries["same"] = starts.cumsum()
    best = summaries.sort_values("day_from", ascending=False, kind="stable").drop_duplicates("same").set_index("same")
    derived = summaries[summaries["day_from"] == DayFrom.DATE]
    return best.loc[derived["same"], ["number", "day_from"]].set_index(derived.index)


def _next_summary(posts: pd.DataFrame, begun: IntArray, summaries: IntArray, number: IntArray) -> IntArray:
    """Return the number of the first summary after each post, in its channel; -1 where none follows in time."""
    first = pd.DataFrame({"number": number}, index=summaries).groupby(level=0)["number"].first()
    later = posts.loc[first.index].assign(number=first).sort_values("posted")
    asked = posts.loc[begun].assign(at=np.arange(len(begun))).sort_values("posted")
    columns = ["posted", "channel", "number"]
    found = pd.merge_asof(
        asked, later[columns], on="posted", by="channel", direction="forward", tolerance=SUMMARY_AFTER_MS
    )
    return found.sort_values("at")["number"].fillna(-1).to_numpy(np.int64)


def _once(table: pd.DataFrame, labels: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return each player's result of each puzzle by the best sources, and the conflicts."""
    day, posted = table["day"].to_numpy(), table["posted"].to_numpy()
    too_late = (posted >= 0) & (table["day_from"] == DayFrom.TEXT) & (day > number_at_ms(posted + GRACE_MS))
    late, table = table[too_late], table[~too_late]
    key, place = table["player"] + table["day"] * MAX_PLAYERS, PRECEDENCE[table["day_from"]]
    order = np.argsort((key * len(PRECEDENCE) + place) * (UNSOLVED + 1) + table["guesses"])
    table, keys = table.iloc[order], key.to_numpy()[order]
    guesses, place = table["guesses"].to_numpy(), place[order]
    is_first = np.append(True, np.diff(keys) != 0)[: len(keys)]
    starts, group = np.flatnonzero(is_first), np.cumsum(is_first) - 1
    differs = guesses != guesses[starts][group]
    disputed, touched = np.zeros((2, len(starts)), bool)
    disputed[group[differs & (place == place[starts][group])]] = True
    touched[group[differs]] = True
    chosen = table.iloc[starts[~disputed]]
    rows = differs | (is_first & touched[group])
    why = np.where(disputed[group], REPORTED_TWICE, np.where(differs, CONTRADICTS_SUMMARY, ""))[rows]
    listed = table[rows].assign(counts=~disputed[group][rows] & ~differs[rows], why=why)
    listed = pd.concat([listed, late.assign(counts=False, why=TOO_LATE)])
    return _readable(chosen, labels), _readable(listed, labels, ["counts", "why"]).drop_duplicates(ignore_index=True)


def _readable(table: pd.DataFrame, labels: np.ndarray, more: Sequence[str] = ()) -> pd.DataFrame:
    """Return rows with the players' names and words for how their numbers are known."""
    found = pd.DataFrame(
        {
            "player": labels[table["player"]],
            "day": table["day"].to_numpy(),
            "guesses": table["guesses"].to_numpy(),
            "source": KNOWN_FROM[table["day_from"]],
        }
    )
    for name in more:
        found[name] = table[name].to_numpy()
    return found


def _unfinished(begun: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Return player and day of games that were begun and have no result."""
    found = begun[["player", "day"]].drop_duplicates()
    played = pd.MultiIndex.from_frame(results[["player", "day"]])
    is_played = pd.MultiIndex.from_frame(found).isin(played)
    return found[~is_played].sort_values(["day", "player"], ignore_index=True)


def _unresolved(reports: Reports, names: Names, number: IntArray, is_open: np.ndarray) -> pd.DataFrame:
    people = reports.people
    finished = is_open & (reports.results["guesses"].to_numpy() != UNFINISHED)
    found = pd.DataFrame({"person": reports.results["person"].to_numpy()[finished], "number": number[finished]})
    rows = [
        (people[person].key, names.meant(people[person]).candidates, len(one), one.min(), one.max())
        for person, one in ((int(str(key)), one) for key, one in found.groupby("person")["number"])
    ]
    table = pd.DataFrame(rows, columns=["name", "candidates", "n_results", "first", "last"])
    return table.sort_values("name", ignore_index=True)


def _unconfirmed(results: pd.DataFrame, ids: dict[str, Person], names: Names) -> pd.DataFrame:
    counts = results["player"].value_counts()
    rows = [
        (name, names.suggestions(name), int(counts[name]))
        for name, person in sorted(ids.items())
        if not person.is_id and name in counts
    ]
    return pd.DataFrame(rows, columns=["name", "suggestions", "n_results"])
