"""A report as data: sections with tables, curves, matrices, verdicts and notes, and the typed cells of the tables.

Each section is computed once, from the results of a run, and rendered for the terminal, Markdown and the app
(`reports.renderers`), HTML (`reports.html`) and JSON (`reports.as_json`). Nothing here depends on an output, but that
numbers are written in the same way in all of them.

Each cell says how it is read on one line (`text`), what belongs to it (`details`, such as an interval), how both are
written together (`plain`), and how it is sorted (`sort`). A renderer that does not know a kind of cell uses these.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import isfinite, isinf, isnan
from typing import Literal

from wordpl.core.moves import LARGEST_BUDGET
from wordpl.reports.names import shown

STAR = "★"
"""The mark of an entry that has not been shown to be worse than another one."""
BARS = " ▁▂▃▄▅▆▇█"
LARGEST_DRAWN = 1e300
"""A larger number lies at the end of its axis, so that no place on it overflows."""
BIN = 3
"""The width of one bar of a histogram and of its percentage, in characters."""


def number(value: float, digits: int = 1, percent: bool = False) -> str:
    """Return the number, formatted for tables.

    >>> [number(36.92), number(float("inf")), number(12345.6), number(0.98, percent=True), number(0.0001, percent=True)]
    ['36.9', '∞', '12,346', '98.0%', '<0.1%']
    """
    if isnan(value):
        return "–"
    if isinf(value) or abs(value) >= LARGEST_BUDGET:
        return "∞" if value > 0 else "-∞"
    if percent:
        if 0 < value < 0.0005:
            return "<0.1%"
        return ">99.9%" if 0.9995 <= value < 1 else f"{100 * value:.1f}%"
    if abs(value) >= 1e7:
        return f"{value:.1e}"
    return f"{value:,.{digits if abs(value) < 1000 else 0}f}"


def signed(value: float, digits: int = 1, percent: bool = False) -> str:
    """Return a difference with its sign.

    >>> [signed(-2.04), signed(0.0), signed(0.031, percent=True)]
    ['−2.0', '0.0', '+3.1%']
    """
    text = number(abs(value), digits, percent)
    return text if value == 0 or isnan(value) else f"{'−' if value < 0 else '+'}{text}"


def whole_percent(share: float) -> str:
    """Return a probability in whole percent.

    >>> [whole_percent(share) for share in (0.0, 0.004, 0.126, 0.997, 1.0)]
    ['0%', '<1%', '13%', '>99%', '100%']
    """
    if isnan(share):
        return "–"
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{100 * share:.0f}%"


def interval(low: float, high: float, digits: int = 1, percent: bool = False) -> str:
    """Return the interval, formatted for tables.

    >>> [interval(35.4, float("inf")), interval(0.0, 0.0037, percent=True), interval(float("nan"), float("nan"))]
    ['35.4–∞', '0.0–0.4%', 'no interval']
    """
    if isnan(low):
        return "no interval"
    if percent:
        return f"{100 * low:.1f}–{100 * high:.1f}%"
    return f"{number(low, digits)}–{number(high, digits)}"


def rank_interval(low: int, high: int) -> str:
    """Return an interval of ranks as text.

    >>> rank_interval(2, 2), rank_interval(1, 4)
    ('2', '1–4')
    """
    return f"{low}" if low == high else f"{low}–{high}"


def duration(seconds: float) -> str:
    """Return a time with two significant digits.

    >>> [duration(0.00031), duration(0.0124), duration(2.0), duration(float("nan"))]
    ['0.31 ms', '12 ms', '2 s', '–']
    """
    if isnan(seconds):
        return "–"
    if seconds >= 0.9995:
        return f"{seconds:.2g} s" if seconds < 99.5 else f"{seconds:,.0f} s"
    milliseconds = 1000 * seconds
    return f"{milliseconds:.0f} ms" if milliseconds >= 9.95 else f"{milliseconds:.2g} ms"


@dataclass(frozen=True)
class Cell:
    """A value of a table. Kinds of cells say what the value is; renderers decide how it looks."""

    @property
    def is_marked(self) -> bool:
        """Whether the value is emphasized."""
        return False

    @property
    def text(self) -> str:
        """The value on one line."""
        return "–"

    @property
    def details(self) -> tuple[str, ...]:
        """Further lines that belong to the value, such as its interval."""
        return ()

    @property
    def plain(self) -> str:
        """The value and its details on one line."""
        return ", ".join(filter(None, (self.text, *self.details)))

    @property
    def sort(self) -> str | float | None:
        """The sort key, by default the value of the first field; None sorts last in both directions."""
        key: str | float = next(iter(vars(self).values()))
        return key if isinstance(key, str) else None if isnan(key) else float(key)


@dataclass(frozen=True)
class Missing(Cell):
    """A value that does not exist.

    Attributes:
        reason: Why, if that is not obvious.
    """

    reason: str = ""

    @property
    def text(self) -> str:
        """The reason, or a dash."""
        return self.reason or "–"

    @property
    def sort(self) -> None:
        """None: it sorts last."""
        return None


@dataclass(frozen=True)
class Text(Cell):
    """A text, which may come from a contestant.

    Attributes:
        value: The text, on one line.
        role: "code" for messages and commands, "whole" for what stays on one line.
        link: The address to which the text leads, for outputs with links.
        max_length: The number of characters shown.
    """

    value: str
    role: str = ""
    link: str = ""
    max_length: int = 80

    @property
    def text(self) -> str:
        """The text without control characters."""
        return shown(self.value, self.max_length)


@dataclass(frozen=True)
class Entry(Cell):
    """The name of an entry.

    Attributes:
        name: The full name.
        label: What differs from the other names of the run; for outputs with one line per entry.
        number: The number of the entry in its run, from 0, which selects its colour and shape everywhere.
        is_aside: Whether a page shows it in grey until a reader chooses it, as it leads nothing among many entries.
    """

    name: str
    label: str = ""
    number: int = 0
    is_aside: bool = False

    @property
    def text(self) -> str:
        """The full name."""
        return shown(self.name)

    @property
    def short(self) -> str:
        """The label, or the name if there is none."""
        return shown(self.label or self.name)


@dataclass(frozen=True)
class Count(Cell):
    """A number of things.

    Attributes:
        n: The number.
        of: The number of all things, if the share is of interest.
    """

    n: int
    of: int = 0

    @property
    def text(self) -> str:
        """The number."""
        return f"{self.n:,}"

    @property
    def details(self) -> tuple[str, ...]:
        """The share."""
        return (number(self.n / self.of, percent=True),) if self.of else ()


@dataclass(frozen=True)
class Share(Cell):
    """A share of things, with both counts.

    Attributes:
        n: The number of things that count.
        of: The number of all things.
        extra: A further detail.
    """

    n: int
    of: int
    extra: str = ""

    @property
    def text(self) -> str:
        """The share."""
        return number(self.n / self.of, percent=True)

    @property
    def details(self) -> tuple[str, ...]:
        """The counts."""
        return tuple(filter(None, (f"{self.n:,} of {self.of:,}", self.extra)))

    @property
    def sort(self) -> float:
        """The share."""
        return self.n / self.of


@dataclass(frozen=True)
class RankInterval(Cell):
    """An interval of ranks.

    Attributes:
        low, high: The best and the worst rank that the games allow.
        n: The number of ranks.
        p_best: The probability of being the best; NaN if it is unknown.
    """

    low: int
    high: int
    n: int
    p_best: float = float("nan")

    @property
    def text(self) -> str:
        """The ranks."""
        return rank_interval(self.low, self.high)

    @property
    def details(self) -> tuple[str, ...]:
        """The probability of being the best."""
        return () if isnan(self.p_best) else (whole_percent(self.p_best),)

    @property
    def sort(self) -> float:
        """The best rank, then the worst one."""
        return self.low + self.high / 1e6


@dataclass(frozen=True)
class EstimateCell(Cell):
    """An estimate from a sample of games, with its 95% confidence interval.

    Attributes:
        value: The estimate.
        low, high: The bounds of the interval; NaN if there is none.
        digits: The number of decimals.
        percent: Whether it is a share.
        signed: Whether it is a difference.
        exact: Whether all possible games were played, so that there is no interval.
        marked: Whether no entry has been shown to be better.
        ranks: The rank interval of the entry by this value.
        chance: For a difference, the probability that the first of the two is better.
        undecided: What is written in place of an interval that the estimate does not decide; "" if it does.
        other: What the value is if games are estimated instead of counted, where one of the two is infinite; NaN if
            they agree.
    """

    value: float
    low: float = float("nan")
    high: float = float("nan")
    digits: int = 1
    percent: bool = False
    signed: bool = False
    exact: bool = False
    marked: bool = False
    ranks: RankInterval | None = None
    chance: float | None = None
    undecided: str = ""
    other: float = float("nan")

    @property
    def text(self) -> str:
        """The estimate; both values where counting and estimating disagree about whether it is finite."""
        if not isnan(self.other):
            finite = min(self.value, self.other)
            return f"{number(finite, self.digits, self.percent)} or ∞"
        return (signed if self.signed else number)(self.value, self.digits, self.percent)

    @property
    def sort(self) -> float | None:
        """The value, or what is estimated where counting disagrees with it."""
        key = self.value if isnan(self.other) else self.other
        return None if isnan(key) else key

    @property
    def place(self) -> float:
        """Its place on an axis: the finite one of both values where counting and estimating disagree."""
        return self.value if isnan(self.other) else min(self.value, self.other)

    @property
    def is_point(self) -> bool:
        """Whether the interval is written like the value itself, so that it adds nothing."""
        ends = {number(end, self.digits, self.percent) for end in (self.value, self.low, self.high)}
        return len(ends) == 1

    @property
    def interval(self) -> str:
        """The interval; "" if it adds nothing to the value."""
        if self.exact or self.undecided:
            return "exact" if self.exact else self.undecided
        if self.is_point:
            return ""
        if self.signed and not isnan(self.low):
            return " to ".join(signed(end, self.digits, self.percent) for end in (self.low, self.high))
        return interval(self.low, self.high, self.digits, self.percent)

    @property
    def details(self) -> tuple[str, ...]:
        """The interval, the ranks and the probability of being the best or better, as far as they are known."""
        ranks = [f"#{self.ranks.text} {' '.join(self.ranks.details)}".strip()] if self.ranks else []
        chance = [] if self.chance is None else [f"better {number(self.chance, percent=True)}"]
        return (self.interval, *ranks, *chance)

    @property
    def plain(self) -> str:
        """The estimate with its interval in brackets."""
        star = f" {STAR}" if self.marked else ""
        return f"{self.text}{star}" + (f" ({self.interval})" if self.interval else "")

    @property
    def is_marked(self) -> bool:
        """Whether no entry has been shown to be better."""
        return self.marked


@dataclass(frozen=True)
class Number(Cell):
    """A number without an interval: a fact, or a mean of something that is no estimate.

    Attributes:
        value: The number.
        digits: The number of decimals.
        percent: Whether it is a share.
        notes: Further lines.
    """

    value: float
    digits: int = 1
    percent: bool = False
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The number."""
        return number(self.value, self.digits, self.percent)

    @property
    def details(self) -> tuple[str, ...]:
        """The further lines."""
        return self.notes


