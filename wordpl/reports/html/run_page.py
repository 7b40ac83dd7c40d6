"""The page of one or more runs: verdicts, rankings as forest plots, curves, comparisons, and games to replay."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, isfinite, log10
from typing import TypeAlias, TypeVar

from wordpl.core import collector_paused
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import amount
from wordpl.reports import elements, game_reviews
from wordpl.reports.html import page_data
from wordpl.reports.html.document import (
    SHAPES,
    Content,
    Markup,
    PageSection,
    colour,
    coordinate,
    document,
    element,
    entry_name,
    glyph,
    html_curve,
    html_matrix,
    part_html,
    section_html,
    sort_key,
)
from wordpl.reports.names import shown
from wordpl.reports.results import RunResults
from wordpl.reports.sections import sections_of
from wordpl.reports.sections.board import MEANINGS, nobody
from wordpl.reports.standings import Board
from wordpl.stats.scores import Score


def history(runs: Sequence[RunResults]) -> elements.Section:
    """Return a table for each game with the scores of each entry in each run, and a note if their games differ."""
    same = len({run.facts.get("seed", "") for run in runs}) == 1
    note = (
        "All runs have the same seed and therefore the same games."
        if same
        else "The runs have different seeds and therefore different games, so that differences are partly due "
        "to chance."
    )
    parts: list[elements.Part] = [elements.Note([note], "legend" if same else "finding")]
    games = dict.fromkeys(board.rules for run in runs for board in run.boards)
    return elements.Section("history", "History of entries", [*parts, *(_of_game(game, runs) for game in games)])


def _of_game(game: str, runs: Sequence[RunResults]) -> elements.Table:
    boards = [(run, board) for run in runs for board in run.boards if board.rules == game]
    scores = [score for score in boards[0][1].scores if score.shown == "always"]
    columns = [elements.Column("strategy", "name"), elements.Column("run", "text"), elements.Column("seed", "text"),
               *(elements.Column(score.head, best="low" if score.lower_is_better else "high")
                 for score in scores)]  # fmt: skip
    rows: list[tuple[elements.Entry, tuple[elements.Value, ...]]] = []
    for run, board in boards:
        entries = run.entries(board)
        for row in board.rows:
            values = [row[score].cell if score in board.scores else None for score in scores]
            rows.append((entries[row.name], (run.name, shown(run.facts.get("seed", ""), 20), *values)))
    rows.sort(key=lambda row: row[0].name)
    return elements.Table(f"{game}: history of entries", columns, [(entry, *values) for entry, values in rows])


AnyTable = TypeVar("AnyTable", bound=elements.Table)
MAX_ROWS = 200
"""The most rows of a table of entries; each takes about 8,000 bytes in all tables together."""
MAX_NAMED = 3
"""The maximum number of entries that a sentence lists."""
MARGIN = 7.0
"""The room on each side of an axis, in percent of its width."""
TURN = 62.0
"""From this place of the axis on, in percent, a value is written on the left of its dot."""
N_TICKS = 6
TICK_CHARACTERS, TICK_GAP = 26, 1.5
"""The number of characters of an axis that fit on a phone, and those of the gap beside each tick."""
CHARACTER = 3.1
"""The width of a character of a tick on a phone, in percent of the axis."""
MAX_LEADS = 6
"""The number of leads above which a page lists them on request."""
CERTAINTIES = {
    "sure": "Every other entry is shown to be worse, with 95% confidence for all comparisons of the board together.",
    "likely": "It is the best with at least 90% probability, but the comparisons do not rule out the others named.",
    "open": "The probability that it is the best is below 90%.",
}


def _card(verdict: elements.LeadVerdict) -> Markup:
    """Return a card for a score: the best entry, its value, how sure that is, and who comes next."""
    head = element("h3", _heading(verdict.meaning))
    if verdict.nobody:
        parts: Content = [element("p", element("span", "–", class_="value"), class_="top"),
                          element("p", verdict.nobody, class_="why")]  # fmt: skip
        return element("li", head, parts, class_="card", data_score=verdict.score)
    chance, is_sure = (
        "" if verdict.sure != verdict.sure else elements.whole_percent(verdict.sure),
        verdict.certainty == "sure",
    )
    certainty = f"{chance} sure".strip() if is_sure else ", ".join(filter(None, [verdict.certainty, chance]))
    pill = element("span", certainty, class_=f"pill {'sure' if is_sure else 'open'}",
                   title=CERTAINTIES[verdict.certainty])  # fmt: skip
    parts = [
        element("p", element("span", verdict.value.text, class_="value"), pill, class_="top"),
        element("p", entry_name(verdict.leader), class_="leader"),
        element("p", _explained(verdict), class_="why"),
    ]
    return element("li", head, parts, class_=f"card {colour(verdict.leader)}", data_score=verdict.score)


def _heading(meaning: str) -> str:
    """Return what a score measures, as a heading."""
    meaning = meaning.removeprefix("the ").replace(" %", "%")
    return meaning[:1].upper() + meaning[1:]


def _own_card(entry: elements.Entry, score: Score, value: elements.EstimateCell) -> Markup:
    """Return a card for a score of the only entry of a board: its value and how well it is known."""
    told = value.undecided or (value.interval and f"95% interval: {value.interval}")
    if not isfinite(value.value) and not value.undecided:
        told = nobody(score).replace("no entry wins", "it does not win")
    parts = [
        element("p", element("span", value.text, class_="value"), class_="top"),
        element("p", entry_name(entry), class_="leader"),
        element("p", told, class_="why") if told else None,
    ]
    head = element("h3", _heading(MEANINGS.get(score.name, score.head)))
    return element("li", head, parts, class_=f"card {colour(entry)}", data_score=score.name)


def _explained(verdict: elements.LeadVerdict) -> list[Content]:
    """Return who may be as good as the leader, or who comes next and how far behind."""
    if verdict.why:
        return [verdict.why]
    if verdict.value.undecided and not verdict.undecided:
        return [verdict.value.undecided]
    if verdict.undecided:
        named: list[Content] = []
        for entry, value in verdict.undecided[:MAX_NAMED]:
            chance = f", {elements.whole_percent(value.ranks.p_best)}" if value.ranks else ""
            named += [", " if named else None, element("b", entry.short), f" ({value.text}{chance})"]
        more = len(verdict.undecided) - MAX_NAMED
        needed = f"; {verdict.more.text}" if verdict.more and verdict.certainty == "open" else None
        return ["not ruled out: ", named, f" and {more} more" if more > 0 else None, needed]
    if verdict.runner_up is None:
        return ["no other entry"]
    entry, value = verdict.runner_up
    gap = value.value - verdict.value.value
    behind = ""
    if isfinite(gap) and gap:
        size = abs(gap)
        behind = f", {100 * size:.1f} points less" if value.percent else f", {size:.{value.digits}f} more"
    return ["next: ", element("b", entry.short), f" ({value.text}){behind}"]


def lead_strip(curve: elements.Curve) -> Markup:
    """Return who is best at which budget, as a line of entries with the budgets at which they take the lead."""
    if not curve.leads:
        return Markup("")
    items = [
        element("li", element("span", f"from {lead.start:,.1f}", class_="from"), " ", entry_name(lead.entry),
                element("span", f" {100 * lead.value:.0f}%", class_="share"))
        for lead in curve.leads
    ]  # fmt: skip
    strip = element("div", element("h3", "Best at this budget"), element("ol", items), class_="leads")
    if len(items) <= MAX_LEADS:
        return strip
    return element("details", element("summary", f"Best at each budget: {len(items)} entries in turn"), strip)


def forest_plots(
    rankings: Sequence[elements.ScaledTable], main: str, details: Mapping[str, Content], name: str
) -> Markup:
    """Return the rankings of a board by each score, one of which a script shows at a time.

    Args:
        rankings: The rankings.
        main: The name of the score that is shown first.
        details: What a row opens to, by the name of its entry.
        name: The name of the board in ids.
    """
    panels = [
        element("div", _forest(ranking), class_="panel", id=f"{name}-{ranking.name}", data_tab=_tab(ranking),
                data_score=ranking.name, data_main=ranking.name == main)
        for ranking in rankings
    ]  # fmt: skip
    templates = [
        element("template", element("div", content, class_="more"), data_entry=entry)
        for entry, content in details.items()
    ]
    return element("div", panels, templates, class_="tabs rankings", data_label="Scores", data_board=name)


TABS = {"p05": "win 5%", "p50": "win 50%", "p95": "win 95%", "p_win": "chance to win"}
"""What the tabs of scores say, where their heading is a term."""


def _tab(ranking: elements.ScaledTable) -> str:
    return TABS.get(ranking.name, ranking.head)


def _forest(ranking: elements.ScaledTable) -> Markup:
    ranking = _first_rows(ranking)
    index, column = next((i, one) for i, one in enumerate(ranking.columns) if one.scale and one.head == ranking.head)
    wins = next((i for i, one in enumerate(ranking.columns) if one.scale and i != index), None)
    is_percent = any(getattr(row[index], "percent", False) for row in ranking.cells)
    axis = Axis(column.scale or (0, 1), percent=is_percent)
    head = [
        element("th", "rank", scope="col", class_="n rank"),
        element("th", "strategy", scope="col"),
        element("th", element("span", _tab(ranking), class_="of"), axis.ticks_svg(), scope="col", class_="plot",
                data_first={"low": "ascending", "high": "descending"}[column.best or "low"]),
        element("th", ranking.columns[wins].head, scope="col", class_="wins", data_first="descending")
        if wins is not None else None,
    ]  # fmt: skip
    rows = [_row(ranking, row, number, index, wins, axis) for number, row in enumerate(ranking.cells)]
    return element("table", element("caption", ranking.title), element("thead", element("tr", head)),
                   element("tbody", rows), class_="forest")  # fmt: skip


def _first_rows(table: AnyTable) -> AnyTable:
    """Return the table with at most MAX_ROWS rows, and a title that says where the others are."""
    n_rows = len(table.rows)
    if n_rows <= MAX_ROWS:
        return table
    title = f"{table.title} (the first {MAX_ROWS} of {n_rows:,} rows; LEADERBOARD.md and scores.csv have all)"
    return replace(table, title=title, rows=table.rows[:MAX_ROWS])


def _row(
    ranking: elements.ScaledTable, row: Sequence[elements.Cell], number: int, index: int, wins: int | None, axis: "Axis"
) -> Markup:
    value, entry = row[index], next(cell for cell in row if isinstance(cell, elements.Entry))
    if not isinstance(value, elements.EstimateCell):
        raise TypeError("the score of a ranking is an estimate")
    is_reached = isfinite(value.place)
    classes = ["tied" if 1 < ranking.n_tied > number else "", "best" if value.marked else "",
               "" if is_reached else "never"]  # fmt: skip
    drawing = axis.dot_svg(entry, value) if is_reached else element("span", value.undecided or ranking.unreached,
                                                                    class_="unreached")  # fmt: skip
    return element(
        "tr",
        element("td", row[0].text, class_="n rank", data_s=number),
        element("th", entry_name(entry), scope="row", data_s=entry.short),
        element("td", drawing, class_="plot", data_s=sort_key(value.sort)),
        element("td", _bar(entry, row[wins]), class_="wins", data_s=sort_key(row[wins].sort))
        if wins is not None else None,
        class_=" ".join(filter(None, classes)) or None,
        data_entry=entry.name, data_number=entry.number,
    )  # fmt: skip


def _bar(entry: elements.Entry, value: elements.Cell) -> Content:
    if not isinstance(value, elements.EstimateCell) or not isfinite(value.value):
        return value.text
    width = coordinate(100 * min(1.0, max(0.0, value.value)))
    bar = element("svg", element("rect", class_="track", width="100%", height="100%", rx=3),
                  element("rect", class_=colour(entry), width=f"{width}%", height="100%", rx=3),
                  class_="bar", aria_hidden="true")  # fmt: skip
    return [bar, element("span", value.text, title=value.interval or None)]


class Axis:
    """A shared axis of estimates, whose places are percent of the width of its column."""

    def __init__(self, scale: tuple[float, float], *, percent: bool = False):
        """Choose round ticks.

        Args:
            scale: The smallest and the largest value.
            percent: Whether the values are shares.
        """
        low, high = scale
        reach = (high - low) or abs(high) or 1.0
        self.low, self.high, self.percent = low, low + reach, percent
        for n_ticks in range(N_TICKS, 0, -1):
            rough = reach / n_ticks
            unit = 10.0 ** floor(log10(rough))
            self.step = next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough)
            first, last = ceil(low / self.step - ROUNDING), floor(high / self.step + ROUNDING)
            self.ticks = [number * self.step for number in range(first, last + 1)]
            if sum(len(self.name(tick)) + TICK_GAP for tick in self.ticks) <= TICK_CHARACTERS:
                break

    def place(self, value: float) -> float:
        """Return the place of a value; values outside of the axis lie at its ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return MARGIN + (100 - 2 * MARGIN) * share

    def name(self, tick: float) -> str:
        """Return a tick as text."""
        return f"{round(100 * tick, 6):g}%" if self.percent else f"{round(tick, 9):,g}"

    def ticks_svg(self) -> Markup:
        """Return the texts of the ticks; one that would leave the axis on a phone ends with it."""
        texts = []
        for name, place in ((self.name(tick), self.place(tick)) for tick in self.ticks):
            is_last = place + CHARACTER * len(name) / 2 > 100
            x, side = ("100%", "end") if is_last else (f"{coordinate(place)}%", "middle")
            texts.append(element("text", name, x=x, y="70%", class_=side))
        return element("svg", texts, class_="ticks", aria_hidden="true")

    def dot_svg(self, entry: elements.Entry, value: elements.EstimateCell, *, with_text: bool = True) -> Markup:
        """Return the dot and the interval of an estimate, with its value as text; a hollow dot is undecided."""
        at, low, high = self.place(value.place), value.low, value.high
        drawn: list[Content] = [
            element("line", x1=f"{coordinate(self.place(tick))}%", x2=f"{coordinate(self.place(tick))}%", y1=0,
                    y2="100%", class_="grid")
            for tick in self.ticks
        ]  # fmt: skip
        start = end = at
        if not value.is_point and not value.exact and low == low:
            start, end = self.place(low), self.place(high) + (MARGIN / 2 if high > self.high else 0)
            drawn.append(element("line", x1=f"{coordinate(start)}%", x2=f"{coordinate(end)}%", y1="50%", y2="50%",
                                 class_="interval"))  # fmt: skip
            if high > self.high:
                drawn.append(_at(end, element("path", d="M2 0L-5-4.5V4.5Z"), "dot"))
        is_left = at > TURN or (end > TURN and start > TURN / 2)
        beside = (start if start > TURN / 2 else at) if is_left else end if end <= TURN else at
        more = " undecided" if value.undecided else f" ({value.interval})" if value.interval else ""
        finer = "finer wider" if value.undecided else "finer"  # a hollow dot says it where there is less room
        texts = [value.text, element("tspan", more, class_=finer) if more else None]
        if with_text:
            drawn.append(element("text", texts, x=f"{coordinate(beside)}%", y="50%", dx=-12 if is_left else 12,
                                 dy=".35em", class_="end" if is_left else None))  # fmt: skip
        shape = element("path", d=SHAPES[entry.number % len(SHAPES)], transform="scale(1.15)",
                        class_="hollow" if value.undecided else None)  # fmt: skip
        drawn.append(_at(at, shape, "dot"))
        return element("svg", drawn, class_=f"dots {colour(entry)}")


