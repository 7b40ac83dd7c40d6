"""Which results count: one for each player and puzzle, whoever said it how often."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
from wordpl.league.names import Names
from wordpl.league.posts import UNSOLVED, DayFrom, Person

SAME_SUMMARY_MS = 20 * 3600 * 1000
"""Summaries that say the same within this time are one: a group has one a day."""
MOST_PLAYERS = 1 << 31
KNOWN_FROM = np.array(["date", "picture", "typed"], dtype=object)
"""In the order of DayFrom."""
_ODD = 0x9E3779B97F4A7C15  # 2**64 by the golden ratio: spreads what differs little


@dataclass(frozen=True)
class Reports:
    """What a league's sources say.

    people: whom `person` of the results counts. results: columns post, person, number, guesses. posts: indexed as
    `post` counts; columns source, posted (milliseconds, -1 for none), day_from.
    """

    people: Sequence[Person]
    results: pd.DataFrame
    posts: pd.DataFrame


@dataclass(frozen=True)
class ResolvedLeague:
    """The results of a league.

    results: a row for each player and puzzle, in this order; columns player, day (the puzzle's number), guesses (7 for
    X), source ("typed", "picture" or "date": how the number is known).
    unresolved: names that could be several people: name, candidates, n_results, first, last (puzzle numbers).
    conflicts: what two sources that are equally sure say differently, and so does not count: player, day, guesses.
    ids: the Discord id, or the name, behind each player.
    """

    results: pd.DataFrame
    unresolved: pd.DataFrame
    conflicts: pd.DataFrame
    ids: dict[str, Person]

    def find(self, text: str, names: Names) -> str:
        """Return the player who is called so. Raises UserError if nobody is, or several are."""
        if text in self.ids:
            found = text
        else:
            meant = names.called(text)
            if meant.candidates:
                raise UserError(f"{text!r} could be {', '.join(meant.candidates)}: give the id.")
            found = next((name for name, person in self.ids.items() if person == meant.player), "")
        if found not in set(self.results["player"]):
            near = get_close_matches(text, set(self.results["player"]), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise UserError(f"there are no results of {text!r}.{hint}")
        return found


def resolve(said: Reports, names: Names) -> ResolvedLeague:
    """Return what counts of what was said."""
    players, codes = _players(said, names)
    number, day_from = _numbers(said, codes)
    known = codes >= 0
    labels = names.labels(players[code] for code in np.unique(codes[known]))
    order = sorted(labels, key=labels.get)
    rank = {player: at for at, player in enumerate(order)}
    ranks = np.array([rank.get(player, -1) for player in players], int)
    table = pd.DataFrame(
        {
            "player": ranks[codes[known]],
            "day": number[known],
            "guesses": said.results["guesses"].to_numpy()[known],
            "day_from": day_from[known],
        }
    )
    results, conflicts = _once(table, np.array([labels[player] for player in order], dtype=object))
    unresolved = _unresolved(said, names, number, ~known)
    return ResolvedLeague(results, unresolved, conflicts, {label: player for player, label in labels.items()})


def _players(said: Reports, names: Names) -> tuple[list[Person], np.ndarray]:
    """Return the players, and which of them each result is of; -1 where that stays open."""
    codes: dict[Person, int] = {}

    def code(player: Person | None) -> int:
        return -1 if player is None else codes.setdefault(player, len(codes))

    of_person = np.array([code(names.meant(person).player) for person in said.people], int)
    person, number = (said.results[column].to_numpy() for column in ("person", "number"))
    found = of_person[person]
    for at, one in enumerate(said.people):
        rows = np.flatnonzero(person == at) if one.key in names.aliases else []
        for alias in names.aliases.get(one.key, ()):
            within = (number[rows] >= alias.first_number) & (number[rows] <= alias.last_number)
            found[rows[within]] = code(names.target(alias).player)
    return list(codes), found


def _numbers(said: Reports, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the puzzle of each result and how it is known.

    A summary whose number is only derived from its date takes that of a summary that says the same and knows it better:
    the same one in another channel, or posted twice.
    """
    post, number = said.results["post"].to_numpy(), said.results["number"].to_numpy().copy()
    day_from = said.posts["day_from"].to_numpy()[post]
    rows = np.flatnonzero(day_from < DayFrom.TEXT)
    if not len(rows):
        return number, day_from
    who = np.where(codes < 0, len(said.people) + said.results["person"].to_numpy(), codes)[rows]
    marks = (who * 8 + said.results["guesses"].to_numpy()[rows] + 1).astype(np.uint64) * np.uint64(_ODD)
    marks ^= marks >> np.uint64(29)
    frame = pd.DataFrame({"post": post[rows], "mark": marks * np.uint64(_ODD), "number": number[rows]})
    summaries = frame.groupby("post").agg({"mark": "sum", "number": "first"})
    summaries = summaries.join(said.posts[["posted", "day_from"]]).sort_values(["mark", "posted", "number"])
    starts = (summaries["mark"].diff() != 0) | (summaries["posted"].diff() > SAME_SUMMARY_MS)
    summaries["same"] = starts.cumsum()
    best = summaries.sort_values("day_from", ascending=False, kind="stable").drop_duplicates("same").set_index("same")
    derived = summaries[summaries["day_from"] == DayFrom.DATE]
    better = best.loc[derived["same"], ["number", "day_from"]].set_index(derived.index)
    new_number, new_from = np.full((2, len(said.posts)), -1)
    new_number[better.index], new_from[better.index] = better["number"], better["day_from"]
    moved = new_number[post] >= 0
    return np.where(moved, new_number[post], number), np.where(moved, new_from[post], day_from)


def _once(table: pd.DataFrame, labels: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return each player's result of each puzzle by the surest sources, and those that equally sure ones contradict."""
    key, doubt = table["player"] + table["day"] * MOST_PLAYERS, DayFrom.TEXT - table["day_from"]
    order = np.argsort((key * len(DayFrom) + doubt) * (UNSOLVED + 1) + table["guesses"])
    table, key = table.iloc[order], key.to_numpy()[order]
    guesses, day_from = table["guesses"].to_numpy(), table["day_from"].to_numpy()
    is_first = np.append(True, np.diff(key) != 0)[: len(key)]
    starts, group = np.flatnonzero(is_first), np.cumsum(is_first) - 1
    differs = (day_from == day_from[starts][group]) & (guesses != guesses[starts][group])
    disputed = np.zeros(len(starts), bool)
    disputed[group[differs]] = True
    chosen = table.iloc[starts[~disputed]]
    results = pd.DataFrame(
        {
            "player": labels[chosen["player"]],
            "day": chosen["day"].to_numpy(),
            "guesses": chosen["guesses"].to_numpy(),
            "source": KNOWN_FROM[chosen["day_from"]],
        }
    )
    rows = differs | (is_first & disputed[group])
    conflicts = table[rows].assign(player=labels[table["player"][rows]])[["player", "day", "guesses"]]
    return results, conflicts.drop_duplicates(ignore_index=True)


def _unresolved(said: Reports, names: Names, number: np.ndarray, is_open: np.ndarray) -> pd.DataFrame:
    found = pd.DataFrame({"person": said.results["person"].to_numpy()[is_open], "number": number[is_open]})
    rows = [
        (said.people[at].key, names.meant(said.people[at]).candidates, len(one), one.min(), one.max())
        for at, one in found.groupby("person")["number"]
    ]
    table = pd.DataFrame(rows, columns=["name", "candidates", "n_results", "first", "last"])
    return table.sort_values("name", ignore_index=True)