@dataclass(frozen=True)
class Chance(Cell):
    """A probability from resamples, which is not known to more than whole percents.

    Attributes:
        p: The probability; NaN if it is unknown.
    """

    p: float

    @property
    def text(self) -> str:
        """The probability in whole percent."""
        return whole_percent(self.p)


@dataclass(frozen=True)
class Seconds(Cell):
    """A time.

    Attributes:
        value: The time in seconds; NaN if it is unknown.
        longest: The longest one, if `value` is a median.
    """

    value: float
    longest: float | None = None

    @property
    def text(self) -> str:
        """The time with its unit."""
        return duration(self.value)

    @property
    def details(self) -> tuple[str, ...]:
        """The longest time."""
        return () if self.longest is None or isnan(self.value) else (f"max {duration(self.longest)}",)


@dataclass(frozen=True)
class Histogram(Cell):
    """The numbers of games in each bin.

    Attributes:
        bins: The names of the bins.
        counts: The number of games in each bin.
    """

    bins: tuple[str, ...]
    counts: tuple[int, ...]

    @property
    def shares(self) -> list[float]:
        """The share of games in each bin."""
        n = max(1, sum(self.counts))
        return [count / n for count in self.counts]

    @property
    def text(self) -> str:
        """A bar for each bin, scaled to the largest one; bars of small shares are always visible."""
        top = max(self.shares, default=0.0)
        heights = [max(1, round(8 * share / top)) if share > 0 else 0 for share in self.shares]
        return "".join(f"{BARS[height]:>{BIN}}" for height in heights)

    @property
    def details(self) -> tuple[str, ...]:
        """The percentage of each bin; zeros are blank, since they would touch a 100 beside them."""
        return ("".join(f"{self._percent(share) if share else '':>{BIN}}" for share in self.shares),)

    @property
    def plain(self) -> str:
        """The percentages."""
        return " · ".join(self._percent(share) for share in self.shares)

    def _percent(self, share: float) -> str:
        return "<1" if 0 < share < 0.005 else f"{100 * share:.0f}"

    @property
    def sort(self) -> float:
        """The largest share."""
        return max(self.shares, default=0.0)


