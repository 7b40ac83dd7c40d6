"""The results of a run, from which the sections of its report are made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import pandas as pd

from wordpl.core import words
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists
from wordpl.reports.elements import Entry
from wordpl.reports.names import in_csv, labels
from wordpl.reports.standings import Board
from wordpl.run.frame import Moves, rows_by
from wordpl.run.info import About
from wordpl.run.records import Usage
from wordpl.stats import compare


def semicolons(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV file with semicolons, all digits of numbers, and empty fields for unknown values."""
    lines = [heads, *([_shown(value) for value in row] for row in rows)]
    return "".join(";".join(line) + "\n" for line in lines)


def _shown(value: object) -> str:
    if isinstance(value, str):
        text = in_csv(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(';"\n') else text
    return "" if value != value else str(value)


@dataclass(frozen=True, eq=False)
class RunResults:
    """The results of a run.

    Attributes:
        boards: The board of each game.
        games: Rows of `load_run`, with the columns `posterior` and `cpu_s` if they are known.
        moves: The moves of each entry's games, by its name; empty if they are not known.
        lists: The word lists of the run, by default those of the contest.
        name: The name of the run.
        facts: Facts about the run, by name.
        remarks: Sentences about entries.
        verified: The sentences of `wordpl verify`; empty if the run was not verified.
        commands: The commands that play the run, verify it, and write the page.
        draws: The draws of the run; None if its seed is not known or not revealed yet.
        about: What authors say about their entries, by the names of the entries.
        usage: What entries without code took, by the names of the entries.
        replies: What they replied, by the names of the entries, the numbers of their games and those of the moves.
        computed: The contents of the sections that have been computed and follow from the games, by name.
    """

    boards: Sequence[Board]
    games: pd.DataFrame
    moves: Mapping[str, Moves] = field(default_factory=dict)
    lists: WordLists = field(default_factory=words.load)
    name: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    verified: Sequence[str] = ()
    commands: Sequence[str] = ()
    about: Mapping[str, About] = field(default_factory=dict)
    draws: Draws | None = None
    usage: Mapping[str, Usage] = field(default_factory=dict)
    replies: Mapping[str, Mapping[int, Mapping[int, str]]] = field(default_factory=dict)
    computed: dict[str, Sequence[Any]] = field(default_factory=dict, init=False)

    def checked(self, verified: Sequence[str], commands: Sequence[str]) -> "RunResults":
        """Return the results with what `wordpl verify` found and with commands."""
        found = replace(self, verified=verified, commands=commands)
        found.computed.update(self.computed)
        return found

    def rows_of(self, board: Board) -> pd.DataFrame:
        """Return the games of a board."""
        return self._by_rules[board.rules]

    @cached_property
    def _by_rules(self) -> dict[str, pd.DataFrame]:
        return rows_by(self.games, "rules")

    @cached_property
    def _entries(self) -> dict[str, dict[str, Entry]]:
        found: dict[str, dict[str, Entry]] = {}
        for board in self.boards:
            found[board.rules] = entries_of(board, sum(map(len, found.values())))
        return found

    def entries(self, board: Board) -> dict[str, Entry]:
        """Return the entries of a board by name, in the order of the board."""
        return self._entries[board.rules]

    def first(self, board: Board) -> tuple[dict[str, Entry], str]:
        """Return the entries that are shown in detail, and a phrase for a title that says so if these are not all."""
        entries = self.entries(board)
        if len(entries) <= compare.MAX_PAIRED:
            return entries, ""
        first = dict(islice(entries.items(), compare.N_PAIRED))
        return first, f" (the first {len(first)} of {len(entries):,} entries)"

    @property
    def has_moves(self) -> bool:
        """Whether the moves of the games are known."""
        return bool(self.moves)

    @property
    def n_games(self) -> int:
        """One more than the largest number of a game."""
        return int(self.games["game"].max()) + 1 if len(self.games) else 0


def entries_of(board: Board, first: int = 0) -> dict[str, Entry]:
    """Return the entries of a board by name, with labels and numbers from `first` on, in the order of the board."""
    short = labels(board.names)
    return {name: Entry(name, short[name], number) for number, name in enumerate(board.names, first)}