def _at(place: float, drawing: Markup, name: str) -> Markup:
    """Return a drawing at a place of an axis, which keeps its shape at any width of the axis."""
    return element("svg", drawing, x=f"{coordinate(place)}%", y="50%", overflow="visible", class_=name)


def entry_details(
    board: elements.Table, worst: Mapping[str, Content], shown: Container[elements.Cell]
) -> dict[str, Content]:
    """Return what a row opens to: all values of an entry, and its worst games.

    Args:
        board: The table of all values of the board.
        worst: The worst games of each entry, by its name.
        shown: The entries to return.
    """
    found: dict[str, Content] = {}
    for row in board.cells:
        entry = next(cell for cell in row if isinstance(cell, elements.Entry))
        if entry not in shown:
            continue
        facts = [
            element("div", element("dt", "guesses" if column.head.startswith(" ") else column.head),
                    element("dd", cell.text, [element("small", line) for line in _details(cell) if line]))
            for column, cell in zip(board.columns, row, strict=True)
            if cell is not entry and cell is not row[0]
        ]  # fmt: skip
        found[entry.name] = [element("p", glyph(entry), element("b", entry.text)), element("dl", facts),
                             worst.get(entry.name)]  # fmt: skip
    return found


def _details(cell: elements.Cell) -> Sequence[str]:
    """Return what belongs to a value; ranks are said in words."""
    if not isinstance(cell, elements.EstimateCell):
        return cell.details
    ranks = cell.ranks
    return (cell.interval, f"rank {ranks.text}, best {elements.whole_percent(ranks.p_best)}" if ranks else "")