@dataclass(frozen=True)
class Tiles(Cell):
    """A word with the marks of a clue.

    Attributes:
        word: The word.
        marks: A mark for each letter, as in "c.i.."; "" for none.
    """

    word: str
    marks: str = ""

    @property
    def text(self) -> str:
        """The word in capitals with its marks."""
        return " ".join(filter(None, [self.word.upper(), self.marks]))


Value = Cell | str | int | None
"""A cell of a table; a str is a text, an int a count, and None a missing value."""


def cell(value: Value) -> Cell:
    """Return the value as a typed cell."""
    if isinstance(value, Cell):
        return value
    if value is None:
        return Missing()
    return Text(value, max_length=400) if isinstance(value, str) else Count(value)


def interval_bar(estimate: EstimateCell, scale: tuple[float, float], width: int) -> str:
    """Return an estimate and its interval on an axis from scale[0] to scale[1], as text of this width.

    >>> interval_bar(EstimateCell(0.5, 0.35, 0.65), (0, 1), 20)
    '·······├──●─┤·······'
    """
    low, high = scale

    def place(value: float) -> int:
        share = (min(max(value, low), high) - low) / (high - low)
        return min(width - 1, max(0, round(share * (width - 1))))

    if not isfinite(estimate.value):
        return "·" * width
    drawn = ["·"] * width
    if isfinite(estimate.low) and isfinite(estimate.high):
        first, last = place(estimate.low), place(estimate.high)
        drawn[first : last + 1] = "─" * (last + 1 - first)
        drawn[first], drawn[last] = "├", "┤"
    drawn[place(estimate.value)] = "●"
    return "".join(drawn)


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
        x_name: What a reader chooses on the x axis, in one word.
        start: The place on the x axis that is read first.
        is_whole: Whether only whole numbers have a meaning on the x axis.
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
    x_name: str = "Budget"
    start: float = 0.0
    is_whole: bool = False


