"""Tables of plain values in terminals of any width."""

import io

import pytest
from rich.console import Console

from wordpl.reports.elements import Column, EstimateCell, Table, text_table
from wordpl.reports.renderers import show_table

HEADS = ["#", "strategy", "won within it", "95% interval", "first lower"]
ROWS = [["1", "Schedule(plan='p50', budget=36.7)", "50.84%", "50.15–51.54%", ">99.9%"]]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_narrow_tables_keep_every_column_and_break_no_number(width, capsys):
    show_table(text_table("Records", HEADS, ROWS, frozenset({"strategy"})), Console(width=width))
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= width
    assert all(value in output for value in ROWS[0] if value != ROWS[0][1])
    assert all(word in output for head in HEADS for word in head.split())
    assert "plan='p50'" in output and "budget=36.7" in output


@pytest.mark.parametrize("n_digits", range(10, 20))
def test_long_numbers_are_never_broken(n_digits, capsys):
    numbers = [digit * n_digits for digit in "123"]
    row = ["Schedule(plan='p05', budget=14.32)", "60", "14.32", *numbers]
    table = text_table("Estimates", ["entry", "games", "budget", "a", "b", "c"], [row], frozenset({"entry"}))
    show_table(table, Console(width=80))
    output = capsys.readouterr().out
    assert all(number in output for number in numbers)
    assert max(map(len, output.splitlines())) <= 80


@pytest.mark.parametrize("width", [40, 47, 60, 80])
def test_names_are_broken_between_their_arguments_and_not_inside_a_number(width, capsys):
    names = ["BayesianRandom(epsilon=15.25, certainty=0.96)", "MaxClueEntropy(n_guesses=3, epsilon_per_guess=13.5)"]
    rows = [[name, "40.5", "52.25%"] for name in names]
    show_table(text_table("Board", ["strategy", "p50", "P(win)"], rows, {"strategy"}), Console(width=width))
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= width
    for part in ("epsilon=15.25,", "certainty=0.96)", "n_guesses=3,", "epsilon_per_guess=13.5)"):
        assert part in output


def test_a_terminal_without_unicode_shows_infinite_numbers_in_one_piece():
    class Ascii(Console):
        encoding = "ascii"

    console = Ascii(file=io.StringIO(), width=80)
    columns = [Column("entry", "name"), Column("p50")]
    rows = [["bot", EstimateCell(float("inf"))], ["other", EstimateCell(36.9, 35.4, float("inf"))]]
    show_table(Table("", columns, rows), console)
    printed = console.file.getvalue()
    assert printed.isascii()
    assert "inf" in printed
    assert "35.4-inf" in printed