MAX_BYTES = 3_000_000
PLACED = ("board", "rankings", "curve", "comparison", "games", "legend")
"""The sections that the page shows in a form and a place of their own."""


def run_page(runs: Sequence[RunResults], max_bytes: int = MAX_BYTES, max_reviewed: int = 0) -> str:
    """Return the page of these runs, as one HTML file.

    Args:
        runs: The runs, in the order of the page.
        max_bytes: The maximum size of the page; the moves of as many games as fit are included.
        max_reviewed: About the most games whose moves are judged, see `game_reviews.MAX_REVIEWED`.
    """
    with collector_paused():
        reviews = _reviews(runs, max_reviewed)
        sections, has_games = _sections(runs, reviews)
        page_without_games = _page(runs, sections)
        if not has_games:
            return page_without_games
        page_games = page_data.games_of(runs, reviews)
        data, n_kept = page_data.fitting(page_games, max_bytes - len(page_without_games.encode()) - 2000)
        return _page(runs, sections, data, _kept(runs, n_kept, page_games))


Reviews: TypeAlias = Mapping[tuple[int, str], game_reviews.BoardReviews]
"""The reviews of boards, by the place of their run and the name of their game."""


def _reviews(runs: Sequence[RunResults], max_reviewed: int) -> Reviews:
    boards = [(place, run, board) for place, run in enumerate(runs) for board in run.boards if len(board.rows)]
    n_entries = sum(len(board.rows) for _, _, board in boards)
    found = {}
    for place, run, board in boards if max_reviewed else ():
        share = max_reviewed * len(board.rows) // n_entries
        found[place, board.rules] = game_reviews.reviews_of(run, board, board.names[:MAX_ROWS], share)
    return found


