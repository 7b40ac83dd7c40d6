import io
import re
from csv import reader
from unicodedata import category

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from tests.helpers.frames import losing, run_of
from tests.helpers.paths import HOME
from tests.helpers.runs import new_run, resume
from wordpl import reports
from wordpl.reports import names, renderers
from wordpl.reports.elements import Detail
from wordpl.reports.names import in_csv, in_markdown
from wordpl.reports.renderers import show_table
from wordpl.reports.results import RunResults
from wordpl.reports.run_report import RunReport
from wordpl.reports.sections import comparison, sections_of
from wordpl.reports.standings import scores_csv
from wordpl.reports.verification import add_tables
from wordpl.run.folder import Run, RunRecords
from wordpl.stats import compare
from wordpl.stats.posterior_wins import guess_evidence
from wordpl.verify import Findings

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
def boards(results):
    return results.boards


@pytest.fixture(scope="module")
def results():
    return results_of(example_run())


def results_of(run, boards=None):
    """Return the results of a run, optionally with only some of its boards."""
    return RunResults(reports.boards(run, np.random.default_rng(4)) if boards is None else boards, run)


def leaderboard(results):
    """Return LEADERBOARD.md of a run."""
    return renderers.markdown_page("Leaderboard", sections_of(results, Detail.FULL))


def shown(results, width=100, *, full=True, **options):
    """Return what a terminal shows of a run."""
    level = Detail.DETAILS if full else Detail.BOARD
    return output_of(lambda console: reports.show(sections_of(results, level), console, full), width, **options)


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
def test_tables_fit_the_terminal_with_every_column_and_interval(results, width):
    boards, text = results.boards, shown(results, width)
    assert max(map(len, text.splitlines())) <= width
    for part in ("p05", "p50", "p95", "mean cost", "faults", "301 games", "X = 7", "in 4", "worst words"):
        assert part in text, part
    median = boards[0].table.iloc[0]
    assert f"{median['p50_low']:.1f}–{median['p50_high']:.1f}" in text


def test_a_star_marks_every_entry_that_is_not_significantly_worse(results):
    boards = results.boards
    table = boards[0].table.set_index("strategy")
    assert table.loc[["Good(epsilon=5.0)", "Twin(epsilon=5.0)"], "p50_mark"].all()
    assert table.loc[EVIL, "p50_mark"] == ""
    best = table.index[table["p50_mark"] != ""][0]
    assert f"{table.loc[best, 'p50']:.1f} ★" in row_of(best, shown(results))


def test_the_classic_histogram_shows_percentages_and_unsolved_games(results):
    text = shown(results_of(results.games, results.boards[1:]), 160)
    assert "1  2  3  4  5  6  X" in text
    assert "█" in row_of("First()", text)
    assert "word0 X" in text
    next_line = text.splitlines()[text.splitlines().index(row_of("First()", text)) + 1]
    assert " 1 " in next_line  # 2 of 301 games


def test_a_histogram_of_one_bar_is_readable():
    results = results_of(run_of({"lost": [np.inf] * 9}, "guesses"))
    assert "100" in shown(results).split()
    assert "| 0 · 0 · 0 · 0 · 0 · 0 · 100 |" in leaderboard(results)


def test_a_single_entry_and_an_empty_run_can_be_shown():
    run = example_run()
    single = results_of(run[run["entry"] == "First()"])
    assert "★" not in shown(single)
    empty = results_of(run[:0])
    assert shown(empty) == ""
    assert scores_csv(empty.boards).startswith("strategy;p05;p50;p95;timeouts")


def test_entries_of_an_interrupted_run_are_compared_on_common_games():
    run = run_of({"long": [20.0] * 50, "short": [30.0] * 20})
    text = shown(results_of(run))
    assert "20 to 50 games each" in text
    assert "the same 20 games" in " ".join(text.split())


