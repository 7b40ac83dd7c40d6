import io
import re
from csv import reader
from unicodedata import category

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.helpers.frames import losing, run_of
from wordpl import reports
from wordpl.reports.markdown import leaderboard
from wordpl.reports.names import in_csv, in_markdown, shown
from wordpl.reports.scores_csv import scores_csv
from wordpl.stats import compare

EVIL = "=1+1|<b>[red]x[/red]\x1b[31m\n`*_"


def example_run():
    """Return a run of two equally good entries, a bad one with a hostile name, and two classic ones."""
    rng = np.random.default_rng(3)
    hardness = rng.gamma(3, 10, 301) + 5
    noisy = {
        EVIL: losing(hardness * 2, 0.2, rng),
        "Good(epsilon=5.0)": losing(hardness, 0.02, rng),
        "Twin(epsilon=5.0)": losing(hardness + rng.normal(0, 1, 301), 0.02, rng),
    }
    classic = {name: rng.integers(2, 7, 301).astype(float) for name in ("First()", "Second()")}
    classic["First()"][:2] = np.inf
    run = pd.concat([run_of(noisy), run_of(classic, "guesses")], ignore_index=True)
    run.loc[run.index[np.isinf(run["cost"])][0], "verdict"] = "late"
    return run


@pytest.fixture(scope="module")
def boards():
    return reports.boards(example_run(), np.random.default_rng(4))


def output_of(show, width=100, **options):
    console = Console(file=io.StringIO(), width=width, **options)
    show(console)
    return console.file.getvalue()


def row_of(name, text):
    return next(line for line in text.splitlines() if name in line)


def test_each_game_has_a_board_ordered_by_place(boards):
    assert [board.rules for board in boards] == ["wordpl/1", "wordle/1"]
    assert list(boards[0].table["strategy"]) in (
        ["Good(epsilon=5.0)", "Twin(epsilon=5.0)", EVIL],
        ["Twin(epsilon=5.0)", "Good(epsilon=5.0)", EVIL],
    )
    assert list(boards[0].table["place"]) == [1, 1, 3]


def test_the_same_run_and_generator_give_the_same_boards(boards):
    repeated = reports.boards(example_run(), np.random.default_rng(4))
    assert all(board.table.equals(other.table) for board, other in zip(boards, repeated, strict=True))


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_tables_fit_the_terminal_with_every_column_and_interval(boards, width):
    text = output_of(lambda console: reports.show(boards, console), width)
    assert max(map(len, text.splitlines())) <= width
    for part in ("p05", "p50", "p95", "mean cost", "faults", "301 games", "mean (X = 7)", "in 4", "worst words"):
        assert part in text, part
    median = boards[0].table.iloc[0]
    assert f"{median['p50_low']:.1f}–{median['p50_high']:.1f}" in text


def test_a_star_marks_every_entry_that_is_not_significantly_worse(boards):
    table = boards[0].table.set_index("strategy")
    assert list(table.loc[["Good(epsilon=5.0)", "Twin(epsilon=5.0)"], "p50_mark"]) == ["*", "*"]
    assert table.loc[EVIL, "p50_mark"] == ""
    text = output_of(lambda console: reports.show(boards, console))
    best = table.index[table["p50_mark"] == "*"][0]
    assert f"{table.loc[best, 'p50']:.1f} *" in row_of(best, text)


def test_no_escape_sequence_goes_to_a_file_or_a_terminal_without_colour(boards, monkeypatch):
    assert "\x1b" not in output_of(lambda console: reports.show(boards, console))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in output_of(lambda console: reports.show(boards, console), force_terminal=True)


def test_a_terminal_that_knows_only_ascii_gets_ascii(boards):
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    reports.show(boards, Console(file=file, width=100))
    reports.show_against(
        compare.against(example_run(), "Good(epsilon=5.0)", np.random.default_rng(5)), "Good", Console(file=file)
    )


