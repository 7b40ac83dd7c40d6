"""The board in a terminal: verdicts first, one line for each entry, and no number cut at any width."""

import io
import re
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from tests.helpers.frames import losing, run_of
from wordpl import reports
from wordpl.cli import _report
from wordpl.reports.elements import Detail, Table
from wordpl.reports.results import RunResults
from wordpl.reports.sections import sections_of

NAMES = [
    "NGuess(epsilon=24.25, n_guesses=4)",
    "NGuess(epsilon=8.4, n_guesses=2)",
    "MaxClueEntropy(plan='p50', width=7)",
    "BayesianRandom(epsilon=15.0, certainty=0.96)",
    "BayesianRandom(epsilon=15.0, certainty=0.875)",
]
LABELS = ["NGuess 24.25×4", "NGuess 8.4×2", "MaxClueEntropy", "BayesianRandom 0.96", "BayesianRandom 0.875"]
WIDTHS = [40, 41, 47, 60, 73, 80, 120]


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(5)
    hardness = rng.gamma(3, 40, 400) + 5
    costs = {name: losing(hardness * (1 + 0.4 * place), 0.04, rng) for place, name in enumerate(NAMES)}
    return RunResults(reports.boards(run_of(costs).assign(posterior=0.96), rng), run_of(costs))


def shown(results, width, full=False, **options):
    console = Console(file=io.StringIO(), width=width, **options)
    reports.show(sections_of(results, Detail.DETAILS if full else Detail.BOARD), console, full)
    return console.file.getvalue()


def numbers_of(results):
    """Return every number of the board's lines, as it must be readable."""
    (table,) = (part.at(Detail.BOARD) for section in sections_of(results, Detail.BOARD) for part in section.parts
                if isinstance(part, Table))  # fmt: skip
    return [cell.text for row in table.cells for cell in row[2:]]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_number_is_cut_or_broken_at_any_width(results, width):
    text = shown(results, width)
    assert max(map(len, text.splitlines())) <= width
    words = text.split()
    assert not [number for number in numbers_of(results) if number not in words]
    assert "…" not in text


@pytest.mark.parametrize("width", [80, 120])
def test_each_entry_has_one_line_with_its_label_its_ranks_and_its_chance_of_winning(results, width):
    lines = shown(results, width).splitlines()
    head = next(index for index, line in enumerate(lines) if line.startswith("rank"))
    rows = lines[head + 1 : head + 1 + len(NAMES)]
    assert sorted(label for label in LABELS for row in rows if label in row) == sorted(LABELS)
    assert all(re.match(r" *\d(–\d)? ", row) for row in rows)
    if width == 120 or len(results.boards[0].ranked_scores) <= 4:  # further scores take the room of the bars
        assert all("●" in row for row in rows)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_verdicts_come_before_the_board(results, width):
    lines = shown(results, width).splitlines()
    assert lines[0].startswith("wordpl/1 · 400 games each")
    assert lines[1].startswith("best p05")


def test_intervals_comparisons_and_full_names_are_shown_on_request(results):
    short, full = (re.sub(r"\s+", " ", shown(results, 200, full=full)) for full in (False, True))
    for part in ("Row minus column", "95% confidence interval", "epsilon=24.25"):
        assert part not in short
        assert part in full


def test_a_terminal_without_colour_and_one_that_knows_only_ascii_can_show_the_board(results, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in shown(results, 80, force_terminal=True)
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    reports.show(sections_of(results, Detail.BOARD), Console(file=file, width=80))
    file.flush()
    text = file.buffer.getvalue().decode("ascii")
    assert "?" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_user_is_told_the_meaning_of_the_marks_once_unless_he_asks(results, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert not _report.has_seen_the_legend()
    assert _report.has_seen_the_legend()
    assert list((tmp_path / "wordpl").iterdir())
    for legend, texts in (("none", ()), ("short", ("★",)), ("whole", ("★", "Mean cost: a lost game counts as"))):
        console = Console(file=io.StringIO(), width=200)
        reports.show([section for section in sections_of(results, Detail.BOARD) if section.name == "legend"], console,
                     legend=legend)  # fmt: skip
        assert bool(console.file.getvalue().strip()) == bool(texts)
        assert all(text in console.file.getvalue() for text in texts)


def test_no_mean_cost_and_no_end_of_its_interval_exceeds_the_cost_of_a_lost_game():
    rng = np.random.default_rng(2)
    run = run_of({"a": losing(rng.gamma(3, 60, 60), 0.97, rng), "b": losing(rng.gamma(3, 60, 60), 0.9, rng)})
    (board,) = reports.boards(run, rng)
    assert (board.table[["mean_cost", "mean_cost_low", "mean_cost_high"]] <= board.loss_cost).all(axis=None)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_entries_that_no_score_tells_apart_are_in_the_order_of_its_values(is_reversed):
    costs = {"low": [20.0, 21.0, 22.0, 23.0, np.inf, np.inf], "high": [30.0, 31.0, 32.0, 33.0, 34.0, 35.0]}
    run = run_of(dict(reversed(costs.items())) if is_reversed else costs)
    (board,) = reports.boards(run, np.random.default_rng(1))
    found = {
        score.name: [row.name for row in board.ranked(score)] for score in board.scores if score.name in ("p50", "won")
    }
    assert (board.table[[f"{name}_rank_low" for name in ("p50", "won")]] == 1).all(axis=None)
    assert (found["p50"], found["won"]) == (["low", "high"], ["high", "low"])
    assert board.names == ["low", "high"]


@pytest.mark.parametrize(("ranks", "p_best", "text"), [((1, 2), 0, "<1%"), ((1, 2), 1, ">99%"), ((2, 2), 0, "0%")])
def test_an_entry_whose_first_rank_is_open_is_neither_certainly_nor_impossibly_the_best(results, ranks, p_best, text):
    (board,) = results.boards
    standing = replace(board.rows[0][board.main_score], places=ranks, p_best=p_best)
    assert standing.cell.ranks.details == (text,)