def _sections(runs: Sequence[RunResults], reviews: Reviews) -> tuple[list[PageSection], bool]:
    """Return the sections of all runs, and whether they have games; the games of all runs share one section."""
    several = len(runs) > 1
    top: list[PageSection] = [section_html(history(runs))] if several else []
    details: list[PageSection] = []
    games: list[PageSection] = []
    for number_, run in enumerate(runs):
        suffix, of = (f"-{number_ + 1}" if number_ else ""), (f" · {run.name}" if several else "")
        sections = {section.name: section for section in sections_of(run)}
        top += [PageSection(f"{one.name}{suffix}", f"{one.head}{of}", one.content, one.link)
                for one in _first_sections(run, sections, suffix, reviews, number_)]  # fmt: skip
        for name, section in sections.items():
            if any(isinstance(part, elements.GameList) for part in section.parts):
                content = [part_html(part) for part in section.parts]
                games = games or [PageSection("games", "Replay", content, "Replay")]
            elif name not in PLACED:
                details.append(section_html(section, suffix, of))
    return [*top, *games, *(one.folded() for one in details)], bool(games)


def _first_sections(
    run: RunResults, sections: Mapping[str, elements.Section], suffix: str, reviews: Reviews, place: int
) -> Iterator[PageSection]:
    """Yield a section for each board, and one for the curves and the comparisons of each, if there are any."""
    parts = [part for name in PLACED if name in sections for part in sections[name].parts]
    for at, board in enumerate(run.boards):
        own = [part for part in parts if getattr(part, "game", "") == board.rules]
        first = not at
        yield PageSection(
            "board" if first else f"board-{at + 1}",
            "" if len(run.boards) == 1 else _question(board),
            _board(
                run,
                board,
                own,
                sections.get("board"),
                f"b{at + 1}{suffix}",
                reviews.get((place, board.rules), game_reviews.BoardReviews()),
                with_facts=not first,
            ),
            "Board" if first else board.rules,
        )
    legend = [part for part in parts if isinstance(part, elements.Note) and part.role == "legend"]
    if legend:
        how = element("details", element("summary", "How to read these numbers"), [part_html(part) for part in legend])
        yield PageSection("legend", "", how, "")
    names = {board.rules: f"b{at + 1}{suffix}" for at, board in enumerate(run.boards)}
    if curves := [part for part in parts if isinstance(part, elements.Curve)]:
        content = [element("div", html_curve(curve), data_board=names[curve.game]) for curve in curves]
        has_epsilon = any(board.game.has_epsilon for board in run.boards)
        head = "Chance to win within a budget" if has_epsilon else "Games solved in 1, 2, …"
        yield PageSection("curve", head, content, "Budgets" if has_epsilon else "Guesses")
    if matrices := [part for part in parts if isinstance(part, elements.Matrix)]:
        rankings = [part for part in parts if isinstance(part, elements.ScaledTable)]
        compared: list[Content] = [_matrices(matrices, rankings, game, name) for game, name in names.items()]
        yield PageSection("comparison", "Head to head", compared, "Head to head")


