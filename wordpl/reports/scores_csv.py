"""scores.csv: every number of every entry, for programs and spreadsheets."""

from collections.abc import Mapping, Sequence

import pandas as pd

from wordpl.reports.board import Board
from wordpl.reports.names import in_csv

SEPARATOR = ";"
SEPARATORS = (";", ",", "\t")
FIRST = ["strategy", "p05", "p50", "p95", "timeouts", "rules", "place"]
"""The first five are those of the original contest's file."""


def scores_csv(
    boards: Sequence[Board], played_twice: Mapping[str, Sequence[int]] | None = None, separator: str = SEPARATOR
) -> str:
    """Return the file with one row for each entry; lost quantiles are inf, scores that do not apply are empty.

    Args:
        boards: The boards of a run.
        played_twice: The games that were played twice, by entry name; without any, there is no column for them.
        separator: The separator of the values.
    """
    if not boards:
        return separator.join(FIRST) + "\n"
    table = pd.concat([_rows(board) for board in boards], ignore_index=True)
    if played_twice:
        games_by_entry = {in_csv(name): " ".join(map(str, games)) for name, games in played_twice.items()}
        table["played_twice"] = table["strategy"].map(games_by_entry)
    further_columns = [column for column in table.columns if column not in FIRST]
    return table[FIRST + further_columns].to_csv(sep=separator, index=False, lineterminator="\n", float_format="%.10g")


def separator_of(text: str) -> str:
    """Return the separator of a file, from its first line.

    >>> separator_of("strategy,p05,p50")
    ','
    """
    return text[len(FIRST[0]) : len(FIRST[0]) + 1] or SEPARATOR


def _rows(board: Board) -> pd.DataFrame:
    rows = board.table.drop(columns=[f"{score.name}_mark" for score in board.scores])
    rows = rows.assign(strategy=rows["strategy"].map(in_csv), timeouts=rows["n_late"])
    rows["clue_excess_p"] = rows["strategy"].map({in_csv(excess.entry): excess.p_value for excess in board.excesses})
    if "worst_words" in rows:
        rows["worst_words"] = [
            " ".join(f"{secret}:{guesses:g}" for secret, guesses in row) for row in rows["worst_words"]
        ]
    # Int64 keeps counts as whole numbers if other games do not have them.
    count_columns = [str(column) for column in rows.columns if str(column).startswith("n_") or "_rank_" in str(column)]
    return rows.astype(dict.fromkeys(count_columns, "Int64"))
