"""The CPU times of the entries."""

from collections.abc import Iterator

import numpy as np

from wordpl.reports.elements import Column, Detail, Missing, Part, RunSection, Seconds, Table
from wordpl.reports.results import RunResults
from wordpl.run.frame import rows_by


def parts(results: RunResults) -> Iterator[Part]:
    """Yield a table for each game whose CPU times are known."""
    if "cpu_s" not in results.games:
        return
    columns = [
        Column("strategy", "name"),
        *(Column(head, best="low") for head in ("median", "95 %", "maximum", "all games")),
    ]
    for board in results.boards:
        played, rows = results.rows_of(board), []
        by_name, (entries, which) = rows_by(played, "entry"), results.first(board)
        for name, entry in entries.items():
            times = by_name[name]["cpu_s"].dropna().to_numpy(float)
            values = [*np.quantile(times, [0.5, 0.95]), times.max(), times.sum()] if len(times) else []
            rows.append((entry, *(Seconds(float(value)) for value in values), *[Missing()] * (4 - len(values))))
        if played["cpu_s"].notna().any():
            yield Table(f"{board.rules}: CPU time of a game{which}", columns, rows)


SECTION = RunSection(title="Times", parts=parts, place=70, level=Detail.DETAILS)