def _matrices(
    matrices: Sequence[elements.Matrix], rankings: Sequence[elements.ScaledTable], game: str, name: str
) -> Content:
    """Return the comparisons of a game as tabs in the order of its rankings; that of the main score comes first."""
    by_head = {matrix.head: matrix for matrix in matrices if matrix.game == game}
    main = next(iter(by_head), "")
    panels = [
        element("div", html_matrix(by_head[one.head]), class_="panel", data_tab=_tab(one), data_score=one.name,
                data_main=one.head == main)
        for one in rankings if one.game == game and one.head in by_head
    ]  # fmt: skip
    tabs = element("div", panels, class_="tabs", data_label=f"Scores of {game}", data_board=name)
    return [element("h3", game), tabs] if panels else None


def _board(
    run: RunResults,
    board: Board,
    own: Sequence[object],
    section: elements.Section | None,
    name: str,
    reviews: game_reviews.BoardReviews,
    *,
    with_facts: bool,
) -> Content:
    """Return the verdicts on a game, who leads at which budget, its rankings and all its numbers."""
    table = next((part for part in (section.parts if section else ())
                  if isinstance(part, elements.Table) and part.title.startswith(f"{board.rules}:")), None)  # fmt: skip
    rankings = [part for part in own if isinstance(part, elements.ScaledTable)]
    content: list[Content] = [element("p", _size(board), class_="lead") if with_facts
                              else element("h2", "Verdicts", class_="hidden")]  # fmt: skip
    content += [element("ul", map(_card, part.rows), class_="cards")
                for part in own if isinstance(part, elements.Verdicts) and part.rows]  # fmt: skip
    if len(board.rows) == 1:
        (row,), (entry,) = board.rows, run.entries(board).values()
        scores = [score for score in board.scores if score.ranks_boards]
        content.append(element("ul", [_own_card(entry, score, row[score].cell) for score in scores], class_="cards"))
    content += [lead_strip(part) for part in own if isinstance(part, elements.Curve)]
    if rankings and table is not None:
        shown = {cell for ranking in rankings for row in ranking.rows[:MAX_ROWS] for cell in row
                 if isinstance(cell, elements.Entry)}  # fmt: skip
        worst = worst_games(reviews)
        details = entry_details(table, worst, shown)
        content.append(forest_plots(rankings, board.main_score.name, details, name))
        doubts = [row for part in own if isinstance(part, elements.Verdicts) for row in part.rows if not row.is_decided]
        content.append(element("p", f"{KEY} {KEY_OF_DOUBT}" if doubts else KEY, class_="note"))
    is_own = False
    for part in section.parts if section else ():  # the notes that follow the verdicts of the board
        is_own = part.game == board.rules if isinstance(part, elements.Verdicts) else is_own
        if isinstance(part, elements.Note) and is_own:
            content.append(part_html(part))
    if table is not None:
        all_numbers = part_html(_first_rows(table))
        content.append(element("details", element("summary", "All numbers"), all_numbers) if rankings else all_numbers)
    return content


