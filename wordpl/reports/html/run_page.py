"""The page of one run or of several: leaderboard, curves, comparisons, games to replay, and provenance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wordpl import games
from wordpl.core.words import WordLists
from wordpl.reports.board import FAULTS, Board
from wordpl.reports.html import analysis, game_data, tables
from wordpl.reports.html.charts import step_chart
from wordpl.reports.html.curves import curve_table, win_curves
from wordpl.reports.html.document import document
from wordpl.reports.html.history import history
from wordpl.reports.html.markup import Content, element
from wordpl.reports.legend import excess_sentences, legend
from wordpl.stats.compare.matrix import ComparisonMatrix

MAX_BYTES = 2_000_000
SAMPLE = 500
"""Games of each entry whose moves are encoded to see how much room moves take."""
NO_SECRET = 65535


@dataclass(frozen=True, eq=False)
class RunModel:
    """What a page shows of a run.

    Attributes:
        name: What the run is called.
        frame: Rows of `records.load_run`, with the columns `posterior` and `cpu_s` where they are known.
        boards: Its boards.
        matrices: For each board's game the comparison of all pairs, a matrix a score.
        lists: The words it was played with.
        facts: What was played and how, by name.
        remarks: Sentences about entries.
        verified: What `wordpl verify` says, in sentences; empty where it was not asked.
        commands: What makes the run, checks it, and makes the page again.
    """

    name: str
    frame: pd.DataFrame
    boards: Sequence[Board]
    matrices: Mapping[str, Sequence[ComparisonMatrix]]
    lists: WordLists
    facts: Mapping[str, str]
    remarks: Sequence[str] = ()
    verified: Sequence[str] = ()
    commands: Sequence[str] = field(default_factory=tuple)


def run_page(reports: Sequence[RunModel], max_bytes: int = MAX_BYTES) -> str:
    """Return the page of these runs, as one HTML file.

    Args:
        reports: The runs, the one shown first in front.
        max_bytes: Its size; the moves of so many games are kept as fit.
    """
    bare = _page(reports, "", 0)
    room = max_bytes - len(bare.encode()) - 2000
    data, n_kept = _fitting(reports, room)
    return _page(reports, data, n_kept)


def _fitting(reports: Sequence[RunModel], room: int) -> tuple[str, int]:
    """Return the games, with the moves of as many as fit into this many bytes, and how many of each entry these are."""
    most = max((int(report.frame["game"].max()) + 1 for report in reports if len(report.frame)), default=0)
    if most == 0:
        return "", 0
    n_kept = min(most, SAMPLE)
    data = encoded(reports, n_kept)
    while n_kept < most:
        base = len(encoded(reports, 0))
        per_game = max(1.0, (len(data) - base) / n_kept)
        aimed = min(most, int((room - base) / per_game))
        if aimed <= n_kept:
            break
        larger = encoded(reports, aimed)
        if len(larger) > room:
            while len(larger) > room and aimed > n_kept:
                aimed = max(n_kept, int(aimed * 0.97 * room / len(larger)))
                larger = encoded(reports, aimed)
            return larger, aimed
        data, n_kept = larger, aimed
        if aimed == most or len(larger) > 0.9 * room:
            break
    return data, n_kept


def encoded(reports: Sequence[RunModel], n_kept: int) -> str:
    """Return the games of all runs for the script, with the moves of those with numbers below `n_kept`."""
    columns, guesses = game_data.Columns(), dict[str, int]()
    found = []
    for report in reports:
        answers = {answer: at for at, answer in enumerate(report.lists.answers)}
        shown = [_board_data(report, board, columns, (answers, guesses), n_kept) for board in report.boards]
        found.append({"name": report.name, "length": report.lists.length, "answers": "".join(answers), "boards": shown})
    facts = {
        "runs": found,
        "guesses": list(guesses),
        "verdicts": list(game_data.VERDICTS),
        "faults": list(map(str, FAULTS)),
    }
    return game_data.packed(facts, columns)


def _board_data(
    report: RunModel,
    board: Board,
    columns: game_data.Columns,
    words: tuple[dict[str, int], dict[str, int]],
    n_kept: int,
) -> dict[str, object]:
    answers, guesses = words
    rows = report.frame[report.frame["rules"] == board.rules]
    first = rows.drop_duplicates("game")
    secrets = np.full(int(rows["game"].max()) + 1, NO_SECRET, np.uint16)
    secrets[first["game"].to_numpy()] = first["secret"].map(answers).fillna(NO_SECRET).to_numpy(np.uint16)
    game = games.game_class(board.rules)
    by_name = {str(name): part.sort_values("game") for name, part in rows.groupby("entry", sort=False)}
    entries = [
        game_data.add_entry(game_data.EntryGames(name, _is_noisy(board), by_name[name]), columns, guesses, n_kept)
        for name in board.table["strategy"]
    ]
    return {
        "rules": board.rules,
        "noisy": _is_noisy(board),
        "clues": game.clue_rule,
        "secret": game.has_secret,
        "secrets": columns.add(secrets),
        "entries": entries,
    }


def _is_noisy(board: Board) -> bool:
    return any(score.name == "mean_cost" for score in board.scores)


def _page(reports: Sequence[RunModel], data: str, n_kept: int) -> str:
    sections: list[tuple[str, str, Content]] = []
    for number, report in enumerate(reports):
        suffix = f"-{number + 1}" if number else ""
        of = f" · {report.name}" if len(reports) > 1 else ""
        sections += [(f"{name}{suffix}", f"{head}{of}", content) for name, head, content in _of_run(report)]
    sections.append(("games", "Games", _games(reports, n_kept)))
    if len(reports) > 1:
        sections.append(
            ("history", "Entries over runs", history([(one.name, one.facts, one.boards) for one in reports]))
        )
    sections += [("provenance" + (f"-{at + 1}" if at else ""), "Provenance" + (f" · {one.name}" if at else ""),
                  _provenance(one)) for at, one in enumerate(reports)]  # fmt: skip
    title = f"wordpl · {reports[0].name}" if len(reports) == 1 else f"wordpl · {len(reports)} runs"
    return document(title, sections, data, _lead(reports))


def _lead(reports: Sequence[RunModel]) -> Content:
    return [element("p", f"{one.name}: {', '.join(_sizes(one))}", class_="lead") for one in reports]


def _sizes(report: RunModel) -> list[str]:
    return [f"{board.rules}, {len(board.table)} entries, {int(board.table['n_games'].max()):,} games each"
            for board in report.boards]  # fmt: skip


def _of_run(report: RunModel) -> list[tuple[str, str, Content]]:
    by_rules = {board.rules: report.frame[report.frame["rules"] == board.rules] for board in report.boards}
    return [
        ("board", "Leaderboard", [_board(board) for board in report.boards] + _remarks(report)),
        ("curves", "P(win) within a budget", [_curves(board, by_rules[board.rules]) for board in report.boards]),
        ("guesses", "Guesses", [tables.guess_distribution(one) for one in report.boards
                                if "n_solved_in_1" in one.table]),
        ("pairs", "Who beats whom", [analysis.matrices(board, report.matrices.get(board.rules, ()))
                                     for board in report.boards]),
        ("time", "Time and faults", [analysis.times_and_faults(rows) for rows in by_rules.values()]),
        ("losses", "Where games are lost", [analysis.losses(rows, report.lists) for rows in by_rules.values()]),
    ]  # fmt: skip


def _board(board: Board) -> Content:
    said = [element("p", sentence, class_="finding") for sentence in excess_sentences(board)]
    return [element("h3", board.rules), tables.board_table(board), element("p", legend(board), class_="note"), said]


def _remarks(report: RunModel) -> list[Content]:
    return [element("ul", [element("li", remark) for remark in report.remarks])] if report.remarks else []


def _curves(board: Board, rows: pd.DataFrame) -> Content:
    if not _is_noisy(board):
        return None
    lines = win_curves(rows, list(board.table["strategy"]))
    reader = element("label", "Budget ", element("input", type="range", min=0, max=1000, value=0, class_="reader"),
                     " ", element("output", "", class_="at"), class_="script")  # fmt: skip
    chart = element("figure", step_chart(lines, "budget (sum of epsilons)", "P(win within it)"), reader,
                    data_curves=board.rules)  # fmt: skip
    note = "The share of games won within each budget; bands: 95% at each budget, by Clopper and Pearson."
    return [element("h3", board.rules), chart, element("p", note, class_="note"), curve_table(board.rules, lines)]


def _games(reports: Sequence[RunModel], n_kept: int) -> Content:
    most = max((int(report.frame["game"].max()) + 1 for report in reports if len(report.frame)), default=0)
    kept = (
        "The page has the moves of all games."
        if n_kept >= most
        else f"For its size the page has the moves of the first {n_kept:,} games of each entry, and of all that ended "
        f"by a fault; of the others, up to {most:,}, it has verdict and cost. The run's folder has all."
    )
    return [
        element("p", kept, class_="note"),
        element("noscript", element("p", "Looking at single games takes JavaScript.")),
        element("div", "", id="browser"),
        element("div", "", id="replay", aria_live="polite"),
    ]


def _provenance(report: RunModel) -> Content:
    facts = [[element("dt", name), element("dd", value)] for name, value in report.facts.items()]
    made: list[Content] = [element("dl", facts)]
    if report.verified:
        made += [
            element("h3", "What wordpl verify says"),
            element("ul", [element("li", one) for one in report.verified]),
        ]
    else:
        made.append(element("p", "Not verified when this page was made.", class_="note"))
    if report.commands:
        made += [element("h3", "Make it again"), element("pre", "\n".join(report.commands), tabindex=0)]
    return made
