"""The distribution of the number of guesses of each entry."""

from collections.abc import Iterator

from wordpl.reports.elements import Column, Count, Detail, Part, RunSection, Table
from wordpl.reports.results import RunResults


def parts(results: RunResults) -> Iterator[Part]:
    """Yield a table for each game whose cost is the number of guesses."""
    for board in results.boards:
        if not board.game.bins:
            continue
        entries, which = results.first(board)
        histograms = {row.name: row.histogram for row in board.rows if row.name in entries}
        bins = next(iter(histograms.values())).bins
        rows = [
            (entries[name], *(Count(count, of=sum(found.counts)) for count in found.counts), found)
            for name, found in histograms.items()
        ]
        columns = [Column("strategy", "name"), *map(Column, bins), Column("shares")]
        yield Table(f"{board.rules}: games by number of guesses (X: not solved){which}", columns, rows)


SECTION = RunSection(title="Guesses", parts=parts, place=55, level=Detail.DETAILS)
