"""The results of a run, from which the sections of its report are made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core import words
from wordpl.core.intervals import ROUNDING, proportion_interval
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists
from wordpl.reports.elements import Entry
from wordpl.reports.names import in_csv, labels
from wordpl.reports.standings import Board
from wordpl.run.frame import Moves, rows_by
from wordpl.run.info import About
from wordpl.run.records import Usage
from wordpl.stats import compare
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.scores.means import proportion
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import CONFIDENCE


def semicolons(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a CSV file with semicolons, all digits of numbers, and empty fields for unknown values."""
    lines = [heads, *([_shown(value) for value in row] for row in rows)]
    return "".join(";".join(line) + "\n" for line in lines)


def _shown(value: object) -> str:
    if isinstance(value, str):
        text = in_csv(value)
        return '"' + text.replace('"', '""') + '"' if set(text) & set(';"\n') else text
    return "" if value != value else str(value)


Floats = NDArray[np.float64]
MAX_STEPS = 120
"""The most steps of a curve; those of many entries have fewer, MIN_STEPS at least, so that STEPS are not exceeded."""
MIN_STEPS, STEPS = 24, 2000
MIN_LEAD = 0.01
"""The share of games that the first leader must have won."""
MAX_IN_COLOUR = 8
"""The most entries that all have a colour; of more, only those that lead a score or somewhere on the curves have."""
MAX_FRONT = 12
"""The most entries among many that have a colour before a reader chooses others."""


@dataclass(frozen=True, eq=False)
class WinCurve:
    """The share of games that an entry wins within each cost, as its board measures wins: a step function.

    Attributes:
        costs: The costs at which it rises, in ascending order, float[n].
        shares: The share from each of them on, float[n].
        low, high: The bounds of its 95% interval at each cost by itself.
    """

    costs: Floats
    shares: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(
        cls, costs: Floats, luck: LuckCorrected | None, at: Sequence[float], max_steps: int, *, is_exact: bool
    ) -> "WinCurve":
        """Return the curve of an entry.

        Args:
            costs: The cost of each game; a lost one is infinite.
            luck: The games without most of the luck; None: wins are counted.
            at: Costs that are among the steps.
            max_steps: The most further steps.
            is_exact: Whether the games are all that are possible, so that shares are exact.
        """
        known = costs if luck is None else luck.luck.spent
        steps = np.unique(known[np.isfinite(known)])
        if len(steps) > max_steps:
            chosen = steps[np.linspace(0, len(steps) - 1, max_steps).round().astype(int)]
            steps = np.unique(np.append(chosen, [cost for cost in at if steps[0] <= cost <= steps[-1]]))
        if luck is None:
            won = np.searchsorted(np.sort(costs) * (1 - ROUNDING), steps, side="right")
            shares = won / max(1, len(costs))
            low, high = (shares, shares) if is_exact else proportion_interval(won, len(costs), CONFIDENCE)
        else:
            found = [proportion(*luck.credited_within(float(cost))) for cost in steps]
            ends = np.array([(one.value, one.low, one.high) for one in found]).reshape(-1, 3)
            # Estimates may fall a little where the truth cannot; the last one is that of all wins.
            shares, low, high = np.minimum.accumulate(ends[::-1], axis=0)[::-1].T
        return cls(steps, shares, np.asarray(low, float), np.asarray(high, float))

    def at(self, costs: float | Floats) -> tuple[Floats, Floats, Floats]:
        """Return the shares of games won within costs, and the bounds of their intervals."""
        index = np.searchsorted(self.costs * (1 - ROUNDING), np.asarray(costs), side="right")
        shares, low, high = (np.append(0.0, part)[index] for part in (self.shares, self.low, self.high))
        return shares, low, high


