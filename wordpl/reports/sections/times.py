"""The CPU times of the entries."""

from collections.abc import Iterator

import numpy as np

from wordpl.reports.elements import Column, Detail, Missing, Part, RunSection, Seconds, Table
from wordpl.reports.results import RunResults


def parts(results: RunResults) -> Iterator[Part]:
    """Yield a table for each game whose CPU times are known."""
    if "cpu_s" not in results.games:
        return
    columns = [
        Column("strategy", "name"),
        *(Column(head, best="low") for head in ("median", "95 %", "maximum", "all games")),
    ]
    for board in results.boards:
        played = results.rows_of(board)
        rows = []
        for name, entry in results.entries(board).items():
            times = played.loc[played["entry"] == name, "cpu_s"].dropna().to_numpy(float)
            values = [*np.quantile(times, [0.5, 0.95]), times.max(), times.sum()] if len(times) else []
            rows.append((entry, *(Seconds(float(value)) for value in values), *[Missing()] * (4 - len(values))))
        if played["cpu_s"].notna().any():
            yield Table(f"{board.rules}: CPU time of a game", columns, rows)


SECTION = RunSection(title="Times", parts=parts, place=70, level=Detail.DETAILS)