def test_the_classic_histogram_shows_percentages_and_unsolved_games(boards):
    text = output_of(lambda console: reports.show(boards[1:], console), 120)
    assert "1  2  3  4  5  6  X" in text
    assert "█" in row_of("First()", text)
    assert "word0 X" in text
    next_line = text.splitlines()[text.splitlines().index(row_of("First()", text)) + 1]
    assert " 1 " in next_line  # 2 of 301 games


def test_a_histogram_of_one_bar_is_readable():
    board = reports.boards(run_of({"lost": [np.inf] * 9}, "guesses"), np.random.default_rng(1))
    assert " 100 " in output_of(lambda console: reports.show(board, console))
    assert "| 0 · 0 · 0 · 0 · 0 · 0 · 100 |" in leaderboard(board, {})


def test_a_single_entry_and_an_empty_run_can_be_shown():
    run = example_run()
    single = reports.boards(run[run["entry"] == "First()"], np.random.default_rng(1))
    assert "*" not in output_of(lambda console: reports.show(single, console))
    empty = reports.boards(run[:0], np.random.default_rng(1))
    assert output_of(lambda console: reports.show(empty, console)) == ""
    assert scores_csv(empty).startswith("strategy;p05;p50;p95;timeouts")


def test_entries_of_an_interrupted_run_are_compared_on_common_games():
    run = run_of({"long": [20.0] * 50, "short": [30.0] * 20})
    text = output_of(lambda console: reports.show(reports.boards(run, np.random.default_rng(1)), console))
    assert "20 to 50 games each" in text
    assert "the same 20 games" in " ".join(text.split())


def test_entries_without_common_games_are_not_compared():
    run = run_of({"a": [20.0] * 5, "b": [30.0] * 5})
    run.loc[run["entry"] == "b", "game"] += 5
    text = output_of(lambda console: reports.show(reports.boards(run, np.random.default_rng(1)), console))
    assert "the entries are not compared" in " ".join(text.split())
    assert "*" not in text


def test_against_shows_each_difference_with_interval_and_chance():
    differences = compare.against(example_run(), "Good(epsilon=5.0)", np.random.default_rng(5))
    text = output_of(lambda console: reports.show_against(differences, "Good(epsilon=5.0)", console))
    assert "Good(epsilon=5.0) minus each other entry · the same 301 games" in text
    assert "better >99.9%" in text
    assert f"{differences.loc[EVIL, 'only_entry']} : {differences.loc[EVIL, 'only_other']}" in text
    assert max(map(len, text.splitlines())) <= 100


def test_scores_csv_begins_with_the_columns_of_the_original_contest(boards):
    head, *rows = reader(scores_csv(boards).splitlines(), delimiter=";")
    assert head[:7] == ["strategy", "p05", "p50", "p95", "timeouts", "rules", "place"]
    assert {"p05_low", "p05_high", "won", "won_low", "n_games", "n_won", "n_crashed", "mean_guesses_high"} <= set(head)
    assert len(rows) == 5
    evil = next(row for row in rows if "1+1" in row[0])
    assert (evil[0][0], evil[3]) == ("'", "inf")
    assert sum(int(row[4]) for row in rows) == 1
    assert all(row[head.index("n_games")] == "301" for row in rows)


def test_scores_csv_can_be_read_with_pandas(boards):
    table = pd.read_csv(io.StringIO(scores_csv(boards)), sep=";")
    assert np.isinf(table["p95"]).any()
    assert table["p50"].dtype == float


def test_leaderboard_has_facts_tables_and_no_markup_of_untrusted_names(boards):
    text = leaderboard(boards, {"seed": "<i>1|2", "date": "2024-05-01"})
    assert "- date: 2024-05-01" in text
    assert "<i>" not in text
    assert "<b>" not in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    ranked = [board.ranked_scores for board in boards]
    assert [len(scores) for scores in ranked] == [4, 2]
    assert len(table) == 2 * 2 + 5 + sum(
        len(scores) * (2 + len(board.table)) for scores, board in zip(ranked, boards, strict=True)
    )
    first = [line.count("|") for line in table[:5]]
    assert len(set(first)) == 1


