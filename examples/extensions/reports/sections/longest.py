"""The longest game of each entry."""

from wordpl.reports.elements import Column, Detail, RunSection, Table


def parts(results):
    """Yield a table for each game."""
    for board in results.boards:
        rows = results.rows_of(board)
        lengths = rows.groupby("entry", observed=True)["n_moves"].max()
        columns = [Column("strategy", "name"), Column("moves", best="low")]
        entries = results.entries(board)
        yield Table(f"{board.rules}: longest game", columns, [(entries[name], int(lengths[name])) for name in entries])


SECTION = RunSection(title="Longest games", parts=parts, place=72, level=Detail.FULL)
