"""The scores of entries in several runs, with a note if the runs have different games."""

from collections.abc import Mapping, Sequence

from wordpl.reports.board import Board
from wordpl.reports.html.markup import Content, Markup, element
from wordpl.reports.html.tables import HtmlColumn, Row, html_table, score_value
from wordpl.reports.names import shown

Run = tuple[str, Mapping[str, str], Sequence[Board]]


def history(runs: Sequence[Run]) -> Markup:
    """Return the scores of each entry in each run; `runs` are tuples of name, facts and boards."""
    seeds = {name: facts.get("seed", "") for name, facts, _ in runs}
    same = len(set(seeds.values())) == 1
    note = (
        "All runs have the same seed and therefore the same games."
        if same
        else "The runs have different seeds and therefore different games, so that differences are partly due "
        "to chance."
    )
    made: list[Content] = [element("p", note, class_="note" if same else "finding")]
    for rules in dict.fromkeys(board.rules for _, _, boards in runs for board in boards):
        made.append(_of_game(rules, runs))
    return Markup("".join(part for part in made if isinstance(part, Markup)))


def _of_game(rules: str, runs: Sequence[Run]) -> Markup:
    scores = next([s for s in board.scores if s.shown == "always"] for _, _, boards in runs for board in boards
                  if board.rules == rules)  # fmt: skip
    heads = [HtmlColumn("strategy", True), HtmlColumn("run", True), HtmlColumn("seed", True),
             *(HtmlColumn(score.head) for score in scores)]  # fmt: skip
    rows: list[tuple[str, Row]] = []
    for name, facts, boards in runs:
        for board in (board for board in boards if board.rules == rules):
            for row in board.table.to_dict("records"):
                cells = [score_value(row, score, board) for score in scores if score in board.scores]
                rows.append((row["strategy"], [shown(row["strategy"]), name, shown(facts.get("seed", ""), 20), *cells]))
    rows.sort(key=lambda one: one[0])
    return html_table(f"{rules}: history of entries", heads, [row for _, row in rows])