KEY = (
    "Lines: 95% intervals. Hollow: undecided. Shaded: not told apart from the leader. A row opens to all numbers of "
    "its entry and to its worst games."
)
KEY_OF_DOUBT = (
    "Sure: all others are shown to be worse. Likely: the best with a probability of at least 90%, though comparisons "
    "do not rule out those named. Open: less probable."
)


def worst_games(reviews: game_reviews.BoardReviews) -> dict[str, Content]:
    """Return the games with the dearest moves of each entry as links to their replay, by the name of the entry."""
    found: dict[str, Content] = {}
    for name, reviewed in reviews.worst.items():
        links = [
            element("li", element("a", f"game {one.game}", href=f"#game={one.game}", data_replay=name),
                    f" {one.secret}, {one.verdict}: {game_reviews.cost_text(one.review)}")
            for one in reviewed
        ]  # fmt: skip
        head = f"Worst games: the costliest moves of the first {reviews.n_searched:,} games"
        found[name] = [element("p", head, class_="worst-head"), element("ul", links, class_="worst")] if links else None
    return found


def _question(board: Board) -> str:
    return "Who needs the smallest budget?" if board.game.has_epsilon else "Who needs the fewest guesses?"


def _page(runs: Sequence[RunResults], sections: Sequence[PageSection], data: str = "", kept: str = "") -> str:
    title = f"wordpl · {runs[0].name}" if len(runs) == 1 else f"wordpl · {len(runs)} runs"
    games = {board.rules for run in runs for board in run.boards}
    head = title if not games else _question(runs[0].boards[0]) if len(games) == 1 else "Who plays best?"
    lead = [element("p", _facts_line(run), class_="lead") for run in runs]
    note = element("p", kept, class_="note") if kept else None
    with_note = [one.after(note) if one.name == "games" else one for one in sections]
    return document(title, with_note, data, lead, head)


