"""Tables of plain values in terminals of any width."""

import pytest
from rich.console import Console

from wordpl.reports.plain_table import PlainTable, show

HEADS = ["#", "strategy", "won within it", "95% interval", "first lower"]
ROWS = [["1", "Schedule(plan='p50', budget=36.7)", "50.84%", "50.15–51.54%", ">99.9%"]]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_table_loses_no_column_and_breaks_no_number_where_the_terminal_is_narrow(width, capsys):
    show(PlainTable("Records", HEADS, ROWS, frozenset({"strategy"})), Console(width=width))
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= width
    assert all(value in printed for value in ROWS[0] if value != ROWS[0][1])
    assert all(word in printed for head in HEADS for word in head.split())
    assert "Schedule(plan=" in printed and "budget=36.7" in printed