def test_entries_without_common_games_are_not_compared():
    run = run_of({"a": [20.0] * 5, "b": [30.0] * 5})
    run.loc[run["entry"] == "b", "game"] += 5
    text = shown(results_of(run))
    assert "the entries are not compared" in " ".join(text.split())
    assert "★" not in text


def test_against_shows_each_difference_with_interval_and_chance():
    results = results_of(example_run())
    differences = compare.against(results.games, "Good(epsilon=5.0)", np.random.default_rng(5))
    table = comparison.against(differences, "Good(epsilon=5.0)", results.boards[0])
    text = output_of(lambda console: show_table(table, console))
    assert "Good(epsilon=5.0) minus each other entry · the same 301 games" in text
    assert "better >99.9%" in text
    (evil,) = (rival for rival in differences if rival.name == EVIL)
    assert f"{evil.wins.only_first} : {evil.wins.only_second}" in text
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


def test_leaderboard_has_facts_tables_and_no_markup_of_untrusted_names(boards):
    facts = {"seed": "<i>1|2", "date": "2024-05-01"}
    text = leaderboard(RunResults(boards, example_run(), facts=facts))
    assert "- date: 2024-05-01" in text
    assert len({line.count("|") for line in text.split("\n|", 1)[1].split("\n\n")[0].splitlines()[1:]}) == 1
    assert "<i>" not in text
    assert "<b>" not in text


def test_leaderboard_has_a_board_for_each_percentile_with_the_best_entry_first(results):
    text = leaderboard(results)
    for score in ("p05", "p50", "mean (X = 7)"):
        section = text.split(f"({in_markdown(score)})\n")[1].split("###")[0]
        first = section.split("|\n")[2]
        assert first.startswith("| 1"), section
    assert "P(best)" in text


@pytest.mark.slow
def test_cpu_times_and_faults_are_on_the_board():
    run = example_run().assign(cpu_s=0.002)
    run.loc[run.index[5], "cpu_s"] = 0.25
    text = shown(results_of(run), 200)
    for part in ("CPU per game", "2 ms", "max 250 ms"):
        assert part in text


def test_an_entry_that_wins_more_than_its_clues_allow_is_reported():
    n = 300
    run = run_of({"spy": [20.0] * n, "honest": losing(np.full(n, 20.0), 0.5, np.random.default_rng(1))})
    run = run.assign(posterior=0.5, moves=[[("crane", 20.0, "....."), ("slate", 0, "")]] * len(run))
    results = results_of(run)
    text = shown(results, full=False)
    assert "spy won 300 games within 20.0, but its clues allow 150.0 on average" in " ".join(text.split())
    assert "honest won" not in text
    assert "spy won 300 games" in leaderboard(results)