def test_leaderboard_has_a_board_for_each_percentile_with_the_best_entry_first(boards):
    text = leaderboard(boards, {})
    for score in ("p05", "p50", "mean (X = 7)"):
        section = text.split(f"### {score} ·")[1].split("###")[0]
        first = section.split("|\n")[2]
        assert first.startswith("| 1"), section
    assert "P(best)" in text


def test_a_wide_table_adds_the_kinds_of_losses(boards):
    narrow = output_of(lambda console: reports.show(boards, console), 160)
    wide = output_of(lambda console: reports.show(boards, console, wide=True), 160)
    assert "wrong" not in narrow.split("Each number")[0]
    assert {"wrong", "late"} <= set(wide.split("Each number")[0].split())


def test_cpu_times_and_faults_are_on_the_board():
    run = example_run().assign(cpu_s=0.002)
    run.loc[run.index[5], "cpu_s"] = 0.25
    text = output_of(lambda console: reports.show(reports.boards(run, np.random.default_rng(1)), console), 140)
    for part in ("CPU per game", "2 ms", "max 250 ms"):
        assert part in text
    late = next(line for line in text.splitlines() if "=1+1" in line)
    assert late.split()[-1] in ("0", "1")


def test_an_entry_that_wins_more_than_its_clues_allow_is_reported():
    n = 300
    run = run_of({"spy": [20.0] * n, "honest": losing(np.full(n, 20.0), 0.5, np.random.default_rng(1))})
    run = run.assign(posterior=0.5, moves=[[("crane", 20.0, "....."), ("slate", 0, "")]] * len(run))
    board = reports.boards(run, np.random.default_rng(1))
    text = output_of(lambda console: reports.show(board, console))
    assert "spy won 300 games within 20.0, but its clues allow 150.0 on average" in " ".join(text.split())
    assert "honest won" not in text
    assert "spy won 300 games" in leaderboard(board, {})


@given(st.text(max_size=100))
def test_no_name_creates_a_formula_a_tag_a_cell_or_a_line(name):
    assert not in_csv(name).lstrip().startswith(tuple("=+-@\t\r"))
    markdown = in_markdown(name)
    assert not set("|`\n\r") & set(markdown)
    assert not re.search(r"<(?![\s\d=])|^\s*>(?!\d+(?:\.\d+)?%)", markdown)
    for text in (in_csv(name), markdown, shown(name)):
        assert all(category(character)[0] != "C" for character in text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NGuess(epsilon=8.4, n_guesses=2)", "NGuess(epsilon=8.4, n_guesses=2)"),
        ("Schedule(plan='p50', budget=36.7)", "Schedule(plan='p50', budget=36.7)"),
        ("at 12:30: 40.5 * of x86_64", "at 12:30: 40.5 * of x86_64"),
        ("__init__ *bold* ~~no~~", r"\_\_init\_\_ \*bold\* \~\~no\~\~"),
        ("[a](http://b) :smile: www.c.d", r"\[a\](http&#58;//b) &#58;smile: www&#46;c.d"),
        ("mailto:a@b.c <img> | `x` $y$", "mailto&#58;a&#64;b.c &#60;img> &#124; &#96;x&#96; &#36;y&#36;"),
    ],
)
def test_markdown_escapes_hostile_names_and_stays_readable(name, expected):
    assert in_markdown(name) == expected


def test_scores_and_places_are_exact_if_every_answer_was_played():
    rng = np.random.default_rng(1)
    run = run_of(
        {"tree": rng.integers(2, 6, 300).astype(float), "other": rng.integers(2, 6, 300).astype(float)}, "guesses"
    )
    (board,) = reports.boards(run, rng, exact=["tree", "other"])
    text = output_of(lambda console: reports.show([board], console))
    assert "no interval" not in text
    assert text.count("exact") >= 4
    assert "Exact: all 300 answers were played once." in " ".join(text.split())
    assert list(board.table["place"]) == [1, 2]
    assert list(board.table["mean_guesses_rank_high"]) == [1, 2]