@dataclass(frozen=True)
class Point:
    """An entry in a chart of points: a place on the x axis, and an estimate."""

    entry: Entry
    x: float
    y: EstimateCell


@dataclass(frozen=True)
class Scatter:
    """A chart of points, each with its interval, and the same numbers as a table.

    Attributes:
        title: The title.
        x_label, y_label: What the axes show.
        points: The points.
        table: The same numbers.
        legend: The meaning of the points.
    """

    title: str
    x_label: str
    y_label: str
    points: Sequence[Point]
    table: Table
    legend: str = ""


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

    @property
    def table(self) -> Table:
        """The matrix as a table with one number in each cell; columns have the numbers of the rows."""
        signs = {1: "▲ ", -1: "▼ ", 0: ""}
        rows = [
            [f"{place} {entry.text}", *("·" if value is None else f"{signs[sign]}{value.text}"
                                        for value, sign in zip(cells, better, strict=True))]
            for place, (entry, cells, better) in enumerate(zip(self.entries, self.cells, self.better, strict=True), 1)
        ]  # fmt: skip
        numbers = [Column(str(place), meaning=entry.text) for place, entry in enumerate(self.entries, 1)]
        return Table(self.title, [Column("row minus column", "name"), *numbers], rows, self.legend)


LIKELY = 0.9
"""The probability of being the best from which on a leader is likely, although no comparison rules out others."""