GUESSES_THE_SECRET = """
    import sys

    class Bot:
        def first_move(self):
            frame = sys._getframe()
            while "secret" not in frame.f_locals:
                frame = frame.f_back
            return frame.f_locals["secret"] if {knows} else "crane", 5.0
        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""


def test_an_entry_that_guesses_the_secret_is_named_on_the_board_and_by_a_verifier(tmp_path):
    """It answers the same word in every game, so that its wins are those of an honest entry."""
    sources = {name: GUESSES_THE_SECRET.format(knows=knows) for name, knows in {"spy": True, "honest": False}.items()}
    resume(new_run(tmp_path, sources, n_games=40, player="trusted"), jobs=1).play()
    report = RunReport(RunRecords(Run(tmp_path / "run")))
    sentence = (
        "spy guessed the secret 40 times, which its clues do not explain (p-value: "
        f"{np.exp(-guess_evidence(report.luck['spy'].luck)):.1g}; 2 tests). It seems to choose guesses by more than "
        "its clues."
    )
    assert list(report.findings()) == [sentence]
    assert sentence in " ".join(report.markdown().split())
    report.records.run.finish("2026-11-27T00:00:00+00:00")
    add_tables(found := Findings(), report)
    assert found.unexplained == [sentence]


@given(st.text(max_size=100))
def test_no_name_creates_a_formula_a_tag_a_cell_or_a_line(name):
    assert not in_csv(name).lstrip().startswith(tuple("=+-@\t\r"))
    escaped = in_markdown(name)
    assert not set("|`\n\r") & set(escaped)
    assert not re.search(r"<(?![\s\d=])|^\s*>(?!\d+(?:\.\d+)?%)", escaped)
    for text in (in_csv(name), escaped, names.shown(name)):
        assert all(category(character)[0] != "C" for character in text)


PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MARKUP = [*"#-+=*_~>|`<&[]()!\\:;@$. ab10\t\n", "1)", "2.", "<!--", "-->", "```", "~~~", "---", "    ", "<b>", "</b>"]
MARKUP += ["[x]", "[a](b)", "[a]: b", "&lt;", "&#35;", "http://a.b", "<http://a.b>", "a@b.c", "::error::", "\u00a0"]
PLACES = {
    "a list item": ("- {}", ["bullet_list", "list_item", "paragraph"]),
    "a paragraph": ("{}", ["paragraph"]),
    "a heading": ("## {}", ["heading"]),
    "a quote": ("> {}", ["blockquote", "paragraph"]),
    "a numbered item": ("1. {}", ["ordered_list", "list_item", "paragraph"]),
    "a paragraph after another": ("before\n\n{}", ["paragraph", "paragraph"]),
    "a cell": ("| {} |\n| --- |\n| x |", ["table", "thead", "tr", "th", "tbody", "tr", "td"]),
}


@pytest.mark.parametrize("place", PLACES)
@given(text=st.lists(st.sampled_from(MARKUP), max_size=12).map("".join) | st.text(max_size=40))
@example("# a")
@example("1) a")
@example("2. a")
@example(">99% sure")
@example("===")
@example("- - -")
@example("    code")
@example("a #")
@example("<!-- a")
def test_a_text_in_markdown_is_one_paragraph_with_exactly_this_text(place, text):
    template, expected = PLACES[place]
    tokens = PARSER.parse(template.format(in_markdown(text)))
    inline = [token for token in tokens if token.type == "inline"]
    if not (shown := names.shown(text, 200).strip()):
        return
    assert [token.type.removesuffix("_open") for token in tokens if token.type.endswith("_open")] == expected
    shown_by = inline[-1] if place != "a cell" else inline[0]
    assert {token.type for token in shown_by.children} <= {"text", "text_special"}
    assert "".join(token.content for token in shown_by.children) == shown


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fixes #12 and GH#3", "fixes &#35;12 and GH&#35;3"),
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
    text = shown(results_of(run, [board]))
    assert "no interval" not in text
    assert text.count("exact") >= 4
    assert "Exact: all 300 answers were played once." in " ".join(text.split())
    assert list(board.table["place"]) == [1, 2]
    assert list(board.table["mean_guesses_rank_high"]) == [1, 2]


@pytest.mark.parametrize(
    ("measure", "head"), [("budget", "p50"), ("guesses", "mean (X = 7)"), ("tries", "mean (lost = 101)")]
)
def test_differences_are_in_the_scores_of_the_measure(measure, head):
    run = run_of({"one": [3, 4, 5, 4], "other": [4, 4, 6, 4]}, measure)
    (board,) = reports.boards(run, np.random.default_rng(1))
    heads = comparison.against(compare.against(run, "one", np.random.default_rng(1)), "one", board).heads
    assert head in heads
    assert ("p50" in heads) == (measure == "budget")


@pytest.mark.slow
def test_a_report_prints_as_the_board_of_the_terminal():
    report = RunReport.of(HOME / "results" / "bundled")
    printed = str(report)
    assert "MaxClueEntropy" in printed
    assert "NaN" not in printed
    assert "..." not in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert not report.leaderboard().isna().any().any()
