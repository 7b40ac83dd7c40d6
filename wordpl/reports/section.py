"""The parts of a report as data: tables, curves, matrices, verdicts, facts, notes and games.

A report is a list of sections. Each is computed once, from the results of a run, and rendered for the terminal
(`reports.terminal`), Markdown (`reports.markdown`), HTML (`reports.html`), JSON (`reports.as_json`) and the app.
Nothing here depends on an output.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

from wordpl.reports.cells import Cell, Entry, EstimateCell, Value, cell

if TYPE_CHECKING:
    from wordpl.reports.results import RunResults


class Detail(IntEnum):
    """How much a reader must ask for before a section or a column is shown.

    BOARD is shown everywhere. FULL is left out in the terminal unless --full is given, and is part of LEADERBOARD.md,
    the page, JSON and the app. DETAILS is also left out of LEADERBOARD.md.
    """

    BOARD = 0
    FULL = 1
    DETAILS = 2


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        head: The heading.
        kind: "name" identifies the row, and tables that are split repeat it; "text" is left-aligned; "number".
        level: Where the column is shown; columns above BOARD are left out where each row has one line.
        best: Which values are best, if the column ranks the rows; the first sort of a page shows these first.
        scale: The bounds of an axis on which estimates can be drawn; None for no drawing.
        meaning: What the heading means, for tooltips.
    """

    head: str
    kind: Literal["name", "text", "number"] = "number"
    level: Detail = Detail.BOARD
    best: Literal["low", "high"] | None = None
    scale: tuple[float, float] | None = None
    meaning: str = ""

    @property
    def is_text(self) -> bool:
        """Whether the column is left-aligned."""
        return self.kind != "number"


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: The title.
        columns: The columns.
        rows: The cells of each row.
        legend: The meaning of the columns, shown below.
        n_tied: The number of rows at the top that are not told apart from the first; 0 if that is not known.
        lines: Whether each row has one line where space is short: details are left out.
        folded: Whether a page shows the table only on request.
        is_ordered: Whether the order of the rows has a meaning, so that they are not to be sorted.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    legend: str = ""
    n_tied: int = 0
    lines: bool = False
    folded: bool = False
    is_ordered: bool = False

    @property
    def heads(self) -> list[str]:
        """The headings."""
        return [column.head for column in self.columns]

    @property
    def cells(self) -> list[list[Cell]]:
        """The rows as typed cells."""
        return [[cell(value) for value in row] for row in self.rows]

    def at(self, level: Detail) -> "Table":
        """Return the table with the columns up to this level."""
        shown = [index for index, column in enumerate(self.columns) if column.level <= level]
        rows = [[row[index] for index in shown] for row in self.rows]
        return replace(self, columns=[self.columns[index] for index in shown], rows=rows)


def text_table(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[Value]], left: Collection[str] = (), legend: str = ""
) -> Table:
    """Return a table whose columns need no more than a heading.

    Args:
        title: The title.
        heads: The headings.
        rows: The rows.
        left: The headings of text columns; the first of them identifies the row. The others contain numbers.
        legend: The text below the table.
    """
    first = next((head for head in heads if head in left), None)
    columns = [
        Column(head, "name" if head == first and head in left else "text" if head in left else "number")
        for head in heads
    ]
    return Table(title, columns, list(rows), legend)


@dataclass(frozen=True)
class ScaledTable(Table):
    """The entries in the order of one score, whose column has a scale: an axis for their estimates.

    Attributes:
        game: The game whose records rank the entries.
        head: The heading of the score.
        name: The name of the score.
        unreached: What is said of an entry whose score is infinite.
    """

    game: str = ""
    head: str = ""
    name: str = ""
    unreached: str = ""


@dataclass(frozen=True)
class Line:
    """A step function with a confidence band: the values and their bounds from each x on, after 0.

    Attributes:
        entry: The entry.
        x: The places of the steps, ascending.
        y, low, high: The value and its bounds from there on.
    """

    entry: Entry
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True)
class Lead:
    """A part of the x axis with one leader.

    Attributes:
        start, end: The ends of the part.
        entry: The entry that leads: it has the highest value, or none whose confidence band lies above its own.
        value: The entry's value at the start.
    """

    start: float
    end: float
    entry: Entry
    value: float