MANY_GAMES = 1_000_000
"""The number of games above which a forecast says no number."""


@dataclass(frozen=True)
class MoreGames:
    """How many more games would decide.

    Attributes:
        n: As many as in half of the possible futures; infinite if there are too many.
        low, high: They lie between with a probability of 95%.
    """

    n: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The number in words, with its interval.

        >>> MoreGames(2340.0, 310.0, 61_200.0).text
        'about 2,300 more games would decide (310 to 61,000)'
        >>> MoreGames(2340.0, 310.0, float("inf")).text
        'about 2,300 more games would decide (310 or many more)'
        """
        if self.n > MANY_GAMES:
            return "many more games would be needed to decide"
        n, low = (f"{max(1, _two_digits(number)):,}" for number in (self.n, self.low))
        end = f"to {_two_digits(self.high):,}" if self.high <= MANY_GAMES else "or many more"
        return f"about {n} more games would decide ({low} {end})"


def _two_digits(value: float) -> int:
    """Return the value rounded to two significant digits."""
    return int(float(f"{value:.2g}"))


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
        undecided: The entries that are not shown to be worse and have a probability of being the best that does not
            round to 0%, with their values, the most probable first.
        runner_up: The second entry with its value, if there is one.
        nobody: Why no entry is the best, for example because none wins often enough; "" if one is.
        more: How many more games would decide between the leader and its closest rival; None if that is unknown.
        why: Why an entry leads with an infinite score although others have a finite one; "" if that is not so.
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
    more: MoreGames | None = None
    why: str = ""

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


@dataclass(frozen=True)
class GameList:
    """The games of a run, to be listed and replayed.

    Attributes:
        title: How many games there are.
    """

    title: str


Part = Table | Curve | Scatter | Matrix | Verdicts | Note | Facts | GameList


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
        tables = [part.table if isinstance(part, Curve | Scatter) else part for part in self.parts]
        return [table for table in tables if isinstance(table, Table)]


@dataclass(frozen=True, kw_only=True)
class RunSection:
    """A section of the reports about runs. A module of `reports.sections` defines one as `SECTION`.

    Attributes:
        title: The heading.
        parts: Computes the contents from the `RunResults` of a run; nothing is shown if there are none.
        place: Its place in the report; smaller ones come first.
        level: Where it is shown.
        is_of_games: Whether the contents follow from the games, so that they are the same before and after the run is
            verified.
    """

    title: str
    parts: Callable[..., Iterable[Part]]
    place: int
    level: Detail = Detail.BOARD
    is_of_games: bool = True
