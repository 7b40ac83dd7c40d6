"""The page of one or more runs: verdicts, rankings, curves and comparisons, games to replay, and all further sections.

The page begins with what a reader asks first. Sections without a place of their own follow under a heading for details.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from wordpl.core.memory import collector_paused
from wordpl.core.messages import amount
from wordpl.reports.board import Board
from wordpl.reports.cells import number
from wordpl.reports.history import history
from wordpl.reports.html import page_data
from wordpl.reports.html.board import entry_details, forest_plots, lead_strip, verdict_cards
from wordpl.reports.html.charts import html_curve
from wordpl.reports.html.document import PageSection, document, part_html, section_html
from wordpl.reports.html.markup import Content, element
from wordpl.reports.html.tables import html_matrix
from wordpl.reports.results import RunResults
from wordpl.reports.section import Curve, Games, Matrix, Note, Ranking, Section, Table, Verdicts
from wordpl.reports.sections import sections_of

MAX_BYTES = 2_000_000
N_WORST = 6
PLACED = ("board", "rankings", "curve", "comparison", "games", "legend")
"""The sections that the page shows in a form and a place of their own."""


def run_page(runs: Sequence[RunResults], max_bytes: int = MAX_BYTES) -> str:
    """Return the page of these runs, as one HTML file.

    Args:
        runs: The runs, in the order of the page.
        max_bytes: The maximum size of the page; the moves of as many games as fit are included.
    """
    with collector_paused():
        sections, has_games = _sections(runs)
        page_without_games = _page(runs, sections)
        if not has_games:
            return page_without_games
        page_games = page_data.games_of(runs)
        data, n_kept = page_data.fitting(page_games, max_bytes - len(page_without_games.encode()) - 2000)
        return _page(runs, sections, data, _kept(runs, n_kept, page_games.n_known))


def _sections(runs: Sequence[RunResults]) -> tuple[list[PageSection], bool]:
    """Return the sections of all runs, and whether they have games; the games of all runs share one section."""
    several = len(runs) > 1
    top: list[PageSection] = [section_html(history(runs))] if several else []
    details: list[PageSection] = []
    games: list[PageSection] = []
    for number_, run in enumerate(runs):
        suffix, of = (f"-{number_ + 1}" if number_ else ""), (f" · {run.name}" if several else "")
        sections = {section.name: section for section in sections_of(run)}
        top += [PageSection(f"{one.name}{suffix}", f"{one.head}{of}", one.content, one.link)
                for one in _first_sections(run, sections, suffix)]  # fmt: skip
        for name, section in sections.items():
            if any(isinstance(part, Games) for part in section.parts):
                games = games or [_games_section(section)]
            elif name not in PLACED:
                details.append(section_html(section, suffix, of))
    folded = [one.folded() for one in details]
    return [*top, *games, *folded], bool(games)


def _games_section(section: Section) -> PageSection:
    content = [part_html(part) for part in section.parts]
    return PageSection("games", "Replay", content, "Replay")


def _first_sections(run: RunResults, sections: Mapping[str, Section], suffix: str) -> Iterator[PageSection]:
    """Yield a section for each board, and one for the curves and the comparisons of each, if there are any."""
    parts = [part for name in PLACED if name in sections for part in sections[name].parts]
    for at, board in enumerate(run.boards):
        own = [part for part in parts if getattr(part, "game", "") == board.rules]
        first = not at
        yield PageSection(
            "board" if first else f"board-{at + 1}",
            "" if first else _question(board),
            _board(run, board, own, sections.get("board"), f"b{at + 1}{suffix}", with_facts=not first),
            "Board" if first else board.rules,
        )
    legend = [part for part in parts if isinstance(part, Note) and part.role == "legend"]
    if legend:
        how = element("details", element("summary", "How to read these numbers"), [part_html(part) for part in legend])
        yield PageSection("legend", "", how, "")
    if curves := [part for part in parts if isinstance(part, Curve)]:
        yield PageSection("curve", "P(win) within a budget", [html_curve(curve) for curve in curves], "Budgets")
    if matrices := [part for part in parts if isinstance(part, Matrix)]:
        games = dict.fromkeys(matrix.game for matrix in matrices)
        heads = [part.head for part in parts if isinstance(part, Ranking)]
        content = [_matrices([one for one in matrices if one.game == game], heads) for game in games]
        yield PageSection("comparison", "Head to head", content, "Head to head")


def _matrices(matrices: Sequence[Matrix], heads: Sequence[str]) -> Content:
    """Return the comparisons of a game as tabs in the order of its rankings; that of the main score comes first."""
    in_order = sorted(matrices, key=lambda one: heads.index(one.head) if one.head in heads else len(heads))
    panels = [element("div", html_matrix(matrix), class_="panel", data_tab=matrix.head,
                      data_main=matrix is matrices[0]) for matrix in in_order]  # fmt: skip
    game = matrices[0].game
    return [element("h3", game), element("div", panels, class_="tabs", data_label=f"Scores of {game}")]


def _board(
    run: RunResults, board: Board, own: Sequence[object], section: Section | None, name: str, *, with_facts: bool
) -> Content:
    """Return the verdicts on a game, who leads at which budget, its rankings and all its numbers."""
    table = next((part for part in (section.parts if section else ())
                  if isinstance(part, Table) and part.title.startswith(f"{board.rules}:")), None)  # fmt: skip
    rankings = [part for part in own if isinstance(part, Ranking)]
    content: list[Content] = [element("p", _size(board), class_="lead") if with_facts
                              else element("h2", "Verdicts", class_="hidden")]  # fmt: skip
    content += [verdict_cards(part) for part in own if isinstance(part, Verdicts)]
    content += [lead_strip(part) for part in own if isinstance(part, Curve)]
    if rankings and table is not None:
        details = entry_details(table, worst_games(run, board))
        content.append(forest_plots(rankings, board.main_score.name, details, name))
        doubts = [row for part in own if isinstance(part, Verdicts) for row in part.rows if not row.is_decided]
        content.append(element("p", f"{KEY} {KEY_OF_DOUBT}" if doubts else KEY, class_="note"))
    content += [part_html(part) for part in _notes(section, board, run.boards)]
    if table is not None:
        all_numbers = part_html(table)
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


def _notes(section: Section | None, board: Board, boards: Sequence[Board]) -> Iterator[Note]:
    """Yield the notes that follow the table of a board."""
    is_own = False
    for part in section.parts if section else ():
        if isinstance(part, Verdicts):
            is_own = part.game == board.rules
        if isinstance(part, Note) and is_own:
            yield part


def worst_games(run: RunResults, board: Board) -> dict[str, Content]:
    """Return the worst games of each entry as links to their replay: lost games, then the most expensive ones."""
    if not run.has_moves:
        return {}
    found: dict[str, Content] = {}
    for name, rows in run.rows_of(board).groupby("entry", sort=False, observed=True):
        costs = rows["cost"].to_numpy(float)
        order = np.lexsort((rows["game"].to_numpy(), -rows["n_moves"].to_numpy(int), -costs))[:N_WORST]
        links = [
            element("li", element("a", f"game {row['game']}", href=f"#game={row['game']}", data_replay=str(name)),
                    f" {row['secret']}, {row['verdict']}" + (f" at {number(row['cost'])}" if row["verdict"] == "won"
                                                             else ""))
            for row in rows.iloc[order].to_dict("records")
        ]  # fmt: skip
        found[str(name)] = [element("p", "Worst games", class_="worst-head"), element("ul", links, class_="worst")]
    return found


def _question(board: Board) -> str:
    return "Who needs the smallest budget?" if board.game.has_epsilon else "Who needs the fewest guesses?"


def _page(runs: Sequence[RunResults], sections: Sequence[PageSection], data: str = "", kept: str = "") -> str:
    title = f"wordpl · {runs[0].name}" if len(runs) == 1 else f"wordpl · {len(runs)} runs"
    head = _question(runs[0].boards[0]) if runs[0].boards else title
    lead = [element("p", _facts_line(run), class_="lead") for run in runs]
    note = element("p", kept, class_="note") if kept else None
    with_note = [one.after(note) if one.name == "games" else one for one in sections]
    return document(title, with_note, data, lead, head)


def _facts_line(run: RunResults) -> Content:
    """Return the size of a run and the facts that a reader asks for first."""
    facts = [run.name, *map(_size, run.boards)]
    facts += [f"seed {run.facts['seed']}"] if run.facts.get("seed") else []
    isolation = run.facts.get("isolation", "").partition(" (")[0].partition(":")[0]
    facts.append("no isolation" if isolation == "none" else isolation)
    facts += [run.facts["date"]] if run.facts.get("date") else []
    facts.append("verified" if run.verified and run.verified[0].startswith("All holds") else "not verified")
    return " · ".join(fact for fact in facts if fact)


def _size(board: Board) -> str:
    n_games = int(board.table["n_games"].max())
    return f"{board.rules}, {amount(len(board.table), 'entry', 'entries')}, the same {amount(n_games, 'game')} each"


def _kept(runs: Sequence[RunResults], n_kept: int, n_known: Mapping[str, int]) -> str:
    """Return which games the page contains.

    Args:
        runs: The runs.
        n_kept: The number of games of each entry with moves.
        n_known: See `page_data.PageGames.n_known`.
    """
    n_games = max((run.n_games for run in runs), default=0)
    text = "This page contains the moves of all games."
    if n_kept < n_games:
        text = (
            f"To limit its size, this page contains only the moves of the first {n_kept:,} games of each entry and of "
            f"games that ended by a fault; for the others, up to {n_games:,}, it contains verdict and cost. The run's "
            "folder contains all moves."
        )
    for game, n in n_known.items():
        which = "all of them" if n >= min(n_kept, n_games) else f"the first {n:,} of each entry, after its faults"
        text += f" What was known after each move of {game} was computed by its own code, for {which}."
    return text