def leads(curves: Mapping[str, WinCurve]) -> list[tuple[float, str]]:
    """Return from which costs on which entry leads, in ascending order.

    The lead changes where the interval of another entry lies above that of the leader, to the entry with the highest
    share. So a lead that is within the errors of the curves does not change hands.
    """
    names, found = list(curves), list[tuple[float, str]]()
    costs = np.unique(np.concatenate([np.empty(0), *(curve.costs for curve in curves.values())]))
    shares, low, high = np.array([curve.at(costs) for curve in curves.values()]).transpose(1, 0, 2)
    for at in range(len(costs)):
        best = max(range(len(names)), key=lambda one: (shares[one, at], low[one, at]))
        is_passed = not found or low[best, at] > high[names.index(found[-1][1]), at]
        if shares[best, at] >= MIN_LEAD and is_passed:
            found.append((float(costs[at]), names[best]))
    return found


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
            found[board.rules] = entries_of(board, sum(map(len, found.values())), self.front(board))
        return found

    def curves(self, board: Board) -> dict[str, WinCurve]:
        """Return the curves of the entries that are shown in detail, by name; none if costs have no end."""
        return self._curves[board.rules]

    @cached_property
    def _curves(self) -> dict[str, dict[str, WinCurve]]:
        found: dict[str, dict[str, WinCurve]] = {}
        for board in self.boards:
            games, names = rows_by(self.rows_of(board), "entry"), self._first_names(board)
            found[board.rules] = {}
            if not (board.game.has_epsilon or board.game.bins):
                continue
            for row in (row for row in board.rows if row.name in names):
                luck = board.luck[row.name] if board.luck and row.name not in board.exact else None
                at = [row[score].value for score in board.scores if isinstance(score, QuantileScore)]
                costs, n_steps = games[row.name]["cost"].to_numpy(float), max(MIN_STEPS, STEPS // len(names))
                found[board.rules][row.name] = WinCurve.of(
                    costs, luck, at, min(MAX_STEPS, n_steps), is_exact=row.name in board.exact
                )
        return found

    def front(self, board: Board) -> list[str]:
        """Return the entries that have a colour from the start, in the order of the board.

        Of many entries, these are the leaders of the scores, those who lead somewhere on the curves, the longest leads
        first, and those who are not told apart from the leader of the main score.
        """
        if len(board.rows) <= MAX_IN_COLOUR:
            return board.names
        best = [board.ranked(score)[0].name for score in board.ranked_scores if board.n_tied(score)]
        changes = leads(self.curves(board))
        ends = [start for start, _ in changes[1:]] + [np.inf]
        longest = sorted(range(len(changes)), key=lambda at: changes[at][0] - ends[at])
        tied = [row.name for row in board.rows if row[board.main_score].may_be_best]
        front = list(dict.fromkeys([*best, *(changes[at][1] for at in longest), *tied]))[:MAX_FRONT]
        return [name for name in board.names if name in front]

    def _first_names(self, board: Board) -> list[str]:
        is_many = len(board.rows) > compare.MAX_PAIRED
        return board.names[: compare.N_PAIRED] if is_many else board.names

    def entries(self, board: Board) -> dict[str, Entry]:
        """Return the entries of a board by name, in the order of the board."""
        return self._entries[board.rules]

    def first(self, board: Board) -> tuple[dict[str, Entry], str]:
        """Return the entries that are shown in detail, and a phrase for a title that says so if these are not all."""
        entries, names = self.entries(board), self._first_names(board)
        which = "" if len(names) == len(entries) else f" (the first {len(names)} of {len(entries):,} entries)"
        return {name: entries[name] for name in names}, which

    @property
    def has_moves(self) -> bool:
        """Whether the moves of the games are known."""
        return bool(self.moves)

    @property
    def n_games(self) -> int:
        """One more than the largest number of a game."""
        return int(self.games["game"].max()) + 1 if len(self.games) else 0


def entries_of(board: Board, first: int = 0, front: Sequence[str] | None = None) -> dict[str, Entry]:
    """Return the entries of a board by name, in the order of the board, with labels and numbers from `first` on.

    Args:
        board: The board.
        first: The first number.
        front: The entries that have the first numbers, so that their colours differ; the others are aside. None: all.
    """
    front = board.names if front is None else front
    numbered = [*front, *(name for name in board.names if name not in front)]
    short, number = labels(board.names), {name: at for at, name in enumerate(numbered, first)}
    return {name: Entry(name, short[name], number[name], name not in front) for name in board.names}
