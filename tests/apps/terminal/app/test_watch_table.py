"""The table of the screen Watch shows every number whole as soon as it is filled."""

import asyncio

import pytest
from textual.app import App
from textual.widgets import DataTable

from tests.helpers.pilot import text
from wordpl.apps.terminal.app.watch_screen import entry_table
from wordpl.apps.terminal.app.widgets import fill

VALUES = {"5%": "14.6", "50%": "36.75", "95%": "1102.55"}


class OneTable(App[int]):
    """An app with nothing but a table."""

    def compose(self):
        """Yield the table."""
        yield DataTable()


def progress(name):
    """Return the progress of a run of two entries, one of which has long values."""
    played = {"n_played": 900, "n_won": 870, "low": 0.95, "high": 0.98, "shares": [0.9, 0.96] * 6, "n_faults": {}}
    new = {"n_played": 0, "n_won": 0, "percentiles": None, "shares": [], "n_faults": {}}
    percentiles = [float(value) for value in VALUES.values()]
    return {
        "n_games": 1001,
        "entries": [{"name": "New()", **new}, {"name": name, "percentiles": percentiles, **played}],
    }


def test_entries_have_their_labels_whose_numbers_are_not_cut():
    names = [f"BayesianRandom(epsilon={epsilon}, certainty=0.875)" for epsilon in (10.0, 15.0)]
    shown = progress(names[0])
    shown["entries"][0]["name"] = names[1]
    for width, expected in ((90, "BayesianRandom"), (76, "BayesianRa…")):
        _, rows = entry_table(shown, width)
        assert [row[0].plain for _, row in rows] == [f"{expected} 15.0", f"{expected} 10.0"]


@pytest.mark.parametrize("width", [80, 120])
def test_no_value_is_cut_even_before_the_table_is_measured(width):
    async def scenario():
        async with OneTable().run_test(size=(width, 12)) as pilot:
            table = pilot.app.query_one(DataTable)
            heads, rows = entry_table(progress("BayesianRandom(epsilon=15.0, certainty=0.875)"), width - 4)
            fill(table, heads, [(None, row) for _, row in rows])
            widths = [column.get_render_width(table) - 2 * table.cell_padding for column in table.columns.values()]
            assert all(cell.cell_len <= width for _, row in rows for cell, width in zip(row, widths, strict=True))
            await pilot.pause()
            assert sum(widths) + 2 * table.cell_padding * len(widths) <= width
            assert set(VALUES.values()) <= set(text(pilot).split())

    asyncio.run(scenario())
