"""Imports that show what they would change before they count, and what is doubtful about them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from wordpl.apps.league.alias_log import add_alias
from wordpl.apps.league.player_names import Alias
from wordpl.apps.league.resolve import ResolvedLeague
from wordpl.apps.league.sources import ImportOptions, ImportReport, import_file
from wordpl.apps.league.store import League, LeagueStore
from wordpl.core.puzzles import LAST_NUMBER


class Doubt(NamedTuple):
    """A name of which only a person can say whose it is.

    Attributes:
        league: The key of the league.
        name: The name.
        question: The question, which can be answered by yes or no.
        player: The id that the name stands for if the answer is yes; "": it is a player's name.
    """

    league: str
    name: str
    question: str
    player: str = ""


@dataclass(frozen=True)
class LeagueChanges:
    """What changes between two states of a league.

    Attributes:
        players: One row per player of whom something changes, with columns player, before (results), added, changed,
            removed and is_new.
        gaps: The first and the last puzzle of each stretch, among the puzzles that get results, of which there is none.
    """

    players: pd.DataFrame
    gaps: Sequence[tuple[int, int]] = ()

    @property
    def is_nothing(self) -> bool:
        """Whether no result changes."""
        return self.players.empty


@dataclass(frozen=True)
class ImportPreview:
    """What an import of files would do.

    Attributes:
        reports: What is in the files.
        changes: What would change, by the key of the league.
        doubts: Names that somebody should decide about first.
    """

    reports: Sequence[ImportReport]
    changes: dict[str, LeagueChanges]
    doubts: Sequence[Doubt]


def changes_between(before: ResolvedLeague | None, after: ResolvedLeague) -> LeagueChanges:
    """Return what changes from one state of a league to another; None is a league that does not exist yet."""
    games, labels = list[dict[tuple[str, int], int]](), dict[str, str]()
    for state in (before, after):
        if state is None:
            games.append({})
            continue
        keys = {label: person.key for label, person in state.ids.items()}
        labels |= {key: label for label, key in keys.items()}
        rows = state.results
        places = zip(rows["player"].map(keys), rows["day"], strict=True)
        games.append(dict(zip(places, rows["guesses"], strict=True)))
    old, new = games
    had = Counter(player for player, _ in old)
    added = Counter(player for player, day in new if (player, day) not in old)
    removed = Counter(player for player, day in old if (player, day) not in new)
    changed = Counter(game[0] for game in new if game in old and new[game] != old[game])
    players = sorted({*added, *removed, *changed}, key=lambda key: (labels[key].casefold(), key))
    table = pd.DataFrame(
        [(labels[key], had[key], added[key], changed[key], removed[key], not had[key]) for key in players],
        columns=["player", "before", "added", "changed", "removed", "is_new"],
    )
    days = sorted({day for player, day in new if (player, day) not in old})
    known = {day for _, day in new}
    without = [day for day in range(days[0], days[-1]) if day not in known] if days else []
    return LeagueChanges(table, _stretches(without))


def _stretches(days: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and the last day of each run of days.

    >>> _stretches([3, 4, 5, 9])
    [(3, 5), (9, 9)]
    """
    starts = [day for day in days if day - 1 not in set(days)]
    ends = [day for day in days if day + 1 not in set(days)]
    return list(zip(starts, ends, strict=True))


def preview_import(
    store: LeagueStore, files: Iterable[Path], options: ImportOptions, *, replaces: bool = False
) -> ImportPreview:
    """Return what `import_files` would do, without changing the store."""
    with store.trial() as trial:
        before = {key: store.find(key).resolved() for key in store.leagues()}
        reports = import_files(trial, files, options, replaces=replaces)
        keys = dict.fromkeys(report.league for report in reports)
        after = {key: trial.find(key) for key in keys}
        changes = {key: changes_between(before.get(key), league.resolved()) for key, league in after.items()}
        doubts = [doubt for key, league in after.items() for doubt in _doubts(league, before.get(key), reports)]
    return ImportPreview(reports, changes, doubts)


def _doubts(league: League, before: ResolvedLeague | None, reports: Iterable[ImportReport]) -> list[Doubt]:
    here = [report for report in reports if report.league == league.key]
    named = Counter(part.name for report in here for part in report.unread if part.name)
    doubts = [
        Doubt(league.key, name, f"{n} shares are said to be by {name!r}, whom nobody here is. Is this a player?")
        for name, n in sorted(named.items())
    ]
    resolved, names = league.resolved(), league.names()
    known = set(before.unconfirmed["name"]) if before is not None else set()
    for name, suggestions, n in resolved.unconfirmed.itertuples(index=False):
        if name not in known and suggestions:
            shown = f"{names.shown_name(suggestions[0])} ({suggestions[0]})"
            question = f"{name!r}, known by name only, has {n} results. Is this {shown}?"
            doubts.append(Doubt(league.key, name, question, suggestions[0]))
    known = set(before.unresolved["name"]) if before is not None else set()
    for name, candidates in resolved.unresolved[["name", "candidates"]].itertuples(index=False):
        for id in candidates if name not in known else ():
            question = f"{name!r} could be {len(candidates)} people. Is it {names.shown_name(id)} ({id})?"
            doubts.append(Doubt(league.key, name, question, id))
    return doubts


def import_files(
    store: LeagueStore, files: Iterable[Path], options: ImportOptions, *, replaces: bool = False
) -> list[ImportReport]:
    """Import files and return what was found in each.

    Args:
        store: The store.
        files: The files.
        options: How to read them.
        replaces: Whether what they say of a message, or of a kind of chat whose messages have no ids, replaces all that
            earlier imports found in it. Several parts of such a chat must be imported together.
    """
    already: set[tuple[str, str, str]] | None = set() if replaces else None
    return [import_file(store, path, options, already) for path in files]


def settle(store: LeagueStore, doubts: Iterable[Doubt], options: ImportOptions) -> ImportOptions:
    """Take doubts that were answered with yes into account, before the files are imported; return the options.

    Names that stand for an account become aliases, which `wordpl league undo` takes back.
    """
    players = {doubt.name for doubt in doubts if not doubt.player}
    for doubt in doubts:
        if doubt.player:
            league = store.league(doubt.league)
            add_alias(league, Alias(doubt.name, doubt.player, 0, LAST_NUMBER), options.actor)
    return replace(options, people=options.people | players)