ISOLATIONS = {"level A": "entries isolated", "level B": "entries isolated", "level C": "entries isolated in part"}


def _facts_line(run: RunResults) -> Content:
    """Return the size of a run and the facts that a reader asks for first."""
    facts = [run.name, *map(_size, run.boards)]
    facts += [f"seed {run.facts['seed']}"] if run.facts.get("seed") else []
    level, isolated = run.facts.get("isolation", "").partition(" (")[0], run.facts.get("isolation")
    facts += [ISOLATIONS.get(level, "entries not isolated")] if isolated else []
    facts += [run.facts["date"]] if run.facts.get("date") else []
    if run.verified and not run.verified[0].startswith("Not verified"):
        holds = run.verified[0].startswith("All holds")
        facts.append("recomputed from its seed: all holds" if holds else "recomputed from its seed: see Provenance")
    return " · ".join(fact for fact in facts if fact)


def _size(board: Board) -> str:
    n_games = max(row.n_games for row in board.rows)
    return f"{board.rules}, {amount(len(board.rows), 'entry', 'entries')}, the same {amount(n_games, 'game')} each"


def _kept(runs: Sequence[RunResults], n_kept: int, page_games: page_data.PageGames) -> str:
    """Return which games the page contains; `n_kept` is the number of games of each entry with moves."""
    n_games = page_games.n_listed
    text = "This page contains the moves of all games."
    if n_kept < n_games:
        text = (
            f"To limit its size, this page contains only the moves of the first {n_kept:,} games of each entry and of "
            f"games that ended by a fault; for the others, up to {n_games:,}, it contains verdict and cost. `wordpl "
            "replay RUN GAME` shows any other game."
        )
    if n_games < max((run.n_games for run in runs), default=0):
        text += (
            f" It lists the first {n_games:,} games of each entry: `wordpl export RUN --parquet FILE` writes all games "
            "as a table."
        )
    for game, n in page_games.n_known.items():
        which = "all of them" if n >= min(n_kept, n_games) else f"the first {n:,} of each entry, after its faults"
        text += f" What was known after each move of {game} was computed by its own code, for {which}."
    return text