@dataclass(frozen=True)
class Curve:
    """A chart of step functions from 0 to 1, and the same numbers as a table.

    Attributes:
        title: The title.
        x_label, y_label: What the axes show.
        x_max: The end of the x axis, which starts at 0.
        lines: The functions.
        table: Their values at some places.
        legend: The meaning of the lines.
        game: The game whose records the chart shows.
        leads: Which entry leads where, from left to right.
    """

    title: str
    x_label: str
    y_label: str
    x_max: float
    lines: Sequence[Line]
    table: Table
    legend: str = ""
    game: str = ""
    leads: Sequence[Lead] = ()


@dataclass(frozen=True)
class Matrix:
    """A comparison of all pairs of entries: row minus column.

    Attributes:
        title: The title.
        head: What is compared.
        entries: The entries of the rows and of the columns.
        cells: The difference of each pair, with its interval and the probability that the row is better; None on the
            diagonal.
        better: For each pair, 1 if the row is shown to be better, -1 if it is shown to be worse, otherwise 0.
        legend: The meaning of the signs.
        game: The game whose records are compared.
    """

    title: str
    head: str
    entries: Sequence[Entry]
    cells: Sequence[Sequence[EstimateCell | None]]
    better: Sequence[Sequence[int]]
    legend: str = ""
    game: str = ""


LIKELY = 0.9
"""The probability of being the best from which on a leader is likely, although no comparison rules out others."""


@dataclass(frozen=True)
class LeadVerdict:
    """Who leads a score, and how sure that is.

    Attributes:
        score: The name of the score.
        head: Its heading.
        meaning: What it measures, in words.
        leader: The best entry.
        value: Its score.
        sure: The probability that it is the best; NaN if it is unknown.
        is_decided: Whether all other entries are shown to be worse, and it is clear that the score is finite.
        undecided: The entries that are not shown to be worse, with their values, the most probable first.
        runner_up: The second entry with its value, if there is one.
        nobody: Why no entry is the best, for example because none wins often enough; "" if one is.
    """

    score: str
    head: str
    meaning: str
    leader: Entry
    value: EstimateCell
    sure: float
    is_decided: bool
    undecided: Sequence[tuple[Entry, EstimateCell]] = ()
    runner_up: tuple[Entry, EstimateCell] | None = None
    nobody: str = ""

    @property
    def certainty(self) -> Literal["sure", "likely", "open"]:
        """How sure the verdict is: shown by the comparisons of all pairs, only probable, or neither."""
        if self.is_decided:
            return "sure"
        return "likely" if self.sure >= LIKELY else "open"


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of a board, one for each score that ranks entries.

    Attributes:
        title: The game and the size of the sample.
        rows: The verdicts.
        game: The game.
    """

    title: str
    rows: Sequence[LeadVerdict]
    game: str = ""


@dataclass(frozen=True)
class Note:
    """Sentences.

    Attributes:
        sentences: The sentences, which may quote texts of contestants.
        role: "finding" for what a reader must not miss, "legend" for the meaning of tables, "commands" for lines to
            be copied, "remark" otherwise.
        title: The title, if the sentences need one.
        short: What is shown instead where space is short.
    """

    sentences: Sequence[str]
    role: Literal["remark", "finding", "legend", "commands"] = "remark"
    title: str = ""
    short: str = ""


@dataclass(frozen=True)
class Facts:
    """Named facts.

    Attributes:
        facts: The facts by name.
    """

    facts: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class GameList:
    """The games of a run, to be listed and replayed.

    Attributes:
        results: The run with the moves of its games.
        title: How many games there are.
        replay: The command that replays a game.
    """

    results: "RunResults"
    title: str
    replay: str = ""


Part = Table | Curve | Matrix | Verdicts | Note | Facts | GameList


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        name: Its name in JSON and in links: that of its file.
        title: The heading; "" for none where a heading would be in the way.
        parts: The contents.
        level: Where it is shown.
    """

    name: str
    title: str
    parts: Sequence[Part]
    level: Detail = Detail.BOARD

    def tables(self) -> list[Table]:
        """Return its tables, including those of its curves."""
        tables = [part.table if isinstance(part, Curve) else part for part in self.parts]
        return [table for table in tables if isinstance(table, Table)]


@dataclass(frozen=True, kw_only=True)
class RunSection:
    """A section of the reports about runs. A module of `reports.sections` defines one as `SECTION`.

    Attributes:
        title: The heading.
        parts: Computes the contents from the results of a run; nothing is shown if there are none.
        place: Its place in the report; smaller ones come first.
        level: Where it is shown.
        is_of_games: Whether the contents follow from the games, so that they are the same before and after the run is
            verified.
    """

    title: str
    parts: Callable[["RunResults"], Iterable[Part]]
    place: int
    level: Detail = Detail.BOARD
    is_of_games: bool = True
